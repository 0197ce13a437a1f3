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


def test_cookie__is_shared_below_a_domain_of_the_shop_only(
    shop: Shop, context: BrowserContext, sent: list[str]
) -> None:
    shop.runtime["domains"] = ["other.test", "garden.test"]
    where = f"http://127.0.0.1:{shop.port}"
    context.route(
        re.compile(r"//[a-z.]*(garden|gardens)\.test/"),
        lambda route: route.fallback() if "/s/" in route.request.url else route.fulfill(
            body=html("", tag=TAG) if route.request.method == "GET" else "{}", content_type="text/html", status=200
        ),
    )  # fmt: skip
    page = context.new_page()
    seen = {}
    for host in ("www.garden.test", "pay.garden.test", "mygardens.test"):
        with page.expect_request(lambda request: request.method == "POST"):
            page.goto(f"http://{host}/")
        seen[host] = page.evaluate("svc.visitorId()")
    assert seen["www.garden.test"] == seen["pay.garden.test"] != seen["mygardens.test"]
    assert {cookie["domain"] for cookie in context.cookies()} == {".garden.test", "mygardens.test"}
    assert "http://pay.garden.test/_svc/events?d=garden.test" in sent
    assert "http://mygardens.test/_svc/events" in sent
    assert where not in sent
