"""A visitor goes on to another host of the shop and stays the same, by the edge's own routes; links never break."""

import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from abtest.domain.credentials.handover import Handover, make_handover
from abtest.domain.credentials.signing import browser_signature
from tests.browser.sdk.configs import experiment
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.edge import HandoverEdge, serve_edge
from tests.browser.sdk.shop import PATIENCE, SHOP_ID, Shop, html
from tests.support.storefronts import ROOTS

pytestmark = pytest.mark.browser

WHOLE = pytest.mark.whole_browser
VISITOR = "svc.visitorId()"
SEEN_EARLY = "<script>window.early = location.href</script>"


@pytest.fixture
def edge(shop: Shop) -> Iterator[HandoverEdge]:
    """The edge of a shop whose pages stand on 127.0.0.1 and are paid on localhost."""
    with serve_edge() as edge:
        edge.server.publish("localhost", shop_id=SHOP_ID)
        shop.runtime = {
            "events_signature": browser_signature(ROOTS, SHOP_ID),
            "handover": {
                "param": "svc_handover",
                "domains": ["localhost"],
                "timeout": 10_000,
                "ttl": 120,
                "signed": True,
                "url": edge.url,
            },
        }
        shop.experiments = [experiment({"mutations": [{"selector": "h1", "action": "text", "text": "New"}]})]
        there = f"http://localhost:{shop.port}/pay?a=%20b&c=d#part"
        links = (
            f'<a id="there" href="{there}">Pay</a><a id="tab" target="_blank" rel="noopener" href="{there}">Tab</a>'
            f'<form id="get" action="http://localhost:{shop.port}/pay"><input name="q" value="1"><button name="go" '
            f'value="yes">Go</button></form><form id="post" method="post" action="http://localhost:{shop.port}/pay?x=1">'
            "<input name=q><button>Go</button></form><a id='own' href='/own'>Own</a>"
        )
        shop.page("/", html(f"<h1>Old</h1>{links}"))
        shop.page("/own", html("<h1>Old</h1>", SEEN_EARLY))
        shop.page("/pay", html("<h1>Old</h1>", tag=f'<script src="/s.js"></script>{SEEN_EARLY}'))
        yield edge


def arrived(page: Page) -> str:
    """The visitor on the other host, once the page has begun."""
    page.wait_for_url(re.compile("//localhost:.*/pay"))
    page.wait_for_function(f"window.svc && {VISITOR}")
    return str(page.evaluate(VISITOR))


def requests(edge: HandoverEdge) -> list[str]:
    """Requests of the edge in order, each once even if it was repeated for want of a response."""
    kinds = ["verify" if path.endswith("/verify") else "mint" for path in edge.asked]
    return [kind for kind, before in zip(kinds, ["", *kinds], strict=False) if kind != before]


def test_link__hands_the_visitor_over_and_leaves_no_trace(shop: Shop, open_page: Open, edge: HandoverEdge) -> None:
    page = open_page()
    visitor = page.evaluate(VISITOR)
    page.click("#there")
    assert arrived(page) == visitor
    expected = f"http://localhost:{shop.port}/pay?a=%20b&c=d#part"
    assert page.evaluate("[location.href, early]") == [expected, expected]
    assert requests(edge) == ["mint", "verify"]
    assert page.inner_text("h1") == "New"
    page.reload()
    assert arrived(page) == visitor
    assert requests(edge) == ["mint", "verify"]
    page.go_back()
    assert page.get_attribute("#there", "href") == expected, "the link is as it was"


@pytest.mark.parametrize("how", ["#tab", pytest.param("ctrl", marks=WHOLE), pytest.param("middle", marks=WHOLE)])
def test_link__in_a_new_tab__stays_in_a_new_tab(open_page: Open, edge: HandoverEdge, how: str) -> None:
    page = open_page()
    visitor = page.evaluate(VISITOR)
    page.hover("#there" if how != "#tab" else how)
    with page.context.expect_page() as opened:
        if how == "#tab":
            page.click("#tab")
        else:
            page.hover("#there")
            page.dispatch_event("#there", "pointerdown", {"bubbles": True, "composed": True})
            wait_minted(edge)
            page.click("#there", **({"modifiers": ["Control"]} if how == "ctrl" else {"button": "middle"}))
    assert arrived(opened.value) == visitor
    assert page.url.endswith(f":{page.url.rsplit(':', 1)[1]}")
    assert "127.0.0.1" in page.url


def wait_minted(edge: HandoverEdge) -> None:
    """Until the edge has answered once, and the browser has had the time to hear it."""
    deadline = time.monotonic() + PATIENCE
    while not edge.answers and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.1)


@pytest.mark.parametrize("approach", ["hover", "focus"])
def test_link__that_may_be_followed__has_its_token_before_the_click(
    open_page: Open, edge: HandoverEdge, approach: str
) -> None:
    page = open_page()
    visitor = page.evaluate(VISITOR)
    getattr(page, approach)("#there")
    wait_minted(edge)
    assert requests(edge) == ["mint"]
    if approach == "focus":
        page.keyboard.press("Enter")
    else:
        page.click("#there")
    assert arrived(page) == visitor
    assert requests(edge) == ["mint", "verify"]


