"""A bundle without the parts that a config does not call for does what the whole one does with the whole config."""

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from time import monotonic
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route

from abtest.adapters.scripts import QuickJsChecker
from abtest.domain.delivery import snippet
from abtest.domain.delivery.sdk_parts import parts_of
from abtest.services.publication.code import CheckedScripts
from abtest.storefront import bundle, parts
from tests.browser.sdk.cut_cases import SHOP, VISITOR, Case, cases, merged
from tests.browser.sdk.shop import PATIENCE
from tests.support.sizes import sized

pytestmark = pytest.mark.browser

Json = Any

AT_ONCE = 4
SOURCE = re.compile(r"(svc_v=(?:[^.;]*\.){5})[^.;]*")
SHORT = re.compile(r"\b[\w$]+(?= is not a function)")
FUNCTION = re.compile(r'"function (?:[^"\\]|\\.)*"')
OF_THE_TOOL = {"recorder"}
REQUIRED_ONLY = {"adopting", "content", "data_layer", "displaced", "dropping", "goals", "ids", "parsing", "trusted"}

# The page's time passes when it is told to, its random numbers are always the same, and what leaves it is written down.
BEFORE = """
  const send = fetch;
  let clock = 1766275200000, made = 0, timers = [];
  Date.now = () => clock;
  Math.random = () => 0.5;
  window.setTimeout = (fn, ms, ...rest) => {
    timers.push({ number: ++made, at: clock + (+ms || 0), run: () => fn(...rest) });
    return made;
  };
  window.clearTimeout = (number) => {
    timers = timers.filter((timer) => timer.number !== number);
  };
  window.requestAnimationFrame = (fn) => setTimeout(fn, 16);
  const task = () => new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = done;
    port2.postMessage(0);
  });
  let isLeaving = false;
  const pass = async (ms) => {
    const end = clock + ms;
    for (;;) {
      await task();
      if (isLeaving) await new Promise(() => {});
      timers.sort((one, other) => one.at - other.at || one.number - other.number);
      if (!timers.length || timers[0].at > end) break;
      const next = timers.shift();
      clock = Math.max(clock, next.at);
      next.run();
    }
    clock = end;
  };
  navigation.addEventListener('navigate', ({ destination }) => {
    isLeaving ||= !destination.sameDocument;
  });
  addEventListener('click', (event) => event.preventDefault());
  let bytes = 0;
  crypto.getRandomValues = (array) => {
    for (let i = 0; i < array.length; i++) array[i] = bytes++ * 37;
    return array;
  };
  const told = JSON.parse(sessionStorage.told || '[]');
  const tell = (...what) => {
    told.push(what);
    sessionStorage.told = JSON.stringify(told);
  };
  // Where lines stand in a bundle, and how events were gathered, is no news.
  const tellEvents = (url, body) => {
    const { sentAt, events = [], ...rest } = JSON.parse(body);
    for (const event of events) tell(url, rest, { ...event, data: { ...event.data, stack: '' } });
    return true;
  };
  fetch = (url, { body }) => {
    tellEvents(url, body);
    return Promise.resolve(new Response('{}', { status: 202 }));
  };
  navigator.sendBeacon = tellEvents;
  for (const name of ['log', 'warn', 'error']) console[name] = (...said) => tell(name, `${said}`);
  onerror = (message) => tell('uncaught', message);
  window.addEventListener('unhandledrejection', ({ reason }) => tell('rejected', `${reason}`));
  if (!/svc_v=/.test(document.cookie) && !window.isAsked) document.cookie = 'svc_v=VISITOR; path=/; secure';
  window.ran = [];
"""

