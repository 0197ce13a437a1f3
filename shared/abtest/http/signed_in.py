"""Admission to the routes of the console itself: they take its cookie, never a key."""

from dataclasses import dataclass

from starlette.requests import Request

from abtest.domain.identity.step_up import may_write
from abtest.http.admission import SAFE_METHODS, Sensitivity, caller_of, named_shop, require_recent, visited
from abtest.http.exchange import Exchange, exchange_of
from abtest.http.refusals import PasskeyRequiredError
from abtest.http.session_cookie import refuse_cross_site, token_of
from abtest.services.context import Caller
from abtest.services.identity.access import SignInRequiredError
from abtest.services.identity.admission import Visit
from abtest.services.identity.people import Participant


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Session that a route requires. As a FastAPI dependency it supplies the visit.

    `may_write` refuses sessions that only read; `recent` those whose passkey was not used in the last minutes.
    """

    may_write: bool = False
    recent: bool = False

    async def __call__(self, request: Request) -> Visit:
        """Return the session, which was admitted before the body was read."""
        return exchange_of(request).known_visit

    def admit(self, request: Request, exchange: Exchange, sensitivity: Sensitivity) -> None:
        """Look the session up, past every cache.

        Raises CrossSiteRequestError, SignInRequiredError, RateLimitedError, PasskeyRequiredError.
        """
        refuse_cross_site(request, exchange.services.console_origin)
        token = token_of(request)
        if not token:
            raise SignInRequiredError
        visit = visited(request, exchange, token, sensitivity, fresh=True)
        exchange.caller = self._caller(request, exchange, visit)
        if self.may_write and request.method not in SAFE_METHODS and not may_write(visit.session):
            raise PasskeyRequiredError("this session may only read; sign in with a passkey to make changes")
        if self.recent:
            require_recent(exchange, visit)
        exchange.services.sessions.note_use(visit)

    def _caller(self, request: Request, exchange: Exchange, visit: Visit) -> Caller:  # noqa: ARG002 - for overrides
        return caller_of(exchange, visit)


@dataclass(frozen=True, slots=True)
class SignedInShop(SignedIn):
    """Session that a route requires, in the shop of the header. As a dependency it supplies the participant."""

    async def __call__(self, request: Request) -> Participant:  # type: ignore[override]
        """Return the person in the shop."""
        exchange = exchange_of(request)
        caller = exchange.known_caller
        return Participant(caller, exchange.known_visit.rights[caller.shop_id])

    def _caller(self, request: Request, exchange: Exchange, visit: Visit) -> Caller:
        shop_id = named_shop(request)
        rights = exchange.services.sessions.rights(visit, shop_id)
        return caller_of(exchange, visit, shop_id=shop_id, scopes=rights.scopes)


@dataclass(frozen=True, slots=True)
class SameOrigin:
    """Page of the console, with or without a session: for routes that sign in."""

    async def __call__(self, request: Request) -> Exchange:
        """Return the exchange."""
        return exchange_of(request)

    def admit(self, request: Request, exchange: Exchange, _sensitivity: Sensitivity) -> None:
        """Raise CrossSiteRequestError for requests of other pages and of programs."""
        refuse_cross_site(request, exchange.services.console_origin)
