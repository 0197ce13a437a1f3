"""State of one request, from the gate to the last header of its response."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from starlette.requests import Request

from abtest.ports.limits import Idempotency, RateDecision, RateLimiter
from abtest.services.authentication import Authentication
from abtest.services.context import Caller, World
from abtest.services.identity.admission import SessionAdmission, Visit

SCOPE_KEY = "abtest.exchange"
"""Key of the exchange in an ASGI scope."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Services that every request needs, and the family's use cases by their type."""

    world: World
    authentication: Authentication
    limiter: RateLimiter
    idempotency: Idempotency
    cursor_key: Callable[[], bytes]
    sessions: SessionAdmission
    console_origin: str = ""
    """Origin of the console, such as `https://api.example.com`; "" where it is not configured."""

    uses: Mapping[type, object] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Exchange:
    """One request and its response. `credential` is the bearer text or the session's token; it stays in the process."""

    services: Services
    request_id: str
    operation: str = ""
    caller: Caller | None = None
    credential: str = field(default="", repr=False)
    visit: Visit | None = None
    """Session of the request, where it came with a cookie."""

    rate: RateDecision | None = None
    body_type: Any = None
    """Type of the route's body, in which errors look for names that were misspelt."""
    response_type: Any = None
    """Type of the route's response: a property of it that the body must not have is read-only."""

    query_defaults: Mapping[str, str] = field(default_factory=dict)
    """Values of the route's query parameters that mean the same as leaving them out."""

    @property
    def known_caller(self) -> Caller:
        """The caller of a route that requires a key. Raises LookupError on an open route."""
        if self.caller is None:
            raise LookupError("an open route has no caller; it requires no key")
        return self.caller

    @property
    def known_visit(self) -> Visit:
        """The session of a route that requires one. Raises LookupError on any other route."""
        if self.visit is None:
            raise LookupError("the route requires no session")
        return self.visit


def exchange_of(request: Request) -> Exchange:
    """Return the exchange of a request."""
    return cast(Exchange, request.scope[SCOPE_KEY])


@dataclass(frozen=True, slots=True)
class UseCase:
    """FastAPI dependency that supplies the use case of one type."""

    type: type

    async def __call__(self, request: Request) -> object:
        """Return the use case that the family registered for the type."""
        return exchange_of(request).services.uses[self.type]
