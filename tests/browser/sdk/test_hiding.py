"""What is hidden before its treatment stands, for how long, and what becomes of treatments that come too late."""

from typing import Any

import pytest

from tests.browser.sdk.configs import experiment, mutate, pages, personalization
from tests.browser.sdk.conftest import Open, quick
from tests.browser.sdk.shop import SNIPPET_TAG, Shop, html, patient

pytestmark = pytest.mark.browser

OPACITY = "getComputedStyle(document.querySelector('h1')).opacity"
H1 = "document.querySelector('h1').textContent"
# Says when the headline is seen and what it says then; the rest of the page comes after that.
BEGAN = "<script>const began = performance.now()</script>"
WATCH = f"""<script>window.during = {OPACITY};
  (function wait() {{
    if ({OPACITY} !== '1') return setTimeout(wait, 10);
    window.seen = {{ms: performance.now() - began, text: {H1}}};
    seen.color = getComputedStyle(document.querySelector('h1')).color;
    fetch('/gate');
  }})()</script>"""


def hiding(shop: Shop, *selectors: str, **more: Any) -> dict[str, Any]:
    """A personalization whose script takes part in the treatment."""
    js = shop.script("window.ran = true")
    treatment = {"js": js, "hide": list(selectors), "mutations": [mutate("h1", "text", text="New")], **more}
    return personalization(treatment | {"css": "h1{color:rgb(1,2,3)}"})


def test_hide__conceals_until_the_script_has_run_and_no_longer(shop: Shop, open_page: Open) -> None:
    js = shop.script(f"window.atScript = {OPACITY}")
    shop.config = {"personalizations": [personalization({"js": js, "hide": ["h1", "::bad("]})]}
    shop.page("/", html(f"<h1>Original</h1><script>window.during = {OPACITY}</script>"))
    page = open_page()
    assert page.evaluate("[during, atScript]") == ["0", "0"]
    assert page.evaluate(OPACITY) == "1"
    assert len(shop.wait_events("experiment_viewed")) == 1
    assert shop.events("sdk_perf") == []


def test_hide__without_a_script__hides_nothing(shop: Shop, open_page: Open) -> None:
    treatment = {"hide": ["h1"], "mutations": [mutate("h1", "text", text="New")]}
    shop.config = {"personalizations": [personalization(treatment)]}
    shop.page("/", html(f"<h1>Original</h1><script>window.during = {OPACITY} + {H1}</script>"))
    page = open_page()
    assert page.evaluate(f"{OPACITY} + {H1}") == "1New"
    assert page.evaluate("during")[0] == "1"
    assert len(shop.wait_events("experiment_viewed")) == 1


def test_script__without_hide__hides_nothing_and_counts_at_once(shop: Shop, open_page: Open) -> None:
    js = shop.script("window.ran = true")
    shop.experiments = [experiment({"js": js})]
    shop.page("/", html(f"<h1>Original</h1>{WATCH}", BEGAN), "<p>Late</p>")
    page = open_page()
    assert page.evaluate("during") == "1"
    assert page.evaluate("ran") is True
    assert len(shop.wait_events("experiment_viewed")) == 1


@pytest.mark.parametrize(
    ("tag", "below", "above"),
    [
        (SNIPPET_TAG, 790, 1100),
        (patient("200"), 190, 500),
        (patient("1500"), 1490, 1900),
        (patient("9999"), 1990, 2400),
        (patient("-1"), 790, 1100),
        (patient("soon"), 790, 1100),
    ],
)
def test_treatment_that_is_late__is_not_applied_on_this_view_and_not_counted(
    tag: str, below: int, above: int, shop: Shop, open_page: Open
) -> None:
    shop.config = {"personalizations": [hiding(shop, "h1"), personalization(name="p2")]}
    shop.page("/", html(f"<h1>Original</h1>{WATCH}", BEGAN, tag), "<p>Late</p>")
    page = quick(open_page, "seen.ms", above)
    seen = page.evaluate("seen")
    assert page.evaluate("during") == "0"
    assert seen.pop("ms") >= below
    assert seen == {"text": "Original", "color": "rgb(0, 0, 0)"}
    page.evaluate("svc.set({a: 1})")
    page.evaluate("new Promise((done) => setTimeout(done, 100))")
    assert page.evaluate(f"[{H1}, window.ran]") == ["Original", None]
    for report in shop.wait_events("sdk_perf"):
        assert (report["experimentId"], report["data"]) == ("p1-default", {"kind": "timeout"})
    assert {event["experimentId"] for event in shop.wait_events("experiment_viewed")} == {"p2-default"}


