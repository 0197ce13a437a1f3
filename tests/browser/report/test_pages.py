"""The page in every state: read by people, by those who hear it, on a phone, in the dark, on paper."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.browser.report.conftest import Open
from tests.support.reports import ARABIC, HEBREW, HOSTILE, HOSTILE_STYLE, HOSTILE_SVG, LONG, STATES

pytestmark = pytest.mark.browser

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
LIGHT_AND_DARK = [(state, scheme) for state in STATES if state != "crowded" for scheme in ("light", "dark")]

SEEN = """() => [...document.querySelectorAll('main *, header *, footer *')]
  .filter((element) => element.children.length === 0 && element.textContent.trim())
  .map((element) => element.textContent)"""

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


@pytest.mark.parametrize(("state", "scheme"), LIGHT_AND_DARK)
def test_page__in_light_and_dark__has_no_barrier_that_axe_knows(
    open_report: Open, axe: str, state: str, scheme: str
) -> None:
    page = open_report(state, scheme=scheme)
    page.evaluate(axe)
    found = page.evaluate("(rules) => axe.run(document, rules)", RULES)
    told = [(rule["id"], rule["nodes"][0]["html"][:200]) for rule in found["violations"]]
    assert told == []
    assert "color-contrast" in {rule["id"] for rule in found["passes"]}


def test_axe__of_a_page_with_barriers__finds_them(open_report: Open, axe: str) -> None:
    page = open_report("winner")
    page.evaluate(axe)
    page.evaluate("() => { document.querySelector('h1').style.color = '#ddd'; document.documentElement.lang = ''; }")
    found = page.evaluate("(rules) => axe.run(document, rules)", RULES)
    assert {"color-contrast", "html-has-lang"} <= {rule["id"] for rule in found["violations"]}


@pytest.mark.parametrize("state", STATES)
def test_headings_and_landmarks__are_in_order(open_report: Open, state: str) -> None:
    page = open_report(state)
    levels = page.eval_on_selector_all("h1,h2,h3,h4", "found => found.map((one) => +one.tagName[1])")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    landmarks = page.evaluate("() => [...document.body.children].map((element) => element.tagName)")
    assert landmarks == ["HEADER", "MAIN", "FOOTER"]


@pytest.mark.parametrize("state", STATES)
def test_drawings_and_tables__say_in_words_what_they_are(open_report: Open, state: str) -> None:
    page = open_report(state)
    drawings = page.eval_on_selector_all(
        "svg[role=img]",
        """found => found.map((one) => ['aria-labelledby', 'aria-describedby']
             .map((name) => document.getElementById(one.getAttribute(name))?.textContent ?? ''))""",
    )
    assert all(title and description for title, description in drawings)
    assert page.locator("svg:not([role=img]):not([aria-hidden] *):not([aria-hidden]):not(svg svg)").count() == 0
    assert page.locator("th:not([scope])").count() == page.locator("table:not(:has(caption))").count() == 0
    assert page.eval_on_selector_all("[id]", "found => found.length - new Set(found.map((one) => one.id)).size") == 0


@pytest.mark.parametrize("state", STATES)
def test_page__in_a_window_of_any_width__scrolls_sideways_within_tables_only(open_report: Open, state: str) -> None:
    page = open_report(state)
    for width in (320, 360, 768, 1600):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("() => document.documentElement.scrollWidth") == width
        assert page.evaluate(PAST_THE_EDGE) == []


@pytest.mark.parametrize("state", STATES)
def test_words_of_charts__do_not_lie_on_each_other(open_report: Open, state: str) -> None:
    page = open_report(state, width=360)
    assert page.evaluate(TOO_NEAR) == []
    page.set_viewport_size({"width": 1100, "height": 900})
    assert page.evaluate(TOO_NEAR) == []


def test_hostile_names__are_texts(open_report: Open) -> None:
    page = open_report("hostile")
    shown = "\n".join(page.evaluate(SEEN))
    for name in (HOSTILE, HOSTILE_SVG, HOSTILE_STYLE.strip(), LONG, ARABIC.replace("\u202e", ""), HEBREW):
        assert name in shown
    assert page.locator("img, script, iframe, [onerror], [onload], [style], a, form").count() == 0
    assert page.locator("style").count() == 1
    assert "document.title=1" in page.title()
    assert page.title() != "1"


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


def test_states__are_told_by_words_beside_colours(open_report: Open) -> None:
    for state in STATES:
        badges = open_report(state).eval_on_selector_all(".badge", "found => found.map((one) => one.textContent)")
        assert badges
        assert all(re.fullmatch(r"[✓✕!○] \w.*", badge) for badge in badges)


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


@pytest.mark.parametrize(
    ("state", "sentences"),
    [
        ("empty", ["Not started", "No sample size was planned"]),
        ("little", ["Too few conversions", "of 25 in"]),
        ("undecided", ["No decision yet: about 12 more days.", "less is better"]),
        ("winner", ["Winner found", "The winner: ", "by auto-stop"]),
        ("harmed", ["Stopped for harm", "Critical: conversion harm", "Guardian paused the experiment."]),
        ("inconclusive", ["No winner", "65,815 of 64,000 planned visitors"]),
        (
            "foreign",
            ["Warning: currency residue", "3,120.45\u00a0USD", "84,200\u00a0JPY", "46 orders are in other currencies"],
        ),
        ("crowded", ["Recommendation list 9", "Goal 20: step of the funnel"]),
        ("mismatched", ["Do not trust yet", "Split is off", "14,120 of 13,500"]),
    ],
)
def test_page__of_a_state__says_so(open_report: Open, state: str, sentences: list[str]) -> None:
    text = open_report(state).inner_text("body")
    assert [sentence for sentence in sentences if sentence not in text] == []


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1100, "dark")])
def test_screenshot__shows_something_in_every_section(
    open_report: Open, tmp_path: Path, width: int, scheme: str
) -> None:
    """For people to look at: kept beside the test's other files."""
    for state in STATES:
        page = open_report(state, width=width, scheme=scheme)
        low = page.eval_on_selector_all("section", "found => found.filter((one) => one.offsetHeight < 40).length")
        picture = page.screenshot(path=tmp_path / f"{state}.png", full_page=state != "crowded")
        assert low == 0
        assert len(picture) > 20_000
