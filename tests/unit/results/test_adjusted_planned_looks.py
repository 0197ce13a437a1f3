"""Results of planned looks at adjusted rates: the figures of the row, its lift, and what readers are shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from abtest.contract.results import GoalResult, ResultRow
from abtest.domain.autostop.planned_looks import looked
from abtest.domain.autostop.settings import AutoStop
from abtest.domain.autostop.verdicts import Waiting
from abtest.services.report_page.forest import adjusted_line
from abtest.services.results.counts import counts_of_totals
from abtest.services.results.messages import ADJUSTED
from abtest.services.results.planned_looks import planned_looks_of
from abtest.services.results.stored_looks import begun_looks, looks_of
from abtest.services.results.verdicts import effect
from tests.unit.results.test_adjustment import LIFT, NOW, Measuring, Visitors, drawn, totals

PLAN: Any = {
    "goal_id": "g",
    "baseline_rate": 0.27,
    "mde": 0.1,
    "alpha": 0.05,
    "correction_method": "holm",
    "required_total_visitors": 10_000,
    "covariate_adjustment": "cuped",
}


class Looking(Measuring):
    """A goal with planned looks, count by count."""

    def __init__(self, **changed: Any) -> None:
        super().__init__()
        plan: Any = {**PLAN, **changed}
        self.experiment = replace(self.experiment, planned_test=plan)

    def planned(self, visitors: Visitors, *, is_known: bool = True) -> None:
        """Take a look of both kinds."""
        before = self.state.get("planned_looks") if self.state else None
        self.look(visitors, is_known=is_known)
        evidence = self.evidence(counts_of_totals(totals(visitors, is_known=is_known)))
        looks = looked(before, self.experiment.planned_test or {}, evidence, AutoStop(), NOW)
        assert self.state is not None
        assert not isinstance(looks, Waiting)
        self.state["planned_looks"] = looks

    def result(self, visitors: Visitors, *, is_known: bool = True) -> tuple[GoalResult, ResultRow]:
        """Return the goal and its treatment in the engine of planned looks."""
        shown = self.shown(visitors, "group_sequential", is_known=is_known)
        return shown, shown.rows[1]


def test_row__of_adjusted_looks__has_their_figures_and_a_note() -> None:
    test, visitors = Looking(), drawn(LIFT)
    test.planned(visitors)

    goal, row = test.result(visitors)

    pair = test.evidence(counts_of_totals(totals(visitors))).measures["g"].adjusted["t"]
    assert row.difference == pytest.approx(pair.difference, rel=1e-12)
    assert row.lift == pytest.approx(pair.difference / pair.control.mean, rel=1e-12)  # type: ignore[union-attr]
    assert row.difference != pytest.approx(LIFT, abs=1e-9)
    assert row.cuped is None
    assert adjusted_line(row) is None
    assert row.message.endswith(ADJUSTED)
    assert effect(goal, row).endswith(ADJUSTED)
    assert goal.adjustment is not None
    assert goal.adjustment.status == "decides"
    assert "planned looks at adjusted rates" in goal.adjustment.message


@pytest.mark.parametrize("required", [10_000, 4_000])
@pytest.mark.parametrize("lift", [0.0, 0.02, LIFT, 0.06, -0.06])
def test_lift__of_adjusted_looks__excludes_zero_exactly_with_the_difference(lift: float, required: int) -> None:
    test, visitors = Looking(required_total_visitors=required), drawn(lift)
    test.planned(visitors)

    _, row = test.result(visitors)

    assert row.ci is not None
    assert row.difference_ci is not None
    outside = [ends.lower > 0 or ends.upper < 0 for ends in (row.ci, row.difference_ci)]
    assert outside == [row.is_significant] * 2


def test_history__of_adjusted_looks__has_the_choice_in_words() -> None:
    for is_known in (True, False):
        test, visitors = Looking(), drawn(LIFT)
        test.planned(visitors, is_known=is_known)
        shown = planned_looks_of(test.question("group_sequential"))
        assert shown is not None
        assert (shown.adjusted, "adjusted" in shown.message) == (is_known, is_known)


def test_adjustment__frozen_plain_by_the_first_count__has_its_reason() -> None:
    test, visitors = Looking(), drawn(LIFT)
    test.planned(visitors, is_known=False)

    known, row = test.result(visitors)
    unknown, _ = test.result(visitors, is_known=False)

    assert known.adjustment is not None
    assert unknown.adjustment is not None
    assert (known.adjustment.status, unknown.adjustment.status) == ("not_from_the_first_look", "not_counted")
    assert ADJUSTED not in row.message
    assert ADJUSTED not in effect(known, row)
    assert row.difference == pytest.approx((row.rate or 0) - (known.rows[0].rate or 0))


def test_adjustment__before_and_at_a_count_without_the_time_before__decides_with_its_reason() -> None:
    test, visitors = Looking(), drawn(LIFT)
    first, _ = test.result(visitors)
    assert first.adjustment is not None
    assert first.adjustment.status == "decides"

    few = drawn(LIFT, n=20)
    test.planned(few)
    assert looks_of(test.question()) is None
    assert begun_looks(test.question()) is not None
    test.planned(drawn(LIFT, n=2000), is_known=False)

    goal, row = test.result(visitors, is_known=False)

    assert goal.adjustment is not None
    assert (goal.adjustment.status, row.state) == ("decides", "no_look")
    assert "the time before exposures is not counted in this roll-up" in row.message


def test_other_goal__next_to_planned_looks__is_adjusted_by_the_sequential_engine() -> None:
    test, visitors = Looking(goal_id="another"), drawn(LIFT)
    test.look(visitors)

    goal, row = test.result(visitors)

    assert goal.adjustment is not None
    assert (goal.engine, goal.adjustment.status) == ("sequential", "decides")
    assert row.cuped is not None
    assert row.cuped.decides
