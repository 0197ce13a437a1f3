"""The bounded tag, as docs/storefront.md has it: a page waits for its snippet so long and no longer."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.browser.sdk.configs import experiment, flag, goal, mutate, personalization
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, html

pytestmark = pytest.mark.browser

DOCUMENT = Path(__file__).parents[3] / "docs" / "storefront.md"
NATIVE, UNKNOWN = "knows blocking", "knows none"
BROWSERS = pytest.mark.parametrize("browser_kind", [NATIVE, UNKNOWN])
LIMIT, LOADS, DELAY = 1000, 10, 300
AMPLE = 10_000
"""A limit that the snippet keeps on a busy machine, too."""
PATIENCE = 3000
"""The snippet comes once the page was seen, however long that takes here."""
SNIPPET = "/slow.js"
NONCE = "r4nd0m"
H1 = "document.querySelector('h1').textContent"
# Each frame that shows a headline: since when, and what it says. Frames are counted in any case.
WATCH = """<script>
  window.frames_ = [];
  (function sample() {
    const h1 = document.querySelector('h1');
    const isSeen = h1 && getComputedStyle(document.documentElement).opacity === '1';
    if (isSeen) frames_.push([performance.now(), h1.textContent]);
    requestAnimationFrame(sample);
  })();
  window.came_ = () => performance.getEntriesByName(location.origin + '/slow.js')[0].responseEnd;
  window.painted_ = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
