"""A whole purchase in a shop that nobody here wrote: django-oscar, from the product page to the confirmation."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from tests.e2e.oscar.server import running_shop
from tests.e2e.story import Story

PRICE_EUR = 12.4
TITLE = "The notebook that lies flat"

pytestmark = [pytest.mark.browser, pytest.mark.stack]


@pytest.fixture(scope="module")
def product_url(stack: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The product page of the running shop, with the demo shop's snippet in its head."""
    snippet = f"{stack['worker_base_url']}/s/{stack['shop_id']}.js"
    with running_shop(tmp_path_factory.mktemp("shop"), snippet) as url:
        yield url


def buy(page: Page, product_url: str) -> None:
    """One product, as a guest, from the product page to the confirmation."""
    page.goto(product_url)
    page.click(".add-to-basket button")
    page.goto(urljoin(product_url, "/checkout/"))
    page.fill("input[name=username]", "ada@shop.example")
    page.check("input[value=anonymous]")
    page.click("button[type=submit]:has-text('Continue')")
    address = {"first_name": "Ada", "last_name": "Lovelace", "line1": "Markt 1", "line4": "Berlin", "postcode": "10115"}
    for name, value in address.items():
        page.fill(f"input[name={name}]", value)
    page.click("button[type=submit]:has-text('Continue')")
    page.goto(urljoin(product_url, "/checkout/preview/"))
    with page.expect_response(lambda response: "order" in types_in(response.request)):
        page.click("#place-order")
    page.wait_for_url("**/checkout/thank-you/")


def events_in(request: Request) -> list[dict[str, Any]]:
    """The events that a request to the ingest carries."""
    is_ingest = request.method == "POST" and request.url.endswith("/events")
    events: list[dict[str, Any]] = json.loads(request.post_data or '{"events":[]}')["events"] if is_ingest else []
    return events


def types_in(request: Request) -> set[str]:
    """The types of events that a request carries."""
    return {event["type"] for event in events_in(request)}


def test_purchase__on_django_oscar__is_one_revenue_event_and_none_on_reload(
    story: Story, browser: Browser, product_url: str
) -> None:
    story.finish_running()
    assert story.call("GET", "/shop")["currency"] == "EUR"
    trigger = story.call(
        "POST",
        "/settings/data-layer-triggers",
        201,
        eventName="purchase",
        enabled=True,
        trackRevenue={
            "enabled": True,
            "revenueFrom": "ecommerce.value",
            "orderIdFrom": "ecommerce.transaction_id",
            "currencyFrom": "ecommerce.currency",
        },
    )
    experiment = story.call(
        "POST",
        "/experiments",
        201,
        name="A product title that says what is good about it",
        variations=[
            {"name": "Control", "weight": 0, "is_control": True},
            {
                "name": "Benefit",
                "weight": 1,
                "is_control": False,
                "mutations": [{"selector": ".product_main h1", "action": "text", "text": TITLE}],
            },
        ],
        goals=[{"name": "Revenue", "type": "revenue", "is_primary": True}],
    )
    story.call("POST", f"/experiments/{experiment['id']}/launch")
    story.await_delivery()

    sent: dict[str, dict[str, Any]] = {}
    context = browser.new_context()
    context.on("request", lambda request: sent.update({event["eventId"]: event for event in events_in(request)}))
    page = context.new_page()
    page.goto(product_url)
    expect(page.locator(".product_main h1")).to_have_text(TITLE)
    buy(page, product_url)
    number = page.evaluate("dataLayer[0].ecommerce.transaction_id")
    for _ in range(2):
        with page.expect_response(lambda response: "pageview" in types_in(response.request)):
            page.reload()
    page.close(run_before_unload=False)

    results = story.results(experiment["id"], visitors=1, conversions=1)
    benefit = experiment["variations"][1]["id"]
    (row,) = (row for row in results["goals"][0]["rows"] if row["variation_id"] == benefit)
    assert (row["visitors"], row["conversions"], row["revenue"]) == (1, 1, PRICE_EUR)
    orders = [event["data"] for event in sent.values() if event["type"] == "order"]
    assert [(order["orderId"], order["revenue"], order["currency"]) for order in orders] == [(number, PRICE_EUR, "EUR")]
    story.call("DELETE", f"/settings/data-layer-triggers/{trigger['id']}", 204)
    context.close()
