"""Notices that the code of a page hears: `svc.on`."""

import pytest

from tests.browser.sdk.configs import experiment, mutate
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, html

pytestmark = pytest.mark.browser

HEAR = """<script>
  window.heard = [];
  for (const name of ['exposure', 'decision', 'event', 'consent', 'error']) {
    svc.on(name, (detail) => heard.push([name, detail.type || detail.granted || detail.length, detail.experimentId]));
  }
</script>"""
NEW = {"mutations": [mutate("h1", "text", text="New")]}


def test_on__hears_what_the_snippet_did_before_the_page_could_listen(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment(NEW), experiment(control=True, name="e2")]
    shop.page("/", html("<h1>Original</h1>" + HEAR))
    page = open_page()
    heard = page.evaluate("heard")
    assert [line for line in heard if line[0] == "exposure"] == [
        ["exposure", "experiment_viewed", "e1"],
        ["exposure", "experiment_viewed", "e2"],
    ]
    assert [line for line in heard if line[0] == "decision"] == [["decision", 2, None]]
    assert [line[1] for line in heard if line[0] == "event"] == ["experiment_viewed", "experiment_viewed", "pageview"]
    assert page.evaluate("(svc.track('signup'), heard.at(-1))") == ["event", "custom", None]
    sent = {event["eventId"] for event in shop.wait_events("experiment_viewed", 2)}
    heard = page.evaluate("(() => { const ids = []; svc.on('exposure', (e) => ids.push(e.eventId)); return ids })()")
    assert set(heard) == sent, "it is the event that is sent"


def test_exposure__is_heard_once_a_session(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment(NEW)]
    shop.page("/", html("<h1>Original</h1>" + HEAR))
    page = open_page()
    page.evaluate("svc.set({ a: 1 }); history.pushState({}, '', '/other')")
    assert page.evaluate("heard.filter(([name]) => name === 'exposure').length") == 1
    assert page.evaluate("heard.filter(([name]) => name === 'decision').length") == 3
    shop.wait_events("experiment_viewed")
    assert open_page("/", page).evaluate("heard.filter(([name]) => name === 'exposure')") == []


def test_consent__comes_before_what_it_allows(shop: Shop, open_page: Open) -> None:
    shop.runtime["consent"] = {"read": -1, "events": []}
    shop.experiments = [experiment(NEW)]
    shop.page("/", html("<h1>Original</h1>" + HEAR))
    page = open_page()
    assert page.evaluate("heard") == []
    page.evaluate("svc.consent(true)")
    assert page.evaluate("heard.map(([name]) => name)")[:3] == ["consent", "event", "exposure"]
    page.evaluate("svc.consent(false)")
    assert page.evaluate("heard.filter(([name]) => name === 'consent').length") == 2


def test_listener_that_throws__is_reported_and_harms_no_other(shop: Shop, open_page: Open) -> None:
    shop.experiments = [experiment(NEW)]
    bad = "<script>svc.on('exposure', () => { throw new Error('mine') })</script>"
    shop.page("/", html("<h1>Original</h1>" + bad + HEAR))
    page = open_page()
    assert page.inner_text("h1") == "New"
    assert page.evaluate("heard.filter(([name]) => name === 'exposure').length") == 1
    [error] = shop.wait_events("sdk_error")
    assert error["data"]["message"] == "mine"
    assert error["data"]["source"] == "on"
    assert ["error", "sdk_error", None] in page.evaluate("heard")


def test_listener__ends_on_request(shop: Shop, open_page: Open) -> None:
    shop.page("/", html(""))
    page = open_page()
    counts = """() => { let count = 0; const stop = svc.on('event', () => count++);
      const before = count; svc.track('a'); const during = count; stop(); svc.track('b');
      return [before, during, count] }"""
    assert page.evaluate(counts) == [1, 2, 2]


@pytest.mark.parametrize(
    ("force", "reported"),
    [
        ("svc_force=e9:1", ["nothing running is called e9:1"]),
        ("svc_force=e1:gone", ["nothing running is called e1:gone"]),
        ("svc_force=e1:1,e9:x,e8:0", ["nothing running is called e9:x", "nothing running is called e8:0"]),
        ("svc_force=e1:1", []),
    ],
)
def test_forced_variation__that_does_not_exist__is_reported(
    force: str, reported: list[str], shop: Shop, open_page: Open
) -> None:
    shop.experiments = [experiment(NEW)]
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page(f"/?{force}")
    lines: list[str] = []
    page.on("console", lambda message: lines.append(message.text))
    assert [event["data"]["message"] for event in shop.wait_events("sdk_error", len(reported))] == reported
    page.evaluate("svc.force('nothing', 1)")
    assert lines == ["svc force nothing running is called nothing:1"]
    page.evaluate("svc.set({ again: 1 })")
    assert len(lines) == 1, "it is reported once"
