"""Shared by the routes of sign-in: their base, their callers, and the beginning of a session."""

from contextlib import suppress
from typing import Annotated

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response

from abtest.contract.identity import SessionBody
from abtest.http import session_cookie
from abtest.http.deps import use
from abtest.http.exchange import Exchange, exchange_of
from abtest.http.route import Router
from abtest.http.signed_in import SameOrigin, SignedIn, SignedInShop
from abtest.services.identity.acceptance import Acceptance
from abtest.services.identity.access import SignInRequiredError
from abtest.services.identity.admission import Visit
from abtest.services.identity.codes import EmailCodes
from abtest.services.identity.passkeys import UserPasskeys
from abtest.services.identity.people import Participant, People
from abtest.services.identity.sessions import Begun
from abtest.services.identity.sign_in import SignIn

BASE = "/console/identity"

AnyPage = Annotated[Exchange, Depends(SameOrigin())]
"""A page of the console, signed in or not."""

Signed = Annotated[Visit, Depends(SignedIn())]
"""A live session of any level."""

Writer = Annotated[Visit, Depends(SignedIn(may_write=True))]
"""A live session that may change something."""

Strong = Annotated[Visit, Depends(SignedIn(may_write=True, recent=True))]
"""A live session, strong enough to change passkeys."""

InShop = Annotated[Participant, Depends(SignedInShop())]
"""A person in the shop of the header."""

PeopleManager = Annotated[Participant, Depends(SignedInShop(may_write=True, recent=True))]
"""A person in the shop of the header, strong enough to change people; the role is checked by the use case."""

SignInUse = Annotated[SignIn, use(SignIn)]
PeopleUse = Annotated[People, use(People)]
PasskeyUse = Annotated[UserPasskeys, use(UserPasskeys)]
CodeUse = Annotated[EmailCodes, use(EmailCodes)]
AcceptanceUse = Annotated[Acceptance, use(Acceptance)]


def router_at(prefix: str = "") -> Router:
    """Return a router below the base of these routes."""
    return Router(prefix, tag="Sign-in", base=BASE)


def user_agent_of(request: Request) -> str:
    """Return how the browser names itself, for the list of sessions."""
    return request.headers.get("user-agent", "")


def visit_of(request: Request) -> Visit | None:
    """Return the session of a user on a route that does not require one. One of a shop's key is not a user's."""
    with suppress(SignInRequiredError):
        visit = exchange_of(request).services.sessions.identify(session_cookie.token_of(request), fresh=True)
        return visit if visit.session.acts_for_user else None
    return None


def signed_in(request: Request, response: Response, use_sign_in: SignIn, begun: Begun) -> SessionBody:
    """Return the session that has begun, with its cookie. The session that the browser had before ends."""
    services = exchange_of(request).services
    with suppress(SignInRequiredError):  # usually the browser had none
        use_sign_in.end(services.sessions.identify(session_cookie.token_of(request), fresh=True).session)
    session_cookie.give(response, begun.token)
    return use_sign_in.shown(begun.used)
