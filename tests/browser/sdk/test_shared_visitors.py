"""One visitor on all hosts of a domain that the shop has claimed, by one cookie."""

import re
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.browser.sdk.configs import experiment
from tests.browser.sdk.shop import SHOP_ID, Shop, html

pytestmark = pytest.mark.browser

TAG = f'<script src="/s/{SHOP_ID}.js"></script>'
NOON = datetime(2026, 1, 7, 12, tzinfo=UTC)
Visit = Callable[[str], str]


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture
def sent(context: BrowserContext) -> list[str]:
    """Where events went to, in order."""
    addresses: list[str] = []
    context.on("request", lambda request: addresses.append(request.url) if request.method == "POST" else None)
    return addresses


@pytest.fixture
def visit(shop: Shop, page: Page) -> Visit:
    """Open a host of any name, and say who its visitor is once its events have been sent."""
    shop.experiments = [experiment()]
    snippet, empty = re.compile(r"/s/[^/]*\.js"), html("", tag=TAG)

    def answer(body: str, kind: str) -> Callable[..., None]:
        return lambda route: route.fulfill(body=body, content_type=kind)

    def open_host(host: str) -> str:
        page.route(re.compile(r"//[a-z.]+/"), answer(empty, "text/html"))
        page.route(snippet, answer(shop.snippet(), "text/javascript"))
        with page.expect_request(lambda request: request.method == "POST"):
            page.goto(f"http://{host}/")
        return str(page.evaluate("svc.visitorId()"))

    return open_host


def kept(context: BrowserContext) -> list[str]:
    return sorted(str(cookie.get("domain")) for cookie in context.cookies())


def exposures(page: Page, visit: Visit, host: str) -> int:
    """How many exposures the host's page tells of."""
    with page.expect_request(lambda request: request.method == "POST") as told:
        visit(host)
    return str(told.value.post_data).count("experiment_viewed")


def test_visitor__is_shared_below_a_domain_of_the_shop_only(
    shop: Shop, context: BrowserContext, visit: Visit, sent: list[str]
) -> None:
    shop.runtime["domains"] = ["other.test", "garden.test"]
    seen = {host: visit(host) for host in ("www.garden.test", "pay.garden.test", "mygardens.test")}
    assert seen["www.garden.test"] == seen["pay.garden.test"] != seen["mygardens.test"]
    assert kept(context) == [".garden.test", "mygardens.test"]
    assert "http://pay.garden.test/_svc/events?d=garden.test" in sent
    assert "http://mygardens.test/_svc/events" in sent


def test_visitor_of_one_host__becomes_that_of_the_domain_and_is_not_counted_again(
    shop: Shop, page: Page, context: BrowserContext, visit: Visit
) -> None:
    assert exposures(page, visit, "www.garden.test") == 1
    visitor = visit("www.garden.test")
    assert kept(context) == ["www.garden.test"]
    shop.runtime["domains"] = ["garden.test"]
    assert exposures(page, visit, "www.garden.test") == 0
    assert exposures(page, visit, "pay.garden.test") == 0
    assert visit("pay.garden.test") == visit("www.garden.test") == visitor
    assert kept(context) == [".garden.test"]


def test_visitors_of_several_hosts__become_that_of_the_domain(
    shop: Shop, context: BrowserContext, visit: Visit
) -> None:
    first, second = visit("www.garden.test"), visit("pay.garden.test")
    assert first != second
    shop.runtime["domains"] = ["garden.test"]
    assert visit("www.garden.test") == first
    assert visit("pay.garden.test") == visit("www.garden.test") == first
    assert kept(context) == [".garden.test"]


@pytest.mark.parametrize("had", [False, True], ids=["new", "known"])
def test_domain_that_takes_no_cookies__leaves_each_host_its_visitor(
    had: bool, shop: Shop, page: Page, context: BrowserContext, visit: Visit
) -> None:
    before = visit("shop.github.io") if had else None
    shop.runtime["domains"] = ["github.io"]
    visitor = visit("shop.github.io")
    page.wait_for_function("document.cookie")
    assert visit("shop.github.io") == visitor == (before or visitor) != visit("stall.github.io")
    page.wait_for_function("document.cookie")
    assert kept(context) == ["shop.github.io", "stall.github.io"]
    assert exposures(page, visit, "shop.github.io") == 0


@pytest.mark.parametrize(
    ("before", "after"),
    [(["garden.test"], None), (["garden.test"], ["de.garden.test"]), (["de.garden.test"], ["garden.test"])],
    ids=["no longer", "below", "above"],
)
def test_domain_that_changes__keeps_the_visitor_and_the_session(
    before: list[str], after: list[str] | None, shop: Shop, page: Page, context: BrowserContext, visit: Visit
) -> None:
    shop.runtime["domains"] = before
    page.clock.install(time=NOON)
    visitor = visit("de.garden.test")
    shop.runtime["domains"] = after
    page.clock.fast_forward("20:00")
    assert exposures(page, visit, "de.garden.test") == 0
    assert len(kept(context)) == 2
    page.clock.fast_forward("20:00")
    assert exposures(page, visit, "de.garden.test") == 0, "the visit goes on: the last page was twenty minutes ago"
    assert visit("de.garden.test") == visitor
