"""The pixel on an external domain: the same visitor as in the shop, orders counted once, nothing before consent."""

from __future__ import annotations

import html as markup
import json
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route

from abtest.domain.credentials.handover import Handover, make_handover, read_handover
from abtest.domain.credentials.signing import RootKeys
from abtest.domain.install.pixel import Provider, pixel_config, render_pixel
from abtest.storefront import pixel
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import SHOP_ID, SIGNATURE, Shop, html
from tests.support.any_json import any_json

pytestmark = pytest.mark.browser

ROOTS = RootKeys(active="k1", keys={"k1": b"a root key"})
ORDER = {"orderId": "1001", "revenue": 49.9, "currency": "EUR"}
NOW = 1_800_000_000


def handover_of(shop: Shop) -> Any:
    """The shop's handover to localhost, on another host than its own."""
    url = f"{shop.url}/_svc/handover"
    return {"param": "svc_handover", "domains": ["localhost"], "ttl": 120, "timeout": 2000, "signed": True, "url": url}


def tag(shop: Shop, provider: Provider = "custom", **runtime: Any) -> str:
    """The pixel as the service renders it."""
    known = {"currency": "EUR", "events_url": f"{shop.url}/events", "events_signature": SIGNATURE}
    return render_pixel(pixel_config(SHOP_ID, any_json({**known, **runtime}), provider), pixel())


def track(page: Page, name: str, data: Any | None = None) -> None:
    page.evaluate("([name, data]) => svcPixel.track(name, data)", [name, data or {}])


def visit(page: Page, shop: Shop, path: str = "/thanks") -> None:
    """Opens a path on the external domain."""
    page.goto(f"http://localhost:{shop.port}{path}")


@pytest.fixture
def signing(context: BrowserContext) -> list[str]:
    """The edge's route: signs ways and verifies them as the edge does; which of the two was asked for is kept."""
    asked: list[str] = []

    def answer(route: Route) -> None:
        body = json.loads(route.request.post_data or "{}")
        is_check = route.request.url.endswith("/verify")
        asked.append("verify" if is_check else "mint")
        if is_check:
            way = read_handover(ROOTS, body["token"], shop_id=SHOP_ID, host=body["host"], now_seconds=NOW)
            found = {"visitorId": way.visitor_id}
        else:
            way = Handover(
                shop_id=SHOP_ID, visitor_id=body["visitorId"], destination=body["destination"], expires_at=NOW + 60
            )
            found = {"token": make_handover(ROOTS, way, "1"), "expires_at": "2027-01-15T08:01:00.000Z"}
        route.fulfill(json=found, headers={"access-control-allow-origin": "*"})

    context.route("**/_svc/handover**", answer)
    return asked


def test_pixel__after_a_handover__counts_the_order_for_the_same_visitor(
    shop: Shop, open_page: Open, signing: list[str]
) -> None:
    shop.runtime["handover"] = handover_of(shop)
    shop.page("/", html(f'<a id="pay" href="http://localhost:{shop.port}/thanks?cart=7#top">Pay</a>'))
    shop.page("/thanks", html("<h1>Thanks</h1>", tag=tag(shop, handover=handover_of(shop))))
    page = open_page("/")
    visitor = shop.wait_events("pageview")[0]["visitorId"]
    page.click("#pay")
    page.wait_for_url("**/thanks**")
    assert page.evaluate("location.href") == f"http://localhost:{shop.port}/thanks?cart=7#top"
    track(page, "order", ORDER)
    track(page, "add_gift", {"kind": "card"})
    (order,) = shop.wait_events("order")
    (custom,) = shop.wait_events("custom")
    assert (order["visitorId"], order["data"], order["shopId"]) == (visitor, ORDER, SHOP_ID)
    assert (custom["visitorId"], custom["data"]) == (visitor, {"kind": "card", "event_name": "add_gift"})
    assert sorted(set(signing)) == ["mint", "verify"]
    assert page.evaluate("document.cookie").startswith(f"svc_v={visitor}.")
    page.reload()
    track(page, "order", ORDER)
    track(page, "later")
    shop.wait_events("custom", 2)
    assert len({event["eventId"] for event in shop.events("order")}) == 1
    assert {event["visitorId"] for event in shop.events("custom")} == {visitor}


def test_pixel__way_that_was_tampered_with__leaves_the_visitor_as_it_is(
    shop: Shop, open_page: Open, context: BrowserContext
) -> None:
    context.route("**/_svc/handover**", lambda route: route.fulfill(status=401, json={"error": "handover_invalid"}))
    shop.page("/", html("", tag=""))
    shop.page("/thanks", html("", tag=tag(shop, handover=handover_of(shop))))
    page = open_page("/")
    visit(page, shop, "/thanks?svc_handover=v1.k1.e30.AAAA&a=1")
    track(page, "order", ORDER)
    (order,) = shop.wait_events("order")
    assert len(order["visitorId"]) == 32
    assert page.evaluate("location.search") == "?a=1"


