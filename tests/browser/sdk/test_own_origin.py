"""A snippet from the page's own origin sends its events there, where the answer may refresh the visitor's cookie."""

import re

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.browser.sdk.configs import experiment
from tests.browser.sdk.shop import SHOP_ID, Shop, html

pytestmark = pytest.mark.browser

TAG = f'<script src="/s/{SHOP_ID}.js"></script>'


@pytest.fixture
def sent(shop: Shop, context: BrowserContext) -> list[str]:
    """Where events went to, in order."""
    shop.experiments = [experiment()]
    shop.page("/", html("", tag=TAG))
    context.route(
        re.compile(r"/s/[^/]*\.js"), lambda route: route.fulfill(body=shop.snippet(), content_type="text/javascript")
    )
    addresses: list[str] = []
    context.on("request", lambda request: addresses.append(request.url) if request.method == "POST" else None)
    return addresses


def opened(shop: Shop, page: Page) -> None:
    """Open the page; its events have arrived."""
    with page.expect_event("requestfinished", lambda request: request.method == "POST"):
        page.goto(shop.url)
    shop.wait_events("pageview")
    page.evaluate("1")


def test_events__go_to_the_own_origin_with_the_cookie(shop: Shop, context: BrowserContext, sent: list[str]) -> None:
    page = context.new_page()
    with page.expect_request(lambda request: request.method == "POST") as told:
        page.goto(shop.url)
    assert told.value.all_headers()["cookie"] == page.evaluate("document.cookie")
    assert sent == [f"{shop.url}/_svc/events"]


def test_server__that_delivers_the_snippet_alone__costs_no_event(
    shop: Shop, context: BrowserContext, sent: list[str]
) -> None:
    shop.answers = [(404, {})]
    opened(shop, context.new_page())
    assert sent == [f"{shop.url}/_svc/events", f"http://localhost:{shop.port}/events"]
    assert len({event["eventId"] for event in shop.events()}) == len(shop.events()) == 2
