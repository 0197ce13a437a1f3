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
from abtest.http.signed_in import SameOrigin, SignedIn
from abtest.services.identity.access import SignInRequiredError
from abtest.services.identity.admission import Visit
from abtest.services.identity.sessions import Begun
from abtest.services.identity.sign_in import SignIn

BASE = "/console/identity"

AnyPage = Annotated[Exchange, Depends(SameOrigin())]
"""A page of the console, signed in or not."""

Signed = Annotated[Visit, Depends(SignedIn())]
"""A live session of any level."""

SignInUse = Annotated[SignIn, use(SignIn)]


def router_at(prefix: str = "") -> Router:
    """Return a router below the base of these routes."""
    return Router(prefix, tag="Sign-in", base=BASE)


def user_agent_of(request: Request) -> str:
    """Return how the browser names itself, for the list of sessions."""
    return request.headers.get("user-agent", "")


def signed_in(request: Request, response: Response, use_sign_in: SignIn, begun: Begun) -> SessionBody:
    """Return the session that has begun, with its cookie. The session that the browser had before ends."""
    services = exchange_of(request).services
    with suppress(SignInRequiredError):  # usually the browser had none
        use_sign_in.end(services.sessions.identify(session_cookie.token_of(request), fresh=True).session)
    session_cookie.give(response, begun.token)
    return use_sign_in.shown(begun.used)
