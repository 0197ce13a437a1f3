"""Findings of changes: late breaks, their messages, their end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import log, sqrt
from typing import Any

import pytest

from abtest.domain.guardian.cases import state_document, state_from
from abtest.domain.guardian.changes import CLASSES, class_of, value_of
from abtest.domain.guardian.evidence import Evidence, WatchedGoal
from abtest.domain.guardian.judgement import Judgement, judge
from abtest.domain.guardian.messages import Names, age_text, finding_text
from abtest.domain.ledger.cells import QUARTER_MS, GoalCount
from abtest.kit.clock import from_milliseconds, timestamp
from tests.unit.guardian.examples import (
    BEGAN,
    BEGAN_QUARTER,
    BUY,
    CONTROL,
    DAY,
    HOUR,
    OURS,
    REVENUE,
    SECOND,
    TREATMENT,
    arm,
    evidence,
    findings,
)

DAYS = 10
BROKE = BEGAN_QUARTER + DAYS * DAY - 3 * HOUR
"""Three hours before the look."""
NAMES = Names("Headline", {TREATMENT: "B", CONTROL: "A"}, {BUY: "Purchase", REVENUE: "Revenue"}, "EUR")

Series = Mapping[int, int]


def series(each: int, *, later: int | None = None, since: int = BROKE) -> Series:
    """So many in each quarter of ten days, another number from a quarter on."""
    quarters = range(BEGAN_QUARTER, BEGAN_QUARTER + DAYS * DAY)
    return {quarter: each if later is None or quarter < since else later for quarter in quarters}


def goal(control: Series, treatment: Series, *, amounts: tuple[int, int] = (1, 1), **fields: Any) -> WatchedGoal:
    """A goal; each converter of an arm is worth the same from the break on, before it as much as the control's."""
    recent = {}
    for variation, came, worth in ((CONTROL, control, amounts[0]), (TREATMENT, treatment, amounts[1])):
        counts = {}
        for quarter, n in came.items():
            # Amounts differ from quarter to quarter, or they would have no spread.
            cents = (worth if quarter >= BROKE else amounts[0]) * (2 + quarter % 3)
            counts[quarter] = GoalCount(n, n, n * cents, n * cents * cents)
        recent[variation] = {quarter: count for quarter, count in counts.items() if count.converters}
    sums = {
        variation: GoalCount(*(sum(numbers) for numbers in zip(*counts.values(), strict=True)))
        for variation, counts in recent.items()
    }
    given: dict[str, Any] = {"goal_id": BUY, "direction": "increase", "is_revenue": False, "unit": 1}
    return WatchedGoal(**{**given, "counts": sums, "recent": recent, **fields})


def after_ten_days(*goals: WatchedGoal, control: Series | None = None, treatment: Series | None = None) -> Evidence:
    """A look at the end of the tenth day."""
    now = BEGAN + DAYS * DAY * QUARTER_MS
    came = control or series(50), treatment or series(50)
    arms = [arm(name, sum(each.values()), arrivals=each) for name, each in zip((CONTROL, TREATMENT), came, strict=True)]
    return evidence(*goals, now=now, through=now - 60_000, counted_until=now, arms=arms)


def look(seen: Evidence, before: Judgement | None = None) -> Judgement:
    now = timestamp(from_milliseconds(seen.now))
    return judge(before.state if before else None, seen, OURS, measurement_epoch=1, now=now)


def test_conversions__that_stopped_three_hours_ago__are_broken_since_then() -> None:
    broken = after_ten_days(goal(series(4), series(4, later=0)))
    (finding,) = findings("broken_conversion", broken)
    assert finding.changed_at == BROKE * QUARTER_MS
    assert finding.window == (BROKE * QUARTER_MS, broken.through)
    assert (finding.observed, finding.expected, finding.threshold) == (0, 0.08, 0.02)
    assert finding.sample == 2 * 12 * 50


def test_conversions__that_stopped__are_reported_with_their_age() -> None:
    judged = look(after_ten_days(goal(series(4), series(4, later=0))))
    first = judged.pauses[0]
    assert first.details["changed_at"] == timestamp(from_milliseconds(BROKE * QUARTER_MS))
    assert finding_text(first, NAMES) == (
        "Conversions of “B” stopped about 3 hours before this check (2024-10-13 21:00 UTC): since then 0 % of its "
        "visitors reached “Purchase”, 8 % of the control's. A part of it is probably broken."
    )
    assert state_from(state_document(judged.state)) == judged.state


def test_conversions__broken_from_the_start__are_reported_as_before() -> None:
    (finding,) = findings("broken_conversion", after_ten_days(goal(series(4), series(0))))
    assert (finding.changed_at, finding.window) == (None, None)


def test_conversions__at_a_third_of_the_control__are_harm_and_not_broken() -> None:
    harmed = after_ten_days(goal(series(9), series(9, later=3)))
    assert findings("broken_conversion", harmed) == []
    (finding,) = findings("conversion_harm", harmed)
    assert (finding.changed_at, finding.threshold) == (BROKE * QUARTER_MS, 0.01)
    assert "changed about 3 hours" in finding_text(look(harmed).pauses[0], NAMES)


