"""WooCommerce: a page as WordPress prints it, and plugins that rewrite its scripts."""

import json
import re
from collections.abc import Callable

import pytest

from tests.browser.pages.recipes.conftest import Open, Store, block, section, titles

pytestmark = pytest.mark.browser

PAGE = """<!DOCTYPE html>
<html lang="en-US">
<head>
<meta charset="UTF-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
{wp_head}<meta name='robots' content='max-image-preview:large' />
<title>Tea</title>
<link rel='dns-prefetch' href='//fonts.example' />
<script>window._wpemojiSettings = {{"svgExt":".svg","source":{{"concatemoji":"\\/wp-emoji-release.min.js"}}}};</script>
<link rel='stylesheet' id='woocommerce-layout-css' href='/plugins/woocommerce-layout.css?ver=9.3.3' media='all' />
<link rel='stylesheet' id='storefront-style-css' href='/themes/storefront/style.css?ver=4.6.0' media='all' />
<script src="/wp-includes/js/jquery/jquery.min.js?ver=3.7.1" id="jquery-core-js"></script>
<script src="/plugins/add-to-cart.min.js?ver=9.3.3" id="wc-add-to-cart-js" defer data-wp-strategy="defer"></script>
<script id="wc-add-to-cart-js-extra">
var wc_add_to_cart_params = {{"ajax_url":"\\/wp-admin\\/admin-ajax.php"}};
</script>
</head>
<body class="home theme-storefront woocommerce-no-js">
<h1>Tea from small gardens</h1>
{thank_you}<script>(function () {{
  var c = document.body.className;
  document.body.className = c.replace(/woocommerce-no-js/, 'woocommerce-js');
}})();</script>
</body></html>"""
SCRIPT = re.compile(r"<script\b([^>]*)>")
LATER = """<script nowprocket>(function () {
  var names = ['keydown', 'mousedown', 'touchstart'];
  function run() {
    names.forEach(function (name) { removeEventListener(name, run); });
    document.querySelectorAll('script[type=rocketlazyloadscript]').forEach(function (old) {
      var script = document.createElement('script');
      if (old.dataset.rocketSrc) script.src = old.dataset.rocketSrc; else script.text = old.text;
      old.replaceWith(script);
    });
  }
  names.forEach(function (name) { addEventListener(name, run); });
})();</script>"""


PHP = block("WooCommerce", "php")
(MARKS,) = re.findall(r"const ABTEST_MARKS = '([^']*)';", PHP)
(SURFACE,) = re.findall(r"\? '([^']*)' : '';", PHP)


def printed(store: Store, *, is_checkout: bool = False) -> str:
    """Return what the document's PHP prints into the head."""
    assert "str_replace('<script', '<script ' . ABTEST_MARKS . $surface, $tag)" in PHP
    return store.tag.replace("<script", f"<script {MARKS}{SURFACE if is_checkout else ''}") + "\n"


def thanks() -> str:
    """Return what the document's PHP prints on the page of an order."""
    order = {"orderId": "1001", "revenue": "49.90", "currency": "EUR", "items": [{"sku": "linde", "quantity": 2}]}
    ((before, after),) = re.findall(r"\$call = '([^']*)' \. wp_json_encode\(\$data, JSON_HEX_TAG\) \. '(.*?)';", PHP)
    assert "echo '<script ' . ABTEST_MARKS . '>' . $call . '</script>';" in PHP
    return f"<script {MARKS}>{before}{json.dumps(order)}{after}</script>\n"


def rocket(page: str, excluded: str = "nowprocket") -> str:
    """Return a page whose scripts run after the first touch, unless they are excluded."""

    def delayed(script: re.Match[str]) -> str:
        whole = page[script.start() : page.index("</script>", script.end())]
        if excluded in whole:
            return script[0]
        attributes = re.sub(r"\bsrc=", "data-rocket-src=", script[1])
        return f'<script type="rocketlazyloadscript"{attributes}>'

    return SCRIPT.sub(delayed, page).replace("</body>", f"{LATER}</body>")


def litespeed(page: str) -> str:
    """Return a page whose scripts run once a loader has begun."""

    def delayed(script: re.Match[str]) -> str:
        attributes = re.sub(r"\bsrc=", "data-src=", script[1])
        return script[0] if "data-no-optimize" in script[1] else f'<script type="litespeed/javascript"{attributes}>'

    return SCRIPT.sub(delayed, page)