DATA_LAYER = """
window.dataLayer = [{event: 'purchase', ecommerce: {transaction_id: 'A1', value: 10.5, currency: 'USD'}}, 7, null];
"""
LATER = """() => {
  const gtag = function () { dataLayer.push(arguments) };
  gtag('event', 'purchase', {transaction_id: 'A2', value: '20', currency: 'EUR'});
  gtag('event', 'page_view', {transaction_id: 'A3'});
  dataLayer.push({event: 'purchase', ecommerce: {purchase: {actionField: {id: 'A4', revenue: '7.00'}}}});
  dataLayer.push({event: 'purchase', ecommerce: {transaction_id: 'A1', value: 10.5, currency: 'USD'}});
  dataLayer.push({event: 'purchase', ecommerce: {}});
  dataLayer.push({event: 'purchase', get ecommerce() { throw new Error('no') }});
}"""


def test_pixel__purchases_in_the_data_layer__are_each_counted_once(shop: Shop, open_page: Open) -> None:
    shop.page("/", html("", tag=f"<script>{DATA_LAYER}</script>{tag(shop, 'data_layer')}"))
    page = open_page("/")
    page.evaluate(LATER)
    orders = shop.wait_events("order", 3)
    track(page, "end")
    shop.wait_events("custom")
    assert [event["data"] for event in orders] == [
        {"orderId": "A1", "revenue": 10.5, "currency": "USD"},
        {"orderId": "A2", "revenue": "20", "currency": "EUR"},
        {"orderId": "A4", "revenue": "7.00", "currency": "EUR"},
    ]
    assert len(shop.events("order")) == 3


def test_pixel__transaction_in_the_digital_data__is_counted_once(shop: Shop, open_page: Open) -> None:
    said = "digitalData={transaction:{transactionID:5,total:{transactionTotal:12,currency:'GBP'}}}"
    shop.page("/", html("", tag=f"{tag(shop, 'digital_data')}<script>{said}</script>"))
    page = open_page("/")
    track(page, "end")
    shop.wait_events("custom")
    assert [event["data"] for event in shop.events("order")] == [{"orderId": "5", "revenue": 12, "currency": "GBP"}]


def test_pixel__in_a_sandboxed_frame_without_cookies__counts_all_the_same(shop: Shop, open_page: Open) -> None:
    call = (
        f"<script>svcPixel.track('order', {json.dumps(ORDER)}); svcPixel.track('order', {json.dumps(ORDER)})</script>"
    )
    inner = markup.escape(f"<!doctype html>{tag(shop, handover=handover_of(shop))}{call}")
    shop.page("/", html(f'<iframe sandbox="allow-scripts" srcdoc="{inner}"></iframe>', tag=""))
    open_page("/")
    (order,) = shop.wait_events("order")
    assert (order["data"], len(order["visitorId"])) == (ORDER, 32)
    assert shop.events("sdk_error") == []


CONSENT = {"read": "return window.said", "events": ["said"]}


def test_pixel__that_waits_for_consent__keeps_and_sends_nothing_before(shop: Shop, open_page: Open) -> None:
    shop.page("/", html("", tag=tag(shop, consent=CONSENT)))
    page = open_page("/")
    track(page, "order", ORDER)
    page.wait_for_timeout(600)
    assert (page.evaluate("document.cookie"), shop.attempts) == ("", [])
    page.evaluate("() => { window.said = true; dispatchEvent(new Event('said')) }")
    assert shop.wait_events("order")[0]["data"] == ORDER
    assert page.evaluate("document.cookie").startswith("svc_v=")
    page.evaluate("() => { window.said = false; dispatchEvent(new Event('said')) }")
    track(page, "after")
    page.wait_for_timeout(600)
    assert shop.events("custom") == []
    assert page.evaluate("document.cookie") == ""


def test_pixel__pasted_twice__is_there_once(shop: Shop, open_page: Open) -> None:
    shop.page("/", html("", tag=tag(shop) + tag(shop)))
    page = open_page("/")
    track(page, "order", ORDER)
    shop.wait_events("order")
    assert len(shop.events("order")) == 1


def test_pixel__on_a_page_that_breaks_the_language__still_counts(shop: Shop, open_page: Open) -> None:
    broken = (
        "JSON.stringify=JSON.parse=()=>{throw 1};Array.prototype.push=Array.prototype.map=()=>{throw 2};"
        "Array.prototype.toJSON=()=>'x';Object.defineProperty(window,'dataLayer',{value:Object.freeze([])})"
    )
    call = f"<script>svcPixel.track('order', {json.dumps(ORDER)})</script>"
    shop.page("/", html("", tag=f"<script>{broken}</script>{tag(shop, 'data_layer')}{call}"))
    open_page("/")
    assert shop.wait_events("order")[0]["data"] == ORDER
