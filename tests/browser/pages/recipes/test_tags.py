"""The table of tags in docs/storefront.md: first paint, early events, and a host that does not answer."""

import pytest
from playwright.sync_api import BrowserContext

from tests.browser.pages.recipes.conftest import Open, Store, titles

pytestmark = pytest.mark.browser

EARLY = "<script>window.svc && svc.track && svc.track('early')</script>"
# Frames of the original, and whether calls of the page count that come before the snippet.
BEHAVIOUR = {
    "bounded": (False, True),
    "synchronous": (False, True),
    "asynchronous": (True, False),
    "inlined": (False, True),
}


def page_with(tag: str) -> str:
    """Return a page with a tag."""
    head = f"<meta charset=utf-8>{tag}<title>Shop</title>"
    return f"<!doctype html><html><head>{head}</head><body><h1>Original title</h1>{EARLY}</body></html>"


@pytest.mark.parametrize("name", BEHAVIOUR)
def test_tag__on_a_page__does_what_the_table_has(name: str, store: Store, open_page: Open) -> None:
    shows_original, counts_early = BEHAVIOUR[name]
    store.serve(page_with(store.tags[name]))
    page = open_page()
    assert titles(page) == [*(["Original title"] if shows_original else []), "New title"]
    assert len(store.shop.wait_events("experiment_viewed")) == len(store.shop.wait_events("pageview")) == 1
    assert len(store.shop.wait_events("custom", 1 if counts_early else 0)) == counts_early
    assert store.check() == (name, [])


@pytest.mark.parametrize("name", ["bounded", "synchronous", "asynchronous"])
def test_tag__of_a_host_that_refuses__shows_the_original(
    name: str, store: Store, open_page: Open, context: BrowserContext
) -> None:
    context.route("**/s/*.js", lambda route: route.abort())
    store.serve(page_with(store.tags[name]))
    page = open_page()
    page.wait_for_function("seen_('h1') === 'Original title' && count_ > 3")
    assert page.evaluate("performance.now()") < 4000  # the ample limit has not passed
    assert store.shop.attempts == []
