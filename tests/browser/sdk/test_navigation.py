"""Single-page navigation, the back/forward cache, and forced visits."""

import pytest

from tests.browser.sdk.configs import experiment, goal, mutate, on_path, pages
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, html

pytestmark = pytest.mark.browser

LOG = "(window.log = window.log || []).push"
DRAWN = """(document.body.appendChild(document.createElement('p')).remove(), new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))))"""
"""The page takes an element away, and has three frames."""
H1 = "document.querySelector('h1').textContent"


def test_push_state__undoes_reapplies_resets_and_counts_views(shop: Shop, open_page: Open) -> None:
    js, own, reset = shop.script(f"{LOG}('e')"), shop.script(f"{LOG}('v')"), shop.script(f"{LOG}('reset ' + {H1})")
    treatment = {"mutations": [mutate("h1", "text", text="New")], "css": "h1{color:rgb(1,2,3)}", "js": own}
    goals = [goal("pageview", id="b", url={"path": "\\/b"})]
    shop.experiments = [experiment(treatment, pages=pages("\\/a"), js=js, reset_js=reset, goals=goals)]
    shop.page("/a", html("<h1>Original</h1>"))
    page = open_page("/a")
    assert page.evaluate(H1) == "New"
    page.evaluate("history.pushState({}, '', '/b'); window.during = window.log.join()")
    assert page.evaluate("during") == "e,v", "no customer script runs inside the page's own call"
    page.wait_for_function(f"{H1} === 'Original'")
    assert page.evaluate("log") == ["e", "v", "reset Original"]
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).color") == "rgb(0, 0, 0)"
    assert page.evaluate("svc.assignments()") == []
    page.go_back()
    page.wait_for_function(f"{H1} === 'New'")
    page.wait_for_function("log.length === 5")
    assert page.evaluate("log.slice(3)") == ["e", "v"]
    views = shop.wait_events("pageview", 3)
    assert [view["url"][-2:] for view in views] == ["/a", "/b", "/a"]
    assert len(shop.events("experiment_viewed")) == 1
    assert len(shop.events("goal")) == 1


def test_content__that_comes_with_the_new_address__is_treated_before_the_next_frame(
    shop: Shop, open_page: Open
) -> None:
    shop.experiments = [experiment({"mutations": [mutate("h1", "text", text="New")]}, pages=pages("\\/b"))]
    shop.page("/a", html("<main><h1>A</h1></main>"))
    page = open_page("/a")
    route = (
        "(async () => { history.pushState({}, '', '/b'); document.querySelector('main').innerHTML = '<h1>B</h1>';"
        f" await null; return {H1}; }})()"
    )
    assert page.evaluate(route) == "New"


def test_two_experiments_on_one_element__hand_over_without_mixing(shop: Shop, open_page: Open) -> None:
    first = experiment({"mutations": [mutate("h1", "text", text="One")]}, pages=pages("\\/a"))
    second = experiment({"mutations": [mutate("h1", "text", text="Two")]}, name="e2", pages=pages("\\/b"))
    shop.experiments = [first, second]
    shop.page("/a", html("<h1>Original</h1>"))
    page = open_page("/a")
    assert page.evaluate(H1) == "One"
    assert page.evaluate(f"history.pushState({{}}, '', '/b'); {H1}") == "Two"
    page.evaluate(DRAWN)  # the first is undone by now
    assert page.evaluate(H1) == "Two"
    page.evaluate("history.replaceState({}, '', '/c')")
    page.wait_for_function(f"{H1} === 'Original'")


def test_two_experiments__that_set_the_same_value__do_not_undo_each_other(shop: Shop, open_page: Open) -> None:
    blue = {"mutations": [mutate("h1", "style", styles={"color": "blue"})]}
    shop.experiments = [experiment(blue, pages=pages("\\/a")), experiment(blue, name="e2", pages=pages("\\/b"))]
    shop.page("/a", html('<h1 style="color: red">Original</h1>'))
    page = open_page("/a")
    page.evaluate("history.pushState({}, '', '/b')")
    page.evaluate(DRAWN)
    color = "document.querySelector('h1').style.color"
    assert page.evaluate(color) == "blue"
    page.evaluate("history.pushState({}, '', '/c')")
    page.wait_for_function(f"{color} === 'red'")


def test_block_change__swaps_content_and_resets_nothing(shop: Shop, open_page: Open) -> None:
    js, reset = shop.script(f"{LOG}('e')"), shop.script(f"{LOG}('reset')")
    blocks = [
        {
            "rules": on_path(f"\\/{path}"),
            "mutations": [mutate("h1", "text", text=path)],
            "js": shop.script(f"{LOG}('{path}')"),
        }
        for path in "ab"
    ]
    shop.experiments = [experiment({"blocks": blocks}, js=js, reset_js=reset)]
    shop.page("/a", html("<h1>Original</h1>"))
    page = open_page("/a")
    page.evaluate("history.pushState({}, '', '/b')")
    page.wait_for_function("log.length === 3")
    assert page.evaluate("log") == ["e", "a", "b"]
    assert page.evaluate(H1) == "b"


def test_anchors__are_no_views_and_hash_routes_are(shop: Shop, open_page: Open) -> None:
    shop.page("/", html(""))
    page = open_page()
    page.evaluate("location.hash = 'top'; history.replaceState({}, '', location.href)")
    page.evaluate("location.hash = '#/route'")
    page.wait_for_function("location.hash === '#/route'")
    views = shop.wait_events("pageview", 2)
    assert [view["url"].removeprefix(shop.url) for view in views] == ["/", "/#/route"]


def test_force__puts_a_flagged_visit_into_a_variation_on_any_page(shop: Shop, open_page: Open) -> None:
    treatment = {"mutations": [mutate("h1", "text", text="Forced")]}
    goals = [goal("click", selector="h1")]
    shop.experiments = [experiment(treatment, control=True, pages=pages("\\/elsewhere"), goals=goals)]
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page("/?svc_qa=1&svc_experiment_id=e1&svc_variation_id=e1-treatment")
    assert page.evaluate(H1) == "Forced"
    page.evaluate("history.pushState({}, '', '/app')")
    page.click("h1")
    page.evaluate("svc.track('order', {orderId: '1', revenue: 5})")
    shop.wait_events("order")
    assert {event["type"] for event in shop.events()} == {"experiment_viewed", "pageview", "goal", "order"}
    assert all(event["qa_mode"] is True for event in shop.events())
    assert shop.events("experiment_viewed")[0]["variationId"] == "e1-treatment"
    assert page.evaluate(H1) == "Forced", "as long as the page lives"
    open_page("/", page).evaluate("svc.track('order', {orderId: '1', revenue: 5})")
    real = shop.wait_events("order", 2)[1]
    assert "qa_mode" not in real
    assert real["eventId"] != shop.events("order")[0]["eventId"], "a test order does not shadow the real one"


def test_return_from_the_cache__counts_a_view_and_keeps_the_treatment(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment({"mutations": [mutate("h1", "text", text="New")]}, pages=pages("\\/a"))]
    shop.page("/a", html("<h1>Original</h1>"))
    page = open_page("/a")
    shop.wait_events("pageview")
    # Headless Chromium under a debugger keeps no pages: the event itself is what a kept page would get.
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")
    shop.wait_events("pageview", 2)
    assert page.evaluate(H1) == "New"
    assert len(shop.events("experiment_viewed")) == 1
