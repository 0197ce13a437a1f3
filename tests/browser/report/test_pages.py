"""The page in every state as a browser draws it: axe, windows of any width, dark, right to left, paper.

What can be read off the document alone is checked without a browser in tests/unit/report_page/test_document.py.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.browser.report.conftest import Open
from tests.support.axe import look
from tests.support.reports import HEBREW, STATES
from tests.support.sizes import sized

pytestmark = pytest.mark.browser

WITH_AXE = [state for state in STATES if state != "crowded"]
SCHEMES = ("light", "dark")
LIGHT_AND_DARK = sized(
    [(state, scheme) for state in WITH_AXE for scheme in SCHEMES],
    [(state, SCHEMES[number % 2]) for number, state in enumerate(WITH_AXE)],
)
"""Every state once, in turn in light and in dark; in full size each in both."""

PAST_THE_EDGE = """() => {
  const width = document.documentElement.clientWidth;
  return [...document.body.querySelectorAll('*')]
    .filter((element) => !element.closest('.box table') && !element.closest('.unseen'))
    .filter((element) => !(element instanceof SVGElement) || element.tagName === 'text')
    .filter((element) => {
      const place = element.getBoundingClientRect();
      return place.width && (place.right > width + 0.5 || place.left < -0.5);
    }).map((element) => element.outerHTML.slice(0, 120));
}"""

TOO_NEAR = """() => [...document.querySelectorAll('svg.plot')].flatMap((plot) => {
  const marks = [...plot.querySelectorAll('text')].filter((text) => getComputedStyle(text).display !== 'none')
    .map((text) => [text.textContent, text.getBoundingClientRect()]);
  return marks.flatMap(([name, one], index) => marks.slice(index + 1)
    .filter(([, two]) => one.left + 1 < two.right && two.left + 1 < one.right
      && one.top + 4 < two.bottom && two.top + 4 < one.bottom)
    .map(([other]) => `${name} on ${other}`));
})"""

CUT = """boxes => boxes.filter((box) => box.scrollWidth > box.clientWidth)
  .map((box) => box.getAttribute('aria-label'))"""

LOW = "found => found.filter((one) => one.offsetHeight < 40).length"
"""Sections that show next to nothing."""

PICTURES = sized(list(STATES), ["winner", "hostile"])


@pytest.mark.parametrize(("state", "scheme"), LIGHT_AND_DARK)
def test_page__in_light_and_dark__has_no_barrier_that_axe_knows(
    open_report: Open, axe: str, state: str, scheme: str
) -> None:
    page = open_report(state, scheme=scheme)
    looked = look(page, axe)
    assert looked.barriers == []
    assert "color-contrast" in looked.passed


def test_axe__of_a_page_with_barriers__finds_them(open_report: Open, axe: str) -> None:
    page = open_report("empty")
    page.evaluate("() => { document.querySelector('h1').style.color = '#ddd'; document.documentElement.lang = ''; }")
    assert {"color-contrast", "html-has-lang"} <= look(page, axe).rules


@pytest.mark.parametrize("state", STATES)
def test_page__in_a_window_of_any_width__scrolls_sideways_within_tables_only(open_report: Open, state: str) -> None:
    page = open_report(state)
    for width in (320, 360, 768, 1100, 1600):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("() => document.documentElement.scrollWidth") == width
        assert page.evaluate(PAST_THE_EDGE) == []
        assert page.eval_on_selector_all("section", LOW) == 0
        if width in (360, 1100):
            assert page.evaluate(TOO_NEAR) == [], "words of charts lie on each other"


@pytest.mark.parametrize("state", STATES)
def test_tables__on_a_phone_and_a_desktop__show_every_column(open_report: Open, state: str) -> None:
    page = open_report(state, width=1280)
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        cut = page.eval_on_selector_all(".box", CUT)
        assert cut == [], f"columns are cut at {width}"


def test_rows__on_a_phone__name_each_figure(open_report: Open) -> None:
    page = open_report("winner", width=390)
    label = "(cell) => getComputedStyle(cell, '::before').content"
    numbers = page.locator("section[aria-labelledby=numbers]")
    assert numbers.locator("td[data-label='Converted']").first.evaluate(label) == '"Converted"'
    assert numbers.locator("td.none").first.is_hidden()
    assert numbers.get_by_role("row").count() > 9, "rows and cells keep their roles"
    assert numbers.get_by_role("columnheader").count() == numbers.locator("thead th").count()
    page.set_viewport_size({"width": 1280, "height": 900})
    assert numbers.locator("td[data-label='Converted']").first.evaluate(label) == "none"


def test_names__from_right_to_left__leave_the_direction_of_the_page(open_report: Open) -> None:
    page = open_report("hostile")
    names = page.eval_on_selector_all(
        "bdi", "found => found.map((one) => [one.textContent, getComputedStyle(one).unicodeBidi])"
    )
    assert {bidi for _, bidi in names} == {"isolate"}
    assert any(HEBREW in text for text, _ in names)
    assert page.evaluate("() => getComputedStyle(document.querySelector('h1')).direction") == "rtl"
    assert page.evaluate("() => getComputedStyle(document.querySelector('main')).direction") == "ltr"
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", page.content())
    assert "document.title=1" in page.title(), "nothing in the page ran"


def test_dark__turns_paper_dark_and_ink_light(open_report: Open) -> None:
    def colours(scheme: str) -> Any:
        page = open_report("undecided", scheme=scheme)
        return page.evaluate(
            "() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
        )

    (light, ink), (dark, chalk) = map(colours, ("light", "dark"))
    assert _lightness(light) > 0.9 > 0.2 > _lightness(ink)
    assert _lightness(chalk) > 0.9 > 0.2 > _lightness(dark)


def _lightness(colour: str) -> float:
    return sum(int(part) for part in re.findall(r"\d+", colour)[:3]) / 765


@pytest.mark.parametrize("state", ["winner", "foreign", "crowded"])
def test_print__cuts_nothing_off(open_report: Open, state: str, tmp_path: Path) -> None:
    page = open_report(state, width=718)  # A4 less its margins
    page.emulate_media(media="print", color_scheme="dark")
    cut = page.eval_on_selector_all(
        ".box", "found => found.filter((box) => box.scrollWidth > box.parentElement.clientWidth + 1).length"
    )
    assert cut == 0
    unbroken = page.eval_on_selector_all(
        "figure, .verdict, .strip", "found => found.every((one) => getComputedStyle(one).breakInside === 'avoid')"
    )
    assert unbroken
    assert _lightness(page.evaluate("() => getComputedStyle(document.body).backgroundColor")) > 0.9
    pages = page.pdf(format="A4", path=tmp_path / "report.pdf").count(b"/Type /Page\n")
    assert pages >= 2


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1100, "dark")])
def test_screenshot__shows_something_in_every_section(
    open_report: Open, tmp_path: Path, width: int, scheme: str
) -> None:
    """For people to look at: kept beside the test's other files."""
    for state in PICTURES:
        page = open_report(state, width=width, scheme=scheme)
        low = page.eval_on_selector_all("section", LOW)
        picture = page.screenshot(path=tmp_path / f"{state}.png", full_page=state != "crowded")
        assert low == 0
        assert len(picture) > 20_000
