"""Shopify: a page as theme.liquid renders it, and a custom pixel in its sandbox."""

import json
import re
from html import escape

import pytest
from playwright.sync_api import BrowserContext, Route

from tests.browser.pages.recipes.conftest import Open, Store, block, titles
from tests.browser.sdk.configs import goal
from tests.browser.sdk.shop import SIGNATURE

pytestmark = pytest.mark.browser

# What Shopify prints for `content_for_header`: its own scripts, and apps' script tags, inserted once it has loaded.
HEADER = """<script>window.performance && performance.mark('shopify.content_for_header.start');</script>
<meta id="shopify-digital-wallet" name="shopify-digital-wallet" content="/60000000001/digital_wallets/dialog">
<script async="async" src="/checkouts/internal/preloads.js?locale=en-DE"></script>
<script id="shopify-features" type="application/json">{"accessToken":"0","locale":"en"}</script>
<script>var Shopify = Shopify || {};
Shopify.shop = "lamps.myshopify.com";
Shopify.country = "DE";</script>
<script type="module">!function(o){(o.Shopify=o.Shopify||{}).modules=!0}(window);</script>
<script>(function() {
  function asyncLoad() {
    ["\\/apps\\/reviews.js"].forEach(function (url) {
      var script = document.createElement('script'), first = document.getElementsByTagName('script')[0];
      script.async = true;
      script.src = url;
      first.parentNode.insertBefore(script, first);
    });
  }
  window.addEventListener('load', asyncLoad, false);
})();</script>
<link rel="stylesheet" href="/cdn/shop/t/4/assets/accelerated-checkout.css" media="all">
<script defer="defer" src="/cdn/shopifycloud/storefront/assets/load_feature.js"></script>"""
LAYOUT = '<main id="MainContent"><section class="shopify-section"><h1>Light for every corner!</h1></section></main>'
VALUES = {"customer.id": None, "localization.country.iso_code": "DE"}
TEXTS = {
    "request.locale.iso_code": "en",
    "page_title": "Lamps",
    "'base.css' | asset_url | stylesheet_tag": '<link href="/cdn/base.css" rel="stylesheet" media="all">',
    "content_for_header": HEADER,
    "content_for_layout": LAYOUT,
}


def rendered(template: str, snippet: str, *, in_editor: bool = False) -> str:
    """Return what Shopify makes of the document's layout and snippet."""
    for name, value in VALUES.items():
        snippet = snippet.replace(f"{{{{ {name} | json }}}}", json.dumps(value))
    template = re.sub(
        r"{% unless request.design_mode %}(.*?){% endunless %}", "" if in_editor else r"\1", template, flags=re.DOTALL
    )
    page = template.replace("{% render 'abtest-tag' %}", snippet)
    for name, text in TEXTS.items():
        page = page.replace(f"{{{{ {name} }}}}", text)
    assert not re.search(r"{%|{{|%}|}}", page.replace(HEADER, "").replace(snippet, ""))
    # A tag that looked like Liquid would not be what it is any longer.
    assert not re.search(r"{%|{{", snippet)
    return page


def theme(store: Store, *, in_editor: bool = False) -> str:
    """Return a page of the shop's theme."""
    snippet = block("Shopify", "liquid", 0).replace("<!-- tags[0].html -->", store.tag)
    return rendered(block("Shopify", "liquid", 1), snippet, in_editor=in_editor)


def test_theme__with_the_tag__shows_no_frame_of_the_original(store: Store, open_page: Open) -> None:
    store.shop.files |= {"/cdn/base.css": ["h1{color:teal}"], "/apps/reviews.js": ["window.reviews = 1"]}
    store.serve(theme(store))
    page = open_page()
    assert titles(page) == ["New title"]
    page.wait_for_function("window.reviews")
    [exposure] = store.shop.wait_events("experiment_viewed")
    assert exposure["visitorId"] == page.evaluate("svc.visitorId()")
    assert len(store.shop.wait_events("pageview")) == 1
    assert store.check() == ("bounded", [])


def test_theme__in_the_editor__has_no_snippet(store: Store) -> None:
    store.serve(theme(store, in_editor=True))
    tag, errors = store.check()
    assert tag is None
    assert "not on the page" in errors[0]


def test_app_embed__behind_the_theme_s_scripts__is_what_the_check_complains_of(store: Store) -> None:
    page = theme(store, in_editor=True).replace("</head>", f"<script src='/cdn/a.js'></script>{store.tag}</head>")
    store.serve(page)
    tag, errors = store.check()
    assert tag == "bounded"
    assert "The snippet waits for" in errors[0]


CHECKOUT = {
    "order": {"id": "gid://shopify/OrderIdentity/1001"},
    "totalPrice": {"amount": 49.9, "currencyCode": "EUR"},
    "lineItems": [{"title": "Arc lamp", "quantity": 2, "variant": {"sku": "arc", "price": {"amount": 24.95}}}],
}
# What Shopify gives to a custom pixel: subscriptions, and the cookies of the page around its frame, asynchronously.
SANDBOX = """<script>
  const browser = { cookie: { get: async (name) => name === 'svc_v' ? %s : '' } };
  const analytics = { subscribe: (name, callback) => {
    const event = { name, timestamp: new Date().toISOString(), data: { checkout: %s } };
    if (name === 'checkout_completed') setTimeout(() => callback(event));
  } };
</script><script>%s</script>"""


def test_custom_pixel__in_its_sandbox__counts_the_order_of_the_same_visitor(store: Store, open_page: Open) -> None:
    store.serve(theme(store))
    page = open_page()
    titles(page)
    visitor = page.evaluate("svc.visitorId()")
    cookie = page.evaluate("document.cookie.match(/svc_v=([^;]*)/)[1]")
    pixel = store.filled(block("Shopify", "js")).replace("<events_signature>", SIGNATURE)
    frame = SANDBOX % (json.dumps(cookie), json.dumps(CHECKOUT), pixel)
    sandbox = f'<iframe sandbox="allow-scripts allow-forms" srcdoc="{escape(frame)}"></iframe>'
    store.shop.page("/checkouts/cn/1/thank-you", f"<!doctype html><h1>Thank you</h1>{sandbox}")
    open_page("/checkouts/cn/1/thank-you")
    [order] = store.shop.wait_events("order")
    assert order["visitorId"] == visitor
    assert order["data"] == {
        "orderId": "1001",
        "revenue": 49.9,
        "currency": "EUR",
        "items": [{"title": "Arc lamp", "quantity": 2, "sku": "arc", "price": 24.95}],
    }
    body = store.shop.attempts[-1][1]
    assert (body["_shopId"], body["_signature"]) == (store.id, SIGNATURE)


def test_cart__of_a_shop_with_revenue_goals__carries_the_visitor_once(
    store: Store, open_page: Open, context: BrowserContext
) -> None:
    updates: list[str] = []

    def update(route: Route) -> None:
        updates.append(route.request.post_data or "")
        route.fulfill(json={})

    context.route("**/cart/update.js", update)
    store.shop.experiments[0]["goals"] = [goal("revenue")]
    store.serve(theme(store).replace("</body>", f"{block('Shopify', 'html')}</body>"))
    page = open_page()
    titles(page)
    page.wait_for_function("sessionStorage.getItem('abtest-cart')")
    open_page("/", page)
    titles(page)
    (body,) = updates
    visitor, _, seen = json.loads(body)["attributes"]["_svc"].partition(".")
    assert visitor == page.evaluate("svc.visitorId()")
    assert seen.startswith("~")
