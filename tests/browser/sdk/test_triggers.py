"""When: page rules that wait for something to happen on the page view."""

from typing import Any

import pytest

from tests.browser.sdk.configs import experiment, mutate, triggered
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, html

pytestmark = pytest.mark.browser

H1 = "document.querySelector('h1').textContent"
PAGE = html("<h1>Original</h1><main></main>")


def waiting(trigger: str) -> dict[str, Any]:
    """An experiment that changes the headline once the trigger has fired."""
    return experiment({"mutations": [mutate("h1", "text", text="New")]}, pages=triggered(trigger))


def test_dom_ready__fires_when_the_document_is_parsed(shop: Shop, open_page: Open) -> None:
    shop.experiments = [waiting("dom_ready")]
    look = f"<script>window.during = {H1}</script>"
    shop.page("/", html(f"<h1>Original</h1>{look}"))
    page = open_page()
    assert page.evaluate("during") == "Original"
    assert page.inner_text("h1") == "New"


@pytest.mark.parametrize(
    "change",
    ["main.innerHTML = '<p><b class=hero></b></p>'", "document.querySelector('h1').classList.add('hero')"],
    ids=["added", "changed"],
)
def test_element__fires_once_it_stands_in_the_page(change: str, shop: Shop, open_page: Open) -> None:
    shop.experiments = [waiting("element:.hero")]
    shop.page("/", PAGE)
    page = open_page()
    assert page.inner_text("h1") == "Original"
    assert page.evaluate("svc.assignments()") == []
    answer = page.evaluate(
        f"(async () => {{ const main = document.querySelector('main'); {change}; await null; return {H1}; }})()"
    )
    assert answer == "New", "before the next frame"
    assert len(shop.wait_events("experiment_viewed")) == 1


@pytest.mark.parametrize("selector", ["[open", '[open="', ".open /*", ".open\\", ":not(.open"])
def test_element__with_a_selector_that_is_not_closed__keeps_no_other_from_firing(
    selector: str, shop: Shop, open_page: Open
) -> None:
    shop.experiments = [waiting(f"element:{selector}") | {"id": "e0"}, waiting("element:h2") | {"id": "e2"}]
    shop.page("/", PAGE)
    page = open_page()
    assert page.evaluate("svc.assignments()") == []
    page.evaluate("document.body.append(document.createElement('h2'))")
    page.wait_for_function(f"{H1} === 'New'")
    assert [each["experimentId"] for each in page.evaluate("svc.assignments()")] == ["e2"]


def test_element__with_a_selector_that_does_not_parse__leaves_the_experiment_out(shop: Shop, open_page: Open) -> None:
    shop.experiments = [waiting("element:["), waiting("element:h1") | {"id": "e2"}]
    shop.page("/", PAGE)
    page = open_page()
    page.wait_for_function(f"{H1} === 'New'")
    assert [each["experimentId"] for each in page.evaluate("svc.assignments()")] == ["e2"]


@pytest.mark.parametrize(
    "call", ["svc.track('opened')", "dataLayer.push({event: 'opened'})", "dataLayer.push({a: 1}, {event: 'opened'})"]
)
def test_event__tracked_or_pushed__fires(call: str, shop: Shop, open_page: Open) -> None:
    shop.experiments = [waiting("event:opened")]
    shop.page("/", PAGE)
    page = open_page()
    page.evaluate("svc.track('other'); dataLayer.push({event: 'other'}, undefined, [1], 'opened')")
    assert page.inner_text("h1") == "Original"
    assert page.evaluate(f"{call}; {H1}") == "New"


def test_event__pushed_before_the_snippet__has_fired(shop: Shop, open_page: Open) -> None:
    shop.experiments = [waiting("event:opened")]
    shop.page("/", html("<h1>Original</h1>", "<script>dataLayer = [{event: 'opened'}]</script>"))
    assert open_page().inner_text("h1") == "New"


def test_data_layer__goes_on_working_for_the_page(shop: Shop, open_page: Open) -> None:
    shop.experiments = [waiting("event:opened")]
    shop.page("/", html("<h1>Original</h1>", "<script>dataLayer = []</script>"))
    page = open_page()
    assert page.evaluate("[dataLayer.push({a: 1}, {b: 2}), dataLayer.length]") == [2, 2]
    hostile = "dataLayer.push({get event() { throw new Error('hostile') }})"
    assert page.evaluate(hostile) == 3


def test_delay__fires_after_so_long(shop: Shop, open_page: Open) -> None:
    shop.experiments = [waiting("delay:300"), waiting("delay:60000") | {"id": "e2"}]
    shop.page("/", html("<h1>Original</h1><script>window.during = svc.assignments().length</script>"))
    page = open_page()
    assert page.evaluate("during") == 0
    page.wait_for_function(f"{H1} === 'New'")
    assert [each["experimentId"] for each in page.evaluate("svc.assignments()")] == ["e1"]


def test_next_page_view__begins_anew(shop: Shop, open_page: Open) -> None:
    shop.experiments = [waiting("event:opened")]
    shop.page("/", PAGE)
    page = open_page()
    page.evaluate("dataLayer.push({event: 'opened'})")
    assert page.inner_text("h1") == "New"
    page.evaluate("history.pushState({}, '', '/next')")
    page.wait_for_function(f"{H1} === 'Original'")
    assert page.evaluate(f"svc.track('opened'); {H1}") == "New"


def test_event__of_an_earlier_view__does_not_count_for_one_that_asks_later(shop: Shop, open_page: Open) -> None:
    late = waiting("event:opened")
    late["pages"]["in"][0]["include"] = [{"path": "\\/next"}]
    shop.experiments = [late]
    shop.page("/", html("<h1>Original</h1>", "<script>dataLayer = [{event: 'opened'}]</script>"))
    page = open_page()
    page.evaluate("history.pushState({}, '', '/next')")
    assert page.evaluate(H1) == "Original"
    assert page.evaluate(f"dataLayer.push({{event: 'opened'}}); {H1}") == "New"
