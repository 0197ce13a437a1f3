"""Events arrive, each exactly once, through refusals, failures, limits and pages that close."""

from collections import Counter

import pytest

from tests.browser.sdk.configs import experiment, goal
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import SHOP_ID, SIGNATURE, Shop, html

pytestmark = pytest.mark.browser


def accepted_ids(shop: Shop) -> Counter[str]:
    """How often each event id was accepted."""
    return Counter(event["eventId"] for event in shop.events())


def test_request__is_simple_carries_its_authentication_and_gathers_events(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment(), experiment(name="e2")]
    shop.page("/", html(""))
    open_page()
    shop.wait_events("pageview")
    [(method, body, _)] = shop.attempts
    assert method == "POST", "no preflight came before"
    assert body["_shopId"] == SHOP_ID
    assert body["_signature"] == SIGNATURE
    assert [event["type"] for event in body["events"]] == ["experiment_viewed", "experiment_viewed", "pageview"]
    assert 0 <= body["sentAt"] - body["events"][0]["ts"] < 5000


def test_click__right_before_the_page_is_left__arrives(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment(goals=[goal("click", selector="a")])]
    shop.page("/", html('<a href="/next">Next</a>'))
    shop.page("/next", "<!doctype html>no snippet here")
    page = open_page()
    shop.wait_events("pageview")
    page.click("a")
    [event] = shop.wait_events("goal")
    assert event["url"].endswith("/")
    assert set(accepted_ids(shop).values()) == {1}


def test_tab_closed__right_after_a_click__loses_nothing(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment(goals=[goal("click", selector="button")])]
    shop.page("/", html("<button>Buy</button>"))
    page = open_page()
    page.click("button")
    page.close(run_before_unload=True)
    shop.wait_events("goal")
    assert set(accepted_ids(shop).values()) == {1}


def test_first_events__wait_for_no_others(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment()]
    no_waits = "<script>const timer = setTimeout; setTimeout = (fn, ms) => ms > 100 || timer(fn, ms)</script>"
    shop.page("/", html("<h1>Here</h1>", no_waits))
    open_page()
    shop.wait_events("pageview")
    [(_, body, _)] = shop.attempts
    assert [event["type"] for event in body["events"]] == ["experiment_viewed", "pageview"]


@pytest.mark.whole_browser
def test_tab_closed__before_the_page_has_loaded__loses_nothing(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment()]
    shop.files["/late.js"] = ["", "never sent"]  # the second piece waits for a request of `/gate`
    shop.page("/", html("<h1>Here</h1><script async src=/late.js></script>"))
    page = open_page(until="domcontentloaded")
    page.close(run_before_unload=True)
    shop.wait_events("pageview")
    assert len(shop.events("experiment_viewed")) == 1
    assert set(accepted_ids(shop).values()) == {1}


def test_429_with_retry_after_then_500__each_event_is_accepted_once_unchanged(shop: Shop, open_page: Open) -> None:
    shop.answers = [(429, {"retry-after": "1"}), (500, {})]
    shop.experiments = [experiment()]
    shop.page("/", html(""))
    page = open_page()
    shop.wait(lambda: len(shop.attempts) == 1)
    page.evaluate("svc.track('meanwhile')")
    shop.wait_events("custom")
    assert set(accepted_ids(shop).values()) == {1}
    first, second, third, fourth = (body for _, body, _ in shop.attempts)
    assert second["sentAt"] - first["sentAt"] >= 1000, "not before the server wishes"
    assert first["events"] == second["events"] == third["events"], "same ids, same times"
    assert third["sentAt"] > second["sentAt"]
    assert [event["type"] for event in fourth["events"]] == ["custom"], "what is new waits as well"


def wait_attempts(shop: Shop, number: int) -> None:
    shop.wait(lambda: len(shop.attempts) >= number)


def test_refusal__is_final(shop: Shop, open_page: Open) -> None:
    shop.answers = [(400, {}), (401, {}), (403, {})]
    shop.page("/", html(""))
    page = open_page()
    for number in (1, 2, 3):
        wait_attempts(shop, number)
        page.evaluate(f"svc.track('event {number}')")
    shop.wait_events("custom")
    sent = [[event["data"].get("event_name") for event in body["events"]] for _, body, _ in shop.attempts]
    assert sent == [[None], ["event 1"], ["event 2"], ["event 3"]]


def test_413__splits_until_it_fits(shop: Shop, open_page: Open) -> None:
    shop.page("/", html(""))
    page = open_page()
    shop.wait_events("pageview")
    shop.answers = [(413, {}), (413, {})]
    page.evaluate("for (let i = 0; i < 10; i++) svc.track('many', {i})")
    shop.wait_events("custom", 10)
    assert [event["data"]["i"] for event in shop.events("custom")] == list(range(10))
    assert [len(body["events"]) for _, body, _ in shop.attempts] == [1, 10, 5, 2, 2, 2, 2, 2]
    assert set(accepted_ids(shop).values()) == {1}


def test_single_event__that_is_too_large_for_the_server__is_given_up(shop: Shop, open_page: Open) -> None:
    shop.answers = [(413, {})]
    shop.page("/", html(""))
    page = open_page()
    shop.wait(lambda: shop.attempts)
    page.evaluate("svc.track('next')")
    shop.wait_events("custom")
    assert len(shop.attempts) == 2


def test_many_events__go_in_requests_of_at_most_100_and_48_kilobytes(shop: Shop, open_page: Open) -> None:
    shop.page("/", html(""))
    page = open_page()
    page.evaluate("for (let i = 0; i < 250; i++) svc.track('many', {i})")
    shop.wait_events("custom", 250)
    page.evaluate("for (let i = 0; i < 20; i++) svc.track('large', {text: 'é'.repeat(1000)})")
    page.evaluate("svc.track('huge', {text: 'x'.repeat(60000)})")
    shop.wait_events("custom", 270)
    sizes = [len(body["events"]) for _, body, _ in shop.attempts]
    assert max(sizes) <= 100
    assert len(sizes) >= 6
    assert set(accepted_ids(shop).values()) == {1}


def test_server_out_of_reach__events_wait_and_arrive(shop: Shop, open_page: Open) -> None:
    shop.page("/", html("<h1>Here</h1>"))
    page = open_page()
    shop.wait_events("pageview")
    page.context.set_offline(True)
    page.evaluate("svc.track('offline')")
    page.wait_for_function("performance.getEntriesByType('resource').filter((e) => /events/.test(e.name)).length > 1")
    page.context.set_offline(False)
    shop.wait_events("custom")
    assert set(accepted_ids(shop).values()) == {1}
