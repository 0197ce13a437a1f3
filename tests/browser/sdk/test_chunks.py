"""Chunks: long scripts and style sheets that the snippet fetches, when they are slow, missing or late."""

import pytest

from tests.browser.sdk.configs import experiment, mutate, pages
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, chunk_source, html, patient

pytestmark = pytest.mark.browser

LOG = "(window.log = window.log || []).push"
H1 = "document.querySelector('h1').textContent"
COLOR = "getComputedStyle(document.querySelector('h1')).color"
BODY = "<h1>Original</h1>"
FRAMES = """<script>window.frames_ = [];(function sample() {
  const h1 = document.querySelector('h1');
  if (h1) frames_.push([getComputedStyle(h1).color, getComputedStyle(document.documentElement).opacity]);
  requestAnimationFrame(sample);
})()</script>"""
LATER = "<script>setTimeout(() => fetch('/gate'), 150)</script>"


def serve_script(shop: Shop, name: str, source: str, *, slow: bool = False) -> int:
    """A chunk, which waits for a request of `/gate` where it is slow."""
    shop.files[f"/assets/{name}.js"] = [""] * slow + [chunk_source(name, source)]
    return shop.chunk(name)


def test_scripts__run_in_their_order_whichever_comes_first(shop: Shop, open_page: Open) -> None:
    first = serve_script(shop, "e", f"{LOG}('experiment')", slow=True)
    second = serve_script(shop, "v", f"{LOG}('variation')")
    treatment = {"js": second, "mutations": [mutate("h1", "text", text="New")]}
    shop.experiments = [experiment(treatment, js=first), experiment({"js": shop.script(f"{LOG}('other')")}, name="e2")]
    shop.page("/", html(BODY + LATER, tag=patient("2000")))
    page = open_page()
    assert page.evaluate(H1) == "New", "what needs no chunk does not wait"
    page.wait_for_function("log.length === 3")
    assert page.evaluate("log") == ["other", "experiment", "variation"]
    assert {event["experimentId"] for event in shop.wait_events("experiment_viewed", 2)} == {"e1", "e2"}


def test_chunk__of_another_page__is_fetched_when_its_page_comes(shop: Shop, open_page: Open) -> None:
    js = serve_script(shop, "b", f"{LOG}('b')")
    reset = serve_script(shop, "reset", f"{LOG}('reset')")
    shop.experiments = [experiment({"js": js}, pages=pages("\\/b"), reset_js=reset)]
    shop.page("/", html(BODY))
    page = open_page()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url.rsplit("/", 1)[1]))
    for _ in range(2):
        page.evaluate("history.pushState({}, '', '/b')")
        page.wait_for_function("window.log && log.at(-1) === 'b'")
        page.evaluate("history.pushState({}, '', '/')")
        page.wait_for_function("log.at(-1) === 'reset'")
    assert page.evaluate("log") == ["b", "reset", "b", "reset"]
    assert sorted(name for name in requests if name.endswith(".js")) == ["b.js", "reset.js"], "once each"


@pytest.mark.parametrize("how", ["missing", "late", "empty", "broken"])
def test_script__that_does_not_come__leaves_the_page_as_it_was_uncounted(how: str, shop: Shop, open_page: Open) -> None:
    js = serve_script(shop, "v", f"{LOG}('v')", slow=how == "late")
    if how == "missing":
        del shop.files["/assets/v.js"]
    if how == "empty":
        shop.files["/assets/v.js"] = ["/**/"]
    if how == "broken":
        shop.files["/assets/v.js"] = ["svc.chunk('v', 1)"]
    treatment = {"js": js, "mutations": [mutate("h1", "text", text="New")], "css": "h1{color:rgb(1,2,3)}"}
    shop.experiments = [experiment(treatment), experiment(name="e2")]
    shop.page("/", html(BODY, tag=patient("300" if how == "late" else "2000")))
    page = open_page(until="domcontentloaded")
    page.wait_for_function(f"{H1} === 'Original'")
    assert page.evaluate(COLOR) == "rgb(0, 0, 0)"
    [report] = shop.wait_events("sdk_perf")
    assert report["data"] == {"kind": "timeout" if how == "late" else "chunk"}
    assert [event["experimentId"] for event in shop.wait_events("experiment_viewed")] == ["e2"]
    if how == "late":
        page.evaluate("fetch('/gate')")
        page.evaluate("new Promise((done) => setTimeout(done, 100))")
    assert page.evaluate(f"[{H1}, window.log]") == ["Original", None]


@pytest.mark.parametrize("parsed", [False, True], ids=["in the head", "later"])
def test_sheet__comes_without_a_frame_of_the_original(parsed: bool, shop: Shop, open_page: Open) -> None:
    css = shop.sheet_chunk("s")
    shop.files["/assets/s.css"] = ["", "h1{color:rgb(1,2,3);background:url(x.png)}"]
    shop.experiments = [experiment({"css": css}, css="h1{color:rgb(9,9,9)}")]
    tag, body = patient("2000"), FRAMES + BODY + LATER
    shop.page("/", html(tag + body, tag="") if parsed else html(body, tag=tag))
    page = open_page(until="domcontentloaded")
    page.wait_for_function("frames_.length > 5")
    page.wait_for_function(f"{COLOR} === 'rgb(1, 2, 3)'")
    frames = page.evaluate("frames_")
    assert all(color == "rgb(1, 2, 3)" or opacity == "0" for color, opacity in frames), frames
    assert page.evaluate("document.querySelectorAll('link').length") == 0
    assert page.evaluate("document.adoptedStyleSheets.length") == 2
    image = "getComputedStyle(document.querySelector('h1')).backgroundImage"
    assert page.evaluate(image) == f'url("{shop.url}/x.png")', "relative to the page, as css that is not fetched"
    assert len(shop.wait_events("experiment_viewed")) == 1


@pytest.mark.parametrize("how", ["missing", "late"])
def test_sheet__that_does_not_come__is_waited_for_so_long_only(how: str, shop: Shop, open_page: Open) -> None:
    css = shop.sheet_chunk("s")
    if how == "late":
        shop.files["/assets/s.css"] = ["", "h1{color:rgb(1,2,3)}"]
    treatment = {"css": css, "mutations": [mutate("h1", "text", text="New")]}
    shop.experiments = [experiment(treatment), experiment(name="e2")]
    twice = "requestAnimationFrame(() => requestAnimationFrame(() => { window.painted = true }))"
    painted = f"<script>{twice}</script>"
    shop.page("/", html(BODY + painted, tag=patient("300" if how == "late" else "2000")))
    page = open_page(until="domcontentloaded")
    page.wait_for_function("window.painted")
    page.wait_for_function(f"{H1} === 'Original'")
    if how == "late":
        page.evaluate("fetch('/gate')")
        page.evaluate("new Promise((done) => setTimeout(done, 100))")
    assert page.evaluate(f"[{H1}, {COLOR}]") == ["Original", "rgb(0, 0, 0)"]
    assert page.evaluate("document.querySelectorAll('link').length") == 0
    assert page.evaluate("getComputedStyle(document.documentElement).opacity") == "1"
    [report] = shop.wait_events("sdk_perf")
    assert report["data"] == {"kind": "timeout" if how == "late" else "chunk"}
    assert [event["experimentId"] for event in shop.wait_events("experiment_viewed")] == ["e2"]
