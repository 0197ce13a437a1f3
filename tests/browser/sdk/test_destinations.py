"""Exposures in the shop's own analytics: Google Analytics by `gtag` or the data layer, and Segment."""

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.sdk.configs import experiment, mutate, personalization
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import SNIPPET_TAG, Shop, html

pytestmark = pytest.mark.browser

NEW = {"mutations": [mutate("h1", "text", text="New")]}
BODY = "<h1>Original</h1>"
GTAG = "window.calls = []; function gtag() { calls.push([...arguments]); }"
LAYER = "window.dataLayer = window.dataLayer || [];"
SEGMENT = "window.viewed = []; window.analytics = { track(...given) { viewed.push(given); } };"
IMPRESSION = "experience_impression"
E1 = "SVC-e1-e1-treatment"
VIEWED = ["Experiment Viewed", {"experiment_id": "e1", "variation_id": "e1-treatment"}]


def script(source: str) -> str:
    return f"<script>{source}</script>"


@pytest.fixture
def shop(shop: Shop) -> Shop:
    """One experiment, and both destinations."""
    shop.runtime["exposures"] = ["ga4", "segment"]
    shop.experiments = [experiment(NEW)]
    return shop


def layer(page: Page) -> Any:
    return page.evaluate("window.dataLayer")


def test_gtag__that_is_defined_after_the_snippet__gets_each_exposure_once(shop: Shop, open_page: Open) -> None:
    shop.experiments.append(experiment(control=True, name="e2"))
    shop.page("/", html(BODY + script(LAYER + GTAG)))
    page = open_page()
    assert page.evaluate("calls") == [
        ["event", IMPRESSION, {"exp_variant_string": E1}],
        ["event", IMPRESSION, {"exp_variant_string": "SVC-e2-e2-control"}],
    ]
    assert layer(page) == [], "not twice"
    page.evaluate("svc.set({ a: 1 }); history.pushState({}, '', '/other'); dispatchEvent(new Event('load'))")
    assert page.evaluate("calls.length") == 2
    shop.wait_events("experiment_viewed", 2)
    assert open_page("/", page).evaluate("calls") == [], "once a session"


def test_gtag__that_is_there_already__gets_the_exposure_at_once(shop: Shop, open_page: Open) -> None:
    page_with = f"{script(GTAG)}{SNIPPET_TAG}{script('window.soon = calls.length')}"
    shop.page("/", html(BODY, page_with, tag=""))
    assert open_page().evaluate("soon") == 1


def test_data_layer__without_gtag__gets_the_event(shop: Shop, open_page: Open) -> None:
    shop.page("/", html(BODY, script(LAYER)))
    assert layer(open_page()) == [{"event": IMPRESSION, "exp_variant_string": E1}]


def test_element__called_gtag__is_not_a_tool(shop: Shop, open_page: Open) -> None:
    shop.page("/", html(f'{BODY}<i id="gtag"></i><i id="analytics"></i>', script(LAYER)))
    assert layer(open_page()) == [{"event": IMPRESSION, "exp_variant_string": E1}]
    assert shop.events("sdk_error") == []


def test_segment__gets_the_ids_in_the_words_of_its_specification(shop: Shop, open_page: Open) -> None:
    shop.page("/", html(BODY + script(SEGMENT)))
    page = open_page()
    assert page.evaluate("viewed") == [VIEWED]
    assert layer(page) is None, "a page without a data layer gets none"


def test_segment__loaded_late__gets_what_has_waited(shop: Shop, open_page: Open) -> None:
    shop.page("/", html(BODY))
    page = open_page()
    page.evaluate(f"setTimeout(() => {{ {SEGMENT} }}, 300)")
    page.wait_for_function("window.viewed && viewed.length")
    assert page.evaluate("viewed") == [VIEWED]


def test_tool__that_never_comes__harms_nothing(shop: Shop, open_page: Open) -> None:
    shop.page("/", html(BODY))
    page = open_page()
    page.wait_for_timeout(1200)
    assert page.inner_text("h1") == "New"
    assert shop.events("sdk_error") == []


