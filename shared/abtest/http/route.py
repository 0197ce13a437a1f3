"""One request through one route: admit, read the body, run once, render, compare versions.

FastAPI parses parameters and bodies and serialises responses. Everything around that happens here, in this order: a
request without a key learns nothing about bodies, and a body that is too large is never parsed.
"""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextvars import ContextVar
from functools import cached_property, wraps
from typing import Any
from warnings import catch_warnings

from fastapi import APIRouter
from fastapi._compat import ModelField, field_annotation_is_sequence
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic.warnings import UnsupportedFieldAttributeWarning
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as PlainRoute
from starlette.types import Receive, Scope, Send

from abtest.contract.base import Output
from abtest.http import body, idempotency
from abtest.http.admission import Admission, Requirement, Sensitivity
from abtest.http.body import BodyRule
from abtest.http.compression import compressed, not_modified
from abtest.http.exchange import Exchange, exchange_of
from abtest.http.refusals import InvalidParameterError, UnknownPropertyError
from abtest.http.rendering import render
from abtest.http.suggestions import suggestion
from abtest.kit.errors import FieldError

BASE = "/api/v1"

Handler = Callable[[Request], Awaitable[Response]]

returned_output: ContextVar[Output | None] = ContextVar("returned_output", default=None)
"""Output that a route returned, until its row version is written to the ETag."""


class Operation(APIRoute):
    """FastAPI's route with admission, idempotency and errors around it. Fields that are not set are omitted."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        options["response_model_exclude_unset"] = True
        super().__init__(path, on_event_loop(endpoint), **options)
        if self.body_field is not None:
            # The first validation builds the model's schema. Pydantic warns of the alias that FastAPI gives the field.
            # FastAPI silences this for complete models only, and ours are completed here.
            with catch_warnings(action="ignore", category=UnsupportedFieldAttributeWarning):
                self.body_field.validate(None)

    @property
    def admission(self) -> Admission | None:
        """Condition on which the route admits requests; None for the few open routes."""
        calls: Iterable[object] = (dependency.call for dependency in flattened(self.dependant))
        return next((call for call in calls if isinstance(call, Admission)), None)

    @property
    def requirement(self) -> Requirement | None:
        """Key that the route requires; None for routes without a key."""
        return self.admission if isinstance(self.admission, Requirement) else None

    @property
    def header_parameters(self) -> list[ModelField]:
        """Header parameters of the route."""
        return [field for part in flattened(self.dependant) for field in part.header_params]

    @property
    def body_rule(self) -> BodyRule:
        """Size limit of the body, and whether the route reads one."""
        limit = getattr(self.endpoint, "max_body", body.DEFAULT_LIMIT)
        return BodyRule(limit=limit, expected=self.body_field is not None)

    @property
    def takes_any_query(self) -> bool:
        """Permission to send parameters that the route does not declare; it ignores them."""
        return bool(getattr(self.endpoint, "any_query", False))

    def get_route_handler(self) -> Callable[[Request], Any]:
        """Return FastAPI's handler with ours around it."""
        return _Plan(self, super().get_route_handler()).handle


