"""The visitor's cookie, refreshed by the edge: browsers keep what a server sets longer than what a script does.

Only on the shop's own origin does a request bring the cookie, and only there does the answer set it. It comes back as
it came, so that nothing a page knows is lost, and pages go on reading it.
"""

import re
from collections.abc import Sequence

from abtest.edge.gateway import GatewayEvent, Request

NAME = "svc_v"
KEEP_SECONDS = 400 * 24 * 3600
MAX_CHARS = 3500
_VALUE = re.compile(r"[A-Za-z0-9_-]{16,64}(?:\.[A-Za-z0-9_.~-]*)?", re.ASCII)
_DOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?", re.ASCII)


def refreshed(event: GatewayEvent, request: Request) -> Sequence[str]:
    """The `Set-Cookie` of an answer to the shop's own page; none elsewhere, or for what is no cookie of ours.

    `d` in the address is the domain that the page shares the cookie with.
    """
    if (
        not event["rawPath"].startswith("/_svc/")
        or request.headers.get("sec-fetch-site", "same-origin") != "same-origin"
    ):
        return ()
    found = [value for name, value in map(_pair, _cookies(event)) if name == NAME]
    if len(found) != 1 or len(found[0]) > MAX_CHARS or _VALUE.fullmatch(found[0]) is None:
        return ()  # two of the name: which is meant, only the page knows
    domain = request.query.get("d", "")
    shared = f"; Domain={domain}" if _DOMAIN.fullmatch(domain) and "." in domain else ""
    secure = "" if request.headers.get("origin", "https:").startswith("http:") else "; Secure"
    return (f"{NAME}={found[0]}; Path=/; Max-Age={KEEP_SECONDS}; SameSite=Lax{shared}{secure}",)


def _cookies(event: GatewayEvent) -> list[str]:
    """The gateway takes cookies out of the headers; what calls the function otherwise leaves them there."""
    told: list[str] | None = event.get("cookies")
    written: str = (event.get("headers") or {}).get("cookie", "")
    return told if told is not None else written.split(";")


def _pair(cookie: str) -> tuple[str, str]:
    name, _, value = cookie.partition("=")
    return name.strip(), value.strip()