def test_destination__that_the_shop_did_not_choose__gets_nothing(shop: Shop, open_page: Open) -> None:
    shop.runtime["exposures"] = ["segment"]
    shop.page("/", html(BODY + script(LAYER + GTAG + SEGMENT)))
    page = open_page()
    assert page.evaluate("[calls, viewed.length, dataLayer]") == [[], 1, []]


def test_personalization__is_passed_on_as_its_exposure_names_it(shop: Shop, open_page: Open) -> None:
    shop.experiments = []
    shop.config = {"personalizations": [personalization(NEW)]}
    shop.page("/", html(BODY + script(LAYER)))
    page = open_page()
    [exposure] = shop.wait_events("experiment_viewed")
    named = f"SVC-{exposure['experimentId']}-{exposure['variationId']}"
    assert layer(page) == [{"event": IMPRESSION, "exp_variant_string": named}]


@pytest.mark.parametrize("query", ["svc_qa=1", "svc_force=e1:1"])
def test_qa_visit__is_not_passed_on(query: str, shop: Shop, open_page: Open) -> None:
    shop.page("/", html(BODY + script(LAYER + GTAG + SEGMENT)))
    page = open_page(f"/?{query}")
    [exposure] = shop.wait_events("experiment_viewed")
    assert exposure["qa_mode"] is True
    page.evaluate("dispatchEvent(new Event('load'))")
    assert page.evaluate("[calls, viewed, dataLayer]") == [[], [], []]


def test_consent__comes_first(shop: Shop, open_page: Open) -> None:
    shop.runtime["consent"] = {"read": -1, "events": []}
    shop.page("/", html(BODY + script(GTAG + SEGMENT)))
    page = open_page()
    assert page.evaluate("[calls.length, viewed.length]") == [0, 0]
    page.evaluate("svc.consent(true)")
    assert page.evaluate("[calls.length, viewed.length]") == [1, 1]


def test_consent__withdrawn__drops_what_waits(shop: Shop, open_page: Open) -> None:
    shop.runtime["consent"] = {"read": -1, "events": []}
    shop.page("/", html(BODY))
    page = open_page()
    page.evaluate(f"svc.consent(true); svc.consent(false); {GTAG} {SEGMENT} dispatchEvent(new Event('load'))")
    assert page.evaluate("[calls, viewed]") == [[], []]


def test_tool__that_throws__is_reported_and_stops_nothing(shop: Shop, open_page: Open) -> None:
    shop.page("/", html(BODY + script(SEGMENT + "function gtag() { throw new Error('theirs') }")))
    page = open_page()
    assert page.evaluate("viewed") == [VIEWED]
    assert page.inner_text("h1") == "New"
    [error] = shop.wait_events("sdk_error")
    assert (error["data"]["source"], error["data"]["message"]) == ("exposures", "theirs")
    assert "experimentId" not in error, "it is not the variation's"


def test_array_methods__that_the_page_has_broken__do_not_matter(shop: Shop, open_page: Open) -> None:
    broken = "for (const name of ['push', 'filter', 'forEach', 'map']) Array.prototype[name] = () => { throw 1 };"
    kept = "window.calls = 0; function gtag() { calls++; }"
    shop.page("/", html(BODY, script(broken) + script(kept)))
    page = open_page()
    assert page.evaluate("calls") == 1


def test_exposures_of_redirects__are_passed_on_of_no_variation(shop: Shop, open_page: Open) -> None:
    shop.experiments.append(experiment(control=True, name="e2", type="redirect"))
    shop.page("/", html(BODY + script(LAYER + GTAG)))
    page = open_page()
    assert [call[2]["exp_variant_string"] for call in page.evaluate("calls")] == [E1]
    assert {event["experimentId"] for event in shop.wait_events("experiment_viewed", 2)} == {"e1", "e2"}