# All that a page can ask, with what it may ask by mistake; then what shoppers and single-page shops do.
AFTER = """
  const odd = [undefined, null, 0, -1, '', 'k', 'key-p1', 'e1', '__proto__', 'constructor', true, NaN, 1n, [], {}, [1],
    () => 1, new Date(0), { get a() { throw new Error('a') } }, Symbol('s')];
  const shown = (value) => {
    if (typeof value === 'object' && value) {
      if (value === window.svc) return 'svc';
      const prototype = Object.getPrototypeOf(value);
      const kind = prototype === null ? 'record' : prototype.constructor.name;
      return [kind, Object.entries(value).map(([name, held]) => [name, shown(held)])];
    }
    return `${typeof value} ${String(value)}`;
  };
  const call = (name, ...given) => {
    try {
      return shown(svc[name](...given));
    } catch (error) {
      return `throws ${error}`;
    }
  };
  const seen = {};
  const note = (moment) => {
    let sheets = '';
    for (const { cssRules } of document.adoptedStyleSheets) for (const { cssText } of cssRules) sheets += cssText;
    seen[moment] = {
      body: document.body.innerHTML.split('<script>')[0], sheets, cookie: document.cookie, ran: [...ran],
      href: location.href,
      keys: Object.keys(localStorage).sort(),
      dataLayer: shown(window.dataLayer),
      styles: [...document.querySelectorAll('style,link')].map((one) => one.outerHTML),
      asked: ['assignments', 'visitorId', 'cart'].map((name) => call(name)),
      told: ['k', 'k2'].map((key) => call('flag', key, 'none')),
      shown: ['key-p1', 'key-p2'].map((key) => call('personalization', key)),
    };
  };
  addEventListener('load', async () => {
    note('loaded');
    await pass(2000);
    note('settled');
    if (window.isAsked) svc.consent(true);
    seen.api = Object.keys(svc);
    seen.odd = {};
    for (const name of ['flag', 'personalization', 'ready', 'chunk', 'track', 'set', 'assignments', 'visitorId']) {
      seen.odd[name] = odd.map((value) => [call(name, value), call(name, 'x', value)]);
    }
    seen.undefined = Object.keys(svc).map((name) => name === 'force' || call(name));
    svc.set({ country: 'DE', customer_id: 0 });
    for (const element of document.querySelectorAll('a, button, p')) element.click();
    (window.dataLayer ||= []).push({ event: 'purchase', ecommerce: { transaction_id: 'T1', value: '9,90' } });
    svc.track('late');
    svc.track('order', { orderId: 'o1', revenue: 5 });
    svc.track('order', { orderId: 'o1', revenue: 5 });
    await pass(1000);
    note('clicked');
    history.pushState(0, '', '/other?size=1');
    note('left');
    document.querySelector('#drawn').innerHTML = '<i>other</i>';
    await pass(100);
    note('other');
    history.pushState(0, '', '/');
    await pass(1000);
    note('back');
    svc.force('e1', 0);
    await pass(1000);
    note('forced');
    svc.consent(false);
    await pass(6000);
    note('revoked');
    svc.track('last');
    window.dispatchEvent(new PageTransitionEvent('pagehide'));
    seen.told = told;
    seen.keys = Object.keys(localStorage).sort();
    sessionStorage.clear();
    localStorage.clear();
    send('/done', { method: 'POST', body: JSON.stringify(seen) });
  });
"""
BODY = """<h1>Original</h1><p class="a">One</p><p class="b">Two</p><ul><li>1</li><li>2</li></ul><button data-x="7">Buy
 now</button><a href="#more">More</a><div id="drawn"><i>here</i></div>"""


@pytest.fixture(scope="module")
def windows(browser: Browser) -> Iterator[list[Page]]:
    """Pages of visitors who know nothing of each other: two for each case that is looked at."""
    contexts = [browser.new_context() for _ in range(2 * AT_ONCE)]
    yield [context.new_page() for context in contexts]
    for context in contexts:
        context.close()


@cache
def _scripts() -> CheckedScripts:
    return CheckedScripts(QuickJsChecker())


def _document(code: str, tag: str) -> str:
    before = BEFORE.replace("VISITOR", f"{VISITOR}.")
    return (
        f"<!doctype html><html><head><title>Shop</title><script>{before}</script><script {tag}>{code}</script></head>"
        f"<body>{BODY}<script>{AFTER}</script></body></html>"
    )


