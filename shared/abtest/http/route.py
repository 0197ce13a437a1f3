"""One request through one route: admit, read the body, run once, render.

FastAPI parses parameters and bodies and serialises answers; everything around that happens here, in this order, so
that a request without a key learns nothing about bodies, and a body that is too large is never parsed.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import cached_property, wraps
from typing import Any
from warnings import catch_warnings

from fastapi import APIRouter
from fastapi._compat import ModelField
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic.warnings import UnsupportedFieldAttributeWarning
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as PlainRoute
from starlette.types import Receive, Scope, Send

from abtest.contract.base import Output
from abtest.http import body, conditional, idempotency
from abtest.http.admission import Requirement, admit
from abtest.http.body import BodyRule
from abtest.http.exchange import Exchange, exchange_of
from abtest.http.refusals import UnknownPropertyError
from abtest.http.rendering import render
from abtest.kit.errors import FieldError

BASE = "/api/v1"

Handler = Callable[[Request], Awaitable[Response]]


class Operation(APIRoute):
    """FastAPI's route with our plumbing around it. What an answer did not set is left out of it."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        options["response_model_exclude_unset"] = True
        super().__init__(path, _direct(endpoint), **options)
        if self.body_field is not None:
            # The first validation builds the model's schema. FastAPI gives the field an alias that pydantic warns of:
            # it silences this for models that are complete, ours are completed here.
            with catch_warnings(action="ignore", category=UnsupportedFieldAttributeWarning):
                self.body_field.validate(None)

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
        return _Plan(self, super().get_route_handler()).handle


class _Plan:
    """What was worked out once for a route, so that a request does not pay for it."""

    def __init__(self, route: Operation, run: Handler) -> None:
        self._operation = route.operation_id or route.name
        self._requirement = route.requirement
        self._expensive = bool(getattr(route.endpoint, "expensive", False))
        self._body = route.body_rule
        self._parameters = {field.alias for part in _flat(route.dependant) for field in part.query_params}
        self._run = run

    async def handle(self, request: Request) -> Response:
        """The answer to a request; every error of a route is rendered here, in the one form."""
        exchange = exchange_of(request)
        exchange.operation = self._operation
        try:
            if self._requirement is not None:
                admit(request, exchange, self._requirement, expensive=self._expensive)
            # A GET has no body that we read and needs no key to be repeated: the shortest way is its own.
            is_get = request.method == "GET"
            parsed = request if is_get else await body.read(request, self._body)
            if not request.query_params.keys() <= self._parameters:
                raise self._unknown_parameters(request)
            if is_get:
                return await self._rendered(parsed, exchange)
            content = await parsed.body()
            return await idempotency.once(request, exchange, content, lambda: self._rendered(parsed, exchange))
        except Exception as error:
            return render(error, exchange)

    async def _rendered(self, request: Request, exchange: Exchange) -> Response:
        conditional.answered_version.set(None)
        try:
            response = await self._run(request)
        except Exception as error:  # rendered before it is kept, so that a repeated request gets the same answer
            response = render(error, exchange)
        return conditional.finish(request, response)

    def _unknown_parameters(self, request: Request) -> UnknownPropertyError:
        unknown = [name for name in request.query_params if name not in self._parameters]
        fields = [FieldError(name[:100], "no parameter of this route") for name in unknown[:20]]
        return UnknownPropertyError("the request names parameters that this route does not take", fields=fields)


class Route(PlainRoute):
    """A route as its module declares it; its operation is made when the first request needs it.

    FastAPI derives parameters, models and validators of an operation in 1 to 3 ms. A cold start of the experiments
    family would do so 75 times, to answer one request.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], methods: Sequence[str], **options: Any) -> None:
        super().__init__(path, endpoint, methods=methods)
        self.methods = set(methods)  # Starlette adds HEAD to GET; the contract has no HEAD
        self.app = self._answer
        self._options = options

    @cached_property
    def operation(self) -> Operation:
        """FastAPI's part, made from the declaration."""
        return Operation(self.path, self.endpoint, methods=self.methods, **self._options)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.operation.app(scope, receive, send)


class Router(APIRouter):
    """The routes of one resource, under `/api/v1`."""

    def __init__(self, prefix: str = "", *, tag: str) -> None:
        super().__init__(prefix=BASE + prefix, tags=[tag], redirect_slashes=False)

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        """Declare a route; FastAPI's decorators call this."""
        self.routes.append(Route(self.prefix + path, endpoint, **{**options, "tags": self.tags}))


def _direct(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    """The endpoint on the event loop: a Lambda answers one request at a time, so a thread would only cost."""
    if inspect.iscoroutinefunction(endpoint):
        return endpoint

    @wraps(endpoint)
    async def call(*args: Any, **kwargs: Any) -> Any:
        result = endpoint(*args, **kwargs)
        conditional.answered_version.set(result.row_version if isinstance(result, Output) else None)
        return result

    return call


def _flat(dependant: Dependant) -> Iterable[Dependant]:
    yield dependant
    for dependency in dependant.dependencies:
        yield from _flat(dependency)