def test_page__that_is_touched_first__has_the_token_of_its_first_link(open_page: Open, edge: HandoverEdge) -> None:
    page = open_page()
    visitor = page.evaluate(VISITOR)
    press = "document.body.dispatchEvent(new PointerEvent('pointerdown', {bubbles: true, composed: true}))"
    page.evaluate(press)
    wait_minted(edge)
    page.evaluate(press)
    assert requests(edge) == ["mint"]
    page.evaluate("document.querySelector('#there').click()")
    assert arrived(page) == visitor
    assert requests(edge) == ["mint", "verify"]


def test_request__without_a_response__is_repeated_and_the_first_response_counts(
    shop: Shop, open_page: Open, edge: HandoverEdge
) -> None:
    edge.delays = [3 * PATIENCE]
    page = open_page()
    visitor = page.evaluate(VISITOR)
    page.click("#there")
    assert arrived(page) == visitor
    assert edge.asked[:2] == ["/_svc/handover"] * 2


@pytest.mark.parametrize("delay", [0, 0.4])
def test_clicks__one_after_another__have_a_token_each(open_page: Open, edge: HandoverEdge, delay: float) -> None:
    edge.delay = delay
    page = open_page()
    visitor = page.evaluate(VISITOR)
    page.evaluate("for (let i = 0; i < 3; i++) document.querySelector('#tab').click()")
    deadline = time.monotonic() + PATIENCE
    while len(page.context.pages) < 4 and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    opened = page.context.pages[1:]
    assert [arrived(each) for each in opened] == [visitor] * 3


def test_address__that_was_copied__gives_its_second_reader_another_visitor(
    shop: Shop, open_page: Open, edge: HandoverEdge
) -> None:
    page = open_page()
    visitor = page.evaluate(VISITOR)
    with page.expect_request(re.compile("/pay.*svc_handover=")) as followed:
        page.click("#there")
    assert arrived(page) == visitor
    browser = page.context.browser
    assert browser is not None
    reader = browser.new_context()
    try:
        theirs = reader.new_page()
        theirs.goto(followed.value.url)
        assert arrived(theirs) not in ("", visitor)
        assert theirs.inner_text("h1") == "New"
    finally:
        reader.close()


@pytest.mark.parametrize("modifiers", [[], pytest.param(["Control"], marks=WHOLE)])
def test_click__that_comes_before_the_token__waits_for_it(
    open_page: Open, edge: HandoverEdge, modifiers: list[Any]
) -> None:
    edge.delay = 0.5
    page = open_page()
    visitor = page.evaluate(VISITOR)
    if not modifiers:
        page.evaluate("document.querySelector('#there').click()")
        assert arrived(page) == visitor
        return
    with page.context.expect_page() as opened:
        page.click("#there", modifiers=modifiers)
    assert arrived(opened.value) == visitor
    assert "127.0.0.1" in page.url


def test_keyboard__hands_over_as_well(open_page: Open, edge: HandoverEdge) -> None:
    page = open_page()
    visitor = page.evaluate(VISITOR)
    page.focus("#there")
    page.keyboard.press("Enter")
    assert arrived(page) == visitor


@pytest.mark.parametrize("delay", [0, 0.4])
def test_form__by_get__carries_the_parameter_and_its_button(
    shop: Shop, open_page: Open, edge: HandoverEdge, delay: float
) -> None:
    edge.delay = delay
    page = open_page()
    visitor = page.evaluate(VISITOR)
    page.click("#get button")
    assert arrived(page) == visitor
    assert page.url == f"http://localhost:{shop.port}/pay?q=1&go=yes"


def test_form__by_post__carries_the_parameter_in_its_address(shop: Shop, open_page: Open, edge: HandoverEdge) -> None:
    page = open_page()
    page.route("**/pay?**", lambda route: route.fulfill(body="paid"))
    with page.expect_request(lambda request: request.method == "POST" and "/pay" in request.url) as sent:
        page.click("#post button")
    assert re.search(r"/pay\?x=1&svc_handover=v1\.", sent.value.url)


@pytest.mark.parametrize("failure", ["slow", "away", "refusing"])
def test_edge__that_fails__breaks_no_link(shop: Shop, open_page: Open, edge: HandoverEdge, failure: str) -> None:
    handover = shop.runtime["handover"]
    handover["timeout"] = 300
    if failure == "slow":
        edge.delay = 3 * PATIENCE
    elif failure == "away":
        handover["url"] = "http://127.0.0.1:9/_svc/handover"
    else:
        edge.server.publish("elsewhere.example", shop_id=SHOP_ID)
    page = open_page()
    visitor = page.evaluate(VISITOR)
    page.click("#there")
    page.wait_for_url(re.compile("//localhost:.*/pay"))
    assert failure != "slow" or edge.answers == [], "nobody waits for it"
    assert arrived(page) != visitor
    page.go_back()
    page.click("#get button")
    page.wait_for_url(re.compile(r"//localhost:.*/pay\?q=1&go=yes$"))


