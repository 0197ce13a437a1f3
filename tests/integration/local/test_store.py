"""The demo shop: pages that work without the SDK, and carry its tag first when there is a shop."""

import asyncio
import re
from dataclasses import dataclass

import pytest

from tools.local.store.catalogue import PRODUCTS
from tools.local.store.server import Store
from tools.local.web.messages import Request

ORIGIN = "http://127.0.0.1:8401"


@dataclass
class Visit:
    """Requests to the demo shop."""

    store: Store

    def __call__(self, target: str, method: str = "GET") -> tuple[int, str]:
        path, _, query = target.partition("?")
        answer = asyncio.run(self.store.handle(Request(method, path, query, [], b"", "127.0.0.1", 1, "HTTP/1.1")))
        return answer.status, answer.body.decode()


@pytest.fixture
def visit() -> Visit:
    store = Store(ORIGIN)
    store.shop_id = "shop-1"
    return Visit(store)


@pytest.mark.parametrize("page", ["/", "/product", "/product?item=oak-board", "/product-b", "/checkout", "/absent"])
def test_page__has_the_tag_first_in_its_head(visit: Visit, page: str) -> None:
    _, html = visit(page)
    head = html.partition("<head>\n")[2]
    assert head.startswith(
        f'<link rel="preconnect" href="{ORIGIN}">\n<script src="{ORIGIN}/s/shop-1.js"></script>\n<meta charset'
    )
    assert "$" not in html


def test_page__without_a_shop_has_no_tag(visit: Visit) -> None:
    visit.store.shop_id = ""
    assert "/s/" not in visit("/")[1]


def test_list__links_every_product(visit: Visit) -> None:
    _, html = visit("/")
    assert re.findall(r'/product\?item=([\w-]+)"', html) == [product.slug for product in PRODUCTS]


def test_shopping__needs_no_script(visit: Visit) -> None:
    _, product = visit("/product?item=glass-carafe")
    assert '<form action="/checkout" method="get"' in product
    assert 'name="item" value="glass-carafe"' in product
    _, checkout = visit("/checkout?item=glass-carafe")
    assert 'data-amount="36.00" data-currency="EUR"' in checkout
    assert "Thank you" in visit("/checkout?placed=1")[1]


def test_script__tells_the_sdk_only_if_it_is_there(visit: Visit) -> None:
    _, script = visit("/shop.js")
    assert 'window.svc?.track("add_to_cart", {' in script
    assert 'window.svc?.track("order", { orderId, revenue, currency, items:' in script


def test_store__refuses_what_is_no_page(visit: Visit) -> None:
    assert visit("/absent")[0] == 404
    assert visit("/", "POST")[0] == 405


def test_item__that_is_unknown_or_hostile_shows_the_first_product(visit: Visit) -> None:
    assert "Stoneware mug" in visit("/product?item=%3Cscript%3E")[1]
