"""Problem of a page in one window, before those of all windows are put together."""

from typing import NamedTuple

from abtest.domain.pages.qa import Severity
from abtest.domain.qa.facts import Element


class Problem(NamedTuple):
    """Problem of an element, or without one of the page as a whole. The message names it, and what to change."""

    check: str
    message: str
    element: Element | None = None
    value: float | None = None
    limit: float | None = None
    severity: Severity = "error"
    width: int | None = None
    """Width at which it occurs, where that is not the width of the window."""


def at(element: Element, sentence: str) -> str:
    """Return a message about an element: its words, then the rest of the sentence."""
    return f"{element['words']} {sentence}"
