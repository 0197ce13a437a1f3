"""`window.svc` as docs/storefront.md has it: QA by script, being ready; and the ways a snippet can stand on a page."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.sdk.configs import experiment, flag, mutate
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import SNIPPET_TAG, Shop, html

pytestmark = pytest.mark.browser

BODY = "<h1>Original</h1>"
NEW = {"mutations": [mutate("h1", "text", text="New")]}


def wait_h1(page: Page, text: str) -> None:
    """Until the headline says so."""
    page.wait_for_function("text => document.querySelector('h1').textContent === text", arg=text)


@pytest.mark.parametrize("variation", ["'e1-treatment'", "1", "'1'"])
def test_force__puts_the_page_into_the_variation_and_flags_what_follows(
    variation: str, shop: Shop, open_page: Open
) -> None:
    shop.experiments = [experiment(NEW, control=True)]
    shop.page("/", html(BODY))
    page = open_page()
    assert page.inner_text("h1") == "Original"
    shop.wait_events("pageview")
    page.evaluate(f"svc.force('e1', {variation})")
    wait_h1(page, "New")
    assert page.evaluate("svc.assignments()[0].variationId") == "e1-treatment"
    page.evaluate("svc.track('signup')")
    shop.wait_events("custom")
    flagged = {(event["type"], event.get("variationId")): event.get("qa_mode", False) for event in shop.events()}
    assert flagged == {
        ("experiment_viewed", "e1-control"): False,
        ("pageview", None): False,
        ("experiment_viewed", "e1-treatment"): True,
        ("custom", None): True,
    }


@pytest.mark.parametrize("clear", ["svc.force('e1')", "svc.force()"])
def test_force__without_a_variation__lets_the_experiment_decide_again(clear: str, shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment(NEW, control=True)]
    shop.page("/", html(BODY))
    page = open_page("/?svc_force=e1:1")
    assert page.inner_text("h1") == "New"
    page.evaluate(clear)
    wait_h1(page, "Original")
    assert page.evaluate("svc.assignments()[0].variationId") == "e1-control"
    page.evaluate("svc.track('signup')")
    assert shop.wait_events("custom")[0]["qa_mode"], "what was seen on this page counts nowhere"


def test_force__of_what_is_unknown__changes_nothing(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment(NEW, control=True)]
    shop.page("/", html(BODY))
    page = open_page()
    page.evaluate("svc.force('other', 1); svc.force('e1', 'none'); svc.force('e1', {}); svc.force('__proto__', 1)")
    assert page.inner_text("h1") == "Original"
    assert page.evaluate("[svc.assignments().length, svc.assignments()[0].variationId]") == [1, "e1-control"]


def test_ready__is_called_with_the_sdk_once_it_is_decided(shop: Shop, open_page: Open) -> None:
    shop.config = {"flags": [flag("blue")]}
    shop.page("/", html(BODY + "<script>svc.ready((sdk) => { told = [sdk === svc, sdk.flag('blue')] })</script>"))
    page = open_page()
    assert page.evaluate("told") == [True, True]


def test_ready__whose_callback_throws__is_reported_and_the_rest_goes_on(shop: Shop, open_page: Open) -> None:
    shop.page("/", html(BODY))
    page = open_page()
    page.evaluate("svc.ready(() => { throw new Error('mine') }); svc.ready(null); svc.ready(() => { told = true })")
    assert page.evaluate("told")
    assert shop.wait_events("sdk_error")[0]["data"]["message"] == "mine"


WAYS: dict[str, Callable[[Shop], str]] = {
    "inline": lambda shop: html(BODY, tag=f"<script>{shop.snippet()}</script>"),
    "async": lambda _: html(BODY, tag='<script async src="/s.js"></script>'),
    "deferred": lambda _: html(BODY, tag='<script defer src="/s.js"></script>'),
    "twice": lambda _: html(BODY, tag=SNIPPET_TAG + SNIPPET_TAG),
    "at the end": lambda _: html(BODY + SNIPPET_TAG, tag=""),
}


@pytest.mark.parametrize("way", WAYS)
def test_snippet__in_whatever_way_it_comes__treats_and_counts_once(way: str, shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment({"mutations": [mutate("h1", "insertAfter", html="<i>+</i>")]})]
    shop.page("/", WAYS[way](shop))
    page = open_page()
    page.wait_for_selector("i")
    page.evaluate("svc.track('signup')")
    shop.wait_events("custom")
    assert page.locator("i").count() == 1
    assert sorted(event["type"] for event in shop.events()) == ["custom", "experiment_viewed", "pageview"]


def test_calls__with_nonsense__throw_nothing(shop: Shop, open_page: Open) -> None:
    shop.page("/", html(BODY))
    page = open_page()
    page.evaluate(
        """() => { for (const name of Object.keys(svc))
          for (const value of [undefined, null, 0, '', {}, [], Symbol('x')]) svc[name](value, value) }"""
    )
    assert page.evaluate("typeof svc.visitorId()") == "string"
