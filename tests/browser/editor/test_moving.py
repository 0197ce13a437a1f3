"""Elements that the editor moves: at the new place once, at the old one no more, as the snippet makes it, too."""

import re

import pytest
from playwright.sync_api import Page

from abtest.storefront import packaged
from tests.browser.sdk.configs import experiment
from tests.browser.sdk.conftest import Open, context, open_page, shop
from tests.browser.sdk.shop import Shop, html
from tests.support.previewed import PreviewedShop, served
from tests.support.previewing import proxied_shop

pytestmark = pytest.mark.browser
__all__ = ["context", "open_page", "shop"]

BODY = """
<main>
  <h1>Chairs</h1>
  <ul><li>One</li><li>Two</li><li>Three</li><li>Four</li></ul>
  <section id="promise"><b>Free</b></section>
  <footer>End</footer>
</main>
"""
START = """(source) => {
  window.heard = [];
  addEventListener("message", ({data}) => data?.source === "svc-edit" && data.type !== "begin" && heard.push(data));
  const script = document.createElement("script");
  script.textContent = `${source}();`;
  document.head.append(script);
}"""
ASK = """([type, about]) => new Promise((done) => {
  const before = heard.length;
  postMessage({source: "svc-edit", nonce: "n", type, ...about}, "*");
  setTimeout(() => done(heard.slice(before).filter((each) => each.type !== type)), 60);
})"""


def editing(page: Page) -> Page:
    """Start the editor in this page, which is its own peer."""
    page.evaluate(START, packaged("dist/editor.js"))
    ask(page, "begin")
    return page


def ask(page: Page, kind: str, **about: object) -> list[dict[str, object]]:
    heard: list[dict[str, object]] = page.evaluate(ASK, [kind, about])
    return heard


def moved(page: Page, selector: str, target: str, action: str) -> list[dict[str, object]]:
    """The changes that the panel makes of a move."""
    ask(page, "find", selector=selector)
    (copied,) = (each for each in ask(page, "copy") if each["type"] == "copied")
    return [
        {"selector": f"{selector}:not([data-svc])", "action": "remove"},
        {"selector": target, "action": action, "html": copied["html"]},
    ]


def compared(page: Page) -> str:
    markup: str = page.evaluate("document.querySelector('main').outerHTML")
    return re.sub(r"\s+", " ", re.sub(r' data-svc="[^"]*"|<!--.*?-->', "", markup))


@pytest.mark.parametrize(
    ("selector", "target", "action", "order"),
    [
        ("#promise", "h1", "insertBefore", "Free Chairs One Two Three Four End"),
        (
            "ul > li:nth-of-type(2)",
            "ul > li:nth-of-type(3)",
            "insertAfter",
            "Chairs One Three Four Two Free End",
        ),
        (
            "ul > li:nth-of-type(3)",
            "ul > li:nth-of-type(1)",
            "insertBefore",
            "Chairs Three One Two Four Free End",
        ),
        ("h1", "footer", "insertAfter", "One Two Three Four Free End Chairs"),
    ],
)
def test_element__moved__is_where_the_snippet_puts_it(
    shop: Shop, open_page: Open, selector: str, target: str, action: str, order: str
) -> None:
    shop.page("/", html(BODY, tag=""))
    edited = editing(open_page())
    changes = moved(edited, selector, target, action)
    (shown,) = (each for each in ask(edited, "show", mutations=changes, css="", turn=1) if each["type"] == "shown")
    assert shown["errors"] == []
    assert edited.inner_text("main").split() == order.split()
    shop.experiments = [experiment({"mutations": changes})]
    shop.page("/visited", html(BODY))
    visited = open_page("/visited")
    assert compared(visited) == compared(edited)
    # What the page adds later is not mistaken for what was moved.
    visited.evaluate("document.body.append(document.createElement('p'))")
    assert compared(visited) == compared(edited)
    # Without the changes, the page is as it was.
    ask(edited, "show", mutations=[], css="", turn=2)
    assert edited.inner_text("main").split() == ["Chairs", "One", "Two", "Three", "Four", "Free", "End"]


def test_walk__with_keys__reaches_what_is_around_inside_and_next(shop: Shop, open_page: Open) -> None:
    shop.page("/", html(BODY, tag=""))
    page = editing(open_page())
    tags = []
    for step in ("next", "next", "inside", "next", "previous", "around", "around", "around"):
        heard = [each for each in ask(page, "walk", to=step) if each["type"] == "selected"]
        tags.append(heard[0]["element"]["tag"] if heard else None)  # type: ignore[index]
    assert tags == ["h1", "ul", "li", "li", "li", "ul", "main", None]


def test_element__of_a_preview__is_described_without_the_addresses_of_the_proxy(open_page: Open) -> None:
    previewed = PreviewedShop()
    previewed.page(
        "/lamps",
        """<!doctype html><main><a href="/cart?a=1&amp;b=2#x">Cart</a> <a href="https://pay.example/">Pay</a>
        <form action="/search"><input name="q"></form><img src="lamp.png">
        <i data-svc="m" title="/api/preview">Kept</i></main>""",
    )
    with served(previewed.answer, "127.0.0.1") as host:
        previewed.host = host
        with proxied_shop(previewed) as proxy:
            page = open_page()
            page.goto(proxy.address("/lamps"))
            editing(page)
            (selected,) = (each for each in ask(page, "find", selector="main") if each["type"] == "selected")
    element = selected["element"]
    assert isinstance(element, dict)
    assert '<a href="/cart?a=1&amp;b=2#x">Cart</a>' in element["html"]
    assert '<a href="https://pay.example/">Pay</a>' in element["html"]
    assert '<form action="/search"><input name="q"></form>' in element["html"]
    assert '<i title="/api/preview">Kept</i>' in element["html"]
