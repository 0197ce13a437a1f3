"""Google Tag Manager: exposures in its data layer, and what is lost where the container itself brings the snippet."""

import json

import pytest
from playwright.sync_api import BrowserContext

from tests.browser.pages.recipes.conftest import Open, Store, block, titles

pytestmark = pytest.mark.browser

# The loader that goes into the page; its container is the test's.
LOADER = """<script>(function(w,d,s,l,i){w[l]=w[l]||[];w[l].push({'gtm.start':
new Date().getTime(),event:'gtm.js'});var f=d.getElementsByTagName(s)[0],
j=d.createElement(s),dl=l!='dataLayer'?'&l='+l:'';j.async=true;j.src=
'https://www.googletagmanager.com/gtm.js?id='+i+dl;f.parentNode.insertBefore(j,f);
})(window,document,'script','dataLayer','GTM-LAMPS01');</script>"""
# A container reads the data layer, and runs tags of the kind "Custom HTML" by putting new elements into the body.
CONTAINER = """(function (html) {
  window.heard = [];
  var push = dataLayer.push;
  dataLayer.push = function () {
    heard.push.apply(heard, arguments);
    return push.apply(dataLayer, arguments);
  };
  heard.push.apply(heard, dataLayer.slice());
  if (!html) return;
  var box = document.createElement('div');
  box.innerHTML = html;
  [].slice.call(box.childNodes).forEach(function (node) {
    if (node.nodeName !== 'SCRIPT') return document.body.appendChild(node);
    var script = document.createElement('script');
    [].forEach.call(node.attributes, function (each) { script.setAttribute(each.name, each.value); });
    script.text = node.text;
    document.body.appendChild(script);
  });
})(%s);"""
BODY = (
    "<body><h1>Light for every corner!</h1><script>window.svc && svc.track && svc.track('early')</script></body></html>"
)


def serve_container(context: BrowserContext, html: str = "") -> None:
    """Answer with a container that has a tag of this HTML, or none."""
    script = CONTAINER % json.dumps(html)
    context.route(
        "https://www.googletagmanager.com/gtm.js?*",
        lambda route: route.fulfill(body=script, content_type="text/javascript"),
    )


def test_tag_before_the_container__shows_no_original_and_fills_the_data_layer(
    store: Store, open_page: Open, context: BrowserContext
) -> None:
    serve_container(context)
    head = block("Google Tag Manager", "html", 0).replace("<!-- tags[0].html -->", store.tag)
    head = head.replace("<!-- Google Tag Manager, as it is -->", LOADER)
    store.serve(f"<!doctype html><html>{head}{BODY}")
    page = open_page()
    assert titles(page) == ["New title"]
    page.wait_for_function("window.heard?.some((item) => item.event === 'experiment_shown')")
    shown = page.evaluate("heard.filter((item) => item.event === 'experiment_shown')")
    assert [(item["experiment"], item["variation"]) for item in shown] == [("e1", "e1-treatment")]
    [exposure] = store.shop.wait_events("experiment_viewed")
    assert (exposure["experimentId"], exposure["variationId"]) == ("e1", "e1-treatment")
    assert [event["data"]["event_name"] for event in store.shop.wait_events("custom")] == ["early"]
    assert store.check() == ("bounded", [])


def test_tag_in_the_container__loses_what_the_document_lists(
    store: Store, open_page: Open, context: BrowserContext
) -> None:
    html = store.filled(block("Google Tag Manager", "html", 1))
    serve_container(context, html)
    store.serve(f"<!doctype html><html><head><title>Shop</title>{LOADER}</head>{BODY}")
    page = open_page()
    assert titles(page) == ["Light for every corner!", "New title"]
    assert len(store.shop.wait_events("experiment_viewed")) == 1
    assert len(store.shop.wait_events("pageview")) == 1
    assert store.shop.events("custom") == []
    tag, errors = store.check()
    assert tag is None
    assert "If a tag manager adds it, that is too late" in errors[0]
