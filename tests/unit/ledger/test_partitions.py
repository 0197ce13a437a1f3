"""Division of large shops, and the sum of partitions that share no ids."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.ledger.daily_counts import DailyCounts
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.partitions import (
    JOINED_BELOW,
    MOST_PARTITIONS,
    MOST_ROWS,
    UNDIVIDED,
    Division,
    Unit,
    division_for,
)
from abtest.domain.ledger.reference import count
from abtest.domain.ledger.shop_day_changes import minus, plus
from abtest.domain.ledger.shop_days import shop_day
from abtest.domain.ledger.shop_results import PlanCounts, Results, added, digest_of
from tests.support.ledgers import HOLDOUT_PLAN, PLAN, SHOP, random_ledger


@pytest.mark.parametrize(
    ("millions", "visitors", "ids"),
    [(0, 1, 1), (10, 1, 1), (11, 4, 1), (20, 4, 1), (21, 8, 1), (100, 32, 4), (9_999, 64, 64)],
)
def test_division__grows_with_the_rows__by_powers_of_two(millions: int, visitors: int, ids: int) -> None:
    assert division_for(millions * 1_000_000) == Division(visitors=visitors, ids=ids)


@given(st.integers(0, 3 * MOST_PARTITIONS * MOST_ROWS), st.integers(0, 6))
def test_division__stays_as_long_as_its_units_have_a_good_size(rows: int, power: int) -> None:
    present = Division(visitors=2**power, ids=1)
    chosen = division_for(rows, present)
    if MOST_ROWS // JOINED_BELOW <= rows // present.visitors < MOST_ROWS:
        assert chosen == present
    assert division_for(rows, chosen) == chosen, "the next count divides it in the same way"


def test_division__of_a_shop_near_the_limit__does_not_change_to_and_fro() -> None:
    divided = division_for(MOST_ROWS + 1)
    assert divided != UNDIVIDED
    assert division_for(MOST_ROWS - 1, divided) == divided
    assert division_for(divided.visitors * MOST_ROWS // JOINED_BELOW - 1, divided) == UNDIVIDED


def test_unit__by_its_name__is_found_in_its_division_only() -> None:
    division = Division(visitors=4, ids=1)
    assert division.unit_named("visitors-3of4") == Unit("visitors", 3, 4)
    for name in ("visitors-3of8", "visitors-4of4", "ids-1of1", "", "x" * 200):
        with pytest.raises(ValueError, match="must be the name of a unit"):
            division.unit_named(name)


def of(rows: list[Row]) -> Results:
    plans = (PLAN, HOLDOUT_PLAN)
    counted = {
        plan.experiment_id: PlanCounts(plan=digest_of(plan), counts=DailyCounts.of(count(rows, plan))) for plan in plans
    }
    dates = sorted({f"2026-11-{day}" for day in (19, 20, 21, 22)})
    return Results(counted=counted, days={date: shop_day(rows, SHOP, date, "EUR") for date in dates})


@given(st.integers(0, 2**32))
def test_added__parts_without_a_shared_id__are_the_whole(key: int) -> None:
    one = random_ledger(key, 25)
    other: list[Row] = [
        {**row, "visitor_id": f"other-{row['visitor_id']}", "event_id": f"other-{row['event_id']}",
         "order_id": row["order_id"] and f"other-{row['order_id']}"}
        for row in random_ledger(key + 1, 25)
    ]  # fmt: skip
    whole, parts = of([*one, *other]), (of(one), of(other))
    assert added(parts) == whole
    for date, day in whole.days.items():
        assert plus(parts[1].days[date], parts[0].days[date]) == day
        assert minus(day, parts[1].days[date]) == parts[0].days[date]


def test_added__a_plan_that_is_missing_or_another_one_in_a_part__is_left_out() -> None:
    whole = of(random_ledger(1, 5))
    missing = Results(counted={PLAN.experiment_id: whole.counted[PLAN.experiment_id]})
    another = PlanCounts(plan="another", counts=DailyCounts())
    assert set(added([whole, missing]).counted) == {PLAN.experiment_id}
    assert not added([missing, Results(counted={PLAN.experiment_id: another})]).counted
