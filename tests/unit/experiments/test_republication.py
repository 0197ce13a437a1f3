"""Repeated publications of a shop: by many callers at once, after a holder that was killed, and without leases."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest

from abtest.kit.clock import Clock, ManualClock, SystemClock, timestamp
from abtest.kit.errors import DatabaseBusyError
from abtest.kit.ids import SystemRandomness
from abtest.ports.limits import Leases
from abtest.services import republication
from abtest.services.context import World
from abtest.services.leases import Lease
from abtest.services.publication import PublicationOutcome
from abtest.services.republication import LATE, LEASE_SECONDS, Republication
from abtest.services.storefronts import Storefronts, failures_of
from tests.support.memory import MemoryCatalog, MemoryLeases, MemorySessions

CHANGED = datetime(2026, 3, 2, tzinfo=UTC)
SHOP = "shop"


class SlowPublisher:
    """Publisher that takes a while."""

    def __init__(self, *, ok: bool = True, reasons: Sequence[str] = ()) -> None:
        self.count, self.ok, self.reasons = 0, ok, reasons

    def publish(self, _shop_id: str) -> PublicationOutcome:
        self.count += 1
        time.sleep(0.1)
        return PublicationOutcome(ok=self.ok, reasons=self.reasons, revision=self.count if self.ok else None)


class CountedLeases(MemoryLeases):
    """Leases that count how often one was requested."""

    requests = 0

    def acquire(self, name: str, **given: Any) -> bool:
        self.requests += 1
        return super().acquire(name, **given)


class BusyLeases(MemoryLeases):
    """Leases of a store that does not respond."""

    def acquire(self, name: str, **given: Any) -> bool:
        raise DatabaseBusyError


class UnreleasedLeases(MemoryLeases):
    """Leases of a store that stops to respond while the work goes on."""

    def release(self, name: str, *, owner: str) -> None:
        raise DatabaseBusyError


class Bench:
    """A shop that changed a second ago."""

    def __init__(self, publisher: SlowPublisher, leases: Leases, clock: Clock | None = None) -> None:
        self.clock = ManualClock(CHANGED)
        self.clock.advance(seconds=1)
        world = World(catalog=MemoryCatalog(), clock=clock or self.clock, random=SystemRandomness())
        storefronts = Storefronts(world.catalog, publisher)
        self.use = Republication(world=world, storefronts=storefronts, leases=leases, sessions=MemorySessions())

    def holder(self, leases: Leases) -> Lease:
        """The lease as a process holds it; without a heartbeat, as one that was killed leaves it."""
        name = f"republication#{SHOP}"
        held = Lease(leases, name, owner="holder", clock=self.clock, seconds=LEASE_SECONDS)
        assert held.acquire()
        return held

    def failures(self, callers: int = 1) -> list[list[str]]:
        """Why storefronts lack the change, as so many callers learn it."""
        with ThreadPoolExecutor(callers) as pool:
            outcomes = pool.map(lambda _: self.use.publish(SHOP, timestamp(CHANGED)), range(callers))
            return [list(failures_of(outcome)) for outcome in outcomes]


def test_publication__of_many_callers_at_once__is_one_for_all() -> None:
    publisher = SlowPublisher()
    assert Bench(publisher, MemoryLeases()).failures(8) == [[]] * 8
    assert publisher.count == 1


def test_publication__that_fails__is_tried_by_each_caller() -> None:
    publisher = SlowPublisher(ok=False, reasons=["out"])
    failures = Bench(publisher, MemoryLeases()).failures(3)
    assert failures == [["out"]] * 3, "no caller takes another's failure for a success"
    assert publisher.count == 3


def test_publication__just_done_with_parts_left_out__has_the_same_outcome_for_the_next_caller() -> None:
    publisher = SlowPublisher(reasons=["a script is broken"])
    bench = Bench(publisher, MemoryLeases())
    first, second = (bench.use.publish(SHOP, timestamp(CHANGED)) for _ in range(2))
    assert (second.ok, second.reasons, second.revision) == (first.ok, first.reasons, first.revision)
    assert (second.revision, publisher.count) == (1, 1)


def test_waiters__of_a_holder_that_was_killed__publish_once_its_short_lease_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publisher, leases = SlowPublisher(), CountedLeases()
    bench = Bench(publisher, leases)
    bench.holder(leases)
    began = bench.clock.now()
    monkeypatch.setattr(republication, "sleep", lambda seconds: bench.clock.advance(seconds=seconds))
    assert bench.failures() == [[]]
    assert publisher.count == 1
    assert LEASE_SECONDS <= (bench.clock.now() - began).total_seconds() <= LEASE_SECONDS + 1
    assert leases.requests <= 24, "pauses grow to half a second"


def test_waiters__of_a_holder_that_was_killed__publish_once_for_all() -> None:
    publisher, leases, clock = SlowPublisher(), MemoryLeases(), SystemClock()
    bench = Bench(publisher, leases, clock)
    assert leases.acquire(f"republication#{SHOP}", owner="killed", seconds=1, now=clock.now())
    assert bench.failures(8) == [[]] * 8
    # One, but on a busy machine a waiter may wake when the publication is a second old.
    assert publisher.count < 8


def test_waiter__of_a_publication_that_takes_too_long__learns_that_it_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    publisher, leases = SlowPublisher(), MemoryLeases()
    bench = Bench(publisher, leases)
    holder = bench.holder(leases)
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        bench.clock.advance(seconds=seconds)
        assert holder.renew()

    monkeypatch.setattr(republication, "sleep", sleep)
    assert bench.failures() == [[LATE]]
    assert LEASE_SECONDS < sum(waits) < 15, "well within the 29 s of the gateway"


@pytest.mark.parametrize(("leases", "count"), [(BusyLeases(), 2), (UnreleasedLeases(), 1)], ids=["busy", "unreleased"])
def test_publication__without_a_store_of_leases__is_made_all_the_same(leases: Leases, count: int) -> None:
    publisher = SlowPublisher()
    bench = Bench(publisher, leases)
    for _ in range(2):
        assert failures_of(bench.use.publish(SHOP, timestamp(CHANGED))) == []
    assert publisher.count == count
