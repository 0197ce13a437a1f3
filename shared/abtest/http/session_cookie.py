"""Cookie of a session, and the proof that a request with it comes from a page of the console."""

from starlette.requests import Request
from starlette.responses import Response

from abtest.http.refusals import CrossSiteRequestError
from abtest.kit import cookies

NAME, NONCE = cookies.SESSION, "__Host-svc_sign_in"
NONCE_SECONDS = 600
_ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Strict"


def token_of(request: Request) -> str:
    """Return the token in the request's cookie, "" without one."""
    return request.cookies.get(NAME, "")


def give(response: Response, token: str) -> None:
    """Set the cookie. It has no lifetime of its own: the session ends in the store."""
    response.headers.append("set-cookie", f"{NAME}={token}; {_ATTRIBUTES}")


def clear(response: Response) -> None:
    """Remove the cookie from the browser."""
    response.headers.append("set-cookie", f"{NAME}=; {_ATTRIBUTES}; Max-Age=0")


def nonce_of(request: Request) -> str:
    """Return the nonce of the code that this browser requested, "" without one."""
    return request.cookies.get(NONCE, "")


def give_nonce(response: Response, nonce: str) -> None:
    """Set the cookie that binds a code to the browser."""
    response.headers.append("set-cookie", f"{NONCE}={nonce}; {_ATTRIBUTES}; Max-Age={NONCE_SECONDS}")


def clear_nonce(response: Response) -> None:
    """Remove the cookie of a code."""
    response.headers.append("set-cookie", f"{NONCE}=; {_ATTRIBUTES}; Max-Age=0")


def refuse_cross_site(request: Request, origin: str) -> None:
    """Refuse a request that no page of the console has sent, on every method. Raises CrossSiteRequestError.

    Browsers set `Sec-Fetch-Site`, and no page can. Old browsers send `Origin` alone, which must then be the configured
    one; the `Host` of a request proves nothing.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        if site != "same-origin":
            raise CrossSiteRequestError
    elif not origin or request.headers.get("origin") != origin:
        raise CrossSiteRequestError
