"""Every screen, found by following links: no barrier that axe knows, nothing that scrolls sideways, every bad state."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Route

from tests.browser.pages.conftest import installed
from tests.e2e.console.crawl import barriers, fill, pattern_of, screens
from tests.e2e.story import Story, new_shop
from tests.support.console_page import NARROW, WIDE, Console
from tests.support.sizes import sized

pytestmark = [pytest.mark.browser, pytest.mark.stack]

OTHER_LOOKS = sized([(WIDE, True), (NARROW, False), (NARROW, True)], [(NARROW, True)])
API = re.compile(r"/api/v1/")
LEAST_SCREENS = 40
WITHOUT = {"/experiments/new"}
"""Screens that are whole without what they read: suggestions."""

COMPLAINT = re.compile(r"try again|may not see|does not answer|unexpected error|x:read", re.IGNORECASE)
ODD = re.compile(r"undefined|\[object|NaN|^\s*$")
PAST_THE_EDGE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def axe() -> str:
    return (installed("axe-core") / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def shop(stack: dict[str, Any]) -> Story:
    """A shop with one thing of each kind."""
    made = new_shop(Story(stack), "screens.example")
    fill(made)
    return made


@pytest.fixture(scope="module")
def seen(shop: Story, browser: Browser, axe: str) -> dict[str, list[Any]]:
    """Return one address of each screen, with what is wrong there on a wide screen in daylight."""
    console = Console(browser, shop)
    console.sign_in()
    # At the size of the gate, axe has half of the screens in each look.
    walk = enumerate(screens(console))
    wrong = {path: _faults(console, axe if sized(True, number % 2 == 0) else None) for number, path in walk}
    console.close()
    return wrong


@pytest.fixture(scope="module")
def paths(seen: dict[str, list[Any]]) -> list[str]:
    """Return one address of each screen."""
    return list(seen)


def _faults(console: Console, axe: str | None) -> list[Any]:
    named = barriers(console, axe) if axe else []
    past = console.page.evaluate(PAST_THE_EDGE)
    return [*named, *([f"{past} pixels past the edge"] if past else [])]


def test_screens__found_by_links__have_no_barrier(seen: dict[str, list[Any]]) -> None:
    assert {pattern_of(path): faults for path, faults in seen.items() if faults} == {}
    assert len(seen) >= LEAST_SCREENS


@pytest.mark.parametrize(("size", "is_dark"), OTHER_LOOKS)
def test_screens__in_another_look__have_no_barrier_and_stay_in_the_window(
    shop: Story, browser: Browser, axe: str, paths: list[str], size: dict[str, int], is_dark: bool
) -> None:
    console = Console(browser, shop, size=size, is_dark=is_dark)
    console.sign_in()
    console.open()
    problems: dict[str, Any] = {}
    for number, path in enumerate(paths):
        console.go(path)
        if named := _faults(console, axe if sized(True, number % 2 == 1) else None):
            problems[pattern_of(path)] = named
    assert problems == {}
    console.close()


BROKEN: dict[str, Any] = {
    "refused": {
        "status": 403,
        "json": {
            "error": {"code": "insufficient_scope", "message": "this needs x:read", "status": 403, "request_id": "r-1"}
        },
    },
    "failed": {
        "status": 500,
        "json": {
            "error": {"code": "internal_error", "message": "an unexpected error", "status": 500, "request_id": "r-2"}
        },
    },
    "of a proxy": {"status": 502, "body": "<html>Bad gateway</html>"},
}


STATES = [*BROKEN, "offline"]


@pytest.mark.parametrize("first", sized(range(len(STATES)), [0]))
def test_screens__that_cannot_read__say_so(shop: Story, browser: Browser, paths: list[str], first: int) -> None:
    console = Console(browser, shop)
    console.sign_in()
    reads, state = 0, ""

    def answer(route: Route) -> None:
        nonlocal reads
        reads += 1
        if state == "offline":
            route.abort()
        else:
            route.fulfill(**BROKEN[state])

    console.open()
    console.page.route(API, answer)
    silent: dict[str, str] = {}
    for number, path in enumerate(paths):
        # Each screen in one state; at full size in every one.
        reads, state = 0, STATES[(first + number) % len(STATES)]
        text = _text(console, path)
        if reads and path not in WITHOUT and not COMPLAINT.search(text):
            silent[pattern_of(path)] = text
    assert silent == {}
    console.close()


def test_screens__of_an_empty_shop__show_words(console: Console, paths: list[str]) -> None:
    console.open()
    of_the_shop = [path for path in paths if ":id" not in pattern_of(path)]
    odd = {path: text for path in of_the_shop if ODD.search(text := _text(console, path))}
    assert odd == {}
    assert len(of_the_shop) > LEAST_SCREENS / 2


def _text(console: Console, path: str) -> str:
    console.go(path)
    return str(console.page.locator("main").inner_text())
