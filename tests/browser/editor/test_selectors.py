"""Selectors that the editor suggests: the one suggested first, and how it is rated."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

SOURCE = Path("shared/abtest/storefront/editor/selector.js").read_text()
SHOP = """
<header><a class="brand" href="/">Shop</a></header>
<main>
  <section data-section="hero">
    <h1 class="css-1a2b3c4d">Hats</h1><p class="lead">For all</p><p class="note">Of felt</p>
  </section>
  <ul>
    <li><a href="/hats/1"><span class="name">Cap</span><span class="price">9</span></a><div><b>New</b></div></li>
    <li><a href="/hats/2"><span class="name">Top</span><span class="price">8</span></a><div><b>Old</b></div></li>
  </ul>
  <div><div class="tall"><em>One</em></div><div class="tall"><em>Two</em></div></div>
</main>
"""


@pytest.fixture
def page(browser: Browser) -> Page:
    """A page of a shop with the module in it."""
    page = browser.new_page()
    page.set_content(SHOP)
    page.evaluate(f"() => {{{SOURCE.replace('export const', 'const')}\nwindow.suggestionsFor = suggestionsFor;}}")
    return page


def first(page: Page, element: str) -> tuple[str, str]:
    """The selector that is suggested first for the one match of another, and its strength."""
    suggestions = page.eval_on_selector(element, "(element) => suggestionsFor(element)")
    for each in suggestions:
        assert page.eval_on_selector_all(each["selector"], "(them) => them.length") == 1
        assert page.eval_on_selector(each["selector"], "(it, element) => it.matches(element)", element)
    return suggestions[0]["selector"], suggestions[0]["strength"]


@pytest.mark.parametrize(
    ("element", "selector", "strength"),
    [
        ("h1", "h1", "name"),
        (".brand", 'a[href="/"]', "name"),
        ('[href="/hats/2"] .price', 'a[href="/hats/2"] > span:nth-of-type(2)', "position"),
        (".note", 'section[data-section="hero"] > p:nth-of-type(2)', "position"),
        ("li:last-child b", "ul > li:nth-of-type(2) b", "position"),
        (".tall:last-child em", "main > div > div:nth-of-type(2) > em", "position"),
    ],
)
def test_suggestion__first__has_names_then_one_place(page: Page, element: str, selector: str, strength: str) -> None:
    assert first(page, element) == (selector, strength)


def test_suggestion__classes_renamed_and_blocks_inserted__is_alive(page: Page) -> None:
    elements = ('[href="/hats/1"] .name', ".lead", ".note", "li:last-child b", "h1")
    chosen = {text(page, element): first(page, element)[0] for element in elements}
    page.evaluate(
        """() => {
          for (const element of document.querySelectorAll("[class]")) element.className = "x";
          for (const element of document.querySelectorAll("p, span, b, h1"))
            element.before(document.createElement("div"));
        }"""
    )
    assert {page.locator(selector).text_content(): selector for selector in chosen.values()} == chosen


def text(page: Page, element: str) -> str:
    """The text of an element."""
    return page.locator(element).text_content() or ""
