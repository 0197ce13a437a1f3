"""Looks at a page that is open in a browser: what the checks of a QA run are made from."""

from collections.abc import Iterable, Iterator
from typing import Any

from abtest.domain.browsing.viewport import Viewport
from abtest.domain.qa.barriers import TAGS
from abtest.domain.qa.facts import Complaint, Layout, Look, Sent
from abtest.domain.qa.layout import WIDTHS
from abtest.ports.browser import CANCELLED, PageRequest, Visit
from abtest.services.pages.qa_scripts import axe_script, facts_script

_REFUSED = ("csp", "net::ERR_BLOCKED_BY_CSP")
"""Failures that the console has as violations of the policy."""


def look_at(visit: Visit, viewport: Viewport, *, at_all_widths: bool) -> Look:
    """Gather the facts about a page; `at_all_widths` also lays it out at those that every page is measured at.

    Changes the page: answers are opened, forms are submitted empty. Raises PageFailedError, BrowserLostError.
    """
    visit.evaluate(axe_script())
    facts = visit.evaluate(facts_script(), {"mode": "page", "tags": TAGS})
    widths = [width for width in WIDTHS if width != viewport.width] if at_all_widths else []
    layouts = [_layout(visit, width, viewport.height) for width in widths]
    return Look(
        viewport=viewport,
        facts=facts,
        layouts=layouts,
        complaints=[Complaint(entry.level, entry.text) for entry in visit.console],
        requests=list(_sent(visit.requests)),
    )


def _layout(visit: Visit, width: int, height: int) -> Layout:
    visit.resize(width, height)
    gathered: Any = visit.evaluate(facts_script(), {"mode": "layout", "tags": TAGS})
    layout: Layout = gathered["layout"]
    return layout


def _sent(requests: Iterable[PageRequest]) -> Iterator[Sent]:
    for request in requests:
        if request.failure not in _REFUSED:
            yield Sent(request.url, _problem(request) if request.method == "GET" else None)


def _problem(request: PageRequest) -> str | None:
    """Return what is wrong with the response to a request, as the end of a sentence about the file."""
    if request.status is not None and request.status >= 400:
        return f"answers {request.status}"
    if request.failure is None or (request.resource_type, request.failure) == ("media", CANCELLED):
        return None
    return f"does not arrive: {request.failure}"
