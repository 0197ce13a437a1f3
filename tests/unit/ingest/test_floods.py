"""Floods of forged events from one address: what is left for the shop's own events, printed and checked."""

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

from abtest.services.event_limits import EVENTS_PER_WINDOW, EventLimits
from abtest.services.rate_limits import RateLimitedError
from tests.support.memory import MemoryRateLimiter
from tests.unit.ingest.edge import OTHER, SHOP, Edge, event, signed

FLOODER, BATCH = "198.51.100.66", 200
Attempts = Callable[[int], int]
"""From a second to the number of batches that the flood sends in it."""


def own_address(number: int) -> str:
    return f"203.0.{number % 10}.{number % 241}"


def accepts(limits: EventLimits, address: str, *, is_browser: bool = True, shop_id: str = SHOP) -> bool:
    try:
        limits.take(shop_id, BATCH, address=address, is_browser=is_browser)
    except RateLimitedError:
        return False
    return True


def own_throughput(own_each_second: int, flood: Attempts, *, browser_events: int) -> int:
    """Batches accepted from many addresses in five minutes, in each second after those of the flood.

    They were sent for two minutes before, so that a busy shop has used up what it may send at once.
    """
    edge, accepted, sent = Edge(), 0, 0
    limits = EventLimits(limiter=edge.limiter, clock=edge.clock, browser_events=browser_events)
    for second in range(-120, 300):
        if second >= 0:
            for _ in range(flood(second)):
                accepts(limits, FLOODER)
        for _ in range(own_each_second):
            is_accepted = accepts(limits, own_address(sent))
            accepted += is_accepted and second >= 0
            sent += 1
        edge.clock.advance(seconds=1)
    return accepted


@pytest.mark.parametrize("browser_events", [6000, EVENTS_PER_WINDOW])
@pytest.mark.parametrize(
    ("name", "flood"),
    [
        ("as fast as it can", lambda second: 20),
        ("at its limit", lambda second: second % 2),
        ("in bursts", lambda second: 0 if second % 60 else 300),
    ],
)
@pytest.mark.parametrize("own", [2, 5, 7], ids=["a quiet shop", "a shop at its limit", "a shop over its limit"])
def test_flood__from_one_address__leaves_99_percent_of_the_shops_own_throughput(
    own: int, name: str, flood: Attempts, browser_events: int, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = own_throughput(own, lambda second: 0, browser_events=browser_events)
    share = own_throughput(own, flood, browser_events=browser_events) / alone
    with capsys.disabled():
        sys.stdout.write(f"\n{own * BATCH * 60:,} own events a minute, forged ones {name}: {share:.2%} of throughput ")
    assert share >= 0.99


def test_flood__over_http__is_429_and_own_events_go_on() -> None:
    edge = Edge()
    forged = json.dumps({"events": [event(eventId=str(n)) for n in range(BATCH)], **signed()})

    def status(address: str) -> int:
        return edge.call(forged, address=address).status

    assert [status(FLOODER) for _ in range(40)] == [202] * 29 + [429] * 11
    refused = edge.call(forged, address=FLOODER)
    assert refused.json() == {
        "error": "rate_limited",
        "message": "too many events of this shop from this address beyond 300: at most 5700 a minute; try again in 2 s",
    }
    assert refused.headers["Retry-After"] == "2"
    assert {status(own_address(n)) for n in range(40)} == {202}
    assert edge.call([event(shopId=OTHER)], headers=browser_headers(OTHER), address=FLOODER).status == 202


def browser_headers(shop_id: str) -> dict[str, str]:
    envelope: dict[str, Any] = signed(shop_id)
    return {"x-svc-shop": envelope["_shopId"], "x-svc-signature": envelope["_signature"]}


def test_address__with_a_servers_credentials__has_the_limit_of_servers() -> None:
    edge = Edge()
    limits = EventLimits(limiter=edge.limiter, clock=edge.clock, server_events=1000)
    assert [accepts(limits, "198.51.100.1", is_browser=False) for _ in range(6)] == [True] * 5 + [False]
    assert accepts(limits, "198.51.100.2", is_browser=False)
    assert accepts(limits, "198.51.100.1", is_browser=True)


def test_limit_of_browsers__below_the_assured_share__is_the_share() -> None:
    edge = Edge()
    limits = EventLimits(limiter=edge.limiter, clock=edge.clock, browser_events=250)
    assert [accepts(limits, FLOODER) for _ in range(3)] == [True, False, False]


def test_flood__that_was_refused__takes_nothing_from_the_shop() -> None:
    edge, limiter = Edge(), MemoryRateLimiter()
    limits = EventLimits(limiter=limiter, clock=edge.clock)
    for _ in range(1000):
        accepts(limits, FLOODER)
    left = limiter.take(f"events#{SHOP}", limit=EVENTS_PER_WINDOW, window_seconds=60, now=edge.clock.now(), cost=0)
    assert EVENTS_PER_WINDOW - left.remaining <= limits.browser_events
