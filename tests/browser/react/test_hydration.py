"""Pages that a server renders with the answer of `/assign`: hydration agrees, then the snippet decides."""

import pytest

from tests.browser.react.conftest import ReactShop
from tests.support.delivered import item_id, keep_document
from tests.support.storefronts import experiment, experiment_id, variation

pytestmark = pytest.mark.browser

TITLES = ["Original title", "New title"]
EVEN = (variation(0, weight=0.5), variation(1, weight=0.5))
EVERYBODY = (variation(0, weight=0.0), variation(1, weight=1.0))
GERMANS = {"segmentRules": [{"id": "s", "audienceId": item_id(61)}]}
IN_THE_DIALOG = {
    "pageRules": [
        {
            "id": "0192a3b4-0000-7000-8000-000000000300",
            "includeRules": [],
            "excludeRules": [],
            "trigger": {"type": "event", "eventName": "size_guide"},
        }
    ]
}
IN_GERMANY = {"operator": "and", "conditions": [{"attribute": "country", "operator": "equals", "value": "DE"}]}


def test_new_visitor__is_the_same_on_server_and_page_and_counted_once(react_shop: ReactShop) -> None:
    react_shop.edge.server.publish(experiment(variations=EVERYBODY))
    assert react_shop.open() == "New title"
    assert react_shop.title() == "New title"
    assert react_shop.page.evaluate("svc.visitorId()") == react_shop.visitor_id()
    assert react_shop.page.inner_text("output") == "0 true"
    (exposure,) = react_shop.wait_events("experiment_viewed")
    assert (exposure["visitorId"], exposure["experimentId"]) == (react_shop.visitor_id(), experiment_id(1))
    assert react_shop.page.inner_text("p") == f"limit 7, variation {exposure['variationId']}"
    react_shop.page.click("button")
    assert react_shop.page.inner_text("output") == "1 true"
    assert react_shop.wait_events("custom")[0]["data"]["event_name"] == "add_to_cart"


def test_visitors_of_both_variations__see_one_title_from_the_first_byte_on(react_shop: ReactShop) -> None:
    react_shop.edge.server.publish(experiment(variations=EVEN))
    seen = set()
    for number in range(8):
        react_shop.page.context.add_cookies([{"name": "svc_v", "value": f"visitor-{number:08}", "url": react_shop.url}])
        sent = react_shop.open()
        assert react_shop.rendered() == [sent]
        (index,) = react_shop.page.evaluate("svc.assignments().map((each) => each.variationIndex)")
        assert TITLES[index] == sent
        assert react_shop.visitor_id() == f"visitor-{number:08}"
        seen.add(sent)
    assert seen == set(TITLES)


def test_changed_weights__move_no_visitor_on_the_server(react_shop: ReactShop) -> None:
    react_shop.edge.server.publish(experiment(variations=(variation(0, weight=1.0), variation(1, weight=0.0))))
    assert react_shop.open() == "Original title"
    react_shop.edge.server.publish(experiment(variations=EVERYBODY))
    assert react_shop.open() == "Original title"
    assert react_shop.rendered() == ["Original title"]
    assert react_shop.page.evaluate("svc.assignments()[0].variationIndex") == 0


def test_decision_that_only_the_page_can_make__is_shown_after_hydration(react_shop: ReactShop) -> None:
    server = react_shop.edge.server
    keep_document(server.storefront.catalog, "AUD", item_id(61), {"name": "Germans", "rules": IN_GERMANY})
    server.publish(experiment(variations=EVERYBODY, targeting=GERMANS))
    assert react_shop.open("/?country=AT") == "New title"
    react_shop.page.wait_for_function("document.querySelector('h1').textContent === 'Original title'")
    assert react_shop.rendered() == ["New title", "Original title"]
    react_shop.page.evaluate("svc.set({country: 'DE'})")
    react_shop.page.wait_for_function("document.querySelector('h1').textContent === 'New title'")


def test_trigger__shows_the_variation_and_counts_it_when_it_fires(react_shop: ReactShop) -> None:
    react_shop.edge.server.publish(experiment(variations=EVERYBODY, targeting=IN_THE_DIALOG))
    assert react_shop.open() == "Original title"
    react_shop.wait_events("pageview")
    assert react_shop.rendered() == ["Original title"]
    assert [event for event in react_shop.events if event["type"] == "experiment_viewed"] == []
    react_shop.page.evaluate("svc.track('size_guide')")
    react_shop.page.wait_for_function("document.querySelector('h1').textContent === 'New title'")
    react_shop.wait_events("experiment_viewed")


def test_without_the_snippet__the_page_stays_as_it_was_sent(react_shop: ReactShop) -> None:
    react_shop.edge.server.publish(experiment(variations=EVERYBODY))
    assert react_shop.open("/?without") == "New title"
    react_shop.page.click("button")
    assert react_shop.page.inner_text("output") == "1 false"
    assert react_shop.rendered() == ["New title"]
    assert react_shop.page.inner_text("p").startswith("limit 7, ")
    assert react_shop.page.evaluate("window.svc") is None
    assert react_shop.events == []


def test_forced_variation__is_rendered_by_the_server(react_shop: ReactShop) -> None:
    react_shop.edge.server.publish(experiment(variations=EVERYBODY))
    assert react_shop.open(f"/?svc_force={experiment_id(1)}:0") == "Original title"
    assert react_shop.rendered() == ["Original title"]
