"""Experiments that landing pages show: the mark of the page is the decision, on all other pages there is none."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.browser.sdk.configs import Json, experiment, goal, mutate
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, html

pytestmark = pytest.mark.browser

BODY = "<h1>Old</h1><button class='buy'>Buy</button>"
NEW = {"mutations": [mutate("h1", "text", text="New")]}


def marked(variation: str, *, name: str = "e1") -> str:
    """A landing page that was sent with a variation."""
    return html(BODY, f'<meta name="svc-served" content="{name}:{name}-{variation}">')


def served(name: str = "e1") -> Json:
    """An experiment on a landing page. Drawn, everybody would be in the control."""
    return experiment(NEW, control=True, served=True, goals=[goal("click", selector=".buy")], name=name)


def exposures(shop: Shop, page: Page) -> list[tuple[str, str]]:
    """Variations that were exposed up to now, with their visitors."""
    count = len(shop.events("custom")) + 1
    page.evaluate("svc.track('end')")
    shop.wait_events("custom", count)
    return [(event["variationId"], event["visitorId"]) for event in shop.events("experiment_viewed")]


def test_mark__is_the_decision__exposed_once_and_kept(shop: Shop, open_page: Open) -> None:
    shop.experiments = [served()]
    shop.page("/", marked("treatment"))
    shop.page("/cart", html(BODY))
    page = open_page()
    visitor = page.evaluate("svc.visitorId()")
    assert page.evaluate("svc.assignments()")[0]["variationId"] == "e1-treatment"
    page.wait_for_function("document.querySelector('h1').textContent === 'New'")
    open_page("/", page)
    assert exposures(shop, page) == [("e1-treatment", visitor)]

    open_page("/cart", page).click(".buy")
    [event] = shop.wait_events("goal")
    assert (event["data"]["goalId"], event["visitorId"]) == ("goal-click", visitor)
    assert page.evaluate("svc.assignments()") == []
    assert page.inner_text("h1") == "Old"
    assert exposures(shop, page) == [("e1-treatment", visitor)]


def test_page__without_a_mark__neither_shows_nor_counts(shop: Shop, open_page: Open) -> None:
    shop.experiments = [served()]
    shop.page("/", html(BODY))
    page = open_page()
    page.click(".buy")
    assert exposures(shop, page) == []
    assert page.evaluate("svc.assignments()") == []
    assert shop.events("goal") == []


@pytest.mark.parametrize("mark", ["", "e1", "e1:", ":e1-treatment", "e1:gone", "e2:e1-treatment", "e1:e2-treatment"])
def test_mark__of_nothing_that_runs__is_ignored(shop: Shop, open_page: Open, mark: str) -> None:
    shop.experiments = [served(), experiment(NEW, name="e2", control=True)]
    shop.page("/", html(BODY, f'<meta name="svc-served" content="{mark}">'))
    page = open_page()
    assert [variation for variation, _ in exposures(shop, page)] == ["e2-control"]
    assert page.inner_text("h1") == "Old"


def test_mark__of_an_experiment_that_no_page_shows__is_ignored(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment(NEW, control=True), served("e2")]
    shop.page("/", marked("treatment"))
    page = open_page()
    assert [variation for variation, _ in exposures(shop, page)] == ["e1-control"]


def test_mark__of_another_variation_than_before__replaces_it(shop: Shop, open_page: Open) -> None:
    shop.experiments = [served()]
    shop.page("/", marked("control"))
    shop.page("/again", marked("treatment"))
    page = open_page()
    open_page("/again", page)
    assert [variation for variation, _ in exposures(shop, page)] == ["e1-control", "e1-treatment"]
    assert page.evaluate("document.cookie.split('.')[4].split('~').length") == 2, "one entry"
    open_page("/again", page)
    assert len(exposures(shop, page)) == 2


def test_forced_variation__beats_the_mark(shop: Shop, open_page: Open) -> None:
    shop.experiments = [served()]
    shop.page("/", marked("treatment"))
    page = open_page("/?svc_force=e1:e1-control")
    assert page.evaluate("svc.assignments()")[0]["variationId"] == "e1-control"
    assert page.inner_text("h1") == "Old"
