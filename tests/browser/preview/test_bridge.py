"""Previewed pages in a frame of another origin: all that they load and where they lead goes through the proxy."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Frame, Page

from tests.browser.preview.conftest import heard, shown
from tests.support.previewed import PreviewedShop, Received, served
from tests.support.previewing import Proxy, proxied_shop

pytestmark = pytest.mark.browser

LOADERS = """<!doctype html><html><head><title>Loaders</title>
<script type="importmap">{"imports": {"lib": "/js/lib.js"}}</script>
<script src="js/app.js"></script>
<script type="module">import lib from 'lib'; import './js/inline.js'; done('import map ' + lib);</script>
</head><body><a id=link href=/next>next</a><a id=place href="#there">there</a>
<a id=away href="https://elsewhere.example/">away</a>
<form id=search action=/search><input name=q value="red shoes"><button id=go>find</button></form>
<form id=login action=/login method=post><input name=user value=me><button id=enter>enter</button></form>
<div id=there></div></body></html>"""

APP = """
window.finished = [];
window.done = (way) => finished.push(way);
window.load = async () => {
  done('fetch ' + await (await fetch('/data?fetch')).text());
  done('request ' + await (await fetch(new Request('data?request', { method: 'POST', body: 'b' }))).text());
  await new Promise((ready) => {
    const xhr = new XMLHttpRequest();
    xhr.onload = () => { done('xhr ' + xhr.responseText); ready(); };
    xhr.open('GET', '/data?xhr');
    xhr.send();
  });
  navigator.sendBeacon('/data?beacon', 'b');
  await new Promise((ready) => {
    const source = new EventSource('/events');
    source.onmessage = ({ data }) => { done('events ' + data); source.close(); ready(); };
  });
  done('import ' + (await import('./module.js')).name);
  done('rooted ' + (await import('/js/rooted.js')).name);
  await new Promise((ready) => {
    new Worker('/js/worker.js').onmessage = ({ data }) => { done('worker ' + data); ready(); };
  });
  await new Promise((ready) => {
    const script = document.createElement('script');
    script.src = '/js/late.js';
    script.onload = ready;
    document.head.append(script);
  });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("@font-face { font-family: late; src: url('/late.woff2') }");
  document.adoptedStyleSheets = [sheet];
  await document.fonts.load('10px late').catch(() => {});
  await new Promise((ready) => {
    const style = document.createElement('link');
    style.rel = 'stylesheet';
    style.setAttribute('href', 'late.css');
    style.onload = ready;
    document.head.append(style);
  });
  done('style ' + getComputedStyle(document.body).color);
};
"""


def _echo(request: Received) -> tuple[int, dict[str, str], bytes]:
    return (
        200,
        {"content-type": "text/plain"},
        ("session" if "sid=1" in request.headers.get("cookie", "") else "none").encode(),
    )


def _login(request: Received) -> tuple[int, dict[str, str], bytes]:
    return 303, {"location": "/account", "set-cookie": f"user={request.body.partition('=')[2]}; Path=/"}, b""


@pytest.fixture(scope="module")
def shop() -> Iterator[PreviewedShop]:
    shop = PreviewedShop()
    cookies = {"set_cookie": "sid=1; Path=/; HttpOnly"}
    shop.page("/", "<!doctype html><title>Home</title>home", **cookies, x_frame_options="DENY")
    shop.page("/shop/loaders", LOADERS, content_security_policy="default-src 'self'; frame-ancestors 'none'")
    shop.page("/shop/js/app.js", APP, "text/javascript")
    shop.page("/shop/js/inline.js", "done('inline')", "text/javascript")
    shop.page("/js/lib.js", "export { name as default } from './rooted.js';", "text/javascript")
    shop.page("/shop/js/module.js", "export { name } from '/js/rooted.js';", "text/javascript")
    shop.page("/js/rooted.js", "export const name = 'rooted';", "text/javascript")
    shop.page("/js/worker.js", "importScripts('part.js'); postMessage(part);", "text/javascript")
    shop.page("/js/part.js", "self.part = 'part';", "text/javascript")
    shop.page("/js/late.js", "done('late');", "text/javascript")
    shop.page("/shop/late.css", "@import 'more.css';", "text/css")
    shop.page("/shop/more.css", "body { color: rgb(1, 2, 3) }", "text/css")
    shop.page("/events", "data: event\n\n", "text/event-stream")
    shop.page("/next", "<!doctype html><title>Next</title><h1>next</h1>")
    shop.page("/account", "<!doctype html><title>Account</title>")
    shop.page("/search", "<!doctype html><title>Search</title>")
    shop.page(
        "/busting",
        "<!doctype html><title>Busting</title><script>try { top.location = self.location } catch (error) {}"
        "alert('1'); confirm('2'); navigator.serviceWorker.register('/sw.js').catch(() => {});"
        "document.title = 'Contained'</script>",
    )
    shop.pages["/shop/data"] = shop.pages["/data"] = _echo
    shop.pages["/login"] = _login
    with served(shop.answer, "shop.example") as host:
        shop.host = host
        yield shop


@pytest.fixture
def proxy(shop: PreviewedShop) -> Iterator[Proxy]:
    shop.received.clear()
    with proxied_shop(shop) as proxy:
        yield proxy


def opened(page: Page, proxy: Proxy, path: str) -> Frame:
    """The frame with a page of the shop, after the shop's first page has set its cookie."""
    return shown(page, proxy.address("/"), proxy.address(path))


