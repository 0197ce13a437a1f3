"""What could not be delivered waits in storage for the next try, page or tab, and arrives once."""

from collections import Counter
from time import monotonic

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.browser.sdk.configs import experiment
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, html

pytestmark = pytest.mark.browser

KEPT = "Object.keys(localStorage).filter((name) => name.startsWith('svc_q.')).length"

SOON = 6.0
"""Seconds; a request that is taken for a failed one is repeated later than that."""


def names(shop: Shop) -> Counter[str]:
    """How often each custom event was accepted."""
    return Counter(event["data"]["event_name"] for event in shop.events("custom"))


def assert_each_once(shop: Shop) -> None:
    """Every event that a server counted, it counted once."""
    assert set(Counter(event["eventId"] for event in shop.events()).values()) == {1}


def kept(page: Page, count: int) -> None:
    """Wait until so many batches lie in storage."""
    page.wait_for_function(f"{KEPT} === {count}")


def leave(page: Page) -> None:
    """Close the tab as people do."""
    with page.expect_event("close"):
        page.close(run_before_unload=True)


@pytest.fixture
def page(shop: Shop, open_page: Open) -> Page:
    """A page whose first events have arrived."""
    shop.experiments = [experiment()]
    shop.page("/", html("<h1>Here</h1>"))
    opened = open_page()
    shop.wait_events("pageview")
    return opened


def test_delivered_events__leave_nothing_in_storage(page: Page, shop: Shop) -> None:
    page.evaluate("svc.track('a')")
    shop.wait_events("custom")
    assert page.evaluate("localStorage.length") == 0


def test_offline__then_online__arrives_once_and_storage_is_empty_again(
    page: Page, shop: Shop, context: BrowserContext
) -> None:
    context.set_offline(True)
    page.evaluate("svc.track('first')")
    kept(page, 1)
    page.evaluate("svc.track('second')")
    context.set_offline(False)
    shop.wait(lambda: names(shop) == {"first": 1, "second": 1})
    kept(page, 0)
    assert_each_once(shop)


def test_page_closed__while_offline__is_sent_by_the_next_page(page: Page, shop: Shop, context: BrowserContext) -> None:
    context.set_offline(True)
    page.evaluate("svc.track('tried')")
    kept(page, 1)
    page.evaluate("svc.track('waiting')")
    leave(page)
    context.set_offline(False)
    following = context.new_page()
    following.goto(shop.url)
    shop.wait(lambda: names(shop) == {"tried": 1, "waiting": 1})
    kept(following, 0)
    assert_each_once(shop)
    sent = [event for event in shop.events("custom") if event["data"]["event_name"] == "waiting"]
    assert sent[0]["url"] == f"{shop.url}/"


def test_tab_closed__right_after_an_event_while_offline__loses_nothing(
    page: Page, shop: Shop, context: BrowserContext
) -> None:
    context.set_offline(True)
    page.evaluate("svc.track('last words')")
    leave(page)
    context.set_offline(False)
    context.new_page().goto(shop.url)
    shop.wait(lambda: names(shop) == {"last words": 1})
    assert_each_once(shop)


def test_server_that_fails__when_the_page_is_left__gets_the_events_from_the_next_page(
    page: Page, shop: Shop, context: BrowserContext
) -> None:
    shop.answers = [(503, {"retry-after": "30"})]
    page.evaluate("svc.track('refused')")
    kept(page, 1)
    page.evaluate("svc.track('waiting')")
    page.goto(shop.url)
    shop.wait(lambda: names(shop) == {"refused": 1, "waiting": 1})
    assert_each_once(shop)


