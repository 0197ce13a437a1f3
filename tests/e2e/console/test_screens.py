"""Every screen, found by following links: no barrier that axe knows, nothing that scrolls sideways, every bad state."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.pages.conftest import installed
from tests.e2e.console.crawl import fill, pattern_of, screens
from tests.e2e.console.recorded import ODD, STATES, Player, Recording
from tests.e2e.story import Story, new_shop
from tests.support.axe import look
from tests.support.console_page import NARROW, WIDE, Console
from tests.support.sizes import sized

pytestmark = [pytest.mark.browser, pytest.mark.stack]

LEAST_SCREENS = 40
LEAST_RENEWED = sized(8, 1)
WITHOUT = {"/experiments/new"}
"""Screens that are whole without what they read: suggestions."""

PICTURES = Path(".local/console_states")
LOOKS: list[tuple[Any, Any]] = [(size, scheme) for size in (WIDE, NARROW) for scheme in ("light", "dark")]
PAST_THE_EDGE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def axe() -> str:
    return (installed("axe-core") / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def shop(stack: dict[str, Any]) -> Story:
    """A shop with one thing of each kind, seen by its owner."""
    made = new_shop(Story(stack), "screens.example")
    fill(made)
    return Story({**made.dev, "api_key": made.dev["user_key"]})


@dataclass(slots=True)
class Walk:
    """One address of each screen with what is wrong there, wide by day and narrow in the dark, and what was read."""

    faults: dict[str, list[Any]]
    faults_narrow: dict[str, list[Any]]
    recording: Recording


@pytest.fixture(scope="module")
def seen(shop: Story, browser: Browser, axe: str) -> Walk:
    """Walk through every screen of the shop."""
    console = Console(browser, shop)
    console.sign_in()
    walk = Walk({}, {}, Recording())
    walk.recording.listen(console)
    for number, path in enumerate(screens(console)):
        # At the size of the gate, axe has half of the screens in each look.
        walk.faults[path] = _faults(console, axe if sized(True, number % 2 == 0) else None)
        _turn(console, *LOOKS[-1])
        walk.faults_narrow[path] = _faults(console, axe if sized(True, number % 2 == 1) else None)
        _turn(console, *LOOKS[0])
        walk.recording.keep()
    console.close()
    return walk


def _faults(console: Console, axe: str | None) -> list[Any]:
    named = look(console.page, axe).barriers if axe else []
    past = console.page.evaluate(PAST_THE_EDGE)
    return [*named, *([f"{past} pixels past the edge"] if past else [])]


def test_screens__found_by_links__have_no_barrier(seen: Walk) -> None:
    assert {pattern_of(path): faults for path, faults in seen.faults.items() if faults} == {}
    assert len(seen.faults) >= LEAST_SCREENS


def test_screens__in_a_narrow_dark_window__have_no_barrier_and_stay_in_it(seen: Walk) -> None:
    assert {pattern_of(path): faults for path, faults in seen.faults_narrow.items() if faults} == {}


@pytest.mark.parametrize("state", sized(STATES, ("by turn",)))
def test_screens__in_a_state__say_so_without_a_barrier(
    shop: Story, browser: Browser, axe: str, seen: Walk, state: str
) -> None:
    # In the gate these screens begin in a narrow window, where the walk turned from a wide one.
    console = Console(browser, shop, size=sized(WIDE, NARROW), is_dark=sized(False, True))
    console.sign_in()
    console.open(list(seen.faults)[-1])  # the first screen is read when it is entered
    player = Player(console, seen.recording)
    wrong: dict[str, list[Any]] = {}
    renewed = 0
    for number, path in enumerate(seen.faults):
        # In the gate each screen is in one state, at full size in every one.
        chosen = state if state in STATES else STATES[number % len(STATES)]
        lacks: list[Any] = player.enter(path, chosen)
        renewed += chosen == "stale" and bool(player.reads)
        faults = _looks(console, axe, state, pattern_of(path)) if state == chosen else _faults(console, None)
        lacks += player.release() if chosen == "loading" else []
        faults += [] if path in WITHOUT else lacks
        if faults:
            wrong[f"{chosen}: {pattern_of(path)}"] = faults
    assert wrong == {}
    assert renewed >= LEAST_RENEWED or state not in {"stale", "by turn"}
    console.close()


def _turn(console: Console, size: Any, scheme: Any) -> None:
    console.page.set_viewport_size(size)
    console.page.emulate_media(color_scheme=scheme)


def _looks(console: Console, axe: str, state: str, screen: str) -> list[Any]:
    """Take a picture in each look. Return what is past an edge in one, and what axe finds in two of them."""
    faults: list[Any] = []
    for size, scheme in LOOKS:
        _turn(console, size, scheme)
        look = f"{size['width']}-{scheme}"
        picture = PICTURES / f"{state}{screen.replace('/', '.')}.{look}.png"
        console.page.screenshot(path=picture, full_page=state in {"whole", "empty"})
        has_axe = (size, scheme) in (LOOKS[0], LOOKS[-1]) or state == "whole"
        faults += [f"{look}: {fault}" for fault in _faults(console, axe if has_axe else None)]
    _turn(console, *LOOKS[0])
    return faults


def test_screens__of_an_empty_shop__show_words(console: Console, seen: Walk) -> None:
    console.open()
    of_the_shop = [path for path in seen.faults if ":id" not in pattern_of(path)]
    odd = {path: text for path in of_the_shop if ODD.search(text := _text(console, path))}
    assert odd == {}
    assert len(of_the_shop) > LEAST_SCREENS / 2


def _text(console: Console, path: str) -> str:
    console.go(path)
    return str(console.page.locator("main").inner_text())
