"""Visitor's cookie: refreshed by the edge, because browsers keep a server's cookies longer than a script's.

Only on the shop's own origin a request has the cookie, and only there the answer sets it. Its value stays the same, so
that pages can go on reading it.
"""

import re
from collections.abc import Sequence

from abtest.edge.gateway import GatewayEvent, Request

NAME = "svc_v"
KEEP_SECONDS = 400 * 24 * 3600  # 400 days, the longest life that browsers accept
MAX_CHARS = 3500
_VALUE = re.compile(r"[A-Za-z0-9_-]{16,64}(?:\.[A-Za-z0-9_.~-]*)?", re.ASCII)
_DOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?", re.ASCII)


def refreshed(event: GatewayEvent, request: Request) -> Sequence[str]:
    """Return the `Set-Cookie` of an answer to the shop's own page; none elsewhere, or for a cookie of another form.

    The parameter `d` of the address is the domain that the page shares the cookie with.
    """
    if (
        not event["rawPath"].startswith("/_svc/")
        or request.headers.get("sec-fetch-site", "same-origin") != "same-origin"
    ):
        return ()
    values = cookie_values(event)
    if len(values) != 1 or len(values[0]) > MAX_CHARS or _VALUE.fullmatch(values[0]) is None:
        return ()  # only the page knows which of two cookies of this name is meant
    # A page over http, as in local development, cannot store a cookie that is Secure.
    is_secure = not request.headers.get("origin", "https:").startswith("http:")
    return (set_cookie(values[0], domain=request.query.get("d", ""), is_secure=is_secure),)


def cookie_values(event: GatewayEvent) -> list[str]:
    """Return the values of all cookies of this name in a request."""
    # The gateway takes cookies out of the headers; other callers of the function leave them there.
    cookies: list[str] | None = event.get("cookies")
    if cookies is None:
        cookies = (event.get("headers") or {}).get("cookie", "").split(";")
    pairs = [cookie.partition("=") for cookie in cookies]
    return [value.strip() for name, _, value in pairs if name.strip() == NAME]


def set_cookie(value: str, *, domain: str, is_secure: bool) -> str:
    """Return the `Set-Cookie` of a value, shared below a domain if it is one."""
    # Browsers refuse a cookie for a domain of one label, such as `com`, so it is then set for the host alone.
    shared = f"; Domain={domain}" if _DOMAIN.fullmatch(domain) and "." in domain else ""
    secure = "; Secure" if is_secure else ""
    return f"{NAME}={value}; Path=/; Max-Age={KEEP_SECONDS}; SameSite=Lax{shared}{secure}"
