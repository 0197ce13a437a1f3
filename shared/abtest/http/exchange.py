"""What is known about the request that is being answered, from the gate to the last header."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast

from starlette.requests import Request

from abtest.ports.limits import Idempotency, RateDecision, RateLimiter
from abtest.services.authentication import Authentication
from abtest.services.context import Caller, World

SCOPE_KEY = "abtest.exchange"
"""Where an ASGI scope holds its exchange."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Everything the plumbing needs, and the use cases of the family by their type."""

    world: World
    authentication: Authentication
    limiter: RateLimiter
    idempotency: Idempotency
    cursor_key: Callable[[], bytes]
    uses: Mapping[type, object] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Exchange:
    """One request and its answer. `credential` is the bearer text; it never leaves the process."""

    services: Services
    request_id: str
    operation: str = ""
    caller: Caller | None = None
    credential: str = field(default="", repr=False)
    rate: RateDecision | None = None

    @property
    def known_caller(self) -> Caller:
        """The caller of a route that requires a key. Raises LookupError on an open route."""
        if self.caller is None:
            raise LookupError("the route requires no key, so nobody is known")
        return self.caller


def exchange_of(request: Request) -> Exchange:
    """The exchange that a request belongs to."""
    return cast(Exchange, request.scope[SCOPE_KEY])