def wait_for(frame: Frame, title: str) -> None:
    """Wait until the frame shows a page of this title, with its bridge."""
    frame.page.wait_for_function(
        "(title) => heard.some((one) => one.type === 'navigated' && one.title === title)", arg=title
    )


def test_loading__in_each_way_of_a_script__goes_through_the_proxy(
    page: Page, proxy: Proxy, shop: PreviewedShop
) -> None:
    frame = opened(page, proxy, "/shop/loaders")
    frame.evaluate("load()")
    assert sorted(frame.evaluate("finished")) == [
        "events event",
        "fetch session",
        "import map rooted",
        "import rooted",
        "inline",
        "late",
        "request session",
        "rooted rooted",
        "style rgb(1, 2, 3)",
        "worker part",
        "xhr session",
    ]
    page.wait_for_timeout(100)
    assert {"/data?fetch", "/shop/data?request", "/data?xhr", "/data?beacon"} <= {one.path for one in shop.received}
    # Only the proxy knows the session's cookie: a request without it came from the browser itself.
    direct = [one.path for one in shop.received[1:] if "sid=1" not in one.headers.get("cookie", "")]
    assert direct == []
    assert shop.requests_of("/late.woff2")
    assert {one.headers["referer"] for one in shop.requests_of("/data")} == {f"http://{shop.host}/shop/loaders"}


@pytest.mark.parametrize(
    ("action", "path", "title"),
    [
        ("link.click()", "/next", "Next"),
        ("location.href = '/next'", "/next", "Next"),
        ("location.assign('../next')", "/next", "Next"),
        (
            "const a = document.createElement('a'); a.href = '/next'; document.body.append(a); a.click()",
            "/next",
            "Next",
        ),
        (
            "document.body.insertAdjacentHTML('beforeend', '<a id=late href=/next>x</a>'); late.click()",
            "/next",
            "Next",
        ),
        ("go.click()", "/search?q=red+shoes", "Search"),
        ("search.submit()", "/search?q=red+shoes", "Search"),
        ("search.action = '/next'; go.click()", "/next?q=red+shoes", "Next"),
        ("enter.click()", "/account", "Account"),
        ("login.submit()", "/account", "Account"),
        ("order({ type: 'navigate', url: '/next' })", "/next", "Next"),
    ],
)
def test_navigation__of_each_kind__stays_in_the_preview(
    page: Page, proxy: Proxy, shop: PreviewedShop, action: str, path: str, title: str
) -> None:
    frame = opened(page, proxy, "/shop/loaders")
    (page if action.startswith("order") else frame).evaluate(f"() => {{ {action} }}")
    wait_for(frame, title)
    assert frame.url.startswith(f"{proxy.base}/api/preview?")
    assert heard(page, "navigated")[-1]["url"] == f"http://{shop.host}{path}"
    assert frame.evaluate("document.URL") == f"http://{shop.host}{path}"
    assert shop.requests_of(path.partition("?")[0])[-1].path == path


