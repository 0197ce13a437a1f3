"""template.yaml as tests see it: read once, resolved against parameters, its resources made in any engine."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from tools.local.provision.clients import Clients
from tools.local.provision.everything import provision
from tools.local.template.document import Document, load
from tools.local.template.functions import Function, functions
from tools.local.template.intrinsics import Resolver, parameter_values
from tools.local.template.resources import ATTRIBUTES, QUEUE, Resource, existing, of_type

TEMPLATE = Path(__file__).parents[2] / "template.yaml"
BROWSER = {"BrowserImageUri": "111122223333.dkr.ecr.us-east-1.amazonaws.com/browser:1"}
"""Parameter with which the functions of the browser exist."""


@dataclass(frozen=True)
class Stack:
    """The template under given parameters; nothing exists until `create`."""

    document: Document
    resolver: Resolver
    resources: list[Resource]

    @classmethod
    def planned(
        cls, *, endpoint: str, suffix: str = "", parameters: dict[str, str] | None = None, path: Path = TEMPLATE
    ) -> Stack:
        """What the template would make in the engine at `endpoint`; the suffix keeps stacks in one engine apart."""
        document = _document(path)
        resolver = Resolver(document, parameter_values(document, _known(document, BROWSER) | (parameters or {})))
        resources = [
            replace(resource, name=resource.name + suffix) for resource in existing(document, resolver, endpoint)
        ]
        for resource in resources:
            if resource.type in ATTRIBUTES:
                resolver.attributes[resource.logical_id] = ATTRIBUTES[resource.type](resource.name, endpoint)
        return cls(document, resolver, resources)

    def only(self, logical_ids: Collection[str]) -> Stack:
        """Return the same stack, but `create` makes only these resources."""
        return replace(self, resources=[each for each in self.resources if each.logical_id in logical_ids])

    def create(self, clients: Clients) -> None:
        """Make tables, buckets, queues and secrets, and learn their names from the engine."""
        provision(clients, self.resolver, self.resources)
        for queue in of_type(self.resources, QUEUE):
            url = clients.sqs.get_queue_url(QueueName=queue.name)["QueueUrl"]
            self.resolver.attributes[queue.logical_id] |= {"Ref": url, "QueueUrl": url}

    def name(self, logical_id: str) -> str:
        """What `!Ref` of the resource gives: a table's or bucket's name, a queue's address, a secret's ARN."""
        return self.resolver.attributes[logical_id]["Ref"]

    def functions(self) -> list[Function]:
        """Every function, resolved."""
        return functions(self.document, self.resolver, self.resources)

    def environment(self, function_id: str) -> dict[str, str]:
        """The environment variables that the template gives a function. Raises KeyError for an unknown one."""
        return {function.logical_id: function.environment for function in self.functions()}[function_id]

    def statements(self, function_id: str) -> list[Mapping[str, Any]]:
        """The policy statements that the template gives a function."""
        policies = self.document.resources[function_id]["Properties"].get("Policies", [])
        return [each for policy in self.resolver.resolve(policies) for each in policy["Statement"]]


def _known(document: Document, parameters: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in parameters.items() if name in document.parameters}


@cache
def _document(path: Path) -> Document:
    return load(path)


def function_handlers(path: Path = TEMPLATE) -> list[tuple[str, str, dict[str, str]]]:
    """(logical id, handler, environment) of every function, with names for resources that nobody made."""
    stack = Stack.planned(endpoint="http://127.0.0.1:1", path=path.resolve())
    return [(function.logical_id, function.handler, function.environment) for function in stack.functions()]
