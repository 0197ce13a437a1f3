"""Clocks that jump while a worker is at it: times come out odd, but nothing is lost, and no attempt is uncounted."""

from __future__ import annotations

import pytest

from tests.faults.faults import Fate
from tests.faults.webhooks.office import Office
from tests.faults.webhooks.receivers import TAKES, Receiver, says

FAILS = says("500 Internal Server Error")
EVENTS = 2


def settled(receiver: Receiver, at: int | None, minutes: float) -> tuple[Office, Fate]:
    """Some events and one failure; at the worker's `at`th call its clock jumps by so many minutes."""
    del receiver.requests[:]
    receiver.behaviours = [FAILS, TAKES]
    office = Office(receiver)
    fate = Fate(at=at, happens=lambda: office.clock.advance(minutes=minutes))
    office.employ(fate)
    for _ in range(EVENTS):
        office.happens()
    office.settle(hours=6)
    office.check()
    return office, fate


@pytest.mark.parametrize("minutes", [-60, -1, 1, 11, 60])
def test_clock__that_jumps_at_any_call__leaves_every_event_delivered(receiver: Receiver, minutes: float) -> None:
    _, quiet = settled(receiver, None, minutes)
    for at in range(1, quiet.calls + 1):
        office, _ = settled(receiver, at, minutes)
        assert [delivery.status for delivery in office.deliveries()] == ["delivered"] * EVENTS, at
        assert office.queue.waiting == []


def test_clock__that_runs_ahead_by_an_hour_at_every_call__delivers_all_the_same(office: Office) -> None:
    office.receiver.behaviours = [FAILS, TAKES]
    for _ in range(EVENTS):
        office.happens()
    for _ in range(60):
        office.employ(Fate(at=3, happens=lambda: office.clock.advance(hours=1)))
        office.work()
        office.sweep()
    office.settle()
    office.check()
    assert {delivery.status for delivery in office.deliveries()} == {"delivered"}