def test_page__in_the_preview__reports_its_address_and_what_was_blocked(
    page: Page, proxy: Proxy, shop: PreviewedShop
) -> None:
    frame = opened(page, proxy, "/shop/loaders")
    here = f"http://{shop.host}/shop/loaders"
    assert heard(page, "hello")[-1]["url"] == here
    assert {one["origin"] for one in page.evaluate("heard")} == {proxy.base}
    frame.evaluate("place.click()")
    page.wait_for_function("(url) => heard.some((one) => one.url === url)", arg=f"{here}#there")
    frame.evaluate("history.pushState({}, '', '/shop/pushed?a=1')")
    page.wait_for_function("(url) => heard.some((one) => one.url === url)", arg=f"http://{shop.host}/shop/pushed?a=1")
    assert frame.evaluate("__svcPreview.url()") == f"http://{shop.host}/shop/pushed?a=1"
    frame.evaluate("away.click()")
    page.wait_for_function("heard.some((one) => one.type === 'blocked')")
    blocked = heard(page, "blocked")[-1]
    assert (blocked["reason"], blocked["blocked"]) == ("host", "https://elsewhere.example/")
    assert frame.evaluate("document.title") == "Loaders"


def test_cookies__of_scripts__are_the_session_s(page: Page, proxy: Proxy, shop: PreviewedShop) -> None:
    frame = opened(page, proxy, "/shop/loaders")
    assert frame.evaluate("document.cookie") == ""
    frame.evaluate("document.cookie = 'a=1; Path=/'; document.cookie = 'b=2'; document.cookie = 'a=3; Path=/'")
    assert frame.evaluate("document.cookie") == "b=2; a=3"
    frame.evaluate("document.cookie = 'b=; Max-Age=0'")
    assert frame.evaluate("document.cookie") == "a=3"
    page.wait_for_timeout(200)
    frame.evaluate("enter.click()")
    wait_for(frame, "Account")
    assert frame.evaluate("document.cookie") in ("a=3; user=me", "user=me; a=3")
    assert "a=3" in shop.requests_of("/account")[-1].headers["cookie"]
    assert page.context.cookies() == []


def test_page__that_breaks_out_of_frames__is_contained(page: Page, proxy: Proxy, console: str) -> None:
    page.on("dialog", lambda dialog: dialog.dismiss())
    frame = opened(page, proxy, "/busting")
    wait_for(frame, "Contained")
    assert page.url == console
    assert [one["reason"] for one in heard(page, "blocked")] == ["service_worker"]


def test_message__of_another_window__is_ignored(page: Page, proxy: Proxy) -> None:
    frame = opened(page, proxy, "/shop/loaders")
    frame.evaluate("window.postMessage({ source: 'svc-preview', type: 'navigate', url: '/next' }, '*')")
    page.evaluate("order({ type: 'navigate', url: 'https://elsewhere.example/' })")
    page.evaluate("frame.contentWindow.postMessage('nonsense', '*')")
    page.wait_for_timeout(200)
    assert frame.evaluate("document.title") == "Loaders"
    assert json.loads(frame.evaluate("JSON.stringify(finished)")) == frame.evaluate("finished")


def test_cookies__written_fast__are_kept_in_their_order_also_when_the_page_is_left(
    page: Page, proxy: Proxy, shop: PreviewedShop
) -> None:
    frame = opened(page, proxy, "/shop/loaders")
    for number in range(20):
        frame.evaluate("number => { document.cookie = `n=${number}; Path=/` }", number)
    frame.evaluate("for (let n = 20; n < 75; n++) document.cookie = `n=${n}; Path=/`")
    page.wait_for_timeout(300)
    frame.evaluate("for (let n = 75; n < 90; n++) document.cookie = `n=${n}; Path=/`; location.assign('/next')")
    wait_for(frame, "Next")
    page.wait_for_timeout(300)
    shown(page, proxy.address("/account"))
    assert "n=89" in shop.requests_of("/account")[-1].headers["cookie"]
