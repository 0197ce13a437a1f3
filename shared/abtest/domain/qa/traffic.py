"""Checks of what a page complains about and requests."""

from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from abtest.domain.qa.facts import Look, Page
from abtest.domain.qa.problems import Problem

MAX_TEXT = 300

_OF_REQUESTS = ("Failed to load resource", "net::")
"""Beginnings of console entries that repeat what is known of requests."""

_DIRECTIVE = " violates the following"
"""Begin of what follows in the console: the directive of the policy, which is the same for every page."""

_COMPLAINTS: Mapping[str, tuple[str, str]] = {
    "exception": ("console", "a script of the page ends with an error: {}; look at the shop's snippet and its content"),
    "error": ("console", "the browser reports an error: {}"),
    "violation": (
        "policy",
        "the policy of the page does not allow this: {}; use styles and scripts of the snippet, and assets of the shop",
    ),
}


def complaints(look: Look, _page: Page) -> Iterator[Problem]:
    """Yield errors of scripts and violations of the page's policy."""
    for complaint in look.complaints:
        if complaint.level in _COMPLAINTS and not complaint.text.startswith(_OF_REQUESTS):
            check, message = _COMPLAINTS[complaint.level]
            text = " ".join(complaint.text.partition(_DIRECTIVE)[0].split())
            yield Problem(check, message.format(text[:MAX_TEXT].rstrip(".")))


def requests(look: Look, page: Page) -> Iterator[Problem]:
    """Yield requests to other hosts than the edge and the assets, and files that do not arrive."""
    allowed = {page.edge_origin, page.assets_origin}
    for request in look.requests:
        url = urlsplit(request.url)
        if url.scheme not in ("http", "https", "ws", "wss") or request.url == page.address:
            continue
        named = request.url[:MAX_TEXT]
        if f"{url.scheme}://{url.netloc}" not in allowed:
            message = f"the page requests {named}, which is neither the snippet nor an asset of the shop; remove it"
            yield Problem("requests", message)
        elif request.problem:
            yield Problem("requests", f"the file {named} {request.problem}; upload it again, or repeat the run")
