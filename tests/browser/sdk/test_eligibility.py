"""Who may be in at all: holdout, exclusion groups, surface, dark days; what stays, and what is forced."""

from typing import Any

import pytest
from playwright.sync_api import BrowserContext

from tests.browser.sdk.configs import (
    EVERYBODY,
    NOBODY,
    audience,
    bucket,
    experiment,
    flag,
    fold,
    goal,
    mutate,
    personalization,
)
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import SHOP_ID, Shop, html

pytestmark = pytest.mark.browser

ANNA = "0123456789abcdef0123456789abcdef"
HOLDOUT = fold(f"holdout:{SHOP_ID}")
NEW: dict[str, Any] = {"mutations": [mutate("h1", "text", text="New")]}
DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]


def known(context: BrowserContext, shop: Shop) -> None:
    """The visitor is Anna."""
    context.add_cookies([{"name": "svc_v", "value": f"{ANNA}.....", "url": shop.url}])


@pytest.mark.parametrize("held", [True, False])
def test_holdout__spares_those_below_the_cut_and_says_so(
    held: bool, shop: Shop, open_page: Open, context: BrowserContext
) -> None:
    known(context, shop)
    below = bucket(HOLDOUT, ANNA) + held
    shop.experiments = [experiment(NEW)]
    shop.config = {
        "holdout": {"state": HOLDOUT, "below": below, "epoch": 1766275200000},
        "personalizations": [personalization({"value": 1})],
        "flags": [flag("f")],
    }
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page()
    assert page.inner_text("h1") == ("Original" if held else "New")
    assert page.evaluate("svc.personalization('key-p1') ?? null") == (None if held else 1)
    assert page.evaluate("svc.flag('f')") is True
    [view] = shop.wait_events("pageview")
    assert view["data"]["cohort"] == ("holdout" if held else "active")
    assert view["data"]["holdout_config_epoch"] == 1766275200000
    assert len(shop.events("experiment_viewed")) == (0 if held else 2)


def test_exclusion_group__gives_the_visitor_to_one_member(shop: Shop, open_page: Open, context: BrowserContext) -> None:
    known(context, shop)
    state = fold("group:g")
    at = bucket(state, ANNA)
    group = {"id": "g", "epoch": 3, "state": state}
    shop.experiments = [
        experiment(NEW, name="other", group=group | {"ranges": [[0, at], [at + 1, 10000]]}),
        experiment(NEW, name="hers", group=group | {"ranges": [[at, at + 1]]}),
    ]
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page()
    assert [each["experimentId"] for each in page.evaluate("svc.assignments()")] == ["hers"]


def test_surface__checkout__runs_there_and_nowhere_else(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment(NEW), experiment(NEW, name="e2", surface="checkout")]
    shop.page("/", html("<h1>Original</h1>"))
    shop.page("/checkout", html("<h1>Original</h1>", tag='<script src="/s.js" data-surface="checkout"></script>'))
    page = None
    for path, expected in [("/", "e1"), ("/checkout", "e2")]:
        page = open_page(path, page)
        assert [each["experimentId"] for each in page.evaluate("svc.assignments()")] == [expected]


@pytest.mark.parametrize(("days", "zone", "expected"), [(DAYS, "Europe/Berlin", "Original"), (DAYS, "No/Where", "New")])
def test_dark_day__delivers_nothing(days: list[str], zone: str, expected: str, shop: Shop, open_page: Open) -> None:
    dark = {"days": days, "zone": zone}
    shop.experiments = [experiment(NEW, dark=dark)]
    shop.config = {"personalizations": [personalization(dark=dark)], "flags": [flag("f", dark=dark)]}
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page()
    assert page.inner_text("h1") == expected
    assert page.evaluate("svc.flag('f')") is (expected == "New")
    shop.wait_events("pageview")
    assert len(shop.events("experiment_viewed")) == (2 if expected == "New" else 0)


def weighed(shop: Shop, control: list[int], treatment: list[int]) -> None:
    """The experiment with these ranges, published."""
    made = experiment(NEW, goals=[goal("click", selector="h1")])
    for variation, found in zip(made["variations"], (control, treatment), strict=True):
        variation["range"] = found
    shop.experiments = [made]


def test_variation__seen_once__stays_when_weights_change(shop: Shop, open_page: Open, context: BrowserContext) -> None:
    weighed(shop, NOBODY, EVERYBODY)
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page()
    assert page.inner_text("h1") == "New"
    weighed(shop, EVERYBODY, NOBODY)
    open_page("/", page)
    assert page.inner_text("h1") == "New"
    shop.experiments[0]["variations"].pop()
    open_page("/", page)
    assert page.inner_text("h1") == "Original"
    assert page.evaluate("svc.assignments()[0].variationId") == "e1-control"
    weighed(shop, NOBODY, EVERYBODY)
    shop.experiments[0] |= {"epoch": 2, "state": fold("e1:2")}
    open_page("/", page)
    assert page.inner_text("h1") == "New", "a new epoch assigns anew"


def test_variation__seen_before__attributes_goals_where_the_audience_no_longer_holds(
    shop: Shop, open_page: Open
) -> None:
    weighed(shop, NOBODY, EVERYBODY)
    shop.experiments[0]["audience"] = audience({"query.in": "1"})
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page("/?in=1")
    assert page.inner_text("h1") == "New"
    open_page("/", page)
    assert page.inner_text("h1") == "Original"
    page.click("h1")
    assert len(shop.wait_events("goal")) == 1
    shop.wait_events("pageview", 2)
    assert len(shop.events("experiment_viewed")) == 1


def test_assignments__of_ended_experiments__leave_the_cookie(
    shop: Shop, open_page: Open, context: BrowserContext
) -> None:
    shop.experiments = [experiment(NEW), experiment(NEW, name="e2")]
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page()
    both = context.cookies()[0]["value"]
    shop.experiments.pop()
    open_page("/", page)
    one = context.cookies()[0]["value"]
    assert both.split(".")[4].count("~") == 2
    assert one.split(".")[4].count("~") == 1


def test_svc_force__puts_a_flagged_visit_into_variations_whatever_else_is_said(shop: Shop, open_page: Open) -> None:
    second = experiment(
        {"mutations": [mutate("p", "text", text="Forced")]}, name="e2", control=True, surface="checkout"
    )
    shop.experiments = [experiment(NEW, control=True, audience=audience({"country": "DE"})), second]
    shop.config = {"holdout": {"state": HOLDOUT, "below": 10000, "epoch": 5}}
    shop.page("/", html("<h1>Original</h1><p>Original</p>"))
    page = open_page("/?svc_force=e1:e1-treatment,e2:1")
    assert page.inner_text("h1") == "New"
    assert page.inner_text("p") == "Forced"
    [view] = shop.wait_events("pageview")
    assert view["data"].keys() == {"visitor", "source"}, "no cohort"
    assert all(event["qa_mode"] is True for event in shop.events())
    open_page("/", page)
    assert page.inner_text("h1") == "Original", "what was forced does not stick"
