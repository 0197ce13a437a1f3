"""One fixed schedule, larger than the random ones, in a file of its own: another core runs those meanwhile."""

from __future__ import annotations

from tests.faults.schedule import Schedule
from tests.support.sizes import sized

EVENTS = sized(200_000, 20_000)


def test_results__of_one_large_schedule__equal_what_was_sent() -> None:
    schedule = Schedule(4711, events=EVENTS, days=4, steps=44)
    repeats = len(schedule.sendings) / len(schedule.events) - 1
    assert 0.045 < repeats < 0.055
    schedule.run()
    assert schedule.deaths >= 5
    assert schedule.last_moments >= 40