def _open(page: Page, case: Case, code: str) -> list[Json]:
    """Where all that can be seen of the page will stand, once it is done."""
    address, tag, _ = case
    seen: list[Json] = []

    def serve(route: Route) -> None:
        url = route.request.url
        if url.startswith(f"{SHOP}/s/"):
            route.abort()  # of the tool: the page goes on without it
            return
        if url.endswith("/done"):
            seen.append(json.loads(route.request.post_data or ""))
        kind = "text/css" if url.endswith(".css") else "text/html"
        route.fulfill(body="" if kind == "text/css" else _document(code, tag), content_type=f"{kind}; charset=utf-8")

    page.route("**/*", serve)
    page.goto(f"{SHOP}{address}", wait_until="commit")
    return seen


def _close(page: Page, seen: list[Json]) -> Json:
    deadline = monotonic() + PATIENCE
    while not seen and monotonic() < deadline:
        page.wait_for_timeout(5)
    page.goto("about:blank")
    page.context.clear_cookies()
    page.unroute("**/*")
    (found,) = seen
    return found


def _comparable(found: Json, names: frozenset[str]) -> Json:
    """Without what only parts tell that nothing asks for (cart's stamp, where the visit came from), and short names."""
    seen = json.loads(FUNCTION.sub('"function"', SHORT.sub("it", json.dumps(found))))
    for moment in seen.values():
        if isinstance(moment, dict) and "cookie" in moment:
            if "checkout" not in names:
                del moment["asked"][2]
            if "audiences" not in names:
                moment["cookie"] = SOURCE.sub(r"\1", moment["cookie"])
    if "audiences" not in names:
        _forget_sources(seen.get("told"))
    if "checkout" not in names:
        del seen["undefined"][seen["api"].index("cart")]
    return seen


def _forget_sources(told: Any) -> None:
    """A name where audiences ask for it, a hint for the server where they do not."""
    if isinstance(told, dict):
        told.pop("source", None)
        told = list(told.values())
    for part in told if isinstance(told, list) else ():
        _forget_sources(part)


def _rendered(config: Json) -> tuple[str, str]:
    """As it is published, and with all parts and all of the config."""
    with pytest.MonkeyPatch.context() as whole:
        whole.setattr(snippet, "inlined", lambda config: config)
        uncut = snippet.render_snippet(config, lambda _: bundle(), _scripts(), f"{SHOP}/s/").text
    return snippet.render_snippet(config, bundle, _scripts(), f"{SHOP}/s/").text, uncut


def compared(windows: list[Page], asked: Iterable[Case]) -> Iterator[tuple[Case, Json, Json]]:
    """Each case with what is seen of it as it is published, and what should be."""
    waiting = iter(asked)
    while batch := list(islice(waiting, AT_ONCE)):
        opened = []
        for number, case in enumerate(batch):
            both = windows[2 * number : 2 * number + 2]
            codes = _rendered(case[2])
            opened.append([(page, _open(page, case, code)) for page, code in zip(both, codes, strict=True)])
        for case, pair in zip(batch, opened, strict=True):
            names = parts_of(case[2])
            cut, whole = (_comparable(_close(page, seen), names) for page, seen in pair)
            yield case, cut, whole


def sample() -> Iterator[Case]:
    """The cases that bring a part which none before them has, and those whose page is late or impatient."""
    known: set[str] = set()
    for case in cases():
        names = parts_of(case[2])
        if case[1] or not names <= known:
            yield case
        known |= names
    yield "/", "", merged(["consented"])  # the parts of "consent", and an event of its own


def test_cut_bundle__with_the_inlined_config__does_all_that_the_whole_one_does(windows: list[Page]) -> None:
    asked: set[str] = set()
    told = ""
    for case, cut, whole in compared(windows, sized(cases, sample)()):
        assert cut == whole, json.dumps(case)
        asked |= parts_of(case[2])
        told += json.dumps(whole["told"])
    assert asked | REQUIRED_ONLY | OF_THE_TOOL == set(parts())
    for kind in ("experiment_viewed", "pageview", "goal", "order", "custom", "consent", "sdk_error", "sdk_perf"):
        assert f'"type": "{kind}"' in told, kind
    assert "uncaught" not in told


def test_cut_bundle__without_what_the_config_calls_for__is_noticed(
    windows: list[Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snippet, "parts_of", lambda _: frozenset())
    ((_, cut, whole),) = compared(windows, [("/", "", merged(["flag"]))])
    assert cut != whole
