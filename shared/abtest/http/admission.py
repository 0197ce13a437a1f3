"""Who may pass: the bearer key of a request, the scope a route requires, the rate the key may call at."""

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
    """What a route asks of its caller; as a FastAPI dependency it hands the admitted caller over.

    `scope` None means any live key. Users' keys carry no scopes: a route says whether it takes them.
    """

    scope: str | None = None
    user_keys: UserKeys = "refused"

    def __post_init__(self) -> None:
        if self.scope is not None and self.scope not in SCOPES:
            raise ValueError(f"{self.scope} is no scope")

    async def __call__(self, request: Request) -> Caller:
        """The caller that was admitted before the body was read."""
        return exchange_of(request).known_caller


def admit(request: Request, exchange: Exchange, requirement: Requirement, *, expensive: bool) -> None:
    """Authenticate, count, authorise, in this order; the exchange knows the caller and the rate from here on.

    Raises InvalidApiKeyError, RateLimitedError, UserKeyRequiredError, InsufficientScopeError.
    """
    text = _bearer(request)
    # The address that API Gateway saw; a client's X-Forwarded-For is hearsay.
    address = request.client.host if request.client and request.client.host else "unknown"
    authentication = exchange.services.authentication
    key = authentication.identify(text, address=address, fresh=request.method not in _SAFE_METHODS)
    exchange.credential = text
    exchange.caller = Caller(
        key_id=key.id,
        kind=key.kind,
        user_id=key.user_id,
        shop_id=key.shop_id,
        scopes=key.effective_scopes,
        request_id=exchange.request_id,
    )
    _take(exchange, f"key#{key.id}", key.rate_limit_per_minute or REQUESTS_PER_MINUTE)
    if expensive:
        _take(exchange, f"key#{key.id}#expensive", EXPENSIVE_PER_MINUTE)
    _authorise(requirement, exchange.caller)
    authentication.note_use(key)


def _bearer(request: Request) -> str:
    scheme, _, text = request.headers.get("authorization", "").partition(" ")
    text = text.strip()
    if scheme.lower() != "bearer" or not text or len(text) > MAX_CREDENTIAL:
        raise InvalidApiKeyError
    return text


def _take(exchange: Exchange, bucket: str, limit: int) -> None:
    services = exchange.services
    now = services.world.clock.now()
    exchange.rate = services.limiter.take(bucket, limit=limit, window_seconds=WINDOW_SECONDS, now=now)
    if not exchange.rate.allowed:
        raise RateLimitedError(exchange.rate)


def _authorise(requirement: Requirement, caller: Caller) -> None:
    if requirement.user_keys == "required" and caller.kind != "user":
        raise UserKeyRequiredError
    if requirement.scope is None or (caller.kind == "user" and requirement.user_keys != "refused"):
        return
    if requirement.scope not in caller.scopes:
        raise InsufficientScopeError(requirement.scope)