def test_conversions__of_a_goal_that_is_to_fall__are_harm_where_they_rise() -> None:
    rising = goal(series(4), series(4, later=12), direction="decrease")
    assert [each.changed_at for each in findings("conversion_harm", after_ten_days(rising))] == [BROKE * QUARTER_MS]
    assert findings("conversion_harm", after_ten_days(replace(rising, direction="increase"))) == []


def test_conversions__that_fall_with_their_visitors__are_left_to_the_mismatch() -> None:
    untracked = after_ten_days(goal(series(20), series(20, later=10)), treatment=series(50, later=25))
    assert findings("conversion_harm", untracked) == []
    assert [each.changed_at for each in findings("sample_ratio_mismatch", untracked)] == [BROKE * QUARTER_MS]


def test_level__of_a_change__is_shared_by_treatments() -> None:
    harmed = after_ten_days(goal(series(20), series(20, later=9)))
    arms = [replace(each, share=1 / 3) for each in harmed.arms]
    several = replace(harmed, arms=[*arms, replace(arms[1], variation_id=SECOND)])
    assert [each.threshold for each in findings("conversion_harm", harmed)] == [0.01]
    assert [each.threshold for each in findings("conversion_harm", several)] == [0.005]


def test_visitors__that_are_lost_for_three_hours__are_a_mismatch_since_then() -> None:
    split = after_ten_days(treatment=series(50, later=30))
    (finding,) = findings("sample_ratio_mismatch", split)
    assert (finding.changed_at, finding.sample) == (BROKE * QUARTER_MS, 12 * 80)
    assert finding.observed == pytest.approx(50 / 80)
    assert "The split of visitors changed about 3 hours" in finding_text(look(split).alerts[0], NAMES)


def test_orders__that_are_worth_a_quarter__are_harm_since_then() -> None:
    money = {"goal_id": REVENUE, "is_revenue": True, "unit": 100}
    cheaper = goal(series(4), series(4), amounts=(4000, 1000), **money)
    (finding,) = findings("revenue_harm", after_ten_days(cheaper))
    assert finding.changed_at == BROKE * QUARTER_MS
    assert finding.expected == pytest.approx(4 * (finding.observed or 0))
    (text,) = [finding_text(case, NAMES) for case in look(after_ten_days(cheaper)).pauses]
    assert text.startswith("Buyers of “B” spend less, since about 3 hours before this check")
    dearer = replace(cheaper, direction="decrease")
    assert findings("revenue_harm", after_ten_days(dearer)) == []


def test_orders__that_are_worth_less_and_more__do_not_count_as_harm() -> None:
    money = {"goal_id": REVENUE, "is_revenue": True, "unit": 100}
    more = goal(series(4), series(4, later=40), amounts=(4000, 1000), **money)
    assert findings("revenue_harm", after_ten_days(more)) == []


def test_finding__of_a_change_that_was_undone__ends() -> None:
    judged = look(after_ten_days(goal(series(4), series(4, later=0))))
    assert judged.state.open
    healthy = after_ten_days(goal(series(4), series(4)))
    for number in range(1, 5):
        later = healthy.now + number * QUARTER_MS
        judged = look(replace(healthy, now=later, generation=7 + number), judged)
    assert judged.state.open == ()
    assert {case.kind for case in judged.state.past} == {"broken_conversion", "conversion_harm"}


def test_look__repeated_or_after_missed_ones__has_the_same_evidence() -> None:
    broken = after_ten_days(goal(series(4), series(4, later=0)))
    once = look(broken)
    assert look(broken, once).is_quiet
    assert findings("broken_conversion", broken) == findings("broken_conversion", broken)


def test_goal__without_recent_counts__has_no_change() -> None:
    bare = replace(goal(series(4), series(4, later=0)), recent={})
    assert findings("broken_conversion", after_ten_days(bare)) == []


def test_value__of_one_buyer__is_the_logarithm_and_of_several_near_the_mean_of_logarithms() -> None:
    assert value_of(GoalCount(1, 1, 50, 2500)) == pytest.approx(log(50))
    several = value_of(GoalCount(3, 3, 30 + 40 + 50, 900 + 1600 + 2500))
    assert several == pytest.approx(log(30 * 40 * 50) / 3, abs=0.005)
    assert several == pytest.approx(2 * log(40) - log(sqrt(5000 / 3)))
    for refunded in (GoalCount(1, 1, 0, 0), GoalCount(1, 1, -5, 25), GoalCount()):
        assert value_of(refunded) is None


def test_class__of_few_buyers__is_their_number_and_of_many_a_range() -> None:
    assert [class_of(buyers) for buyers in (1, 2, 8, 9, 10, 11, 12, 13)] == [1, 2, 8, 9, 9, 10, 10, 11]
    assert class_of(8000) <= CLASSES


@pytest.mark.parametrize(("hours", "text"), [(0.2, "1 hour"), (3.4, "3 hours"), (47, "47 hours"), (60, "2 days")])
def test_age__of_a_change__is_in_whole_hours_or_days(hours: float, text: str) -> None:
    moments = [timestamp(from_milliseconds(BEGAN + int(each * 3_600_000))) for each in (0, hours)]
    assert age_text({"changed_at": moments[0], "window": {"from": moments[0], "to": moments[1]}}) == text
