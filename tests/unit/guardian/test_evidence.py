"""Evidence out of documents, as far as they hold it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from abtest.domain.guardian.evidence import Evidence, Sessions, ShopOrders
from abtest.domain.ledger.cells import QUARTER_MS, GoalCount
from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY, day_of
from abtest.kit.clock import timestamp, to_milliseconds
from abtest.ports.catalog import Commit, Put
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.guardian.evidence import ShopSight, evidence_of, watched_goals
from abtest.services.results import RollupReader
from abtest.services.results.shop_rules import ShopRules
from abtest.services.rollups import ShopReaches
from tests.support.memory import MemoryBlobs
from tests.support.reaches import counted_until
from tests.unit.experiments.examples import CONTROL, EXPERIMENT, GOAL, SHOP, TREATMENT, goal, in_status
from tests.unit.guardian.stands import HEALTHY, MONEY, Stand


def sight_of(stand: Stand) -> ShopSight:
    rules = ShopRules(stand.catalog, SHOP)
    return ShopSight(SHOP, rules, RollupReader(stand.rollups), ShopReaches(stand.rollups, MemoryBlobs()).now)


def evidence(stand: Stand) -> Evidence:
    now = timestamp(stand.clock.now())
    sight = sight_of(stand)
    found = evidence_of(sight, stand.experiment, now=now, watched_since=now)
    assert found is not None
    return found


def shop_day(stand: Stand, days_ago: int = 0, **fields: Any) -> None:
    date = f"{stand.clock.now() - timedelta(days=days_ago):%Y-%m-%d}"
    day = {"shop_id": SHOP, "date": date, "generation": 1, "orders": [], "stitch": [0, 0], **fields}
    assert stand.rollups.put_shop_day(day)


def test_evidence__before_any_count__is_none(stand: Stand) -> None:
    sight = sight_of(stand)
    now = timestamp(stand.clock.now())
    assert evidence_of(sight, stand.experiment, now=now, watched_since=now) is None


def test_evidence__of_totals_and_days__holds_arms_goals_and_arrivals(stand: Stand) -> None:
    stand.clock.advance(minutes=31)
    sessions = {TREATMENT: {"seen": 9, "failed": 2, "missed": 1}}
    stand.counted(**HEALTHY, orders=(40, 30), sessions=sessions, multiple_exposure=7)
    found = evidence(stand)
    control, treatment = found.arms
    quarter = to_milliseconds(stand.clock.now()) // QUARTER_MS
    assert (control.visitors, control.share, control.is_control) == (5000, 0.5, True)
    assert (control.arrivals, treatment.arrivals) == ({quarter: 5000}, {quarter: 5000})
    assert (control.sessions, treatment.sessions) == (Sessions(0, 0, 0), Sessions(9, 2, 1))
    assert [(each.goal_id, each.is_revenue, each.unit) for each in found.goals] == [
        (GOAL, False, 1),
        (MONEY, True, 100),
    ]
    assert found.goals[1].counts[TREATMENT] == GoalCount(30, 30, 150_000, 750_000_000)
    assert (found.multiple_exposure, found.generation, found.currency) == (7, 1, "EUR")
    assert found.arrivals_since == quarter - 2


def test_evidence__documents_without_sessions_and_repeated_orders__are_told_apart_from_none(stand: Stand) -> None:
    shop_day(stand, stitch=[50, 40])
    stand.counted(**HEALTHY)
    found = evidence(stand)
    assert [arm.sessions for arm in found.arms] == [None, None]
    assert found.orders == ShopOrders(0, None)


def test_evidence__days_of_the_shop__count_since_the_measurement_began(stand: Stand) -> None:
    stand.clock.advance(hours=30)
    shop_day(
        stand, 0, stitch=[30, 10], repeated_orders=4, orders=[[3, "own", "EUR", 5, 100], [3, "foreign", "USD", 2, 9]]
    )
    shop_day(stand, 1, stitch=[20, 5], repeated_orders=2)
    shop_day(stand, 2, stitch=[900, 900], repeated_orders=900, orders=[[95, "own", "EUR", 6, 100]])
    stand.counted(**HEALTHY)
    found = evidence(stand)
    today = day_of(f"{stand.clock.now():%Y-%m-%d}") * QUARTERS_A_DAY
    assert found.orders == ShopOrders(50, 6)
    assert (found.stitching.orders, found.stitching.stitched, found.stitching.is_low) == (50, 15, True)
    assert found.order_arrivals == {today + 3: 7, today - QUARTERS_A_DAY - 1: 6}
    assert found.orders_since == today - 2 * QUARTERS_A_DAY


def test_evidence__goal_that_is_newer_than_the_counts__has_none(stand: Stand) -> None:
    stand.counted(**HEALTHY, goals={})
    assert [dict(each.counts) for each in evidence(stand).goals] == [{}, {}]


def test_evidence__archived_variation__is_no_arm_and_shares_are_of_the_rest() -> None:
    stand = Stand()
    stand.counted(**HEALTHY)
    made = stand.experiment
    third = replace(made.variations[1], id="third", public_id=None, archived_at=made.created_at, weight=0.5)
    stand.catalog.commit(
        Commit(
            puts=[
                Put(
                    record=EXPERIMENTS.record(replace(made, version=2, variations=(*made.variations, third))),
                    expected_version=1,
                )
            ]
        )
    )
    assert [(arm.variation_id, arm.share) for arm in evidence(stand).arms] == [(CONTROL, 0.5), (TREATMENT, 0.5)]


def test_evidence__of_two_weeks__has_goals_by_the_quarter_of_the_first_exposure(stand: Stand) -> None:
    date = f"{stand.clock.now():%Y-%m-%d}"
    first = day_of(date) * QUARTERS_A_DAY
    stand.clock.advance(hours=13 * 24)
    stand.counted(**HEALTHY, digests={f"DAY#{date}": "b" * 24})
    totals = {**_totals(stand), "generation": 2}
    cells = [[CONTROL, "quarter", first + 3, "", 5], [TREATMENT, "quarter", first + 4, "", 6]]
    goals = {
        GOAL: [[CONTROL, "quarter", first + 3, "", 2, 2, 2, "2"]],
        MONEY: [[TREATMENT, "quarter", first + 4, "", 1, 1, 5000, "25000000"]],
    }
    item = {"experiment_id": EXPERIMENT, "measurement_epoch": 1, "generation": 2, "date": date, "computed_at": "x"}
    assert stand.rollups.put(totals, {date: {**item, "cells": cells, "goals": goals, "money": {}}}, {})
    buys, money = (each.recent for each in evidence(stand).goals)
    assert buys == {CONTROL: {first + 3: GoalCount(2, 2, 2, 2)}, TREATMENT: {}}
    assert money == {CONTROL: {}, TREATMENT: {first + 4: GoalCount(1, 1, 5000, 25_000_000)}}
    assert [dict(arm.arrivals) for arm in evidence(stand).arms] == [{first + 3: 5}, {first + 4: 6}]
    stand.clock.advance(hours=48)
    assert evidence(stand).goals[0].recent == {CONTROL: {}, TREATMENT: {}}


def test_watched_goals__are_the_primary_guardrails_and_revenue_in_use() -> None:
    kinds = [
        goal(id="1", is_primary=True, role="primary"),
        goal(id="2", role="secondary"),
        goal(id="3", role="guardrail"),
        goal(id="4", type="revenue"),
        goal(id="5", role="guardrail", archived_at="2026-03-02T09:00:00.000Z"),
    ]
    assert [each.id for each in watched_goals(in_status("running", goals=tuple(kinds)))] == ["1", "3", "4"]


def test_events_that_stay_away__are_told_after_two_checks_and_not_for_time_in_which_it_was_paused(stand: Stand) -> None:
    cells = [[arm, "quarter", quarter, "", 5] for arm in (CONTROL, TREATMENT) for quarter in _quarters(stand)]
    date = f"{stand.clock.now():%Y-%m-%d}"
    stand.clock.advance(hours=24)
    stand.counted(visitors=(480, 480), buys=(48, 48), digests={f"DAY#{date}": "a" * 24})
    stamp = {"experiment_id": EXPERIMENT, "measurement_epoch": 1, "generation": 2, "computed_at": "x", "date": date}
    totals = {**_totals(stand), "generation": 2}
    assert stand.rollups.put(totals, {date: {**stamp, "cells": cells, "goals": {}, "money": {}}}, {})
    stand.round(minutes=0)
    results = []
    for _ in range(5):
        stand.clock.advance(minutes=10)
        stand.count_nothing_new()
        results.append(dict(stand.round(minutes=5).results))
    assert [event["kind"] for event in stand.webhooks()] == ["event_gap"]
    assert results.index({"notified": 1}) == 4
    details = stand.webhooks()[0]["details"]
    assert (details["metric"], details["observed"], details["expected"], details["consecutive_checks"]) == (
        "visitors",
        0,
        40,
        2,
    )
    assert details["window"]["from"] == "2026-03-03T00:00:00.000Z"


def test_roll_ups_that_stand_still__are_said_in_what_was_not_evaluated_and_accuse_nobody(stand: Stand) -> None:
    stand.counted(visitors=(480, 480), buys=(48, 48))
    stand.round()
    assert "counts_are_old" not in {each.reason for each in stand.state.not_evaluated}
    for _ in range(30):
        stand.round()
    assert ("event_gap", "counts_are_old") in {(each.kind, each.reason) for each in stand.state.not_evaluated}
    assert stand.webhooks() == []


@pytest.mark.parametrize("missing", [EXPERIMENT, SHOP])
def test_roll_ups_that_fail_for_the_experiment__are_as_if_they_stood_still(stand: Stand, missing: str) -> None:
    stand.counted(visitors=(480, 480), buys=(48, 48))
    stand.clock.advance(minutes=5)
    counted_until(stand.rollups, SHOP, stand.clock.now(), {missing})
    stand.round(minutes=1)
    assert ("event_gap", "counts_are_old") in {(each.kind, each.reason) for each in stand.state.not_evaluated}


def _quarters(stand: Stand) -> range:
    start = to_milliseconds(stand.clock.now()) // QUARTER_MS
    return range(start, start + QUARTERS_A_DAY)


def _totals(stand: Stand) -> dict[str, Any]:
    found = stand.rollups.totals(EXPERIMENT, 1)
    assert found is not None
    return dict(found)
