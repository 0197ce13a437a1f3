"""Leases of a minute: a heartbeat renews them while work goes on, and their loss stops the holder."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from abtest.kit.clock import ManualClock
from abtest.kit.errors import DatabaseBusyError
from abtest.services import leases as module
from abtest.services.leases import LEASE_SECONDS, Lease, LeaseLostError, heartbeat, lease
from tests.support.memory import MemoryLeases

NAME = "rollup"


class Bench:
    """A store of leases and the time by which all processes go."""

    def __init__(self) -> None:
        self.leases, self.clock = MemoryLeases(), ManualClock(datetime(2026, 3, 2, tzinfo=UTC))

    def lease(self, owner: str) -> Lease:
        return Lease(self.leases, NAME, owner=owner, clock=self.clock)

    def is_held(self) -> bool:
        return self.leases.is_held(NAME, now=self.clock.now())


def eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def test_lease__of_a_process_that_was_killed__is_free_after_a_minute() -> None:
    bench = Bench()
    assert bench.lease("killed").acquire()
    bench.clock.advance(seconds=LEASE_SECONDS - 0.001)
    assert not bench.lease("next").acquire()
    bench.clock.advance(seconds=0.001)
    assert bench.lease("next").acquire()
    assert LEASE_SECONDS == 60


def test_lease__of_work_that_takes_longer_than_a_minute__is_renewed_by_its_heartbeat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bench = Bench()
    monkeypatch.setattr(module, "HEARTBEAT_SECONDS", 0.002)
    with lease(bench.leases, NAME, owner="long", clock=bench.clock) as held:
        assert held is not None
        for _ in range(4):
            bench.clock.advance(seconds=50)
            eventually(lambda: bench.leases.renewed_at == bench.clock.now())
            assert not bench.lease("next").acquire()
    assert not bench.is_held()


def test_lease__that_another_process_took__stops_its_old_holder() -> None:
    bench = Bench()
    suspended = bench.lease("suspended")
    assert suspended.acquire()
    bench.clock.advance(seconds=61)
    assert bench.lease("next").acquire()
    for _ in range(2):
        with pytest.raises(LeaseLostError):
            suspended.check()
    assert not suspended.renew()
    suspended.release()
    assert bench.is_held(), "what the old holder gives back is not its own"


def test_lease__that_expired_and_that_no_one_took__is_renewed_by_a_check() -> None:
    bench = Bench()
    held = bench.lease("slow")
    assert held.acquire()
    bench.clock.advance(minutes=10)
    held.check()
    assert not bench.lease("next").acquire()


def test_lease__lost_while_work_goes_on__is_not_taken_back() -> None:
    bench = Bench()
    with lease(bench.leases, NAME, owner="old", clock=bench.clock) as held:
        assert held is not None
        bench.clock.advance(seconds=61)
        with lease(bench.leases, NAME, owner="next", clock=bench.clock) as taken:
            assert taken is not None
        # It is free now, but the next holder has worked since, so what was read before may be outdated.
        with pytest.raises(LeaseLostError):
            held.check()


def test_lease__while_it_is_held__yields_none_at_once_to_others() -> None:
    bench = Bench()
    with (
        lease(bench.leases, NAME, owner="one", clock=bench.clock),
        lease(bench.leases, NAME, owner="two", clock=bench.clock) as second,
    ):
        assert second is None
    assert not bench.is_held()


def test_heartbeat__of_a_store_that_fails__goes_on_with_the_next() -> None:
    beats = 0

    def beat() -> bool:
        nonlocal beats
        beats += 1
        if beats < 3:
            raise DatabaseBusyError
        return True

    with heartbeat(beat, 0.001):
        eventually(lambda: beats > 5)


def test_heartbeat__that_is_refused_or_whose_work_ends__leaves_no_thread() -> None:
    before = threading.active_count()
    with heartbeat(lambda: False, 0.001):
        eventually(lambda: threading.active_count() == before)
    with heartbeat(lambda: True, 100):
        assert threading.active_count() == before + 1
    assert threading.active_count() == before