def test_click__that_the_page_has_taken_over__is_left_to_it(open_page: Open, edge: HandoverEdge) -> None:
    page = open_page()
    page.evaluate("document.body.addEventListener('click', (event) => event.preventDefault())")
    edge.delay = 0.3
    page.click("#there")
    page.evaluate("new Promise((resolve) => setTimeout(resolve, 700))")
    assert "127.0.0.1" in page.url


def test_link__within_the_host_or_to_others__is_none_of_ours(open_page: Open, edge: HandoverEdge) -> None:
    page = open_page()
    page.evaluate("for (const link of document.querySelectorAll('#there, #tab')) link.remove()")
    page.evaluate(
        """() => { for (const href of ['javascript:void(0)', 'mailto:a@localhost', 'http://localhost.evil.example/',
          'http://notlocalhost/', 'ftp://localhost/', '#x', 'http://[']) {
          const link = document.createElement('a'); link.href = href; link.textContent = 'x';
          link.addEventListener('click', (event) => event.preventDefault());
          document.body.append(link);
          link.dispatchEvent(new PointerEvent('pointerdown', {bubbles: true}));
          link.click(); } }"""
    )
    page.click("#own")
    page.wait_for_url(re.compile("/own$"))
    assert edge.asked == []


@pytest.mark.parametrize("tamper", ["nonsense", "changed", "other host", "expired", "slow"])
def test_token__that_does_not_hold__leaves_the_own_visitor(
    shop: Shop, context: BrowserContext, edge: HandoverEdge, tamper: str
) -> None:
    destination = "sub.localhost" if tamper == "other host" else "localhost"
    signed = {"_shopId": SHOP_ID, "_signature": browser_signature(ROOTS, SHOP_ID)}
    stolen = "f" * 32
    token = edge.server.ask("/_svc/handover", {**signed, "visitorId": stolen, "destination": destination}).json["token"]
    if tamper == "nonsense":
        token = "%00%ff<script>"
    elif tamper == "changed":
        token = token[:-2] + ("AA" if not token.endswith("AA") else "BB")
    elif tamper == "expired":
        token = expired(stolen)
    else:
        shop.runtime["handover"]["timeout"], edge.delay = 200, 1 if tamper == "slow" else 0
    page = context.new_page()
    page.goto(f"http://localhost:{shop.port}/pay?svc_handover={token}&b=1")
    assert arrived(page) not in ("", stolen)
    assert page.url == f"http://localhost:{shop.port}/pay?b=1"
    page.wait_for_function("document.querySelector('h1').textContent === 'New'")
    page.evaluate("new Promise((resolve) => setTimeout(resolve, 1200))")
    assert page.evaluate(VISITOR) != stolen, "an answer that came too late"


def expired(visitor: str) -> str:
    """A token of ours that is over."""
    handover = Handover(shop_id=SHOP_ID, visitor_id=visitor, destination="localhost", expires_at=1_700_000_000)
    return make_handover(ROOTS, handover, "1")


def test_visitor__who_was_there_before__becomes_the_one_handed_over(
    shop: Shop, open_page: Open, edge: HandoverEdge
) -> None:
    page = open_page()
    visitor = page.evaluate(VISITOR)
    page.goto(f"http://localhost:{shop.port}/pay")
    other = arrived(page)
    page.goto(shop.url)
    page.click("#there")
    assert arrived(page) == visitor != other
    sessions = {event["sessionId"] for event in shop.wait_events("pageview", 4) if event["visitorId"] == other}
    assert all(event["sessionId"] not in sessions for event in shop.events() if event["visitorId"] == visitor)


def test_unsigned__carries_the_id_as_it_is(shop: Shop, open_page: Open, edge: HandoverEdge) -> None:
    shop.runtime["handover"]["signed"] = False
    page = open_page()
    visitor = page.evaluate(VISITOR)
    page.click("#there")
    assert arrived(page) == visitor
    assert edge.asked == []
    for other in ("<bad>", "short", "x" * 65, "0123456789abcde.", "0123456789abcdef;"):
        page.goto(f"http://localhost:{shop.port}/pay?svc_handover={other}")
        assert arrived(page) == visitor


def test_consent__is_asked_before_anything_is_minted_or_verified(
    shop: Shop, open_page: Open, edge: HandoverEdge
) -> None:
    shop.runtime["consent"] = {"read": shop.script("return undefined"), "events": []}
    page = open_page()
    page.click("#there")
    page.wait_for_url(re.compile("//localhost:.*/pay"))
    page.goto(f"http://localhost:{shop.port}/pay?svc_handover=v1.k1.a.b")
    assert page.evaluate("[location.search, svc.visitorId()]") == ["", ""]
    assert edge.asked == []
