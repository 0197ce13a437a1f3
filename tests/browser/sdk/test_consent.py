"""Strict consent: nothing before it is given, all without a reload once it is, nothing left when it is taken back."""

import pytest
from playwright.sync_api import BrowserContext, Page, Route

from tests.browser.sdk.configs import experiment, goal
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, html

pytestmark = pytest.mark.browser

WATCH = """
  window.touched = [];
  const cookie = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie');
  Object.defineProperty(Document.prototype, 'cookie', {
    get() { return cookie.get.call(this); },
    set(value) { touched.push('cookie ' + value); cookie.set.call(this, value); } });
  for (const name of ['setItem', 'removeItem', 'clear']) {
    const original = Storage.prototype[name];
    Storage.prototype[name] = function () {
      touched.push(name + ' ' + arguments[0]); return original.apply(this, arguments); };
  }
  for (const name of ['open', 'deleteDatabase']) {
    const original = indexedDB[name].bind(indexedDB);
    indexedDB[name] = (...given) => { touched.push('indexedDB'); return original(...given); };
  }"""
TITLE = "document.querySelector('h1').textContent"


class Traffic:
    """What left the browser, told by the browser itself."""

    def __init__(self, page: Page) -> None:
        self.requests: list[str] = []
        self.cookies: list[str] = []
        session = page.context.new_cdp_session(page)
        session.on("Network.requestWillBeSent", lambda told: self._sent(told["request"]["url"]))
        session.on("Network.responseReceivedExtraInfo", self._headers)
        session.send("Network.enable")

    def _sent(self, url: str) -> None:
        if not url.endswith("/favicon.ico"):
            self.requests.append(url)

    def _headers(self, told: dict[str, dict[str, str]]) -> None:
        self.cookies += [value for name, value in told["headers"].items() if name.lower() == "set-cookie"]


@pytest.fixture
def shop_asking(shop: Shop) -> Shop:
    """A shop whose snippet asks the page's own `answer`."""
    shop.runtime["consent"] = {"read": shop.script("return window.answer"), "events": ["answered"]}
    shop.experiments = [
        experiment(
            {"mutations": [{"selector": "h1", "action": "text", "text": "New"}]}, goals=[goal("click", selector="a")]
        )
    ]
    shop.page("/", html("<h1>Old</h1><a href='#x'>Link</a>"))
    shop.page("/next", html("<h1>Old</h1>"))
    return shop


def settle(page: Page) -> None:
    """Longer than events are gathered, and than a provider is given."""
    page.evaluate("new Promise((resolve) => setTimeout(resolve, 700))")


def test_before_consent__nothing_is_kept_sent_or_shown(shop_asking: Shop, context: BrowserContext) -> None:
    context.add_init_script(WATCH)
    page = context.new_page()
    traffic = Traffic(page)
    page.goto(shop_asking.url)
    page.click("a")
    page.evaluate(
        """() => {
          svc.track('early'); svc.set({country: 'DE'}); svc.ready(() => { throw new Error('theirs') });
          history.pushState(null, '', '/other'); dispatchEvent(new Event('online'));
          dispatchEvent(new Event('pagehide'));
          window.answer = undefined; dispatchEvent(new Event('answered'));
        }"""
    )
    settle(page)
    assert page.evaluate("[svc.visitorId(), svc.assignments(), svc.cart()]") == ["", [], {}]
    assert page.evaluate(TITLE) == "Old"
    page.goto(f"{shop_asking.url}/next")
    settle(page)
    page.evaluate("1")
    assert sorted({url.removeprefix(shop_asking.url) for url in traffic.requests}) == ["/", "/next", "/s.js"]
    assert traffic.cookies == []
    assert page.evaluate("touched") == []
    assert context.cookies() == []
    assert shop_asking.attempts == []


def test_denied__nothing_is_kept_sent_or_shown(shop_asking: Shop, context: BrowserContext) -> None:
    context.add_init_script(f"{WATCH};window.answer = false;")
    page = context.new_page()
    traffic = Traffic(page)
    page.goto(shop_asking.url)
    page.evaluate("svc.track('never'); svc.consent(false)")
    settle(page)
    assert sorted({url.removeprefix(shop_asking.url) for url in traffic.requests}) == ["/", "/s.js"]
    assert page.evaluate("[touched, document.cookie]") == [[], ""]
    assert page.evaluate(TITLE) == "Old"


@pytest.mark.parametrize(
    "grant", ["svc.consent(true)", "answer = true; dispatchEvent(new Event('answered'))"], ids=["page", "provider"]
)
def test_granted__starts_without_a_reload_and_counts_once(shop_asking: Shop, open_page: Open, grant: str) -> None:
    page = open_page()
    page.evaluate("svc.track('before')")
    page.evaluate(grant)
    page.wait_for_function(f"{TITLE} === 'New'")
    shop_asking.wait_events("pageview")
    kinds = [event["type"] for event in shop_asking.events()]
    assert sorted(kinds) == ["consent", "custom", "experiment_viewed", "pageview"]
    [told] = shop_asking.events("consent")
    assert told["data"] == {"granted": True}
    assert told["visitorId"] == page.evaluate("svc.visitorId()")
    page.evaluate(f"{grant}; svc.consent(true); svc.track('after')")
    shop_asking.wait_events("custom", 2)
    assert len(shop_asking.events("consent")) == 1
    following = open_page("/next", page)
    following.evaluate("window.answer = true; dispatchEvent(new Event('answered'))")
    shop_asking.wait_events("pageview", 2)
    assert len(shop_asking.events("consent")) == 1, "once a session"


