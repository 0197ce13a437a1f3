"""Checks that new counts bring between those that count: when one is due, and what the next one knows of it."""

from __future__ import annotations

from abtest.domain.guardian.evidence import Sessions
from abtest.domain.guardian.judgement import is_check_due
from tests.unit.guardian.examples import with_arms
from tests.unit.guardian.test_judging import HARMED, HEALTHY, Watch, at, told

DRIFTING = with_arms(HEALTHY, treatment={"sessions": Sessions(1000, 0, 300)}, control={"sessions": Sessions(9, 0, 0)})


def test_counts__of_a_check_in_between__are_news_for_the_next_one_that_counts() -> None:
    watch = Watch()
    watch.look(DRIFTING)
    watch.look(DRIFTING, after=5)
    assert (watch.known.has_news, watch.known.checked_at) == (True, at(15))
    watch.look(DRIFTING, after=5, news=False)
    assert (watch.known.has_news, watch.known.checked_at) == (False, at(25))
    assert watch.known.open[0].checks == 2
    watch.look(DRIFTING, news=False)
    assert watch.known.open[0].checks == 2
    assert told(watch.look(DRIFTING)) == [("delivery_drift", "pause")]


def test_check__is_due__with_new_counts_or_after_ten_minutes_or_to_pause_at_last() -> None:
    watch = Watch()

    def is_due(minutes: float, *, generation: int | None = 1, epoch: int = 1) -> bool:
        now = at(watch.minutes + minutes)
        return is_check_due(watch.state, measurement_epoch=epoch, generation=generation, now=now)

    assert is_due(0)
    judged = watch.look(HARMED)
    assert [is_due(minutes) for minutes in (-600, -1, 0, 9.9, 10)] == [True, True, False, False, True]
    assert is_due(1, generation=2)
    assert is_due(1, epoch=2)
    watch.state = judged.not_paused(None).state
    assert is_due(1)
