"""No harm: pages that redefine what we use, bots, a second snippet, a damaged config; nothing is thrown at the page."""

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.browser.sdk.configs import experiment, goal, mutate
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, html

pytestmark = pytest.mark.browser

BREAK = """<script>
  window.fetch = () => { throw new Error('no fetch'); };
  JSON.stringify = () => 'broken'; JSON.parse = () => { throw new Error('no parse'); };
  for (const name of ['push', 'map', 'filter', 'forEach', 'join', 'slice', 'splice', 'concat', 'indexOf', 'includes',
    'some', 'every', 'find', 'reduce', 'shift', 'pop'])
    Array.prototype[name] = () => { throw new Error('no ' + name); };
  Array.prototype.toJSON = () => 'broken'; Object.prototype.toJSON = () => 'broken';
</script>"""
BODY = '<h1>Original</h1><ul><li>a</li><li>b</li></ul><button data-k="v">Buy</button>'


@pytest.mark.parametrize("is_long", [False, True], ids=["short", "long"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_page__that_redefines_fetch_json_and_arrays__is_treated_and_counted(
    when: str, is_long: bool, shop: Shop, open_page: Open
) -> None:
    shop.is_long = is_long
    capture = [{"property": "k", "source": "dataset", "attribute": "k"}]
    mutations = [
        mutate("h1", "text", text="New"),
        mutate("li:nth-child(1)", "remove"),
        mutate("button", "insertAfter", html="<i>+</i>"),
    ]
    treatment = {"mutations": mutations, "css": "h1{color:rgb(1,2,3)}"}
    shop.experiments = [experiment(treatment, goals=[goal("click", selector="button", capture=capture)])]
    # The page's own scripts look and act: Playwright's evaluate would stumble over such a page itself.
    act = """<script>svc.track('signup', {list: [1, 'é']}); addEventListener('DOMContentLoaded', () => {
      document.title = getComputedStyle(document.querySelector('h1')).color })</script>"""
    shop.page("/", html(BODY + act, BREAK) if when == "before" else html(BREAK + BODY + act))
    page = open_page()
    assert page.inner_text("h1") == "New"
    assert page.locator("li").count() == 1
    assert page.title() == "rgb(1, 2, 3)"
    page.click("button")
    shop.wait(lambda: len(shop.events()) >= 4)
    assert {event["type"] for event in shop.events()} == {"experiment_viewed", "pageview", "goal", "custom"}
    assert shop.events("goal")[0]["data"] == {"goalId": "goal-click", "k": "v"}
    assert shop.events("custom")[0]["data"] == {"event_name": "signup", "list": [1, "é"]}


BOTS = [
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0 Safari/537.36",
]


@pytest.mark.parametrize("agent", [*BOTS, None], ids=["crawler", "headless", "webdriver"])
def test_bot__sees_the_original_and_leaves_no_trace(agent: str | None, shop: Shop, browser: Browser) -> None:
    shop.experiments = [experiment({"mutations": [mutate("h1", "text", text="New")]})]
    shop.page("/", html(BODY))
    context = browser.new_context(user_agent=agent)
    if agent is None:
        context.add_init_script("Object.defineProperty(navigator, 'webdriver', {get: () => true})")
    page = context.new_page()
    page.goto(shop.url)
    assert page.inner_text("h1") == "Original"
    page.evaluate("svc.track('signup'); history.pushState({}, '', '/x')")
    assert page.evaluate("svc.assignments()") == []
    assert page.evaluate("document.cookie") == ""
    page.goto(f"{shop.url}/?svc_qa=1&svc_experiment_id=e1&svc_variation_id=e1-treatment")
    assert page.inner_text("h1") == "New", "force beats the check"
    shop.wait_events("pageview")
    assert all(event["qa_mode"] for event in shop.events())
    context.close()


def test_second_snippet__changes_nothing(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment({"mutations": [mutate("h1", "insertAfter", html="<i>+</i>")]})]
    shop.page("/", html(BODY + '<script src="/s.js"></script>'))
    page = open_page()
    assert page.locator("i").count() == 1
    shop.wait_events("pageview")
    assert len(shop.events()) == 2


def test_config__that_makes_no_sense__is_quiet(shop: Shop, open_page: Open) -> None:
    broken = experiment({"mutations": [{"selector": "h1", "action": "explode"}]}, goals=[goal("click", selector="[")])
    shop.experiments = [{"id": "e0"}, broken, experiment({"mutations": [mutate("h1", "text", text="New")]}, name="e2")]
    shop.page("/", html(BODY))
    page = open_page()
    assert page.inner_text("h1") == "New"
    page.click("button")
    assert shop.wait_events("sdk_error")[0]["data"]["source"] == "mutation"


@pytest.mark.parametrize(("query", "told"), [("", []), ("?svc_qa=1", ["svc variation_js Error: mine"])])
def test_error_of_a_script__is_told_in_the_console_of_flagged_pages_only(
    query: str, told: list[str], shop: Shop, open_page: Open, context: BrowserContext
) -> None:
    shop.experiments = [experiment({"js": shop.script("throw new Error('mine')")})]
    shop.page("/", html(BODY))
    lines: list[str] = []
    context.on("console", lambda message: lines.append(message.text.partition("\n")[0]))
    open_page(f"/{query}")
    shop.wait_events("sdk_error")
    assert [line for line in lines if line.startswith("svc ")] == told


def test_globals__are_one(shop: Shop, open_page: Open) -> None:
    shop.page("/", html(""))
    shop.page("/plain", "<!doctype html>")
    page = open_page("/plain")
    names = "Object.getOwnPropertyNames(window)"
    before = set(page.evaluate(names))
    assert set(open_page("/", page).evaluate(names)) - before == {"svc"}
    assert page.evaluate("Object.keys(svc).sort()") == [
        "assignments",
        "cart",
        "chunk",
        "consent",
        "debug",
        "explain",
        "flag",
        "force",
        "on",
        "personalization",
        "ready",
        "set",
        "track",
        "visitorId",
    ]
    assert page.evaluate("new Promise((done) => svc.ready((api) => done(api === svc)))")


def test_strict_content_security_policy__is_no_obstacle(shop: Shop, open_page: Open) -> None:
    policy = (
        "default-src 'none'; script-src 'self'; connect-src *; require-trusted-types-for 'script'; trusted-types svc"
    )
    js = shop.script("document.querySelector('h1').title = 'ran'")
    mutations = [
        mutate("h1", "html", html="<b>New</b>"),
        mutate("h1", "style", styles={"margin": "3px"}),
        mutate("ul", "insertBefore", html="<i>+</i>"),
    ]
    shop.experiments = [experiment({"mutations": mutations, "css": "h1{color:rgb(1,2,3)}", "js": js})]
    shop.page("/", html(BODY, f'<meta http-equiv="content-security-policy" content="{policy}">'))
    page = open_page()
    assert page.inner_html("h1") == "<b>New</b>"
    look = "(e => [e.title, getComputedStyle(e).color, getComputedStyle(e).marginTop])(document.querySelector('h1'))"
    assert page.evaluate(look) == ["ran", "rgb(1, 2, 3)", "3px"]
    shop.wait_events("experiment_viewed")
