"""The console by keyboard alone, and at 320 px: from the sign-in to an experiment that runs."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.story import Story
from tests.support.console_page import NARROW, Console

pytestmark = [pytest.mark.browser, pytest.mark.stack]

MOST_TABS = 120
SLOWEST = 15_000
"""Milliseconds that a step may take on a busy machine."""

FOCUSED = """() => {
  const at = document.activeElement;
  if (at === document.body) return ["", true];
  const box = at.getBoundingClientRect();
  const isSeen = box.width > 0 && box.right > 0 && box.left < innerWidth && box.bottom > 0 && box.top < innerHeight;
  return [at.getAttribute("aria-label") ?? at.labels?.[0]?.textContent ?? at.textContent, isSeen];
}"""


def to(page: Page, name: str) -> None:
    """Press Tab until the control with this name has the focus; every stop on the way can be seen."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        focused, is_seen = page.evaluate(FOCUSED)
        assert is_seen, f"the focus is on something that cannot be seen: {focused}"
        if focused.strip().removesuffix(" optional") == name:
            return
    raise AssertionError(f"no control is reached by Tab: {name}")


def press(page: Page, name: str) -> None:
    """Reach a button or a link, and press it."""
    to(page, name)
    page.keyboard.press("Enter")


def fill(page: Page, name: str, text: str) -> None:
    """Reach a field, and replace what is in it."""
    to(page, name)
    page.keyboard.press("Control+a")
    page.keyboard.type(text)


def sign_in(console: Console) -> Page:
    """Type the key of the shop at the sign-in page."""
    page = console.page
    page.goto(f"{console.root}/console")
    expect(page.get_by_text("Sign in with an API key")).to_be_visible(timeout=SLOWEST)
    press(page, "Sign in with an API key")
    fill(page, "API key", console.story.dev["api_key"])
    page.keyboard.press("Enter")
    console.settled()
    return page


def test_experiment__by_keyboard_alone__is_launched(own_shop: Story, browser: Browser) -> None:
    console = Console(browser, own_shop)
    page = sign_in(console)
    press(page, "Experiments")
    console.settled()
    press(page, "New experiment")
    expect(page.get_by_role("heading", name="New experiment")).to_be_visible(timeout=SLOWEST)
    fill(page, "Name", "By hand")
    fill(page, "Hypothesis", "Because keys are enough.")
    press(page, "Next: page and change")
    expect(page.get_by_role("button", name="Add a change")).to_be_visible(timeout=SLOWEST)
    fill(page, "Page", "https://shop.example/lamps")
    press(page, "Add a change")
    fill(page, "Element 1", "h1")
    fill(page, "New text", "Made by hand")
    press(page, "Next: goals")
    expect(page.get_by_role("button", name="Next: traffic and plan")).to_be_visible(timeout=SLOWEST)
    press(page, "Next: traffic and plan")
    expect(page.get_by_role("button", name="Launch", exact=True)).to_be_visible(timeout=SLOWEST)
    fill(page, "Visitors a day", "1 500,5")
    press(page, "Launch")
    expect(page.get_by_text("Running", exact=True)).to_be_visible(timeout=SLOWEST)
    console.close()


def test_experiment__at_320_px__is_made_and_launched_without_scrolling_sideways(
    own_shop: Story, browser: Browser
) -> None:
    console = Console(browser, own_shop, size=NARROW)
    console.sign_in()

    def is_narrow() -> bool:
        console.settled()
        return bool(console.page.evaluate("document.documentElement.scrollWidth <= 320"))

    page = console.open("/experiments/new")
    console.field("Name").fill("W" * 90)
    console.click("Next: page and change")
    expect(page.get_by_role("button", name="Add a change")).to_be_visible(timeout=SLOWEST)
    page.get_by_label("Page", exact=True).fill("https://shop.example/" + "lamps/" * 30)
    console.click("Add a change")
    page.get_by_label("Element 1").fill("main > " * 20 + "h1")
    page.get_by_label("New text").fill("M" * 200)
    assert is_narrow()
    console.click("Next: goals")
    expect(page.get_by_role("button", name="Next: traffic and plan")).to_be_visible(timeout=SLOWEST)
    assert is_narrow()
    console.click("Next: traffic and plan")
    expect(page.get_by_role("button", name="Launch", exact=True)).to_be_visible(timeout=SLOWEST)
    assert is_narrow()
    console.click("Launch")
    expect(page.get_by_text("Running", exact=True)).to_be_visible(timeout=SLOWEST)
    assert is_narrow()
    console.close()
