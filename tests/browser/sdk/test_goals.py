"""Goals that the page sees, events that the shop's own code tracks, and counting once."""

import pytest

from tests.browser.sdk.configs import experiment, goal, on_path, pages
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import SHOP_ID, Shop, html

pytestmark = pytest.mark.browser

CART = """<main><button class="buy" data-product-id="p7" title="T"><b> Add to
  cart </b></button><a class="other" href="#x">Other</a>
  <input type="button" value="Pay now"></main>"""


def test_click__anywhere_inside_the_element__counts_once_and_captures(shop: Shop, open_page: Open) -> None:
    capture = [
        {"property": "label", "source": "textContent"},
        {"property": "hint", "source": "attribute", "attribute": "title"},
        {"property": "product", "source": "dataset", "attribute": "productId"},
        {"property": "product2", "source": "dataset", "attribute": "product-id"},
        {"property": "none", "source": "attribute", "attribute": "absent"},
    ]
    shop.experiments = [experiment(goals=[goal("click", selector=".buy", capture=capture)])]
    # A shop's own handler that stops the event does not hide it from us.
    stop = "<script>document.querySelector('.buy').onclick = (e) => e.stopPropagation()</script>"
    shop.page("/", html(CART + stop))
    page = open_page()
    page.click(".buy b")
    page.click(".buy b")
    page.click(".other")
    [event] = shop.wait_events("goal")
    assert event["data"] == {
        "goalId": "goal-click",
        "label": "Add to cart",
        "hint": "T",
        "product": "p7",
        "product2": "p7",
    }
    open_page("/", page).click(".buy")
    page.evaluate("svc.track('end')")
    shop.wait_events("custom")
    assert len(shop.events("goal")) == 1, "once a session, over reloads"


def test_click__not_once__counts_each(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment(goals=[goal("click", selector=".buy") | {"once": False}])]
    shop.page("/", html(CART))
    page = open_page()
    for _ in range(3):
        page.click(".buy")
    ids = {event["eventId"] for event in shop.wait_events("goal", 3)}
    assert len(ids) == 3


def test_click__by_text__matches_what_is_read(shop: Shop, open_page: Open) -> None:
    goals = [
        goal("click", id="button", text="add to CART"),
        goal("click", id="selector", selector="main *", text="Pay"),
        goal("click", id="value", text="pay now"),
        goal("click", id="other", selector=".other", text="Add"),
    ]
    shop.experiments = [experiment(goals=goals)]
    shop.page("/", html(CART))
    page = open_page()
    reached = []
    for hit, count in [(".other", 0), (".buy b", 1), ("input", 3)]:
        page.click(hit)
        reached = [event["data"]["goalId"] for event in shop.wait_events("goal", count)]
    assert reached == ["button", "selector", "value"]


def test_pageview_goals__by_address_and_page_scope(shop: Shop, open_page: Open) -> None:
    goals = [
        goal("pageview", id="thanks", url={"path": "\\/thanks\\/?"}),
        goal("pageview", id="scoped", pages=on_path("\\/thanks")),
        goal("pageview", id="elsewhere", pages=on_path("\\/cart")),
        goal("pageview", id="every"),
    ]
    shop.experiments = [experiment(goals=goals, pages=pages("\\/item"))]
    shop.page("/thanks", html("<h1>Thanks</h1>"))
    open_page("/thanks")
    assert {event["data"]["goalId"] for event in shop.wait_events("goal", 3)} == {"thanks", "scoped", "every"}


def test_goals__of_an_experiment_without_the_visitor__are_not_sent(shop: Shop, open_page: Open) -> None:
    left_out = experiment(goals=[goal("pageview", id="g")])
    for variation in left_out["variations"]:
        variation["range"] = [0, 0]
    shop.experiments = [left_out, experiment(name="e2", goals=[goal("pageview", id="h")])]
    shop.page("/", html(""))
    open_page()
    assert [event["data"]["goalId"] for event in shop.wait_events("goal")] == ["h"]


def test_track__sends_custom_order_and_refund_events(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment(goals=[goal("custom", event="signup"), goal("revenue")])]
    shop.page("/", html(""))
    page = open_page()
    page.evaluate("svc.track('signup', {plan: 'pro'})")
    page.evaluate(
        "svc.track('order', {orderId: '1001', revenue: '49.90', currency: 'USD', items: [{sku: 'a', quantity: 2}]})"
    )
    page.evaluate("svc.track('order', {orderId: '1001', revenue: '49.90', currency: 'USD'})")
    page.evaluate("svc.track('refund', {orderId: '1001', revenue: 10})")
    page.evaluate("svc.track(''); svc.track(); svc.track('loop', window); svc.ready()")
    shop.wait_events("refund")
    assert shop.events("custom")[0]["data"] == {"plan": "pro", "event_name": "signup"}
    assert [event["data"] for event in shop.events("order")] == [
        {"orderId": "1001", "revenue": "49.90", "currency": "USD", "items": [{"sku": "a", "quantity": 2}]}
    ]
    assert shop.events("refund")[0]["data"] == {"orderId": "1001", "revenue": 10, "currency": "EUR"}
    assert shop.events("goal") == [], "the server counts custom and revenue goals from these events"


def test_exposure__once_a_session_with_the_fields_of_the_data_model(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment(epoch=3)]
    shop.page("/", html(""))
    page = open_page()
    [event] = shop.wait_events("experiment_viewed")
    assert event.keys() == {
        "type", "eventId", "shopId", "visitorId", "sessionId", "ts", "url", "experimentId", "variationId",
        "assignment_epoch", "data",
    }  # fmt: skip
    assert event["shopId"] == SHOP_ID
    assert event["assignment_epoch"] == 3
    assert event["visitorId"] == page.evaluate("svc.visitorId()")
    open_page("/", page)
    open_page("/")
    shop.wait_events("pageview", 3)
    assert len(shop.events("experiment_viewed")) == 1
    shop.experiments[0]["epoch"] = 4
    open_page("/", page)
    assert shop.wait_events("experiment_viewed", 2)[1]["assignment_epoch"] == 4