def test_two_tabs__that_come_online_at_once__leave_nothing__and_what_both_send_has_one_id(
    shop: Shop, context: BrowserContext
) -> None:
    shop.page("/", html(""))
    tabs = [context.new_page(), context.new_page()]
    for tab in tabs:
        tab.goto(shop.url)
    shop.wait(lambda: len(shop.events("pageview")) == 2)
    context.set_offline(True)
    for number, tab in enumerate(tabs):
        tab.evaluate(f"svc.track('tab {number}')")
    kept(tabs[0], 2)
    context.set_offline(False)
    shop.wait(lambda: names(shop).keys() == {"tab 0", "tab 1"})
    for tab in tabs:
        kept(tab, 0)
    assert len({event["eventId"] for event in shop.events("custom")}) == 2


def test_stored_batch__that_is_too_large_for_the_server__is_split(
    page: Page, shop: Shop, context: BrowserContext
) -> None:
    context.set_offline(True)
    page.evaluate("for (let i = 0; i < 8; i++) svc.track('many', {i})")
    kept(page, 1)
    shop.answers = [(413, {}), (202, {}), (413, {})]
    context.set_offline(False)
    shop.wait(lambda: names(shop) == {"many": 8})
    kept(page, 0)
    assert_each_once(shop)


def test_stored_batch__that_is_split_while_the_network_flickers__arrives_at_once(
    page: Page, shop: Shop, context: BrowserContext
) -> None:
    context.set_offline(True)
    page.evaluate("for (let i = 0; i < 8; i++) svc.track('many', {i})")
    kept(page, 1)
    shop.answers = [(413, {}), (202, {})]
    context.set_offline(False)
    page.evaluate("for (let i = 0; i < 3; i++) dispatchEvent(new Event('online'))")
    page.wait_for_function(f"{KEPT} === 0")
    began = monotonic()
    shop.wait(lambda: names(shop) == {"many": 8})
    assert monotonic() - began < SOON
    assert_each_once(shop)


@pytest.mark.parametrize(
    "script",
    [
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError') } })",
        "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }",
        "Storage.prototype.getItem = Storage.prototype.key = () => { throw new Error('broken') }",
        "Object.defineProperty(window, 'localStorage', { value: null })",
    ],
)
def test_storage__that_fails__costs_nothing_but_the_next_page(
    shop: Shop, context: BrowserContext, open_page: Open, script: str
) -> None:
    context.add_init_script(script)
    shop.answers = [(500, {})]
    shop.page("/", html(""))
    page = open_page()
    page.evaluate("svc.track('here')")
    shop.wait(lambda: names(shop) == {"here": 1})
    shop.wait_events("pageview")
    assert_each_once(shop)


def test_storage__holds_400_000_characters_and_no_more(page: Page, context: BrowserContext) -> None:
    context.set_offline(True)
    page.evaluate("svc.track('first')")
    kept(page, 1)
    long = "for (let i = 0; i < 80; i++) svc.track('many', {text: 'x'.repeat(500)});"
    for _ in range(12):
        page.evaluate(f"{long} dispatchEvent(new Event('pagehide'))")
    stored = page.evaluate(f"{KEPT} && Object.values(localStorage).map((batch) => batch.length)")
    assert 340_000 < sum(stored) <= 400_000


def test_batches__of_a_week_ago_and_nonsense__are_dropped_unsent(shop: Shop, open_page: Open) -> None:
    shop.page("/empty", "<!doctype html>")
    shop.page("/", html(""))
    page = open_page("/empty")
    page.evaluate(
        """() => {
          const day = 24 * 3600 * 1000, now = Date.now();
          const put = (at, name) => localStorage.setItem(`svc_q.${at.toString(36)}.x`, JSON.stringify(
            {type: 'custom', eventId: name, data: {event_name: name}}));
          put(now - 7.1 * day, 'old'); put(now - 6.9 * day, 'young'); put(now + 99 * day, 'future');
          localStorage.setItem('svc_q.', '{'); localStorage.setItem('svc_q.x', ''); localStorage.setItem('theirs', '1');
        }"""
    )
    open_page("/", page)
    shop.wait(lambda: names(shop) == {"young": 1})
    shop.wait_events("pageview")
    # The page removes a batch when it has the answer, which is after the shop has the events.
    page.wait_for_function("Object.keys(localStorage).join() === 'theirs'")
