"""The visual editor on a page that React takes over: what it shows is what the snippet makes, for all nine actions."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.pages.conftest import Open
from tests.browser.pages.test_react import hydrated, serve_page
from tests.browser.sdk.configs import experiment
from tests.browser.sdk.shop import Shop, html

pytestmark = pytest.mark.browser

CHANGES: list[dict[str, Any]] = [
    {"selector": "h1", "action": "text", "text": "New & made <simple>"},
    {"selector": "#buy", "action": "setText", "text": "Buy now"},
    {"selector": ".price", "action": "html", "html": "<b>Free</b> until Sunday"},
    {"selector": "h2", "action": "style", "styles": {"backgroundColor": "rgb(1, 2, 3)", "margin": "7px"}},
    {"selector": "h2", "action": "setStyle", "styles": {"color": "rgb(4, 5, 6)"}},
    {"selector": ".link", "action": "attribute", "attributes": {"title": "See", "href": "/new"}},
    {"selector": "li:nth-child(2)", "action": "insertBefore", "html": "<li class='before'>Before</li>"},
    {"selector": "ul", "action": "insertAfter", "html": "<p class='after'>After</p>"},
    {"selector": "aside", "action": "remove"},
]
NONCE = "0f8fad5b-d9cb-469f-a165-70867728950e"
EDIT = """([url, nonce, mutations, late]) => {
  const shop = window.open("about:blank", `svc_edit=1,${nonce}`);
  const post = (type, about) => shop.postMessage({source: "svc-edit", nonce, type, ...about}, new URL(url).origin);
  window.show = () => post("show", {mutations, css: "", turn: 1});
  addEventListener("message", ({data}) => {
    if (data.type === "hello") post("begin");
    if (data.type === "ready" && !late) show();
    window.last = data;
  });
  shop.location = url;
}"""


def compared(page: Page) -> str:
    """The page's content; marks of insertions are made of names, and comments hold places."""
    markup: str = page.evaluate("document.getElementById('root').outerHTML")
    return re.sub(r' data-svc="[^"]*"|<!--.*?-->', "", markup)


@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
def test_page__in_the_editor__is_what_the_snippet_makes(
    shop: Shop, open_page: Open, react_page: dict[str, Any], late: bool
) -> None:
    shop.experiments = [experiment({"mutations": CHANGES})]
    serve_page(shop, react_page, ["1"])
    visited = hydrated(open_page())
    shop.console = f"http://localhost:{shop.port}"
    shop.page("/console", html("<h1>Console</h1>", tag=""))
    console = visited.context.new_page()
    console.goto(f"{shop.console}/console")
    with console.expect_popup() as popup:
        console.evaluate(EDIT, [f"{shop.url}/", NONCE, CHANGES, late])
    edited = hydrated(popup.value)
    if late:
        console.wait_for_function("window.last?.type === 'ready'")
        console.evaluate("show()")
    console.wait_for_function("window.last?.type === 'shown'")
    # React renders again, and what it renders is changed again.
    for page in (visited, edited):
        for button in ("#rotate", "#toggle", "#rotate", "#toggle", "#buy"):
            page.click(button)
        page.wait_for_function("document.querySelector('output').textContent === '1'")
    shown = console.evaluate("window.last")
    assert (shown["type"], shown["errors"]) == ("shown", []), json.dumps(shown)
    assert edited.locator("li.before").count() == 1
    assert edited.locator("aside").count() == 0
    assert compared(edited) == compared(visited)
