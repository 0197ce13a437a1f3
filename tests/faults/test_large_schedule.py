"""One fixed large schedule, in a file of its own: another core runs the small ones meanwhile."""

from __future__ import annotations

from tests.faults.schedule import Schedule


def test_results__of_two_hundred_thousand_events__equal_what_was_sent() -> None:
    schedule = Schedule(4711, events=200_000, days=4, steps=44)
    repeats = len(schedule.sendings) / len(schedule.events) - 1
    assert 0.045 < repeats < 0.055
    schedule.run()
    assert schedule.deaths >= 5
    assert schedule.last_moments >= 100
