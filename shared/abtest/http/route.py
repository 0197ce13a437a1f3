"""One request through one route: admit, read the body, run once, render.

FastAPI parses parameters and bodies and serialises answers; everything around that happens here, in this order, so
that a request without a key learns nothing about bodies, and a body that is too large is never parsed.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterable
from functools import wraps
from typing import Any

from fastapi import APIRouter
from fastapi._compat import ModelField
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from abtest.http import body, conditional, idempotency
from abtest.http.admission import Requirement, admit
from abtest.http.body import BodyRule, ParsedRequest
from abtest.http.exchange import exchange_of
from abtest.http.refusals import UnknownPropertyError
from abtest.http.rendering import render
from abtest.kit.errors import FieldError

BASE = "/api/v1"

Handler = Callable[[Request], Awaitable[Response]]


class Route(APIRoute):
    """An API route with our plumbing around FastAPI's. What an answer did not set is left out of it."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        options["response_model_exclude_unset"] = True
        super().__init__(path, _direct(endpoint), **options)

    @property
    def requirement(self) -> Requirement | None:
        """What the route asks of its caller; None for the few open routes."""
        calls = (dependency.call for dependency in _flat(self.dependant))
        return next((call for call in calls if isinstance(call, Requirement)), None)

    @property
    def header_parameters(self) -> list[ModelField]:
        """Headers that the route reads by name."""
        return [field for part in _flat(self.dependant) for field in part.header_params]

    @property
    def body_rule(self) -> BodyRule:
        """How large a body may be, and whether there is one."""
        limit = getattr(self.endpoint, "max_body", body.DEFAULT_LIMIT)
        return BodyRule(limit=limit, expected=self.body_field is not None)

    def get_route_handler(self) -> Callable[[Request], Any]:
        """FastAPI's handler with ours around it."""
        run = super().get_route_handler()
        plan = _Plan(self, run)

        async def handle(request: Request) -> Response:
            exchange = exchange_of(request)
            exchange.operation = plan.operation
            try:
                return await plan.answer(request)
            except Exception as error:  # every error of a route is rendered here, in the one form
                return render(error, exchange)

        return handle


class _Plan:
    """What was worked out once for a route, so that a request does not pay for it."""

    def __init__(self, route: Route, run: Handler) -> None:
        self.operation = route.operation_id or route.name
        self._requirement = route.requirement
        self._expensive = bool(getattr(route.endpoint, "expensive", False))
        self._body = route.body_rule
        self._parameters = {field.alias for part in _flat(route.dependant) for field in part.query_params}
        self._run = run

    async def answer(self, request: Request) -> Response:
        exchange = exchange_of(request)
        if self._requirement is not None:
            admit(request, exchange, self._requirement, expensive=self._expensive)
        parsed = await body.read(request, self._body)
        self._refuse_unknown_parameters(request)
        return await idempotency.once(request, exchange, await parsed.body(), lambda: self._rendered(parsed))

    async def _rendered(self, request: ParsedRequest) -> Response:
        conditional.remember_version(None)
        try:
            response = await self._run(request)
        except Exception as error:  # rendered before it is kept, so that a repeated request is told the same
            response = render(error, exchange_of(request))
        return conditional.finish(request, response)

    def _refuse_unknown_parameters(self, request: Request) -> None:
        unknown = [name for name in request.query_params if name not in self._parameters]
        if unknown:
            fields = [FieldError(name[:100], "no parameter of this route") for name in unknown[:20]]
            raise UnknownPropertyError("the request names parameters that this route does not take", fields=fields)


class Router(APIRouter):
    """The routes of one resource, under `/api/v1`."""

    def __init__(self, prefix: str = "", *, tag: str) -> None:
        super().__init__(prefix=BASE + prefix, tags=[tag], route_class=Route, redirect_slashes=False)


def _direct(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    """The endpoint on the event loop: a Lambda answers one request at a time, so a thread would only cost."""
    if inspect.iscoroutinefunction(endpoint):
        return endpoint

    @wraps(endpoint)
    async def call(*args: Any, **kwargs: Any) -> Any:
        result = endpoint(*args, **kwargs)
        conditional.remember_version(result)
        return result

    return call


def _flat(dependant: Dependant) -> Iterable[Dependant]:
    yield dependant
    for dependency in dependant.dependencies:
        yield from _flat(dependency)
