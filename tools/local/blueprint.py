"""From the template to running parts: resources made, functions resolved, each route with its pool."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tools.local.files import StateDirectory
from tools.local.gateway.routing import Router
from tools.local.options import Options
from tools.local.provision.clients import Clients
from tools.local.provision.everything import provision
from tools.local.provision.queues import dead_letter_queues
from tools.local.runtime.environment import worker_environment
from tools.local.runtime.pool import Pool
from tools.local.surroundings import machine_environment
from tools.local.template.document import Document, TemplateError, load
from tools.local.template.functions import IMPLICIT_API, Function, QueueSource, functions
from tools.local.template.intrinsics import Resolver, parameter_values
from tools.local.template.resources import ATTRIBUTES, HTTP_API, KEY, LAYER, QUEUE, SECRET, Resource, existing, of_type

# Which HTTP API answers on which of the stack's ports; any other one gets a free port.
API_PORTS = {"ManagementApi": "port", IMPLICIT_API: "port", "EdgeApi": "edge", "AssetsApi": "assets"}


@dataclass(frozen=True)
class Blueprint:
    """A template under given parameters, before anything exists."""

    document: Document
    resolver: Resolver
    resources: list[Resource]

    @classmethod
    def read(cls, options: Options, endpoint: str) -> Blueprint:
        """Read the template; TemplateError for what it lacks or what the stack cannot run."""
        document = load(options.template)
        if unknown := set(options.parameters) - set(document.parameters):
            raise TemplateError(f"the template has no parameter {', '.join(sorted(unknown))}")
        resolver = Resolver(document, parameter_values(document, options.supplied_parameters()))
        return cls(document, resolver, existing(document, resolver, endpoint))

    def ignored(self) -> list[Resource]:
        """Resources that the template declares and the stack does not run."""
        run = {*ATTRIBUTES, KEY, LAYER, SECRET}
        return [resource for resource in self.resources if resource.type not in run]

    def create(self, clients: Clients) -> None:
        """Make the resources that do not exist yet."""
        provision(clients, self.resolver, self.resources)

    def queues(self) -> tuple[list[str], set[str]]:
        """The names of all queues, and which of them are dead-letter queues."""
        queues = [(queue.name, self.resolver.resolve(queue.properties)) for queue in of_type(self.resources, QUEUE)]
        return [name for name, _ in queues], dead_letter_queues(queues)

    def pools(self, endpoint: str, state: StateDirectory) -> list[Pool]:
        """One pool a function; nothing is started yet."""
        return [
            Pool(function, worker_environment(function, endpoint, machine_environment()), _log(state, function))
            for function in functions(self.document, self.resolver, self.resources)
        ]

    def routers(self, pools: list[Pool]) -> dict[str, Router[Pool]]:
        """One router an HTTP API."""
        apis = {api.logical_id for api in of_type(self.resources, HTTP_API)} | {IMPLICIT_API}
        routes = [(route, pool) for pool in pools for route in pool.function.routes]
        if unknown := {route.api for route, _ in routes} - apis:
            raise TemplateError(f"routes name an HTTP API that does not exist: {', '.join(sorted(unknown))}")
        used = [api for api in sorted(apis) if any(route.api == api for route, _ in routes)]
        return {api: Router((route, pool) for route, pool in routes if route.api == api) for api in used}


def _log(state: StateDirectory, function: Function) -> Path:
    return state.log(function.logical_id)


def sources(pools: list[Pool]) -> list[tuple[QueueSource, Pool]]:
    """Every queue that a function reads, with that function's pool."""
    return [(source, pool) for pool in pools for source in pool.function.queues]