def test_treatment_that_was_late__has_another_try_on_the_next_view(shop: Shop, open_page: Open) -> None:
    shop.config = {"personalizations": [hiding(shop, "h1")]}
    shop.page("/", html(f"<h1>Original</h1>{WATCH}", BEGAN, patient("100")), "<p>Late</p>")
    page = open_page()
    page.wait_for_load_state()
    assert page.evaluate(H1) == "Original"
    page.evaluate("history.pushState({}, '', '/next')")
    page.wait_for_function(f"{H1} === 'New' && {OPACITY} === '1'")
    [exposure] = shop.wait_events("experiment_viewed")
    assert exposure["url"].endswith("/next")


def test_each__is_revealed_for_itself(shop: Shop, open_page: Open) -> None:
    quick = personalization({"js": shop.script("window.quick = true"), "hide": ["h1"]}, name="p1")
    slow = personalization({"js": shop.chunk("slow"), "hide": ["h2"]}, name="p2")
    shop.config = {"personalizations": [quick, slow]}
    shop.files["/assets/slow.js"] = ["", "svc.chunk('slow', function(){window.slow = true})"]
    shop.page("/", html("<h1>One</h1><h2>Two</h2>", tag=patient("2000")))
    page = open_page(until="domcontentloaded")
    both = "[...document.querySelectorAll('h1,h2')].map((e) => getComputedStyle(e).opacity)"
    assert page.evaluate(both) == ["1", "0"]
    page.evaluate("fetch('/gate')")
    page.wait_for_function("window.slow")
    assert page.evaluate(both) == ["1", "1"]
    shop.wait_events("experiment_viewed", 2)


def test_flapping__of_a_treatment_that_takes_itself_away__ends(shop: Shop, open_page: Open) -> None:
    treatment = {
        "js": shop.script("window.turns = (window.turns || 0) + 1; svc.set({spoilt: true})"),
        "reset_js": shop.script("svc.set({spoilt: false})"),
        "mutations": [mutate("h1", "text", text="New")],
    }
    audience = {"mode": "any", "in": [{"spoilt": {"$ne": True}}], "out": []}
    shop.config = {"personalizations": [personalization(treatment, audience=audience)]}
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page()
    [report] = shop.wait_events("sdk_perf")
    assert report["data"] == {"kind": "flapping"}
    assert page.evaluate("turns") == 20
    assert page.evaluate(H1) == "Original"


def test_css_of_the_page_that_was_left__goes_with_its_content(shop: Shop, open_page: Open) -> None:
    treatment = {"mutations": [mutate("h1", "text", text="New")], "css": "h1{color:rgb(1,2,3)}"}
    shop.experiments = [experiment(treatment, pages=pages("\\/a"))]
    shop.page("/a", html("<main><h1>A</h1></main>"))
    page = open_page("/a")
    look = "getComputedStyle(document.querySelector('h1')).color"
    found = page.evaluate(
        "(async () => { history.pushState({}, '', '/b'); const before = [document.querySelector('h1').textContent, "
        f"{look}]; document.querySelector('main').innerHTML = '<h1>B</h1>'; await null; "
        f"return [...before, document.querySelector('h1').textContent, {look}]; }})()"
    )
    assert found == ["New", "rgb(1, 2, 3)", "B", "rgb(0, 0, 0)"], "before the next frame"
