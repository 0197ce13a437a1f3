"""Redirect treatments: query, hash, loops, what is counted, and who is left alone."""

from typing import Any

import pytest

from tests.browser.sdk.configs import experiment, mutate, pages
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, html

pytestmark = pytest.mark.browser

FRAMES = """<script>window.shown = [];(function sample() {
  if (document.body) shown.push(getComputedStyle(document.documentElement).opacity);
  requestAnimationFrame(sample);
})()</script>"""


def redirecting(target: str, **more: Any) -> dict[str, Any]:
    """Everybody who comes to /old goes elsewhere."""
    treatment = {"redirect_url": target, "mutations": [mutate("h1", "text", text="Never here")]}
    return experiment(treatment, type="redirect", pages=pages("\\/old"), **more)


def test_redirect__merges_the_query_keeps_the_hash_and_delivers_one_exposure(shop: Shop, open_page: Open) -> None:
    shop.experiments = [redirecting("/new?b=theirs", goals=[])]
    shop.page("/old", html("<h1>Old</h1>"))
    shop.page("/new", html("<h1>New</h1>"))
    page = open_page("/old?a=1&b=mine#top")
    page.wait_for_url("**/new*")
    assert page.url == f"{shop.url}/new?b=theirs&a=1#top"
    assert page.inner_text("h1") == "New"
    [exposure] = shop.wait_events("experiment_viewed")
    assert exposure["variationId"] == "e1-treatment"
    assert "/old" in exposure["url"]
    assert [event["url"] for event in shop.wait_events("pageview")] == [page.url]


def test_redirect__to_another_template_of_the_same_path__applies_nothing_there(shop: Shop, open_page: Open) -> None:
    shop.experiments = [redirecting("/old?view=alt")]
    shop.page("/old", html("<h1>Old</h1>"))
    page = open_page("/old?a=1")
    page.wait_for_url("**/old?view=alt&a=1")
    assert page.inner_text("h1") == "Old"
    assert page.evaluate("svc.assignments()[0].variationId") == "e1-treatment"
    page.reload()
    assert page.url.endswith("/old?view=alt&a=1")
    shop.wait_events("pageview", 2)
    assert len(shop.events("experiment_viewed")) == 1


def test_two_redirects_in_a_ring__end_after_three_rounds(shop: Shop, open_page: Open) -> None:
    back = experiment({"redirect_url": "/old"}, name="e2", type="redirect", pages=pages("\\/new"))
    shop.experiments = [redirecting("/new"), back]
    for path in ("/old", "/new"):
        shop.page(path, html("<h1>Here</h1>"))
    page = open_page("/old")
    shop.wait_events("pageview")
    assert page.evaluate("document.readyState") in ("interactive", "complete")
    assert page.evaluate("getComputedStyle(document.documentElement).opacity") == "1"
    assert len(shop.events("experiment_viewed")) == 2


def test_control__stays_is_shown_at_once_and_is_counted(shop: Shop, open_page: Open) -> None:
    shop.experiments = [redirecting("/new", control=True)]
    shop.page("/old", html("<h1>Old</h1>", FRAMES))
    page = open_page("/old")
    assert shop.wait_events("experiment_viewed")[0]["variationId"] == "e1-control"
    assert page.url.endswith("/old")
    page.wait_for_function("shown.length")
    assert set(page.evaluate("shown")) == {"1"}


def test_page_that_is_left__is_not_shown(shop: Shop, open_page: Open) -> None:
    shop.experiments = [redirecting("/new")]
    report = FRAMES.replace(
        "shown.push(", "navigator.sendBeacon('/frames', JSON.stringify({events: [{type: 'frame', opacity: "
    )
    report = report.replace(".opacity)", ".opacity}]}))")
    shop.page("/old", html("<h1>Old</h1>", report))
    shop.page("/new", html("<h1>New</h1>"))
    open_page("/old").wait_for_url("**/new")
    shop.wait_events("pageview")
    assert {frame["opacity"] for frame in shop.events("frame")} <= {"0"}


def test_destination_that_leads_nowhere__leaves_the_page(shop: Shop, open_page: Open) -> None:
    shop.page("/old", html("<h1>Old</h1>"))
    page = None
    for number, target in enumerate(["javascript:alert(1)", "http://", "/old"], start=1):
        shop.experiments = [redirecting(target)]
        page = open_page("/old", page)
        shop.wait_events("pageview", number)
        assert page.inner_text("h1") == "Old"


def test_goals__count_on_the_destination(shop: Shop, open_page: Open) -> None:
    goals = [{"id": "g", "type": "click", "once": True, "selector": "button"}]
    shop.experiments = [redirecting("/new", goals=goals)]
    shop.page("/old", html("<h1>Old</h1>"))
    shop.page("/new", html("<button>Buy</button>"))
    page = open_page("/old")
    page.wait_for_url("**/new")
    page.click("button")
    assert shop.wait_events("goal")[0]["data"] == {"goalId": "g"}


def test_back_forward_and_reload__end_where_the_visitor_wanted_and_count_once(shop: Shop, open_page: Open) -> None:
    shop.experiments = [redirecting("/new?from=test")]
    for path in ("/start", "/old", "/new"):
        shop.page(path, html(f"<h1>{path}</h1>"))
    page = open_page("/start")
    page.evaluate("location.href = '/old?a=1'")
    page.wait_for_url("**/new?from=test&a=1")
    page.wait_for_load_state()
    page.go_back()
    page.wait_for_url("**/start")
    page.go_forward()
    page.wait_for_url("**/new?from=test&a=1")
    page.reload()
    assert page.inner_text("h1") == "/new"
    assert page.evaluate("history.length") <= 3, "the page that was left is not in the history"
    shop.wait_events("pageview", 4)
    assert len(shop.events("experiment_viewed")) == 1


def test_only_a_query_changed__back_forward_and_reload__neither_loop_nor_count_again(
    shop: Shop, open_page: Open
) -> None:
    shop.experiments = [redirecting("/old?view=alt")]
    for path in ("/start", "/old"):
        shop.page(path, html(f"<h1>{path}</h1>"))
    page = open_page("/start")
    page.evaluate("location.href = '/old?view=own&a=1'")
    page.wait_for_url("**/old?view=alt&a=1")
    page.wait_for_load_state()
    page.go_back()
    page.wait_for_url("**/start")
    page.go_forward()
    page.wait_for_url("**/old?view=alt&a=1")
    page.reload()
    page.wait_for_load_state()
    assert page.evaluate("getComputedStyle(document.documentElement).opacity") == "1"
    shop.wait_events("pageview", 4)
    assert len(shop.events("experiment_viewed")) == 1


def test_exposure__of_a_page_that_is_left_at_once__arrives(shop: Shop, open_page: Open) -> None:
    shop.experiments = [redirecting("/new")]
    shop.page("/old", html("<h1>Old</h1>"))
    shop.page("/new", html("<h1>New</h1>", tag=""))
    open_page("/old").wait_for_url("**/new")
    [exposure] = shop.wait_events("experiment_viewed")
    assert "/old" in exposure["url"], "sent by the page that was left: the next has no snippet"


def test_redirect__in_a_single_page_navigation__leaves_for_the_destination(shop: Shop, open_page: Open) -> None:
    shop.experiments = [redirecting("/new")]
    shop.page("/start", html("<h1>Start</h1>"))
    shop.page("/new", html("<h1>New</h1>"))
    page = open_page("/start")
    page.evaluate("history.pushState({}, '', '/old')")
    page.wait_for_url("**/new")
    assert len(shop.wait_events("experiment_viewed")) == 1
