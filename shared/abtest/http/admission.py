"""Admission of requests: the bearer key, the scope that a route requires, and the rate limits of the key."""

from dataclasses import dataclass
from typing import Literal

from starlette.requests import Request

from abtest.domain.credentials.api_keys import SCOPES
from abtest.http.exchange import Exchange, exchange_of
from abtest.http.refusals import InsufficientScopeError, UserKeyRequiredError
from abtest.services.authentication import InvalidApiKeyError
from abtest.services.context import Caller
from abtest.services.rate_limits import RateLimitedError

UserKeys = Literal["refused", "accepted", "required"]
REQUESTS_PER_MINUTE, EXPENSIVE_PER_MINUTE = 600, 30
WINDOW_SECONDS = 60
MAX_CREDENTIAL = 200
_SAFE_METHODS = {"GET", "HEAD"}


@dataclass(frozen=True, slots=True)
class Requirement:
    """Key that a route requires. As a FastAPI dependency it supplies the admitted caller.

    `scope` None accepts any live key. User keys have no scopes, so `user_keys` gives whether the route accepts them.
    """

    scope: str | None = None
    user_keys: UserKeys = "refused"

    def __post_init__(self) -> None:
        if self.scope is not None and self.scope not in SCOPES:
            raise ValueError(f"{self.scope} is not a scope")

    async def __call__(self, request: Request) -> Caller:
        """Return the caller, who was admitted before the body was read."""
        return exchange_of(request).known_caller

    def check(self, caller: Caller) -> None:
        """Raise UserKeyRequiredError or InsufficientScopeError when the caller's key does not meet the requirement."""
        if self.user_keys == "required" and caller.kind != "user":
            raise UserKeyRequiredError
        if self.scope is None or (caller.kind == "user" and self.user_keys != "refused"):
            return
        if self.scope not in caller.scopes:
            raise InsufficientScopeError(self.scope)


def admit(request: Request, exchange: Exchange, requirement: Requirement, *, expensive: bool) -> None:
    """Authenticate the caller, take from its rate limits, and authorise it; the exchange keeps caller and rate.

    Raises InvalidApiKeyError, RateLimitedError, UserKeyRequiredError, InsufficientScopeError.
    """
    scheme, _, credential = request.headers.get("authorization", "").partition(" ")
    credential = credential.strip()
    if scheme.lower() != "bearer" or not credential or len(credential) > MAX_CREDENTIAL:
        raise InvalidApiKeyError
    # API Gateway gives this address, or the CDN with its proof. A client can send any X-Forwarded-For.
    address = request.client.host if request.client and request.client.host else "unknown"
    services = exchange.services
    key = services.authentication.identify(credential, address=address, fresh=request.method not in _SAFE_METHODS)
    exchange.credential = credential
    exchange.caller = Caller(
        key_id=key.id,
        kind=key.kind,
        user_id=key.user_id,
        shop_id=key.shop_id,
        scopes=key.effective_scopes,
        request_id=exchange.request_id,
    )
    limits = {f"key#{key.id}": (key.rate_limit_per_minute or REQUESTS_PER_MINUTE, "requests with this key")}
    if expensive:
        limits[f"key#{key.id}#expensive"] = (EXPENSIVE_PER_MINUTE, "expensive requests with this key")
    # Requests without the scope count too: the limits come before the check.
    for bucket, (limit, subject) in limits.items():
        now = services.world.clock.now()
        exchange.rate = services.limiter.take(bucket, limit=limit, window_seconds=WINDOW_SECONDS, now=now)
        if not exchange.rate.allowed:
            raise RateLimitedError(exchange.rate, subject)
    requirement.check(exchange.caller)
    # Last, so that refused requests do not count as a use of the key.
    services.authentication.note_use(key)
