"""Admission of requests: a bearer key or a session of the console, the scope that a route requires, rate limits."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from starlette.requests import Request

from abtest.domain.credentials.api_keys import SCOPES
from abtest.domain.identity.step_up import is_recent, may_write
from abtest.http.exchange import Exchange, exchange_of
from abtest.http.refusals import (
    InsufficientScopeError,
    InvalidParameterError,
    PasskeyRequiredError,
    UserKeyRequiredError,
)
from abtest.http.session_cookie import refuse_cross_site, token_of
from abtest.kit.errors import FieldError
from abtest.kit.ids import is_uuid
from abtest.services.authentication import InvalidApiKeyError
from abtest.services.context import Caller
from abtest.services.identity.access import SignInRequiredError
from abtest.services.identity.admission import Visit
from abtest.services.rate_limits import RateLimitedError

UserKeys = Literal["refused", "accepted", "required"]
REQUESTS_PER_MINUTE, EXPENSIVE_PER_MINUTE = 600, 30
WINDOW_SECONDS = 60
MAX_CREDENTIAL = 200
SHOP_HEADER = "X-Svc-Shop"
SAFE_METHODS = {"GET", "HEAD"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sensitivity:
    """Properties of a route that admission depends on. `reveals_secret` where a response has a new credential."""

    expensive: bool = False
    reveals_secret: bool = False


@runtime_checkable
class Admission(Protocol):
    """Condition on which a route admits requests, checked before the body is read."""

    def admit(self, request: Request, exchange: Exchange, sensitivity: Sensitivity) -> None:
        """Raise a ServiceError unless the request is admitted; note in the exchange who sent it."""
        ...


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

    def admit(self, request: Request, exchange: Exchange, sensitivity: Sensitivity) -> None:
        """Authenticate the caller, take from its rate limits, and authorise it; the exchange keeps caller and rate.

        A bearer key wins over a cookie. Raises InvalidApiKeyError, SignInRequiredError, CrossSiteRequestError,
        RateLimitedError, UnknownShopError, InvalidParameterError, UserKeyRequiredError, InsufficientScopeError,
        PasskeyRequiredError.
        """
        scheme, _, credential = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            self._admit_key(request, exchange, credential.strip(), sensitivity)
        elif token := token_of(request):
            self._admit_session(request, exchange, token, sensitivity)
        else:
            raise SignInRequiredError if SHOP_HEADER in request.headers else InvalidApiKeyError

    def check(self, caller: Caller) -> None:
        """Raise UserKeyRequiredError or InsufficientScopeError when the caller does not meet the requirement."""
        if self.user_keys == "required" and caller.kind != "user":
            raise UserKeyRequiredError
        if self.scope is None or (caller.kind == "user" and self.user_keys != "refused"):
            return
        if self.scope not in caller.scopes:
            raise InsufficientScopeError(self.scope, "session" if caller.kind == "session" else "key")

    def _admit_key(self, request: Request, exchange: Exchange, credential: str, sensitivity: Sensitivity) -> None:
        if not credential or len(credential) > MAX_CREDENTIAL:
            raise InvalidApiKeyError
        services = exchange.services
        key = services.authentication.identify(credential, address=address_of(request), fresh=not _is_safe(request))
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
        if sensitivity.expensive:
            limits[f"key#{key.id}#expensive"] = (EXPENSIVE_PER_MINUTE, "expensive requests with this key")
        # Requests without the scope count too: the limits come before the check.
        take(exchange, limits)
        self.check(exchange.caller)
        # Last, so that refused requests do not count as a use of the key.
        services.authentication.note_use(key)

    def _admit_session(self, request: Request, exchange: Exchange, token: str, sensitivity: Sensitivity) -> None:
        visit = visited(request, exchange, token, sensitivity)
        if not _is_safe(request) and not may_write(visit.session):
            raise PasskeyRequiredError("this session may only read; sign in with a passkey to make changes")
        exchange.caller = self._caller(request, exchange, visit)
        self.check(exchange.caller)
        if (sensitivity.reveals_secret or self.scope == "keys:write") and not _is_safe(request):
            require_recent(exchange, visit)
        exchange.services.sessions.note_use(visit)

    def _caller(self, request: Request, exchange: Exchange, visit: Visit) -> Caller:
        """Return the session as a caller in the shop of the header, or as a user key where the route takes these."""
        sessions, shop_id = exchange.services.sessions, request.headers.get(SHOP_HEADER)
        if self.user_keys == "required" or (self.user_keys == "accepted" and shop_id is None):
            if not sessions.may_own_shops(visit):
                raise UserKeyRequiredError
            return caller_of(exchange, visit, kind="user")
        shop_id = named_shop(request)
        return caller_of(exchange, visit, shop_id=shop_id, scopes=sessions.rights(visit, shop_id).scopes)


def visited(
    request: Request, exchange: Exchange, token: str, sensitivity: Sensitivity, *, fresh: bool = False
) -> Visit:
    """Return the session of a request, counted against its limits.

    Raises CrossSiteRequestError, SignInRequiredError, RateLimitedError.
    """
    refuse_cross_site(request, exchange.services.console_origin)
    visit = exchange.services.sessions.identify(token, fresh=fresh or not _is_safe(request))
    exchange.credential, exchange.visit = token, visit
    limit = visit.key.rate_limit_per_minute if visit.key else None
    limits = {f"session#{visit.session.id}": (limit or REQUESTS_PER_MINUTE, "requests of this session")}
    if sensitivity.expensive:
        bucket = f"session#{visit.session.id}#expensive"
        limits[bucket] = (EXPENSIVE_PER_MINUTE, "expensive requests of this session")
    take(exchange, limits)
    return visit


def named_shop(request: Request) -> str:
    """Return the shop that the request names. Raises InvalidParameterError."""
    shop_id = request.headers.get(SHOP_HEADER, "")
    if not is_uuid(shop_id):
        problem = FieldError(SHOP_HEADER, "must be the id of the shop, a UUID: a session may have several shops")
        raise InvalidParameterError("a header of the request is missing or invalid", fields=[problem])
    return shop_id.lower()


def caller_of(
    exchange: Exchange,
    visit: Visit,
    *,
    kind: Literal["session", "user"] = "session",
    shop_id: str = "",
    scopes: frozenset[str] = frozenset(),
) -> Caller:
    """Return a session as a caller. Its id takes the place of a key's."""
    session = visit.session
    return Caller(
        key_id=session.id,
        kind=kind,
        user_id=session.user_id,
        shop_id=shop_id,
        scopes=scopes,
        request_id=exchange.request_id,
    )


def require_recent(exchange: Exchange, visit: Visit) -> None:
    """Raise PasskeyRequiredError unless the session may change keys, people, passkeys and secrets."""
    if not is_recent(visit.session, exchange.services.world.now()):
        raise PasskeyRequiredError(
            "confirm with your passkey: keys, people and secrets need one used in the last 10 minutes"
        )


def take(exchange: Exchange, limits: Mapping[str, tuple[int, str]]) -> None:
    """Take a token of each bucket, given with its limit a minute and its subject. Raises RateLimitedError."""
    for bucket, (limit, subject) in limits.items():
        now = exchange.services.world.clock.now()
        exchange.rate = exchange.services.limiter.take(bucket, limit=limit, window_seconds=WINDOW_SECONDS, now=now)
        if not exchange.rate.allowed:
            raise RateLimitedError(exchange.rate, subject)


def address_of(request: Request) -> str:
    """Return the client's address."""
    # API Gateway gives this address, or the CDN with its proof. A client can send any X-Forwarded-For.
    return request.client.host if request.client and request.client.host else "unknown"


def _is_safe(request: Request) -> bool:
    return request.method in SAFE_METHODS
