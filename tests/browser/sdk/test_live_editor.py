"""A page in a window that the console opened: it is left to the editor, which speaks to the console and no one else."""

from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.browser.sdk.configs import experiment, mutate
from tests.browser.sdk.shop import Shop, html

pytestmark = pytest.mark.browser

NONCE = "0f8fad5b-d9cb-469f-a165-70867728950e"
PAGE = html("<h1>Chairs</h1><a href='/other'>Other</a><script>svc.track('x'); seen = svc.flag('f', 7)</script>")
RUNNING = experiment({"mutations": [mutate("h1", "text", text="Running")]})
HEAR = """() => {
  window.heard = [];
  addEventListener("message", ({data, origin, source}) => {
    heard.push({...data, origin});
    if (window.answers && data.type === "hello") source.postMessage({...data, type: "begin"}, origin);
  });
}"""
SHOW = """([nonce, origin, target]) => shopWindow.postMessage({
  source: "svc-edit", nonce, type: "show", turn: 1, css: "", mutations: [{selector: "h1", action: "text", text: "Mine"}]
}, target)"""


@pytest.fixture
def console(shop: Shop, context: BrowserContext) -> Page:
    """The console, on another origin than the shop. The shop runs an experiment."""
    shop.console = f"http://localhost:{shop.port}"
    shop.experiments = [RUNNING]
    shop.page("/", PAGE)
    shop.page("/other", PAGE)
    shop.page("/console", html("<h1>Console</h1>", tag=""))
    return opener(context, shop.console)


def opener(context: BrowserContext, origin: str, *, answers: bool = True) -> Page:
    page = context.new_page()
    page.goto(f"{origin}/console")
    page.evaluate(HEAR)
    page.evaluate("(answers) => { window.answers = answers }", answers)
    return page


def opened(console: Page, shop: Shop, name: str = f"svc_edit=1,{NONCE}") -> Page:
    """The shop's page in a window of this name."""
    with console.expect_popup() as popup:
        console.evaluate("([url, name]) => { window.shopWindow = open(url, name) }", [f"{shop.url}/", name])
    popup.value.wait_for_load_state()
    return popup.value


def heard(console: Page, kind: str, count: int = 1) -> list[dict[str, Any]]:
    console.wait_for_function(
        "([kind, count]) => heard.filter(({type}) => type === kind).length >= count", arg=[kind, count]
    )
    messages: list[dict[str, Any]] = console.evaluate("(kind) => heard.filter(({type}) => type === kind)", kind)
    return messages


def test_page__opened_by_the_console__is_left_to_the_editor(console: Page, shop: Shop) -> None:
    page = opened(console, shop)
    assert heard(console, "ready") == [
        {"source": "svc-edit", "nonce": NONCE, "type": "ready", "origin": shop.url},
    ]
    assert heard(console, "hello")[0]["url"] == f"{shop.url}/"
    assert page.inner_text("h1") == "Chairs"
    console.evaluate(SHOW, [NONCE, "", shop.url])
    page.wait_for_function("document.querySelector('h1').textContent === 'Mine'")
    assert heard(console, "shown")[0]["matches"] == [1]
    assert page.evaluate("seen") == 7
    page.wait_for_timeout(2500)
    assert page.inner_text("h1") == "Mine"
    assert shop.attempts == []


def test_page__that_is_left_and_followed__belongs_to_the_same_editor(console: Page, shop: Shop) -> None:
    page = opened(console, shop)
    heard(console, "ready")
    page.evaluate("window.name = 'taken'")
    page.click("a")
    assert [message["nonce"] for message in heard(console, "ready", 2)] == [NONCE, NONCE]
    assert heard(console, "left")[0]["nonce"] == NONCE
    assert heard(console, "hello", 2)[1]["url"] == f"{shop.url}/other"


def test_page__opened_by_another_site__gives_it_nothing_and_becomes_an_ordinary_page(
    console: Page, shop: Shop, context: BrowserContext
) -> None:
    # The same machine by a third name: what answers is not the console.
    shop.console = "http://console.invalid"
    stranger = opener(context, f"http://localhost:{shop.port}")
    page = opened(stranger, shop)
    stranger.evaluate(SHOW, [NONCE, "", "*"])
    page.wait_for_function("document.querySelector('h1').textContent === 'Running'", timeout=10_000)
    assert stranger.evaluate("heard") == []
    assert page.evaluate("window.name") == ""
    assert page.evaluate("svc.assignments().length") == 1


def test_page__with_the_name_but_no_opener__is_an_ordinary_page(shop: Shop, console: Page) -> None:
    requests: list[str] = []
    page = console.context.new_page()
    page.on("request", lambda request: requests.append(request.url))
    page.goto(f"{shop.url}/other#svc_edit=1")
    page.evaluate("(name) => { window.name = name }", f"svc_edit=1,{NONCE}")
    page.goto(f"{shop.url}/?svc_edit=1#svc_edit=1,{NONCE}")
    assert page.inner_text("h1") == "Running"
    assert not [url for url in requests if "svc_edit" in url.split("#")[0] and ".js" in url]


@pytest.mark.parametrize("name", ["svc_edit=1", "svc_edit=1,"])
def test_window__without_a_nonce__shows_an_ordinary_page_at_once(console: Page, shop: Shop, name: str) -> None:
    page = opened(console, shop, name)
    page.wait_for_function("document.querySelector('h1').textContent === 'Running'", timeout=1500)
    assert console.evaluate("heard") == []


def test_console__that_does_not_answer__loses_the_page(console: Page, shop: Shop) -> None:
    console.evaluate("window.answers = false")
    page = opened(console, shop)
    page.wait_for_function("document.querySelector('h1').textContent === 'Running'", timeout=10_000)
    # A late answer finds no one.
    console.evaluate(SHOW, [NONCE, "", shop.url])
    page.wait_for_timeout(200)
    assert page.inner_text("h1") == "Running"


def test_message__with_another_nonce__is_not_heard(console: Page, shop: Shop) -> None:
    page = opened(console, shop)
    heard(console, "ready")
    for nonce in (None, "", "guessed"):
        console.evaluate(SHOW, [nonce, "", shop.url])
    page.wait_for_timeout(200)
    assert page.inner_text("h1") == "Chairs"


def test_deployment__without_a_console__gives_the_page_back_at_once(console: Page, shop: Shop) -> None:
    shop.console = ""
    page = opened(console, shop)
    page.wait_for_function("document.querySelector('h1').textContent === 'Running'", timeout=1500)
    assert console.evaluate("heard") == []
