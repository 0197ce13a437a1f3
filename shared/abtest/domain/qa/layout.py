"""Checks of the layout at the widths of phones and desktops."""

from collections.abc import Iterator

from abtest.domain.qa.facts import Layout, Look, Page
from abtest.domain.qa.problems import Problem, at

WIDTHS = (320, 390, 1280)
"""Widths at which every page is measured, besides those of its windows."""

_SLACK = 1
"""Pixels by which rounding may exceed the window."""


def layout(look: Look, _page: Page) -> Iterator[Problem]:
    """Yield what makes the page scroll sideways, or is cut off at its edge, at each width."""
    for each in (look.facts["layout"], *look.layouts):
        yield from _at_width(each)


def _at_width(layout: Layout) -> Iterator[Problem]:
    width, content = layout["width"], layout["scroll_width"]
    for element in layout["past_the_edge"]:
        edge = f"ends at {element['right']} pixels" if element["right"] > width else "begins left of the window"
        message = at(element, f"{edge} where the window has {width}; make it narrower, or let it break")
        yield Problem("layout", message, element, element["right"], width, width=width)
    if content > width + _SLACK and not layout["past_the_edge"]:
        message = f"the page is {content} pixels wide in a window of {width} and scrolls sideways"
        yield Problem("layout", message, None, content, width, width=width)