def test_event_in_the_data_layer__has_the_provider_asked(shop_asking: Shop, open_page: Open) -> None:
    shop_asking.page("/", html("<h1>Old</h1>", "<script>window.dataLayer = []</script>"))
    page = open_page()
    page.evaluate("window.answer = true; dataLayer.push({event: 'other'})")
    assert page.evaluate("svc.visitorId()") == ""
    page.evaluate("dataLayer.push(null, 'x', {event: 'answered'})")
    assert page.evaluate("svc.visitorId()") != ""


def test_push__that_throws_when_it_is_looked_at__throws_nothing_at_the_page(shop_asking: Shop, open_page: Open) -> None:
    shop_asking.page("/", html("<h1>Old</h1>", "<script>window.dataLayer = []</script>"))
    page = open_page()
    lengths = """() => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return [{ get event() { throw new Error('theirs') } }, proxy, null].map((item) => dataLayer.push(item)) }"""
    assert page.evaluate(lengths) == [1, 2, 3]


@pytest.mark.parametrize(
    "revoke",
    ["svc.consent(false)", "answer = false; document.dispatchEvent(new Event('answered'))",
     "answer = undefined; dispatchEvent(new Event('answered'))"],
    ids=["page", "provider", "reset"],
)  # fmt: skip
def test_revoked__takes_everything_back(shop_asking: Shop, context: BrowserContext, revoke: str) -> None:
    context.add_init_script("if (!sessionStorage.no) window.answer = true")
    page = context.new_page()
    page.goto(shop_asking.url)
    shop_asking.wait_events("pageview")
    page.evaluate("localStorage.setItem('svc_kept', '1'); localStorage.setItem('theirs', '1')")
    context.set_offline(True)
    page.evaluate("svc.track('undelivered')")
    page.wait_for_function("Object.keys(localStorage).some((name) => name.startsWith('svc_q.'))")
    page.evaluate(f"sessionStorage.no = 1; svc.track('waiting'); {revoke}; svc.track('later')")
    page.wait_for_function(f"{TITLE} === 'Old'")
    assert page.evaluate("[svc.visitorId(), svc.assignments(), document.cookie]") == ["", [], ""]
    assert page.evaluate("Object.keys(localStorage)") == ["theirs"]
    context.set_offline(False)
    before = len(shop_asking.attempts)
    page.click("a")
    settle(page)
    page.goto(f"{shop_asking.url}/next")
    settle(page)
    assert shop_asking.attempts[before:] == []
    assert shop_asking.events("custom") == []
    assert context.cookies() == []


def test_revoked__before_a_request_is_refused_as_too_large__does_not_send_its_events_again(
    shop_asking: Shop, context: BrowserContext
) -> None:
    page = context.new_page()
    answered_late: list[Route] = []
    page.route("**/events", lambda route: answered_late.append(route))
    page.goto(shop_asking.url)
    page.evaluate("window.answer = true; dispatchEvent(new Event('answered')); svc.track('a'); svc.track('b')")
    settle(page)
    page.evaluate("svc.consent(false)")
    [route] = answered_late
    route.fulfill(status=413, headers={"access-control-allow-origin": "*"})
    page.wait_for_timeout(200)
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    settle(page)
    assert len(answered_late) == 1


def test_revoked_inside_a_turn__leaves_no_cookie(shop_asking: Shop, open_page: Open) -> None:
    shop_asking.page("/", html("<h1>Old</h1>", "<script>window.answer = true</script>"))
    page = open_page()
    page.evaluate("svc.ready((api) => { api.track('x'); api.consent(false); })")
    assert page.evaluate("document.cookie") == ""


def test_granted_again__is_another_visitor(shop_asking: Shop, open_page: Open) -> None:
    page = open_page()
    page.evaluate("svc.consent(true)")
    first = page.evaluate("svc.visitorId()")
    page.wait_for_function(f"{TITLE} === 'New'")
    page.evaluate("svc.consent(false)")
    page.wait_for_function(f"{TITLE} === 'Old'")
    page.evaluate("svc.consent(true)")
    page.wait_for_function(f"{TITLE} === 'New'")
    assert page.evaluate("svc.visitorId()") not in ("", first)


def test_reader__that_throws_or_is_missing__is_no_consent(shop_asking: Shop, open_page: Open) -> None:
    for read in (shop_asking.script("throw new Error('broken')"), 99):
        shop_asking.runtime["consent"] = {"read": read, "events": []}
        page = open_page()
        settle(page)
        assert page.evaluate("svc.visitorId()") == ""
    assert shop_asking.attempts == []
