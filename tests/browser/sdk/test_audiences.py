"""For whom: what the browser knows, what the page tells, and what changes while the page lives."""

from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.sdk.configs import audience, experiment, mutate, pages
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, html

pytestmark = pytest.mark.browser

H1 = "document.querySelector('h1').textContent"
PHONE = (
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 "
    "Mobile Safari/537.36"
)


def meant_for(condition: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An experiment that changes the headline of those of whom the condition holds."""
    treatment = {"mutations": [mutate("h1", "text", text="Meant")]}
    return experiment(treatment, audience=audience(condition), **more)


def test_device__decides_who_is_treated_and_counted(shop: Shop, browser: Browser) -> None:
    shop.experiments = [meant_for({"$and": [{"device": "mobile"}, {"os": "android"}, {"browser": "chrome"}]})]
    shop.page("/", html("<h1>Original</h1>"))
    for agent, expected in [(PHONE, "Meant"), (None, "Original")]:
        context = browser.new_context(user_agent=agent)
        page = context.new_page()
        page.goto(shop.url)
        assert page.inner_text("h1") == expected
        assert len(page.evaluate("svc.assignments()")) == (expected == "Meant")
        shop.wait_events("pageview", 1 if agent else 2)  # closing a profile ends its beacons
        context.close()
    assert len(shop.events("pageview")) == 2
    assert len(shop.events("experiment_viewed")) == 1


@pytest.mark.parametrize(
    ("condition", "path", "expected"),
    [
        ({"query.q": "1"}, "/?q=1&q=2", "Meant"),
        ({"query.q": "2"}, "/?q=1&q=2", "Original"),
        ({"utm.source": {"$in": ["mail"]}}, "/?utm_source=mail", "Meant"),
        ({"traffic_source": "paid"}, "/?gclid=1", "Meant"),
        ({"url": {"$regex": "\\?q=x$"}}, "/?q=x", "Meant"),
        ({"screen.width": {"$gt": 100}}, "/", "Meant"),
        ({"language": {"$regex": "^de"}}, "/", "Original"),
        ({"logged_in": True}, "/", "Original"),
        ({"visitor": "new", "visits": 1, "pages_viewed": 1}, "/", "Meant"),
        ({"local.Europe/Berlin.hour": {"$gte": 0}}, "/", "Meant"),
        ({"local.No/Where.hour": {"$exists": True}}, "/", "Original"),
    ],
)
def test_condition__on_what_the_browser_knows(
    condition: dict[str, Any], path: str, expected: str, shop: Shop, open_page: Open
) -> None:
    shop.config = {"zones": ["Europe/Berlin", "No/Where"]}
    shop.experiments = [meant_for(condition)]
    shop.page("/", html("<h1>Original</h1>"))
    assert open_page(path).inner_text("h1") == expected


def test_cookie__of_the_shop__is_read(shop: Shop, open_page: Open) -> None:
    shop.experiments = [meant_for({"cookie.club": "gold & more"})]
    shop.page("/", html("<h1>Original</h1>", "<script>document.cookie = 'club=gold%20%26%20more'</script>"))
    assert open_page().inner_text("h1") == "Meant"


def test_data_layer__pushed_before_and_after__is_merged_and_decides_at_once(shop: Shop, open_page: Open) -> None:
    shop.experiments = [meant_for({"data_layer.page.type": "product", "data_layer.page.stock": 3})]
    before = "<script>dataLayer = [{page: {type: 'product'}}, 'noise', {page: {stock: 0}}]</script>"
    shop.page("/", html("<h1>Original</h1>", before))
    page = open_page()
    assert page.inner_text("h1") == "Original"
    assert page.evaluate(f"dataLayer.push({{page: {{stock: 3}}}}); {H1}") == "Meant"
    page.evaluate("dataLayer.push({page: {stock: 4}})")
    page.wait_for_function(f"{H1} === 'Original'")


def test_data_layer__put_in_place_after_the_snippet__is_seen_when_the_document_is_parsed(
    shop: Shop, open_page: Open
) -> None:
    shop.experiments = [meant_for({"data_layer.type": "product"})]
    shop.page("/", html("<h1>Original</h1><script>dataLayer = [{type: 'product'}]</script>"))
    page = open_page()
    page.wait_for_function(f"{H1} === 'Meant'")


@pytest.mark.parametrize(
    "layer",
    [
        "const all = {type: 'product'}; for (let i = 0; i < 12; i++) all['other' + i] = all; dataLayer = [all]",
        "dataLayer = Object.freeze([{type: 'product'}])",
        "dataLayer = [{get broken() { throw new Error() }}, {type: 'product'}]",
    ],
)
def test_data_layer__that_is_odd__is_read_for_all_who_ask(layer: str, shop: Shop, open_page: Open) -> None:
    """Cyclic in twelve ways at once, frozen, and with what cannot be read."""
    asks = {"data_layer.type": "product"}
    shop.experiments = [
        meant_for(asks),
        experiment({"mutations": [mutate("h2", "text", text="Meant")]}, name="e2", audience=audience(asks)),
    ]
    shop.page("/", html("<h1>Original</h1><h2>Original</h2>", f"<script>{layer}</script>"))
    page = open_page()
    assert (page.inner_text("h1"), page.inner_text("h2")) == ("Meant", "Meant")


@pytest.mark.parametrize("guest", ["0", "false", "''", "null", "NaN"])
def test_customer__told_as_nobody__is_a_guest(guest: str, shop: Shop, open_page: Open) -> None:
    shop.experiments = [meant_for({"logged_in": False})]
    shop.page("/", html("<h1>Original</h1>", f"<script>svc = {{customer_id: {guest}}}</script>"))
    assert open_page().inner_text("h1") == "Meant"


def test_data_layer__that_nothing_asks_for__is_left_alone(shop: Shop, open_page: Open) -> None:
    shop.experiments = [meant_for({"device": "desktop"})]
    shop.page("/", html("<h1>Original</h1>"))
    assert open_page().evaluate("window.dataLayer") is None


def test_page_data__before_the_snippet__is_taken_over(shop: Shop, open_page: Open) -> None:
    shop.experiments = [meant_for({"country": "DE", "page.template": "product", "customer.tags": {"$in": ["vip"]}})]
    told = "<script>window.svc = {country: 'DE', page: {template: 'product'}, customer: {tags: ['vip']}}</script>"
    shop.page("/", html("<h1>Original</h1>", told))
    page = open_page()
    assert page.inner_text("h1") == "Meant"
    assert page.evaluate("typeof svc.track") == "function"


def test_set__merges_and_decides_anew_without_another_view(shop: Shop, open_page: Open) -> None:
    shop.experiments = [meant_for({"cart.value": {"$gte": 50}, "country": "DE"})]
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page()
    page.evaluate("svc.set({country: 'DE'})")
    assert page.inner_text("h1") == "Original"
    assert page.evaluate(f"svc.set({{cart: {{value: 60}}}}); {H1}") == "Meant"
    page.evaluate("svc.set({cart: {value: 10}})")
    page.wait_for_function(f"{H1} === 'Original'")
    page.evaluate("svc.set(); svc.set(null); svc.set('x')")
    page.evaluate("svc.track('end')")
    shop.wait_events("custom")
    assert len(shop.events("experiment_viewed")) == 1
    assert len(shop.events("pageview")) == 1


def test_page_rule__with_a_condition__holds_where_the_page_says_so(shop: Shop, open_page: Open) -> None:
    rules = pages("[^]*")
    rules["in"][0]["when"] = {"page.template": "product"}
    shop.experiments = [experiment({"mutations": [mutate("h1", "text", text="Meant")]}, pages=rules)]
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page()
    assert page.inner_text("h1") == "Original"
    page.evaluate("svc.set({page: {template: 'product'}})")
    assert page.inner_text("h1") == "Meant"


def test_customer__logged_in__keeps_the_variation_on_every_device(shop: Shop, browser: Browser) -> None:
    ranges = [[start, start + 1000] for start in range(0, 10000, 1000)]
    variations = [{"id": f"v{n}", "name": "V", "range": found} for n, found in enumerate(ranges)]
    shop.experiments = [experiment(identity="customer") | {"variations": variations}]
    shop.page("/", html(""))
    seen = set()
    for _ in range(3):
        context = browser.new_context()
        page = context.new_page()
        page.add_init_script("window.svc ||= {customer_id: 4711}")
        page.goto(shop.url)
        seen.add(page.evaluate("svc.assignments()[0].variationId"))
        context.close()
    assert len(seen) == 1
