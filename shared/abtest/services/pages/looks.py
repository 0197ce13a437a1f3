"""Looks at a page that is open in a browser: what the checks of a QA run are made from."""

from collections.abc import Iterable, Iterator
from typing import Any

from abtest.domain.browsing.viewport import Viewport
from abtest.domain.qa.barriers import TAGS
from abtest.domain.qa.facts import Complaint, Layout, Look, Sent
from abtest.domain.qa.layout import WIDTHS
from abtest.ports.browser import PageRequest, Visit
from abtest.services.pages.qa_scripts import axe_script, facts_script

_ENOUGH = ("media", "net::ERR_ABORTED")
"""Resource type and failure of a film whose first part was enough for the browser."""

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
        if request.failure in _REFUSED:
            continue
        problem = None
        if request.status is not None and request.status >= 400:
            problem = f"answers {request.status}"
        elif request.failure and (request.resource_type, request.failure) != _ENOUGH:
            problem = f"does not arrive: {request.failure}"
        yield Sent(request.url, problem)