</script>"""
FORGET = "<script>delete HTMLScriptElement.prototype.blocking</script>"
# The snippet comes when it is asked for: so many milliseconds after the tag, or in a frame after the page was seen.
AFTER_DELAY = f"<script>setTimeout(() => {{ window.state = document.readyState; fetch('/gate') }}, {DELAY})</script>"
ONCE_SEEN = """<script>(function wait() {
  if (frames_.length < 3) return setTimeout(wait, 10);
  fetch('/gate');
})()</script>"""
EARLY = (
    "<script>svc.track('early'); svc.set({country: 'DE'}); svc.ready((api) => { window.told = api === svc })</script>"
)


def documented(limit: int = LIMIT) -> str:
    """The tag as the document has it, for this shop."""
    tags: list[str] = re.findall(r"```html\n(<script async blocking=.*?)```", DOCUMENT.read_text(), re.DOTALL)
    (tag,) = tags
    assert tag.count("})(1000);") == 1
    return tag.replace("https://<snippet host>/s/<shop id>.js", SNIPPET).replace("})(1000);", f"}})({limit});")


def serve(shop: Shop, release: str, browser_kind: str = NATIVE, *, tag: str = "", body: str = "") -> None:
    """A page with the tag; its snippet comes when `release` asks for it."""
    shop.files[SNIPPET] = ["", shop.snippet()]
    tag = tag or documented()
    if browser_kind == UNKNOWN:
        tag = FORGET + tag.replace('blocking="render" ', "")
    shop.page("/", html(f"<h1>Original</h1>{body}", f"{WATCH}{release}", tag))


def show_late(shop: Shop, open_page: Open, browser_kind: str = NATIVE, **more: Any) -> Page:
    """A page that was shown before its snippet came; now it has come."""
    serve(shop, ONCE_SEEN, browser_kind, **more)
    page = open_page()
    page.wait_for_function("!!window.svc?.chunk")
    return page


def new_headline(**more: Any) -> dict[str, Any]:
    """Everybody gets another headline."""
    return experiment({"mutations": [mutate("h1", "text", text="New")]}, **more)


@BROWSERS
def test_snippet_in_time__no_frame_shows_the_original(browser_kind: str, shop: Shop, open_page: Open) -> None:
    shop.experiments = [new_headline()]
    serve(shop, AFTER_DELAY, browser_kind, tag=documented(AMPLE))
    page = None
    for _ in range(LOADS):
        page = open_page("/", page)
        page.wait_for_function("frames_.length > 3 && painted_()")
        assert {text for _, text in page.evaluate("frames_")} == {"New"}
        assert page.evaluate("state") == "interactive"  # it was parsed meanwhile
        if browser_kind == NATIVE:
            assert page.evaluate("painted_() >= came_()")
        assert page.evaluate("document.documentElement.style.opacity") == ""
    assert len(shop.wait_events("experiment_viewed")) == 1
    assert shop.events("sdk_perf") == []


def test_style_sheet_before_the_tag__does_not_delay_the_snippet(shop: Shop, open_page: Open) -> None:
    shop.experiments = [new_headline()]
    shop.files |= {SNIPPET: [shop.snippet()], "/slow.css": ["", "h1{color:rgb(1,2,3)}"]}
    shop.page("/", html("<h1>Original</h1>", f'{WATCH}<link rel="stylesheet" href="/slow.css">', documented(AMPLE)))
    page = open_page(until="commit")
    page.wait_for_function("!!window.svc?.chunk", polling=20)
    # The parser waits for the style sheet in front of the second element, and so does the first frame.
    assert page.evaluate("[frames_.length, document.querySelector('h1')]") == [0, None]
    page.evaluate("fetch('/gate')")
    page.wait_for_function("frames_.length > 3")
    assert {text for _, text in page.evaluate("frames_")} == {"New"}


def test_snippet_in_time__what_was_called_before_it_is_made_up_for(shop: Shop, open_page: Open) -> None:
    german = {"mode": "any", "in": [{"country": "DE"}], "out": []}
    shop.experiments = [new_headline(audience=german)]
    serve(shop, AFTER_DELAY, tag=documented(AMPLE), body=EARLY)
    page = open_page()
    page.wait_for_function("window.told")
    assert page.evaluate(H1) == "New"
    assert [event["data"]["event_name"] for event in shop.wait_events("custom")] == ["early"]


@BROWSERS
def test_snippet_after_the_limit__leaves_the_page_view_alone(browser_kind: str, shop: Shop, open_page: Open) -> None:
    shop.experiments = [new_headline(goals=[goal("click", selector="h1")])]
    shop.config = {
        "personalizations": [personalization({"value": 7, "css": "h1{color:rgb(1,2,3)}"})],
        "flags": [flag("blue")],
    }
    page = show_late(shop, open_page, browser_kind, body=EARLY)
    page.click("h1")
    page.evaluate("svc.track('later'); svc.set({a: 1})")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert {text for _, text in page.evaluate("frames_")} == {"Original"}
    assert LIMIT <= page.evaluate("frames_[0][0]") < LIMIT + PATIENCE
    assert page.evaluate("[svc.assignments(), svc.personalization('key-p1'), svc.flag('blue')]") == [[], None, True]
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).color") == "rgb(0, 0, 0)"
    shop.wait(lambda: len(shop.events("custom")) == 2 and shop.events("goal"))
    assert [event["data"] for event in shop.events("sdk_perf")] == [{"kind": "timeout"}]
    assert len(shop.events("pageview")) == 1
    assert shop.events("experiment_viewed") == []
    assert shop.events("sdk_error") == []


def test_page_after_a_late_one__is_treated(shop: Shop, open_page: Open) -> None:
    shop.experiments = [new_headline()]
    page = show_late(shop, open_page)
    page.evaluate("history.pushState({}, '', '/next')")
    page.wait_for_function(f"{H1} === 'New'")
    [exposure] = shop.wait_events("experiment_viewed")
    assert exposure["url"].endswith("/next")
    assert len(shop.events("sdk_perf")) == 1


def test_snippet_after_the_limit__leads_nowhere(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment({"redirect_url": "/other"}, type="redirect")]
    page = show_late(shop, open_page)
    shop.wait_events("sdk_perf")
    assert page.url == f"{shop.url}/"
    assert shop.events("experiment_viewed") == []


def test_snippet_after_the_limit__shows_what_is_forced(shop: Shop, open_page: Open) -> None:
    shop.experiments = [new_headline(control=True)]
    page = show_late(shop, open_page)
    page.evaluate("svc.force('e1', 1)")
    page.wait_for_function(f"{H1} === 'New'")
    assert page.evaluate("svc.assignments().length") == 1


@BROWSERS
@pytest.mark.parametrize("answer", ["aborted", "500"])
def test_snippet_that_fails__shows_the_page_at_once(
    answer: str, browser_kind: str, shop: Shop, open_page: Open, context: BrowserContext
) -> None:
    if answer == "aborted":
        context.route(f"**{SNIPPET}", lambda route: route.abort())
    else:
        context.route(f"**{SNIPPET}", lambda route: route.fulfill(status=500, body="no", content_type="text/plain"))
    serve(shop, "", browser_kind, tag=documented(AMPLE), body=EARLY)
    page = open_page()
    page.wait_for_function("frames_.length > 3")
    assert page.evaluate("frames_[0][0]") < 4000  # half of the limit: this machine may be slow
    assert page.evaluate(H1) == "Original"
    assert shop.attempts == []


@pytest.mark.parametrize("nonced", [True, False])
def test_policy_that_asks_for_nonces__lets_the_tag_work(nonced: bool, shop: Shop, open_page: Open) -> None:
    shop.experiments = [new_headline()]
    policy = f"script-src 'nonce-{NONCE}'; style-src 'none'; connect-src *"
    first, second = documented().split("</script>", 1)
    second = second.replace("<script>", f'<script nonce="{NONCE}">') if nonced else second
    tag = f"{first}</script>{second}".replace("<script async", f'<script nonce="{NONCE}" async')
    late = ONCE_SEEN if nonced else AFTER_DELAY  # without a limit it is waited for as long as it takes
    meta = f'<meta http-equiv="content-security-policy" content="{policy}">'
    allowed = f"{WATCH}{late}".replace("<script>", f'<script nonce="{NONCE}">')
    shop.files[SNIPPET] = ["", shop.snippet()]
    shop.page("/", html("<h1>Original</h1>", meta + allowed, tag))
    page = open_page()
    # Asked again and again from outside: the policy forbids what waits inside the page by evaluating a text.
    while not page.evaluate("window.svc && svc.chunk && frames_.length > 3"):
        page.wait_for_timeout(20)
    assert {text for _, text in page.evaluate("frames_")} == {"Original" if nonced else "New"}


def test_second_element__where_the_snippet_has_run__does_nothing(shop: Shop, open_page: Open) -> None:
    shop.experiments = [new_headline()]
    tag = documented(1).replace('async blocking="render"', "").replace(SNIPPET, "/s.js")
    shop.page("/", html(f"<h1>Original</h1>{EARLY}", WATCH, tag))
    page = open_page()
    assert page.evaluate("[told, document.getElementById('svc-snippet').dataset.late]") == [True, None]
    assert page.evaluate(H1) == "New"
    shop.wait_events("custom")


def test_calls_before_the_snippet__of_an_environment_with_its_own__are_kept_over_the_hop(
    shop: Shop, open_page: Open, context: BrowserContext
) -> None:
    shop.experiments = [new_headline()]
    shop.runtime = {"environments": [{"key": "staging", "domains": ["127.0.0.1"]}]}
    serve(shop, AFTER_DELAY, tag=documented(AMPLE), body=EARLY)
    shop.runtime["environment"] = "staging"
    staging = shop.snippet()
    context.route("**/*env=staging", lambda route: route.fulfill(body=staging, content_type="text/javascript"))
    page = open_page()
    page.wait_for_function("window.told")
    assert page.evaluate(H1) == "New"
    assert len(shop.wait_events("custom")) == 1


def test_consent_before_the_snippet__is_made_up_for(shop: Shop, open_page: Open) -> None:
    shop.experiments = [new_headline()]
    shop.runtime = {"consent": {"read": shop.script("return undefined"), "events": []}}
    serve(shop, AFTER_DELAY, tag=documented(AMPLE), body="<script>svc.consent(true)</script>")
    page = open_page()
    page.wait_for_function(f"{H1} === 'New'")
    assert {text for _, text in page.evaluate("frames_")} <= {"New"}
    shop.wait_events("experiment_viewed")
