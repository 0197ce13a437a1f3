"""Findings of QA from facts alone: one row for each rule, the bounds between good and bad, and a page without any."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.domain.browsing.viewport import DESKTOP, PHONE
from abtest.domain.pages.gates import MAX_NODES
from abtest.domain.qa.facts import Complaint, Look, Page, Sent
from abtest.domain.qa.findings import MOST, findings
from abtest.domain.qa.weight import MAX_IMAGE_BYTES, cumulative_shift

EDGE, ASSETS = "https://edge.example", "https://assets.example"
PAGE = Page("https://shop.example/sale", EDGE, ASSETS, ("cheap",))
LINK = {"selector": "#buy", "words": "the link “Order”"}
CLEAN: Any = {
    "lang": "en",
    "viewport_meta": "width=device-width,initial-scale=1",
    "headings": [{"selector": "h1", "words": "the heading “Sale”"}],
    "nodes": 120,
    "layout": {"width": 390, "scroll_width": 390, "past_the_edge": [], "absent": []},
    "texts": [{"selector": "p", "words": "the text", "text": "Free delivery"}],
    "small_texts": [],
    "controls": [],
    "images": [],
    "shifts": [{"value": 0.05, "at": 100.0, "selector": None, "words": None}],
    "largest_paint": {"at": 800.0},
    "long_tasks": [60.0],
    "resources": [],
    "barriers": [],
    "forms": [],
}


def look(complaints: Any = (), requests: Any = (), viewport: Any = PHONE, layouts: Any = (), **changed: Any) -> Look:
    """A look at the clean page with these changes."""
    facts: Any = {**CLEAN, **changed}
    return Look(viewport, facts, layouts, complaints, requests)


def layout(**changed: Any) -> Any:
    return {**CLEAN["layout"], **changed}


def image(**changed: Any) -> Any:
    sizes = {"file_width": 800, "file_height": 800, "shown_width": 780.0, "shown_height": 780.0}
    return [{"selector": "img", "words": "the image", "src": "a.png", "is_decoded": True, **sizes, **changed}]


def form(**changed: Any) -> Any:
    given = {"has_button": True, "required": 1, "is_sent": False, "messages": ["Fill in this field"]}
    return [{"selector": "form", "words": "the form", **given, **changed}]


def barrier(rule: str, impact: str = "serious", data: Any = None) -> Any:
    return [{"rule": rule, "help": "Elements must obey", "nodes": [{**LINK, "impact": impact, "data": data}]}]


def weighs(size: int) -> Any:
    return [{"url": f"{ASSETS}/a.png", "bytes": size, "kind": "img"}]


CONTRAST = {"contrastRatio": 2.1, "expectedContrastRatio": "4.5:1", "fgColor": "#aaa", "bgColor": "#fff"}
ROWS: list[tuple[Look, str, str, str]] = [
    (look([Complaint("exception", "x is not defined")]), "console", "error", "x is not defined"),
    (look([Complaint("error", "bad")]), "console", "error", "the browser reports an error: bad"),
    (
        look([Complaint("violation", "Inline violates the following x")]),
        "policy",
        "error",
        "not allow this: Inline;",
    ),
    (look((), [Sent("https://ads.example/a.js", None)]), "requests", "error", "neither the snippet nor an asset"),
    (look((), [Sent(f"{ASSETS}/a.png", "answers 404")]), "requests", "error", "a.png answers 404; upload it again"),
    (look(headings=[]), "document", "error", "no main heading"),
    (look(headings=[CLEAN["headings"][0], LINK]), "document", "error", "is another main heading"),
    (look(viewport_meta=None), "document", "error", "must have width=device-width"),
    (look(small_texts=[{**LINK, "size": 11.9}]), "text_size", "error", "letters of 11.9 pixels"),
    (look(texts=[{**LINK, "text": "So cheap!"}]), "brand_banned_phrases", "warn", "shows the banned phrase “cheap”"),
    (look(images=image(is_decoded=False)), "images", "error", "is not shown: a.png cannot be read"),
    (look(images=image(shown_width=390.0, shown_height=390.0)), "images", "error", "shown at 390 x 390; use a smaller"),
    (look(controls=[{**LINK, "problem": "invisible", "by": None}]), "controls", "error", "cannot be seen"),
    (look(controls=[{**LINK, "problem": "outside", "by": None}]), "controls", "error", "is outside of what"),
    (look(controls=[{**LINK, "problem": "unreachable", "by": None}]), "controls", "error", "does not react"),
    (look(controls=[{**LINK, "problem": "covered", "by": LINK}]), "controls", "error", "is covered by the link"),
    (
        look(layout=layout(absent=[LINK]), layouts=[layout(width=1280, scroll_width=1280, absent=[LINK])]),
        "controls",
        "error",
        "is hidden at every width",
    ),
    (look(forms=form(has_button=False)), "forms", "error", "has no button that sends it"),
    (look(forms=form(required=0)), "forms", "warn", "can be sent empty"),
    (look(forms=form(is_sent=True)), "forms", "error", "is sent although its required fields are empty"),
    (look(forms=form(messages=[""])), "forms", "error", "does not tell visitors which fields are missing"),
    (look(layout=layout(scroll_width=392)), "layout", "error", "392 pixels wide in a window of 390"),
    (look(layout=layout(scroll_width=420, past_the_edge=[{**LINK, "right": 420}])), "layout", "error", "ends at 420"),
    (look(layout=layout(past_the_edge=[{**LINK, "right": 90}])), "layout", "error", "begins left of the window"),
    (look(barriers=barrier("color-contrast", data=CONTRAST)), "accessibility", "error", "contrast of 2.1 to 1"),
    (
        look(barriers=barrier("target-size", data={"width": 12, "height": 30})),
        "accessibility",
        "error",
        "12 x 30 pixels",
    ),
    (look(barriers=barrier("link-name")), "controls", "error", "has no name that can be read out"),
    (look(barriers=barrier("image-alt")), "images", "error", "has no alternative text"),
    (look(barriers=barrier("document-title")), "document", "error", "has no title"),
    (look(barriers=barrier("list", "moderate")), "accessibility", "warn", "(list): Elements must obey"),
    (look(nodes=MAX_NODES + 1), "size_budget", "error", "elements; shorten it"),
    (look(resources=weighs(MAX_IMAGE_BYTES + 1)), "size_budget", "error", "images have 1,500,001 bytes on a phone"),
    (look(shifts=[{"value": 0.11, "at": 1.0, **LINK}]), "layout_shift", "error", "moves while the page loads"),
    (
        look(shifts=[{"value": 0.11, "at": 1.0, "selector": None, "words": None}]),
        "layout_shift",
        "error",
        "the page moves",
    ),
    (look(largest_paint={"at": 2501.0}), "speed", "warn", "is there after 2.5 s"),
    (look(long_tasks=[180.0, 140.0]), "speed", "warn", "from reacting for 220 ms"),
]


@pytest.mark.parametrize(("seen", "check", "severity", "words"), ROWS, ids=[words for _, _, _, words in ROWS])
def test_rule__that_is_broken__is_one_finding_that_names_it(seen: Look, check: str, severity: str, words: str) -> None:
    (reported,) = findings([seen], PAGE)
    assert (reported["check"], reported["severity"]) == (check, severity)
    assert words in reported["message"]


FINE = [
    look(),
    look([Complaint("warning", "slow"), Complaint("error", "Failed to load resource: 404")]),
    look((), [Sent(PAGE.address, "answers 500"), Sent(f"{EDGE}/s/1.js", None), Sent("data:image/png;base64,", "x")]),
    look(small_texts=[]),
    look(images=image(shown_width=400.0, shown_height=400.0)),
    look(images=image(file_width=480, file_height=480, shown_width=10.0, shown_height=10.0)),
    look(layout=layout(absent=[LINK]), layouts=[layout(width=1280, scroll_width=1280)]),
    look(layout=layout(scroll_width=391)),
    look(forms=form()),
    look(nodes=MAX_NODES),
    look(resources=weighs(MAX_IMAGE_BYTES)),
    look(viewport=DESKTOP, resources=weighs(MAX_IMAGE_BYTES + 1)),
    look(shifts=[{"value": 0.1, "at": 1.0, **LINK}]),
    look(largest_paint={"at": 2500.0}, long_tasks=[150.0, 150.0]),
    look(largest_paint=None),
]


@pytest.mark.parametrize("seen", FINE, ids=range(len(FINE)))
def test_page__within_every_bound__has_no_finding(seen: Look) -> None:
    assert findings([seen], PAGE) == []


def test_banned_phrase__of_a_strict_brand__is_an_error() -> None:
    (reported,) = findings([look(texts=[{**LINK, "text": "cheap"}])], PAGE._replace(is_strict=True))
    assert reported["severity"] == "error"


def test_problem__in_all_windows__is_one_finding_without_a_window_and_errors_come_first() -> None:
    changed = {"headings": [], "largest_paint": {"at": 9000.0}}
    in_one = look(viewport=DESKTOP, controls=[{**LINK, "problem": "invisible", "by": None}], **changed)
    reported = findings([look(**changed), in_one], PAGE)
    assert [(each["check"], each["viewport"] is None) for each in reported] == [
        ("controls", False),
        ("document", True),
        ("speed", True),
    ]


def test_findings__of_one_check__end_with_how_many_more_there_are() -> None:
    many = [{"selector": f"#p{number}", "words": "the text", "size": 9.0} for number in range(MOST + 5)]
    reported = findings([look(small_texts=many)], PAGE)
    assert len(reported) == MOST
    assert reported[-1]["message"] == "there are 6 more findings of this check"


def test_layout_shift__is_the_largest_sum_of_a_session() -> None:
    def shift(value: float, at: float) -> Any:
        return {"value": value, "at": at, "selector": None, "words": None}

    assert cumulative_shift([]) == 0
    assert cumulative_shift([shift(0.1, 0), shift(0.1, 999), shift(0.15, 2500)]) == pytest.approx(0.2)
    assert cumulative_shift([shift(0.1, 900 * number) for number in range(8)]) == pytest.approx(0.6)
