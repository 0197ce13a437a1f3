"""Style sheets and scripts at three levels, their order, URL blocks, and scripts that fail."""

import pytest

from tests.browser.sdk.configs import experiment, mutate, on_path, pages
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, html

pytestmark = pytest.mark.browser

LOG = "(window.log = window.log || []).push"
COLOR = "getComputedStyle(document.querySelector('h1')).color"


def test_order__css_then_mutations_then_experiment_js_then_variation_js(shop: Shop, open_page: Open) -> None:
    state = f"document.querySelector('h1').textContent + ' ' + {COLOR}"
    first = shop.script(f"{LOG}('experiment ' + {state}); document.querySelector('h1').textContent += '!'")
    second = shop.script(f"{LOG}('variation ' + {state})")
    treatment = {"mutations": [mutate("h1", "text", text="New")], "css": "h1{color:rgb(0,0,2)}", "js": second}
    shop.experiments = [experiment(treatment, css="h1{color:rgb(0,0,1)}", js=first)]
    shop.page("/", html("<style>h1{color:rgb(9,9,9)}</style><h1>Original</h1>"))
    page = open_page()
    assert page.evaluate("log") == ["experiment New rgb(0, 0, 2)", "variation New! rgb(0, 0, 2)"]
    assert page.locator("style").count() == 1, "style sheets are adopted, not inserted"


def test_css_with_import__falls_back_to_a_style_element(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment({"css": "@import url(/none.css); h1{color:rgb(0,0,3)}"})]
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page()
    assert page.evaluate(COLOR) == "rgb(0, 0, 3)"
    assert page.locator("style").count() == 1


def test_control__gets_experiment_css_and_js_and_nothing_else(shop: Shop, open_page: Open) -> None:
    ours, theirs = shop.script(f"{LOG}('experiment')"), shop.script(f"{LOG}('variation')")
    treatment = {"mutations": [mutate("h1", "remove")], "css": "h1{color:red}", "js": theirs}
    shop.experiments = [experiment(treatment, control=True, css="h1{color:rgb(0,0,1)}", js=ours)]
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page()
    assert page.evaluate("log") == ["experiment"]
    assert page.evaluate(COLOR) == "rgb(0, 0, 1)"


def test_url_blocks__first_match_takes_the_place_of_the_flat_fields(shop: Shop, open_page: Open) -> None:
    a, flat = shop.script(f"{LOG}('a')"), shop.script(f"{LOG}('flat')")
    blocks = [
        {"rules": on_path("\\/a"), "mutations": [mutate("h1", "text", text="Block A")], "css": "h1{top:1px}", "js": a},
        {"rules": on_path("\\/[ab]"), "mutations": [mutate("h1", "text", text="Block AB")]},
    ]
    shop.experiments = [
        experiment(
            {"blocks": blocks, "mutations": [mutate("h1", "text", text="Flat")], "css": "h1{top:2px}", "js": flat}
        )
    ]
    page = None
    for path, text, top, log in [
        ("/a", "Block A", "1px", ["a"]),
        ("/b", "Block AB", "auto", []),
        ("/c", "Flat", "2px", ["flat"]),
    ]:
        shop.page(path, html("<h1>Original</h1>"))
        page = open_page(path, page)
        assert page.inner_text("h1") == text
        assert page.evaluate("getComputedStyle(document.querySelector('h1')).top") == top
        assert page.evaluate("window.log || []") == log


def test_pages__decide_where_an_experiment_shows_and_counts(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment({"mutations": [mutate("h1", "text", text="New")]}, pages=pages("\\/a"))]
    page = None
    for path, expected in [("/b", "Original"), ("/a", "New")]:
        shop.page(path, html("<h1>Original</h1>"))
        page = open_page(path, page)
        assert page.inner_text("h1") == expected
        assert len(page.evaluate("svc.assignments()")) == (expected == "New")
    shop.wait_events("pageview", 2)
    assert [event["url"][-2:] for event in shop.events("experiment_viewed")] == ["/a"]


def test_customer_script_that_throws__takes_its_variation_back_and_stops_no_other(shop: Shop, open_page: Open) -> None:
    bad = shop.script("throw new Error('broken by the shop')")
    good = shop.script(f"{LOG}('runs')")
    reset = shop.script(f"{LOG}('reset')")
    changed = {"mutations": [mutate("h1", "text", text="New")], "css": "h1{color:rgb(1,2,3)}", "js": good}
    shop.experiments = [experiment(changed, js=bad, reset_js=reset), experiment({"js": good}, name="e2")]
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page()
    assert page.evaluate("log") == ["reset", "runs"]
    assert page.inner_text("h1") == "Original"
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).color") == "rgb(0, 0, 0)"
    [exposure] = shop.wait_events("experiment_viewed")
    assert exposure["experimentId"] == "e2"
    [error] = shop.wait_events("sdk_error")
    assert error["data"]["message"] == "broken by the shop"
    assert error["data"]["source"] == "experiment_js"
    assert (error["experimentId"], error["variationId"]) == ("e1", "e1-treatment")


@pytest.mark.parametrize("is_control", [True, False], ids=["control", "treatment"])
def test_exposure__of_an_experiment_with_a_script__waits_for_it_in_every_variation(
    is_control: bool, shop: Shop, open_page: Open
) -> None:
    scripted = {"js": shop.script(f"{LOG}('runs')")}
    shop.experiments = [experiment(scripted, control=is_control), experiment(control=True, name="e2")]
    shop.page("/", *html("<h1>Original</h1>||<p>Rest</p>").split("||"))
    page = open_page(until="commit")
    page.wait_for_selector("h1")
    counted = (
        """() => { const ids = []; svc.on('exposure', ({ experimentId }) => ids.push(experimentId)); return ids }"""
    )
    assert page.evaluate(counted) == ["e2"], "the page is not parsed"
    page.evaluate("void fetch('/gate')")
    assert {event["experimentId"] for event in shop.wait_events("experiment_viewed", 2)} == {"e1", "e2"}
    assert page.evaluate("window.log?.length || 0") == (0 if is_control else 1)


def test_redirect_experiment_with_a_script__waits_for_nothing(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment(control=True, type="redirect", js=shop.script("throw new Error('mine')"))]
    shop.page("/", *html("<h1>Original</h1>||<p>Rest</p>").split("||"))
    page = open_page(until="commit")
    page.wait_for_selector("h1")
    assert len(shop.wait_events("experiment_viewed")) == 1
    page.evaluate("void fetch('/gate')")
    shop.wait_events("sdk_error")
