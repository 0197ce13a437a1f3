"""Pages that break the browser under us: the treatment stands or the page stays as it was, and nothing is thrown."""

import pytest
from playwright.sync_api import BrowserContext

from tests.browser.sdk.configs import experiment, mutate
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import SNIPPET_TAG, Shop, html

pytestmark = pytest.mark.browser

BODY = "<h1>Original</h1><ul><li>a</li><li>b</li></ul>"
LOOK = "document.getElementsByTagName('h1')[0].textContent + document.getElementsByTagName('li').length"
TREATED, ORIGINAL = "New1", "Original2"
NO = "() => { throw new Error('no') }"
BREAKS = {
    "frozen prototypes": "for (const one of [Array, Object, Function, String, Map, Set, WeakMap, Promise, RegExp, "
    "Element, Node, Document, EventTarget, MutationObserver, History, Storage]) Object.freeze(one.prototype)",
    "matches": f"Element.prototype.matches = Element.prototype.closest = {NO}",
    "observer": f"window.MutationObserver = class {{ constructor() {{ ({NO})() }} }}",
    "no observer": "delete window.MutationObserver",
    "promise": "window.Promise = function () { throw new Error('no') }",
    "listeners": f"EventTarget.prototype.addEventListener = {NO}",
    "iterators": f"Array.prototype[Symbol.iterator] = {NO}",
    "expressions": f"RegExp.prototype.exec = {NO}",
    "texts": f"for (const name of ['replace', 'split', 'slice', 'includes']) String.prototype[name] = {NO}",
    "queries": f"Document.prototype.querySelectorAll = Element.prototype.querySelectorAll = {NO}",
    "cookies": f"Object.defineProperty(Document.prototype, 'cookie', {{ get: {NO}, set: {NO} }})",
    "storage": f"Object.defineProperty(window, 'localStorage', {{ get: {NO} }})",
    "no crypto": "Object.defineProperty(window, 'crypto', { value: undefined })",
    "addresses": "window.URL = window.URLSearchParams = function () { throw new Error('no') }",
    "no beacon, no fetch": "Object.defineProperty(navigator, 'sendBeacon', { value: undefined });"
    "window.fetch = undefined",
    "our name": "Object.defineProperty(window, 'svc', { value: 1, writable: false })",
    "prototypes with more": "Object.prototype.css = Object.prototype.js = Object.prototype.get = 'x'",
}
STANDS_BEFORE = {"frozen prototypes", "promise", "storage", "no beacon, no fetch", "our name", "prototypes with more"}
FALLS_AFTER = {"matches", "iterators", "queries"}


@pytest.fixture
def treated(shop: Shop) -> Shop:
    mutations = [mutate("h1", "text", text="New"), mutate("li:nth-child(1)", "remove")]
    shop.experiments = [experiment({"mutations": mutations, "css": "h1{color:rgb(1,2,3)}"})]
    return shop


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("name", BREAKS)
def test_page__that_breaks_the_browser__is_treated_or_left_as_it_is(
    name: str, when: str, treated: Shop, context: BrowserContext
) -> None:
    own = f"<script>{BREAKS[name]}</script>"
    treated.page("/", html(BODY, own) if when == "before" else html(own + BODY))
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(treated.url)
    # Playwright's own evaluation would stumble over such a page.
    found = context.new_cdp_session(page).send("Runtime.evaluate", {"expression": LOOK, "returnByValue": True})
    stands = name in STANDS_BEFORE if when == "before" else name not in FALLS_AFTER
    assert found["result"]["value"] == (TREATED if stands else ORIGINAL)
    assert errors == []


WRITE = BODY.replace("/", "\\/")
DOCUMENTS = {
    "without a head": f"{SNIPPET_TAG}{BODY}",
    "in quirks mode": f"<html>{SNIPPET_TAG}<body>{BODY}",
    "written by a script": html(f"<script>document.write('{WRITE}')</script>"),
    "written anew": html(
        f"<script>onload = () => {{ document.open(); document.write('{WRITE}'); document.close() }}</script>"
    ),
    "with a new root": html(
        f"{BODY}<script>onload = () => {{ const root = document.createElement('html'); root.innerHTML = '{WRITE}'; "
        "document.replaceChild(root, document.documentElement) }</script>"
    ),
    "with three snippets": html(BODY, tag=SNIPPET_TAG * 3),
    "that names things like ours": html(
        f"{BODY}<img name=cookie><img name=head><form name=querySelectorAll></form>",
        tag=f"<a id=svc name=svc></a><img name=currentScript>{SNIPPET_TAG}",
    ),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_document__of_any_kind__is_treated_and_counted_once(name: str, treated: Shop, open_page: Open) -> None:
    treated.page("/", DOCUMENTS[name])
    page = open_page()
    page.wait_for_function(f"{LOOK} === '{TREATED}'")
    treated.wait_events("pageview")
    assert len(treated.events("experiment_viewed")) == 1


def test_frame__without_an_origin__throws_nothing(treated: Shop, open_page: Open) -> None:
    treated.page("/inner", html(BODY))
    treated.page("/", '<!doctype html><iframe sandbox="allow-scripts" src="/inner"></iframe>')
    page = open_page()
    assert page.frames[1].evaluate(LOOK) == ORIGINAL
    assert page.frames[1].evaluate("svc.track('x')") is None


def test_ticker__that_writes_over_us_all_day__does_not_fill_the_memory(treated: Shop, open_page: Open) -> None:
    treated.page("/", html(BODY))
    page = open_page()
    page.evaluate(
        """async () => { for (let i = 0; i < 3600; i++) {
          document.querySelector('h1').textContent = `tick ${i}`;
          await (i % 100 ? 0 : new Promise((resolve) => setTimeout(resolve))) } }"""
    )
    assert page.inner_text("h1") == "New"
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    assert session.send("Memory.getDOMCounters")["nodes"] < 2000
