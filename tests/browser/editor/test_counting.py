"""Counts of a selector on other pages, in what their server sends: on the shop's own pages and through the proxy."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Frame, Page

from abtest.storefront import packaged
from tests.browser.editor.test_moving import START
from tests.support.previewed import PreviewedShop, Received, served
from tests.support.previewing import Proxy, proxied_shop

pytestmark = pytest.mark.browser

HOME = """<!doctype html><title>Home</title><h1>Chairs</h1><a href="/lamp#top">Lamp</a><a href="lamp">Lamp</a>
<a href="/sofa?colour=red">Sofa</a><a href="https://other.example/">Other</a><a href="mailto:a@b.example">Mail</a>
<a href="/cart/add?id=1" rel="nofollow">Add</a><a href="/list.pdf" download>List</a>
<a href="/item/1" data-method="post">Buy</a>"""
LAMP = """<!doctype html><title>Lamp</title><script>document.write("<h1>Late</h1>"); window.ran = true;</script>
<noscript><h1>Without scripts</h1></noscript><template><h1>Template</h1></template><img src="/seen.png">
<ul><li><a href="/sofa">A</a><li>B<li>C</ul>"""
ASK = """([urls, selectors, isFresh]) => new Promise((done) => {
  const turn = heard.length;
  const mine = () => heard.filter((each) => each.type === "counted" && each.turn === turn);
  addEventListener("message", () => setTimeout(() => mine().length > urls.length && done(mine())));
  postMessage({source: "svc-edit", nonce: "n", type: "count", turn, selectors, urls, isFresh}, "*");
})"""


def _long(_: Received) -> tuple[int, dict[str, str], bytes]:
    return 200, {"content-type": "text/html"}, b"<!doctype html><h1>Long</h1>" + b"x" * 4_000_000


@pytest.fixture(scope="module")
def shop() -> Iterator[PreviewedShop]:
    shop = PreviewedShop()
    shop.page("/", HOME)
    shop.page("/strict", HOME, content_security_policy="connect-src 'none'; default-src 'self' 'unsafe-inline'")
    shop.page("/typed", HOME, content_security_policy="require-trusted-types-for 'script'; trusted-types svc test")
    shop.page("/lamp", LAMP)
    shop.page("/sofa", "<!doctype html><h1>Sofa</h1><h1>Bed</h1>")
    shop.page("/data", '{"h1": 1}', "application/json")
    shop.page("/go", "<!doctype html><meta http-equiv=Refresh content=\"0; URL='/sofa'\"><h1>Wait</h1>")
    shop.pages["/long"] = _long
    shop.pages["/latin"] = lambda _: (
        200,
        {"content-type": "text/html; charset=iso-8859-1"},
        "<!doctype html><h1 title='Größe'>Size</h1>".encode("iso-8859-1"),
    )
    for path, to in {"/Sale": "/sale/", "/login-only": "/sofa?login", "/away": "http://other.invalid/"}.items():
        shop.pages[path] = lambda _, to=to: (302, {"location": to}, b"")  # type: ignore[misc]
    shop.page("/sale/", "<!doctype html><h1>Sale</h1>")
    with served(shop.answer, "127.0.0.1") as host:
        shop.host = host
        yield shop


@pytest.fixture(scope="module")
def proxy(shop: PreviewedShop) -> Iterator[Proxy]:
    with proxied_shop(shop) as proxy:
        yield proxy


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    context.set_default_timeout(10_000)
    yield context.new_page()
    context.close()


def editing(page: Page, address: str) -> Frame:
    """Open a page, and start the editor in it, which is its own peer."""
    page.goto(address)
    page.evaluate(START, packaged("dist/editor.js"))
    page.evaluate('() => postMessage({source: "svc-edit", nonce: "n", type: "begin"}, "*")')
    page.wait_for_function('heard.some(({type}) => type === "ready")')
    return page.main_frame


def counted(
    frame: Frame, urls: list[str], *selectors: str, is_fresh: bool = False
) -> dict[str, tuple[str, str | int, list[int]]]:
    """Return by path the outcome, where it leads or which status it has, and the counts; "" is the page itself."""
    heard: list[dict[str, Any]] = frame.evaluate(ASK, [urls, selectors, is_fresh])
    return {each["url"]: (each["outcome"], each.get("to", each.get("status", "")), each["matches"]) for each in heard}


@pytest.mark.parametrize("way", ["live", "proxy"])
def test_selectors__on_other_pages__are_counted_in_what_the_server_sends(
    shop: PreviewedShop, proxy: Proxy, page: Page, way: str
) -> None:
    root = f"http://{shop.host}"
    frame = editing(page, f"{root}/" if way == "live" else proxy.address("/"))
    lamp, sofa, latin = f"{root}/lamp", f"{root}/sofa", f"{root}/latin"
    assert counted(frame, [latin], "h1[title='Größe']")[latin] == ("counted", "", [1])
    shop.received.clear()
    counts = counted(frame, [lamp, sofa], "h1", "li", "h1[", "a[href='/sofa']")
    assert counts[""][2][:3] == [1, 0, -1]
    assert counts[lamp] == ("counted", "", [0, 3, -1, 1])
    assert counts[sofa] == ("counted", "", [2, 0, -1, 0])
    # Nothing of the page ran or loaded, and each page is requested once.
    assert counted(frame, [lamp], "li")[lamp][2] == [3]
    assert sorted(each.path for each in shop.received) == ["/lamp", "/sofa"]
    assert counted(frame, [lamp], "li", is_fresh=True)[lamp][2] == [3]
    assert len(shop.requests_of("/lamp")) == 2
    assert frame.evaluate("window.ran") is None


@pytest.mark.parametrize("way", ["live", "proxy"])
def test_page__that_cannot_be_counted__is_named_as_what_it_is(
    shop: PreviewedShop, proxy: Proxy, page: Page, way: str
) -> None:
    root = f"http://{shop.host}"
    frame = editing(page, f"{root}/" if way == "live" else proxy.address("/"))
    expected = {
        "/data": ("other", "", []),
        "/long": ("large", "", []),
        "/gone": ("status", 404, []),
        "/login-only": ("elsewhere", f"{root}/sofa?login", []),
        "/away": ("elsewhere", "", []),
        "/go": ("elsewhere", f"{root}/sofa", []),
        "/Sale": ("counted", "", [1]),
    }
    counts: dict[str, Any] = {}
    for path in expected:
        counts |= counted(frame, [f"{root}{path}"], "h1")
    assert {path: counts[f"{root}{path}"] for path in expected} == expected
    frame.evaluate(
        """() => {
          const patient = AbortSignal.timeout;
          AbortSignal.timeout = () => AbortSignal.abort(new DOMException("", "TimeoutError"));
          window.restore = () => { AbortSignal.timeout = patient; };
        }"""
    )
    assert counted(frame, [f"{root}/lamp"], "h1")[f"{root}/lamp"] == ("late", "", [])
    frame.evaluate("restore()")
    foreign = "https://other.example/"
    shop.received.clear()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    assert counted(frame, [foreign, "javascript:alert(1)", "/lamp"], "h1")[foreign] == ("unread", "", [])
    assert (requests, shop.received) == ([], [])


def test_page__with_policies__is_counted_where_they_allow_it(shop: PreviewedShop, page: Page) -> None:
    root = f"http://{shop.host}"
    page.goto(f"{root}/typed")
    page.evaluate("""() => {
      const policy = trustedTypes.createPolicy("test", {createScript: (text) => text});
      const text = Object.getOwnPropertyDescriptor(HTMLScriptElement.prototype, "textContent") ??
        Object.getOwnPropertyDescriptor(Node.prototype, "textContent");
      Object.defineProperty(HTMLScriptElement.prototype, "textContent", {
        set(value) { text.set.call(this, policy.createScript(value)); },
      });
    }""")
    page.evaluate(START, packaged("dist/editor.js"))
    page.evaluate('() => postMessage({source: "svc-edit", nonce: "n", type: "begin"}, "*")')
    assert counted(page.main_frame, [f"{root}/sofa"], "h1")[f"{root}/sofa"] == ("counted", "", [2])
    frame = editing(page, f"{root}/strict")
    shop.received.clear()
    assert counted(frame, [f"{root}/sofa"], "h1")[f"{root}/sofa"] == ("unread", "", [])
    assert shop.received == []


@pytest.mark.parametrize("way", ["live", "proxy"])
def test_links__of_a_page__are_those_to_pages_of_its_origin_that_do_not_act(
    shop: PreviewedShop, proxy: Proxy, page: Page, way: str
) -> None:
    frame = editing(page, f"http://{shop.host}/" if way == "live" else proxy.address("/"))
    frame.evaluate('() => postMessage({source: "svc-edit", nonce: "n", type: "links"}, "*")')
    page.wait_for_function('heard.some(({type}) => type === "linked")')
    (links,) = frame.evaluate('heard.filter(({type}) => type === "linked")')
    assert links["urls"] == [f"http://{shop.host}/lamp", f"http://{shop.host}/sofa?colour=red"]
