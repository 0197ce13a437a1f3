"""A cart carries the visitor, and what was seen, to the checkout that it is paid on."""

import pytest

from tests.browser.sdk.configs import experiment, goal
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, html

pytestmark = pytest.mark.browser

CHECKOUT = '<script src="/s.js" data-surface="checkout"></script>'
VISITOR = "svc.visitorId()"


@pytest.fixture
def carried(shop: Shop) -> Shop:
    """A storefront on 127.0.0.1 and a checkout on localhost, with an experiment whose revenue counts."""
    shop.experiments = [experiment(goals=[goal("revenue")])]
    shop.page("/", html(""))
    return shop


def checkout(shop: Shop, before: str) -> str:
    """Address of a checkout with this script before the snippet."""
    shop.page("/checkout", html("", f"<script>{before}</script>", tag=CHECKOUT))
    return f"http://localhost:{shop.port}/checkout"


@pytest.mark.parametrize("way", ["before", "set"])
def test_checkout__given_the_cart_s_attributes__goes_on_with_visitor_and_variations(
    carried: Shop, open_page: Open, way: str
) -> None:
    page = open_page()
    visitor, cart = page.evaluate(f"[{VISITOR}, svc.cart()]")
    assert list(cart) == ["_svc"]
    assert cart["_svc"].startswith(f"{visitor}.~")
    # The traffic is turned over: only what was kept says that the visitor is in the treatment.
    carried.experiments = [experiment(control=True, surface="checkout", goals=[goal("revenue")])]
    given = f"{{cart_attributes: {{_svc: {cart['_svc']!r}}}}}"
    page.goto(checkout(carried, f"window.svc = {given}" if way == "before" else ""))
    if way == "set":
        assert page.evaluate(VISITOR) not in ("", visitor)
        page.evaluate(f"svc.set({given})")
    assert page.evaluate(VISITOR) == visitor
    [assigned] = page.evaluate("svc.assignments()")
    assert assigned["variationId"] == "e1-treatment"
    page.evaluate("svc.track('order', {orderId: 'o-1', revenue: 12.5})")
    [order] = carried.wait_events("order")
    assert order["visitorId"] == visitor
    page.reload()
    assert page.evaluate(VISITOR) == visitor


@pytest.mark.parametrize(
    "given",
    [
        "null", "'x'", "{}", "{_svc: 1}", "{_svc: ''}", "{_svc: 'short.~a-b'}", "{_svc: 'f'.repeat(32)}",
        "{_svc: 'f'.repeat(32) + '.<script>'}", "{_svc: 'f'.repeat(32) + '.' + '~a-b'.repeat(1000)}",
        "{_svc: 'f'.repeat(32) + '.; domain=x'}", "{get _svc() { throw new Error('theirs') }}",
    ],
)  # fmt: skip
def test_attributes__that_are_none_of_ours__leave_the_own_visitor(carried: Shop, open_page: Open, given: str) -> None:
    page = open_page()
    page.goto(checkout(carried, f"window.svc = {{cart_attributes: {given}}}"))
    assert page.evaluate(VISITOR) not in ("", "f" * 32)


def test_storefront__takes_no_visitor_from_a_cart(carried: Shop, open_page: Open) -> None:
    carried.page("/", html("", f"<script>window.svc = {{cart_attributes: {{_svc: '{'f' * 32}.'}}}}</script>"))
    assert open_page().evaluate(VISITOR) != "f" * 32


def test_cart__where_nothing_asks_for_it__is_empty(shop: Shop, open_page: Open) -> None:
    shop.page("/", html(""))
    assert open_page().evaluate("svc.cart()") == {}
