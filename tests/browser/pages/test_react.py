"""React 19 takes over markup that the SDK has changed: no frame of the original, handlers that work, no error."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.pages.conftest import SAMPLER, Open
from tests.browser.sdk.configs import experiment, mutate, pages
from tests.browser.sdk.shop import SNIPPET_TAG, Shop

pytestmark = pytest.mark.browser

MUTATIONS = {
    "text": (mutate("h1", "text", text="New title"), "seen_('h1')", "New title"),
    "text with parts": (mutate(".price", "text", text="Price 5"), "seen_('.price')", "Price 5"),
    "text that changes": (mutate("h2", "text", text="Many"), "seen_('h2')", "Many"),
    "html": (mutate("h1", "html", html="<b>New</b> title"), "seen_('h1')", "New title"),
    "attribute": (
        mutate(".link", "attribute", attributes={"href": "/new"}),
        "document.querySelector('.link').getAttribute('href')",
        "/new",
    ),
    "style": (
        mutate("h1", "style", styles={"color": "blue"}),
        "document.querySelector('h1').style.color",
        "blue",
    ),
    "insert": (mutate("ul", "insertBefore", html="<i>New</i>"), "document.querySelectorAll('i').length", 1),
    "insert item": (
        mutate("li:nth-child(2)", "insertAfter", html="<li><i>New</i></li>"),
        "document.querySelectorAll('i').length",
        1,
    ),
    "remove": (mutate("aside", "remove"), "document.querySelectorAll('aside').length", 0),
    "button": (mutate("#buy", "text", text="Buy now"), "seen_('#buy')", "Buy now"),
}


def serve_page(shop: Shop, react_page: dict[str, Any], looks: list[str], *, tag: str = SNIPPET_TAG) -> None:
    """The page as a server sends it: markup first, the script that takes it over some frames later."""
    shop.files["/client.js"] = [react_page["client"]]
    later = "requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => { %s })))"
    hydrate = "const s = document.createElement('script'); s.src = '/client.js'; document.body.append(s)"
    look = f"<script>sample_(() => document.querySelector('output') && [{','.join(looks)}])</script>"
    shop.page(
        "/",
        f"<!doctype html><html><head><title>Shop</title>{SAMPLER}{look}{tag}</head><body>"
        f'<div id="root">{react_page["markup"]}</div><script>{later % hydrate}</script></body></html>',
    )


def hydrated(page: Page) -> Page:
    """The page, once React has it."""
    page.wait_for_function("window.hydrated")
    return page


def frames(page: Page) -> list[Any]:
    """What the frames since the first with content showed, without repetitions."""
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    found = [json.loads(frame) for frame in page.evaluate("frames_") if frame not in ("null", None)]
    assert found
    return found


@pytest.mark.parametrize("name", MUTATIONS)
def test_hydration__keeps_the_treatment_and_the_handlers(
    name: str, shop: Shop, open_page: Open, react_page: dict[str, Any]
) -> None:
    mutation, look, expected = MUTATIONS[name]
    shop.experiments = [experiment({"mutations": [mutation]})]
    serve_page(shop, react_page, [look])
    page = hydrated(open_page())
    for clicks in (1, 2, 3):
        page.click("#buy")
        assert page.inner_text("output") == str(clicks)
    for button in ("#rotate", "#toggle", "#rotate", "#toggle"):
        page.click(button)
    page.click("#buy")
    assert page.inner_text("output") == "4"
    assert frames(page) == [[expected]]
    assert page.evaluate("uncaught") == []
    assert shop.events("sdk_error") == []


def test_all_together__stand_and_go_back(shop: Shop, open_page: Open, react_page: dict[str, Any]) -> None:
    chosen = ["text", "text with parts", "text that changes", "attribute", "insert", "insert item", "remove"]
    mutations = [MUTATIONS[name][0] for name in chosen]
    shop.experiments = [experiment({"mutations": mutations}, pages=pages("\\/"))]
    serve_page(shop, react_page, [MUTATIONS[name][1] for name in chosen[:4]])
    page = hydrated(open_page())
    page.click("#buy")
    page.click("#toggle")
    page.click("#rotate")
    assert frames(page) == [[MUTATIONS[name][2] for name in chosen[:4]]]
    page.evaluate("history.pushState({}, '', '/elsewhere')")
    page.wait_for_function("document.querySelector('h1').textContent === 'Original title'")
    page.click("#buy")
    page.click("#toggle")
    assert page.inner_text("output") == "2"
    assert page.locator("i").count() == 0
    assert page.locator("aside").count() == 1
    assert page.inner_text("h2") == "Count 2"
    assert page.get_attribute(".link", "href") == "/original-2"
    assert page.evaluate("uncaught") == []


def test_async_tag__after_hydration__treats_what_react_has(
    shop: Shop, open_page: Open, react_page: dict[str, Any]
) -> None:
    chosen = [name for name in MUTATIONS if name != "html"]
    shop.experiments = [experiment({"mutations": [MUTATIONS[name][0] for name in chosen]})]
    serve_page(shop, react_page, ["seen_('h1')"], tag="")
    page = hydrated(open_page())
    page.evaluate(
        "const s = document.createElement('script'); s.async = true; s.src = '/s.js'; document.head.append(s)"
    )
    page.wait_for_function("document.querySelector('h1').textContent === 'New title'")
    for button in ("#buy", "#toggle", "#toggle", "#rotate", "#buy"):
        page.click(button)
    assert page.inner_text("output") == "2"
    assert page.evaluate("[recovered, uncaught]") == [[], []]
    assert frames(page) == [["Original title"], ["New title"]], "never back"
    assert page.locator("aside").count() == 0
    assert len(shop.wait_events("experiment_viewed")) == 1
