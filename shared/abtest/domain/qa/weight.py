"""Checks of size and speed: elements, bytes, what moves, when the page is there."""

from collections.abc import Iterator, Sequence

from abtest.domain.browsing.viewport import TOUCH_BELOW
from abtest.domain.pages.gates import MAX_NODES
from abtest.domain.qa.facts import Element, Look, Page, Shift
from abtest.domain.qa.problems import Problem

MAX_IMAGE_BYTES = 1_500_000
"""Bytes of all images of a page on a phone."""

MAX_SHIFT = 0.1
MAX_LARGEST_PAINT = 2500.0
MAX_LONG_TASKS = 200.0
"""Milliseconds by which long tasks may exceed 50 ms together."""

_SESSION_GAP, _SESSION = 1000.0, 5000.0
_TASK = 50.0


def size(look: Look, page: Page) -> Iterator[Problem]:
    """Yield too many elements, and on a phone too many bytes of images."""
    nodes = look.facts["nodes"]
    if nodes > MAX_NODES:
        message = f"the page has {nodes} elements; shorten it, or split it into two pages"
        yield Problem("size_budget", message, None, nodes, MAX_NODES)
    if look.viewport.width >= TOUCH_BELOW:
        return
    images = [each for each in look.facts["resources"] if each["url"].startswith(f"{page.assets_origin}/")]
    total = sum(each["bytes"] for each in images if each["kind"] in ("img", "image", "css"))
    if total > MAX_IMAGE_BYTES:
        largest = max(images, key=lambda each: each["bytes"])
        message = f"images have {total:,} bytes on a phone, {largest['url']} most of all; use fewer or smaller ones"
        yield Problem("size_budget", message, None, total, MAX_IMAGE_BYTES)


def movement(look: Look, _page: Page) -> Iterator[Problem]:
    """Yield that the page moves while it loads, and what moves most."""
    shift = cumulative_shift(look.facts["shifts"])
    if shift <= MAX_SHIFT:
        return
    most = max(look.facts["shifts"], key=lambda each: each["value"])
    value = round(shift, 3)
    if most["selector"] is None or most["words"] is None:
        yield Problem("layout_shift", "the page moves while it loads", None, value, MAX_SHIFT)
        return
    message = f"{most['words']} moves while the page loads; keep room for what comes late above it"
    element = Element(selector=most["selector"], words=most["words"])
    yield Problem("layout_shift", message, element, value, MAX_SHIFT)


def cumulative_shift(shifts: Sequence[Shift]) -> float:
    """Return the layout shift as Web Vitals define it: the largest sum of a session of at most five seconds."""
    largest = total = 0.0
    begin = last = float("-inf")
    for shift in sorted(shifts, key=lambda each: each["at"]):
        if shift["at"] - last > _SESSION_GAP or shift["at"] - begin > _SESSION:
            begin, total = shift["at"], 0.0
        total, last = total + shift["value"], shift["at"]
        largest = max(largest, total)
    return largest


def speed(look: Look, _page: Page) -> Iterator[Problem]:
    """Yield warnings about the largest paint and long tasks, which depend on the machine of the run."""
    paint = look.facts["largest_paint"]
    if paint and paint["at"] > MAX_LARGEST_PAINT:
        message = f"the largest part of the page is there after {paint['at'] / 1000:.1f} s; make it smaller"
        yield Problem("speed", message, None, round(paint["at"]), MAX_LARGEST_PAINT, "warn")
    blocked = sum(duration - _TASK for duration in look.facts["long_tasks"])
    if blocked > MAX_LONG_TASKS:
        message = f"scripts and layout keep the page from reacting for {blocked:.0f} ms"
        yield Problem("speed", message, None, round(blocked), MAX_LONG_TASKS, "warn")
