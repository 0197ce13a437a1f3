"""A page reaches nothing but what the rules allow, whatever way it takes; without the guard it reaches everything."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack

import pytest

from abtest.adapters.browser import ChromiumBrowsers
from abtest.adapters.browser.chromium import GUARD
from abtest.domain.browsing.viewport import DESKTOP
from abtest.domain.egress.targets import PublicOnly
from tests.browser.guard import channels
from tests.support.sites import Answer, Site, site, victim

pytestmark = pytest.mark.browser

WITHOUT_WEBRTC_RULE = tuple(flag for flag in GUARD if "webrtc" not in flag)
UDP = {"stun-udp"}
WITHOUT_LOOPBACK_RULE = tuple(flag for flag in GUARD if "<-loopback>" not in flag)
HEADERS = ("csp-report", "link-header")
BY_PATH = {*channels.HTML, *channels.SCRIPT, *HEADERS}
SOCKETS = {"stun-udp", "turn", "web-transport-udp"}
SETTLED = 5.0
"""Seconds that channels have after the page has come to rest; the control needs three times less on an idle machine."""


def reached(guard: tuple[str, ...], is_over: Callable[[set[str]], bool], seconds: float = SETTLED) -> set[str]:
    """Open the page of all channels, and return the names of those that reached the forbidden ports."""
    with ExitStack() as stack:
        shop = stack.enter_context(site())
        forbidden = stack.enter_context(victim("tcp"))
        others = {name: stack.enter_context(victim(name)) for name in channels.SOCKETS}
        serve(
            shop,
            f"http://127.0.0.1:{forbidden.port}",
            {name: f"127.0.0.1:{each.port}" for name, each in others.items()},
        )
        browsers = ChromiumBrowsers(rules=PublicOnly(allow_loopback=True), guard=guard)
        browser = stack.enter_context(browsers.open(may_reach={shop.host}))
        visit = stack.enter_context(browser.visit(shop.url(), DESKTOP))
        assert visit.status == 200
        names: set[str] = set()
        until = time.monotonic() + seconds
        while time.monotonic() < until and not is_over(names):
            visit.evaluate("() => new Promise(done => setTimeout(done, 100))")
            names = forbidden.reached.union(*(each.reached for each in others.values()))
        assert "/" in shop.paths
        return names


def serve(shop: Site, address: str, others: dict[str, str]) -> None:
    policy = f"img-src 'none'; report-uri {address}/csp-report"
    headers = {
        "Link": f"<{address}/link-header>; rel=preload; as=image",
        "Content-Security-Policy-Report-Only": policy,
        "Reporting-Endpoints": f'default="{address}/reporting"',
    }
    shop.pages["/"] = lambda: Answer(channels.page(address, others).encode(), headers=headers)
    shop.pages["/redirect"] = lambda: Answer(status=302, headers={"Location": f"{address}/redirect"})
    shop.pages["/worker.js"] = lambda: Answer(f"fetch('{address}/service-worker')".encode(), "text/javascript")


def test_page__forty_channels_and_more__reach_nothing_behind_the_guard() -> None:
    assert len(BY_PATH | SOCKETS) >= 40
    assert reached(GUARD, bool) == set()


def test_page__the_same_channels__all_reach_it_without_the_guard() -> None:
    missing = BY_PATH | SOCKETS
    for _ in range(3):  # WebRTC gives up early on a busy machine
        rest = frozenset(missing)
        missing -= reached((), rest.issubset, 10)
        if not missing:
            break
    assert missing == set()


def test_page__behind_the_proxy_without_its_rule_for_loopback__reaches_this_machine() -> None:
    assert "fetch" in reached(WITHOUT_LOOPBACK_RULE, lambda names: "fetch" in names, 20)


def test_page__behind_the_guard_without_its_rule_for_webrtc__sends_udp() -> None:
    assert UDP & reached(WITHOUT_WEBRTC_RULE, lambda names: not UDP.isdisjoint(names), 20)
