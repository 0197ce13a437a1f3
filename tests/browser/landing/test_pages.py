"""Each block in each tone as Chromium draws it: one page with all blocks per tone and width.

`conftest.serve` refuses console errors, violations of the policy, and requests to other hosts than the page's own. To
look at the pages, run `pytest tests/browser/landing -k screenshot --basetemp=.local/landing`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from abtest.domain.pages.render import RenderedPage
from tests.browser.landing.conftest import Open, answer_asset, rendered
from tests.support.axe import look
from tests.support.landing import BLOCKS, FOOTER, block, other_forms, page

pytestmark = pytest.mark.browser

LIGHT: dict[str, Any] = {}
NIGHT = {"primary": "#ffb454", "background": "#14161c", "text": "#eceff4", "muted": "#1d2029", "radius": 16}
PAPER = {"primary": "#0f6b4f", "background": "#fffdf8", "text": "#1d2320", "muted": "#f3efe6", "font": "serif"}
LOOKS = [
    ("plain", 390, LIGHT),
    ("plain", 1280, NIGHT),
    ("muted", 390, PAPER),
    ("muted", 1280, LIGHT),
    ("dark", 390, NIGHT),
    ("dark", 1280, PAPER),
]

PAST_THE_EDGE = """() => {
  const width = document.documentElement.clientWidth;
  return [...document.querySelectorAll('main *, footer *')].filter((element) => {
    const place = element.getBoundingClientRect();
    return !element.closest('.unseen') && place.width && (place.right > width + 0.5 || place.left < -0.5);
  }).map((element) => element.outerHTML.slice(0, 120));
}"""
SMALL_TEXT = """() => [...document.querySelectorAll('main *, footer *')]
  .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
  .filter((one) => parseFloat(getComputedStyle(one).fontSize) < 12).map((one) => one.outerHTML.slice(0, 120))"""
SMALL_TARGETS = """() => [...document.querySelectorAll('a.button, button, summary, input, select, footer a')]
  .filter((one) => one.getBoundingClientRect().height < 24).map((one) => one.outerHTML.slice(0, 120))"""
LOAD_ALL = "() => { for (const image of document.images) image.loading = 'eager'; }"
ALL_LOADED = "() => [...document.images].every((image) => image.complete && image.naturalWidth)"
FRAMES = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 20))))"
"""Two frames, after which observers have been notified of what moved."""
LOW = "found => found.filter((one) => one.offsetHeight < 80).map((one) => one.id)"

LONG_WORD = "Rindfleischetikettierungsüberwachungsaufgabe"
LONG_FIELDS = {"heading", "body", "label", "quote", "question", "answer", "caption", "value", "submit", "cells"}


def everything(tone: str, theme: dict[str, Any]) -> dict[str, Any]:
    """Return a page with every block in a tone."""
    return page(tone=tone, theme=theme, footer={**FOOTER, "tone": tone})


@pytest.mark.parametrize(("width", "lang"), [(390, "en"), (1280, "ar")])
def test_blocks__in_their_other_forms__have_no_barrier_and_no_sideways_scroll(
    serve: Open, axe: str, width: int, lang: str
) -> None:
    shown = serve(rendered(other_forms() | {"lang": lang}), width=width)
    _is_usable(shown, axe, width)


@pytest.mark.parametrize(("tone", "width", "theme"), LOOKS, ids=[f"{tone}-{width}" for tone, width, _ in LOOKS])
def test_page__with_every_block__has_no_barrier_and_no_sideways_scroll(
    serve: Open, axe: str, tone: str, width: int, theme: dict[str, Any]
) -> None:
    shown = serve(rendered(everything(tone, theme)), width=width)
    _is_usable(shown, axe, width)
    assert len(shown.locator("section").all()) == len(BLOCKS)


@pytest.mark.parametrize("width", [390, 320])
def test_page__with_words_longer_than_a_line__has_no_sideways_scroll(serve: Open, width: int) -> None:
    shown = serve(rendered(with_long_words(page())), width=width)
    assert LONG_WORD in shown.locator("h1").inner_text()
    assert shown.evaluate("() => document.documentElement.scrollWidth") == width


def with_long_words(value: Any, field: str = "") -> Any:
    """Return the spec with one long word for each of its texts."""
    if isinstance(value, dict):
        return {name: with_long_words(part, name) for name, part in value.items()}
    if isinstance(value, list):
        return [with_long_words(part, field) for part in value]
    return LONG_WORD if field in LONG_FIELDS and isinstance(value, str) else value


def _is_usable(shown: Page, axe: str, width: int) -> None:
    shown.evaluate(LOAD_ALL)
    shown.wait_for_function(ALL_LOADED)
    shown.eval_on_selector_all("details", "found => found.forEach((one) => { one.open = true; })")
    looked = look(shown, axe)
    assert looked.barriers == []
    assert "color-contrast" in looked.passed
    for other in {width, 320}:
        shown.set_viewport_size({"width": other, "height": 800})
        assert shown.evaluate("() => document.documentElement.scrollWidth") == other
        assert shown.evaluate(PAST_THE_EDGE) == []
    assert shown.evaluate(SMALL_TEXT) == []
    assert shown.evaluate(SMALL_TARGETS) == []
    assert shown.eval_on_selector_all("section", LOW) == []


def shifts_of(serve: Open, shown: RenderedPage, width: int) -> list[float]:
    """Return how far things moved while the images came after the first paint. All of the page is in the window."""
    held: list[Route] = []
    opened = serve(shown, width=width, height=9000, held=held)
    opened.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
    while not opened.evaluate(ALL_LOADED):
        while held:
            answer_asset(held.pop())
        opened.evaluate(FRAMES)
    opened.evaluate(FRAMES)
    shifts: list[float] = opened.evaluate("() => shifts")
    return shifts


@pytest.mark.parametrize("width", [390, 1280])
def test_page__whose_images_are_slow__moves_nothing(serve: Open, width: int) -> None:
    assert shifts_of(serve, rendered(everything("plain", LIGHT)), width) == []


def test_shifts__of_a_page_without_sizes_of_images__are_noticed(serve: Open) -> None:
    shown = rendered(everything("plain", LIGHT))
    without = re.sub(rb'(<img[^>]*?) width="\d+" height="\d+"', rb"\1", shown.html)
    assert shifts_of(serve, replace(shown, html=without), 1280)


def test_snippet__runs_before_the_body_and_reads_the_mark(serve: Open) -> None:
    shown = serve(rendered(page("hero", "steps"), mark="1000000001:1000000002"))
    assert shown.evaluate("() => served") == "1000000001:1000000002"


def test_hostile_texts__are_shown_as_text(serve: Open) -> None:
    attack = "<img src=x onerror=\"document.title='run'\"><script>document.title='run'</script>"
    shown = serve(rendered(page() | {"blocks": [block("hero", heading=attack, body=attack, links=[])]}))
    assert shown.title() != "run"
    assert shown.locator("h1").text_content() == attack
    assert shown.locator("main script, main img[src=x]").count() == 0


def test_keyboard__reaches_the_content_through_the_skip_link(serve: Open) -> None:
    shown = serve(rendered(page("hero", "steps", "faq")))
    shown.keyboard.press("Tab")
    skip = shown.locator(".skip")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    shown.keyboard.press("Enter")
    expect(shown.locator("main")).to_be_focused()
    summary = shown.locator("summary").first
    summary.focus()
    shown.keyboard.press("Enter")
    expect(shown.locator("details").first).to_have_attribute("open", "")


def test_form__sent_empty__shows_which_fields_are_missing_and_sends_nothing(serve: Open) -> None:
    shown = serve(rendered(page("form")))
    assert shown.locator(".error:visible").count() == 0
    shown.get_by_role("button", name="Send question").click()
    assert shown.url.endswith("/lamp")
    errors = shown.locator(".field:has(#form_email) .error, .field:has(#form_message) .error")
    expect(errors.first).to_be_visible()
    expect(errors.last).to_be_visible()
    assert shown.locator(".error:visible").count() == 2
    shown.get_by_label("Email").fill("mara@shop.example")
    shown.get_by_label("Email").blur()
    assert shown.locator(".error:visible").count() == 1


def test_blocks__that_are_hidden_by_width__are_shown_on_the_other_one(serve: Open) -> None:
    blocks = [block("stats", hide_on="phone"), block("faq", hide_on="desktop")]
    shown = serve(rendered(page() | {"blocks": blocks}), width=1280)
    expect(shown.locator("#stats")).to_be_visible()
    expect(shown.locator("#faq")).to_be_hidden()
    shown.set_viewport_size({"width": 390, "height": 800})
    expect(shown.locator("#stats")).to_be_hidden()
    expect(shown.locator("#faq")).to_be_visible()


def test_print__is_dark_on_light_and_opens_the_answers(serve: Open) -> None:
    shown = serve(rendered(page("hero", "steps", "faq", tone="dark")), width=718)
    shown.emulate_media(media="print")
    assert (
        shown.evaluate("() => getComputedStyle(document.querySelector('.dark')).backgroundColor")
        == "rgb(255, 255, 255)"
    )
    assert shown.locator("details .prose").first.evaluate("one => one.getBoundingClientRect().height") > 10


@pytest.mark.parametrize(("tone", "width", "theme"), LOOKS[:2], ids=["phone", "desktop"])
def test_screenshot__for_people_to_look_at(
    serve: Open, tmp_path: Path, tone: str, width: int, theme: dict[str, Any]
) -> None:
    shown = serve(rendered(everything(tone, theme)), width=width)
    shown.evaluate(LOAD_ALL)
    shown.wait_for_function(ALL_LOADED)
    assert len(shown.screenshot(path=tmp_path / f"{tone}-{width}.png", full_page=True)) > 20_000