def rocket_loader(page: str) -> str:
    """Return a page whose scripts Cloudflare runs once it has loaded."""

    def delayed(script: re.Match[str]) -> str:
        kept = 'data-cfasync="false"' in script[1]
        return script[0] if kept else f'<script type="5f2b8c1d9e7a6b3c4d5e6f70-text/javascript"{script[1]}>'

    return SCRIPT.sub(delayed, page)


def autoptimize(page: str) -> str:
    """Return a page whose scripts are one file at its end."""

    def moved(script: re.Match[str]) -> str:
        return script[0] if "data-noptimize" in script[1] else ""

    kept = re.sub(r"<script\b([^>]*)>.*?</script>", moved, page, flags=re.DOTALL)
    return kept.replace("</body>", '<script defer src="/cache/autoptimize/js/all.js"></script></body>')


OPTIMISERS = {"WP Rocket": rocket, "LiteSpeed": litespeed, "Rocket Loader": rocket_loader, "Autoptimize": autoptimize}


def test_page__with_the_tag__shows_no_frame_of_the_original(store: Store, open_page: Open) -> None:
    store.shop.files["/wp-includes/js/jquery/jquery.min.js"] = ["window.jQuery = 1"]
    store.serve(PAGE.format(wp_head=printed(store), thank_you=thanks()))
    assert store.check() == ("bounded", [])
    page = open_page()
    assert titles(page) == ["New title"]
    assert page.evaluate("[jQuery, document.body.className]") == [1, "home theme-storefront woocommerce-js"]
    assert len(store.shop.wait_events("experiment_viewed")) == 1
    [order] = store.shop.wait_events("order")
    assert (order["data"]["orderId"], order["data"]["revenue"]) == ("1001", "49.90")


def test_checkout__has_its_surface(store: Store) -> None:
    store.serve(PAGE.format(wp_head=printed(store, is_checkout=True), thank_you=""))
    store.shop.page("/checkout", *store.shop.pages["/"])
    assert store.check("/checkout") == ("bounded", [])
    assert 'data-surface="checkout"' in store.shop.pages["/checkout"][0]


def test_page__that_wp_rocket_delays__shows_no_frame_of_the_original(store: Store, open_page: Open) -> None:
    store.shop.files["/wp-includes/js/jquery/jquery.min.js"] = ["window.jQuery = 1"]
    store.serve(rocket(PAGE.format(wp_head=printed(store), thank_you=thanks())))
    page = open_page()
    assert titles(page) == ["New title"]
    assert page.evaluate("window.jQuery") is None
    page.keyboard.press("Tab")
    page.wait_for_function("window.jQuery")
    assert len(store.shop.wait_events("order")) == 1
    assert len(store.shop.events("pageview")) == 1


def test_page__whose_tag_wp_rocket_delays__shows_the_original_until_the_first_touch(
    store: Store, open_page: Open
) -> None:
    store.serve(rocket(PAGE.format(wp_head=store.tag, thank_you="")))
    page = open_page()
    page.wait_for_function("frames_.length && count_ > 5")
    page.keyboard.press("Tab")
    assert titles(page) == ["Tea from small gardens", "New title"]
    tag, errors = store.check()
    assert tag is None
    assert "a plugin delays the script" in errors[0]


@pytest.mark.parametrize("optimise", OPTIMISERS.values(), ids=OPTIMISERS.keys())
def test_check__of_an_optimised_page__shows_whether_the_marks_are_obeyed(
    optimise: Callable[[str], str], store: Store
) -> None:
    store.serve(optimise(PAGE.format(wp_head=printed(store), thank_you="")))
    assert store.check() == ("bounded", [])
    store.serve(optimise(PAGE.format(wp_head=store.tag, thank_you="")))
    tag, errors = store.check()
    assert errors
    assert tag is None or "with which browsers do not run it" in errors[0]


def test_list_of_excluded_scripts__with_the_documented_word__keeps_both_scripts(store: Store) -> None:
    assert "enter `svc-snippet`" in section("WooCommerce")
    store.serve(rocket(PAGE.format(wp_head=store.tag, thank_you=""), excluded="svc-snippet"))
    assert store.check() == ("bounded", [])
