"""Findings of a QA run from its looks: the same problem in several windows is one finding."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from abtest.domain.browsing.viewport import Viewport
from abtest.domain.pages.qa import Finding
from abtest.domain.pages.qa import Viewport as QaViewport
from abtest.domain.qa import barriers, content, layout, traffic, weight
from abtest.domain.qa.facts import Look, Page
from abtest.domain.qa.problems import Problem

MOST = 10
"""Findings of one check; how many more there are is the last one."""

CHECKS: tuple[Callable[[Look, Page], Iterator[Problem]], ...] = (
    traffic.complaints,
    traffic.requests,
    content.head,
    content.controls,
    content.images,
    content.texts,
    content.forms,
    layout.layout,
    barriers.barriers,
    weight.size,
    weight.movement,
    weight.speed,
)


def findings(looks: Sequence[Look], page: Page) -> list[Finding]:
    """Return the findings of all looks, errors first, those of a check together."""
    first: dict[tuple[str, str | None, str], tuple[Problem, list[Viewport]]] = {}
    for look in looks:
        for check in CHECKS:
            for problem in check(look, page):
                # Values differ from window to window, and the selector distinguishes two elements of the same words.
                key = (problem.check, problem.element["selector"] if problem.element else None, _kind(problem))
                viewports = first.setdefault(key, (problem, []))[1]
                if (seen := _window(problem, look.viewport)) not in viewports:
                    viewports.append(seen)
    every = {look.viewport for look in looks}
    every_finding = [_finding(problem, viewports, every) for problem, viewports in first.values()]
    ordered = sorted(every_finding, key=lambda each: (each["severity"] != "error", each["check"]))
    return [one for _, group in groupby(ordered, key=itemgetter("severity", "check")) for one in _cut(list(group))]


def _kind(problem: Problem) -> str:
    """Return what is the same for one problem in all windows: messages about elements may have numbers in them."""
    return problem.message.partition(";")[2] if problem.element and problem.limit is not None else problem.message


def _window(problem: Problem, viewport: Viewport) -> Viewport:
    if problem.width in (None, viewport.width):
        return viewport
    assert problem.width is not None
    return Viewport(problem.width, viewport.height, viewport.device_scale, viewport.touch)


def _finding(problem: Problem, viewports: Sequence[Viewport], every: set[Viewport]) -> Finding:
    is_everywhere = len(every) > 1 and every <= set(viewports)
    return Finding(
        check=problem.check,
        severity=problem.severity,
        viewport=None if is_everywhere else window(viewports[0]),
        selector=problem.element["selector"] if problem.element else None,
        message=problem.message,
        value=problem.value,
        limit=problem.limit,
    )


def window(viewport: Viewport) -> QaViewport:
    """Return a viewport as findings have it."""
    return QaViewport(
        width=viewport.width, height=viewport.height, device_scale=viewport.device_scale, touch=viewport.touch
    )


def _cut(group: list[Finding]) -> list[Finding]:
    if len(group) <= MOST:
        return group
    rest = len(group) - MOST + 1
    last = Finding(
        check=group[0]["check"],
        severity=group[0]["severity"],
        viewport=None,
        selector=None,
        message=f"there are {rest} more findings of this check",
        value=rest,
        limit=0,
    )
    return [*group[: MOST - 1], last]
