"""A shop on several hosts: what is set over HTTP makes one visitor of them, from the first page to the order."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e.story import Story, new_shop

pytestmark = [pytest.mark.browser, pytest.mark.stack]

DOMAIN = "walk.example"
PAID_AT = "pay.elsewhere.example"
VISITOR = "svc.visitorId()"


class Pages(BaseHTTPRequestHandler):
    """The same page on every host: a headline, and the way to where it is paid."""

    snippet = ""
    port = 0

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(
            f"<!doctype html><title>Shop</title><script src='{self.snippet}'></script><h1>Welcome</h1>"
            f"<a href='http://{PAID_AT}:{self.port}/pay'>Pay</a>".encode()
        )

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def shop(story: Story) -> Story:
    return new_shop(story, DOMAIN)


@pytest.fixture
def port(shop: Story) -> Iterator[int]:
    """Where the shop's pages are served, whatever the host."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    Pages.snippet = f"{shop.dev['worker_base_url']}/s/{shop.dev['shop_id']}.js"
    Pages.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield Pages.port
    server.shutdown()
    thread.join()
    server.server_close()


def started(shop: Story) -> dict[str, Any]:
    """An experiment that all visitors see the treatment of."""
    treatment = {"name": "Warm", "weight": 1, "mutations": [{"selector": "h1", "action": "text", "text": "Hello!"}]}
    experiment: dict[str, Any] = shop.call(
        "POST",
        "/experiments",
        201,
        name="A warmer welcome",
        variations=[{"name": "Control", "weight": 0, "is_control": True}, treatment],
        goals=[{"name": "Revenue", "type": "revenue", "is_primary": True}],
    )
    shop.call("POST", f"/experiments/{experiment['id']}/launch")
    return experiment


def visitor_at(page: Page, host: str) -> str:
    """Who the visitor is once the host's page has been treated and has told of it."""
    page.wait_for_url(f"http://{host}:*/**")
    page.wait_for_function("document.querySelector('h1')?.textContent === 'Hello!'")
    return str(page.evaluate(VISITOR))


def test_visitor__goes_from_host_to_host_and_pays__and_is_one(shop: Story, browser: Browser, port: int) -> None:
    experiment = started(shop)
    shop.call("PATCH", "/settings/install-domains", additionalDomains=[f"www.{DOMAIN}", f"sale.{DOMAIN}"])
    patient = {"domains": [PAID_AT], "handoverMintTimeoutMs": 2000}  # the edge may be cold here
    shop.call("PATCH", "/settings/external-tracking", externalTracking=patient)
    shop.await_delivery()
    context = browser.new_context()
    page = context.new_page()
    seen = []
    for host in (f"www.{DOMAIN}", f"sale.{DOMAIN}"):
        page.goto(f"http://{host}:{port}/")
        seen.append(visitor_at(page, host))
    page.click("a")
    seen.append(visitor_at(page, PAID_AT))
    assert len(set(seen)) == 1, seen
    assert page.evaluate("location.search") == "", "the parameter that brought the visitor is gone"
    assert sorted(str(cookie.get("domain")) for cookie in context.cookies()) == [f".{DOMAIN}", PAID_AT]
    with page.expect_response(lambda response: "order" in (response.request.post_data or "")):
        page.evaluate("svc.track('order', {orderId: '1', revenue: 12.4, currency: 'EUR'})")
    context.close()

    results = shop.results(experiment["id"], visitors=1, conversions=1)
    rows = {row["variation_id"]: (row["visitors"], row["conversions"]) for row in results["goals"][0]["rows"]}
    assert rows == {variation["id"]: (i, i) for i, variation in enumerate(experiment["variations"])}