class _Plan:
    """Everything about a route that can be computed once, before its first request."""

    def __init__(self, route: Operation, run: Handler) -> None:
        self._operation = route.operation_id or route.name
        self._admission = route.admission
        self._sensitivity = Sensitivity(
            expensive=bool(getattr(route.endpoint, "expensive", False)),
            reveals_secret=bool(getattr(route.endpoint, "reveals_secret", False)),
        )
        self._body = route.body_rule
        self._body_type = None if route.body_field is None else route.body_field.field_info.annotation
        self._response_type = route.response_model
        parameters = [field for part in flattened(route.dependant) for field in part.query_params]
        self._parameters = {field.alias for field in parameters}
        self._lists = {field.alias for field in parameters if field_annotation_is_sequence(field.field_info.annotation)}
        self._defaults = {field.alias: field.default for field in parameters if isinstance(field.default, str)}
        self._any_query = route.takes_any_query
        self._confidential = bool(getattr(route.endpoint, "confidential", False))
        self._run = run

    async def handle(self, request: Request) -> Response:
        """Return the response to a request, compressed unless the route is confidential."""
        response = await self._answer(request)
        return response if self._confidential else compressed(request, response)

    async def _answer(self, request: Request) -> Response:
        """Return the response as it is. Every error of a route is rendered here, in the same form."""
        exchange = exchange_of(request)
        exchange.operation, exchange.body_type = self._operation, self._body_type
        exchange.response_type, exchange.query_defaults = self._response_type, self._defaults
        try:
            if self._admission is not None:
                self._admission.admit(request, exchange, self._sensitivity)
            # A GET has no body to read, and repeating it is safe without an Idempotency-Key.
            is_get = request.method == "GET"
            parsed = request if is_get else await body.read(request, self._body)
            self._check_query(request)
            if is_get:
                return await self._response(parsed, exchange)
            value = await parsed.json()
            return await idempotency.once(request, exchange, value, lambda: self._response(parsed, exchange))
        except Exception as error:
            return render(error, exchange)

    def _check_query(self, request: Request) -> None:
        if not request.query_params or self._any_query:
            return
        self._refuse_unknown(request)
        names = [name for name, _ in request.query_params.multi_items()]
        # Proxies and frameworks disagree on which of two values counts, so none of them is taken.
        repeated = sorted({name for name in names if names.count(name) > 1} - self._lists)
        if repeated:
            fields = [FieldError(name, "must be sent once: it is not a list") for name in repeated]
            raise InvalidParameterError("a parameter of the request is repeated", fields=fields)

    def _refuse_unknown(self, request: Request) -> None:
        unknown = [name for name in request.query_params if name not in self._parameters]
        if not unknown:
            return
        fields = [
            FieldError(name[:100], f"is not a parameter of this route{suggestion(name, self._parameters)}")
            for name in unknown[:20]
        ]
        accepted = ", ".join(sorted(self._parameters)) or "none"
        message = f"the request has parameters that this route does not accept; those of the route: {accepted}"
        raise UnknownPropertyError(message, fields=fields)

    async def _response(self, request: Request, exchange: Exchange) -> Response:
        """Run the route, and add the ETag of its output. A GET whose If-None-Match has this ETag becomes 304."""
        # Cleared first, because an endpoint that is a coroutine never sets it.
        returned_output.set(None)
        try:
            response = await self._run(request)
        except Exception as error:  # rendered before idempotency stores it, so that a repeated request gets it again
            response = render(error, exchange)
        output = returned_output.get() or Output()
        if output.row_version is not None and response.status_code < 300:
            response.headers["ETag"] = f'W/"{output.row_version}"'
        may_be_held = request.method == "GET" and not output.shows_others
        return (may_be_held and not_modified(request, response)) or response


class Route(PlainRoute):
    """A route as its module declares it. Its operation is built at its first request.

    FastAPI derives parameters, models and validators of an operation in 1 to 3 ms. A cold start of the experiments
    family would do so 75 times to answer one request.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], methods: Sequence[str], **options: Any) -> None:
        super().__init__(path, endpoint, methods=methods)
        self.methods = set(methods)  # Starlette adds HEAD to GET; here the gate makes it a GET
        self.app = self.first_request
        self._options = options

    @cached_property
    def operation(self) -> Operation:
        """FastAPI's route, built from the declaration."""
        return Operation(self.path, self.endpoint, methods=self.methods, **self._options)

    async def first_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Build the operation and answer with it; later requests go to it directly."""
        self.app = self.operation.app
        await self.app(scope, receive, send)


class Router(APIRouter):
    """The routes of one resource, under `/api/v1`, or another base for routes that are not part of the API."""

    def __init__(self, prefix: str = "", *, tag: str, base: str = BASE) -> None:
        super().__init__(prefix=base + prefix, tags=[tag], redirect_slashes=False)
        self.is_documented = base == BASE

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        """Declare a route; FastAPI's decorators call this."""
        self.routes.append(Route(self.prefix + path, endpoint, **{**options, "tags": self.tags}))


def on_event_loop(endpoint: Callable[..., Any]) -> Callable[..., Any]:
    """Return an endpoint that runs on the event loop. A Lambda answers one request at a time, so threads only cost."""
    if inspect.iscoroutinefunction(endpoint):
        return endpoint

    # FastAPI reads the parameters from the signature, which `wraps` passes on.
    @wraps(endpoint)
    async def call(*args: Any, **kwargs: Any) -> Any:
        result = endpoint(*args, **kwargs)
        returned_output.set(result if isinstance(result, Output) else None)
        return result

    return call


def flattened(dependant: Dependant) -> Iterable[Dependant]:
    """Yield a dependant and all that it depends on."""
    yield dependant
    for dependency in dependant.dependencies:
        yield from flattened(dependency)
