"""A round of Guardian after ten sound days, out of the documents of the roll-ups: a break, its message, its end."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.domain.ledger.cells import QUARTER_MS
from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY, date_of
from abtest.kit.clock import timestamp, to_milliseconds
from abtest.services.guardian import HealthReading
from tests.support.reaches import counted_until
from tests.unit.experiments.examples import CONTROL, EXPERIMENT, GOAL, SHOP, TREATMENT
from tests.unit.experiments.test_store import CALLER
from tests.unit.guardian.stands import MONEY, Stand

DAYS, VISITORS, BUYS = 10, 50, 4
ARMS = CONTROL, TREATMENT


def counted(stand: Stand, *, broke: int) -> None:
    """Count ten days until now; in so many of the last quarters the treatment's visitors buy nothing."""
    stand.generation += 1
    stamp = {"experiment_id": EXPERIMENT, "measurement_epoch": 1, "generation": stand.generation, "computed_at": "x"}
    now = stand.clock.now()
    until = to_milliseconds(now) // QUARTER_MS
    quarters = range(until - DAYS * QUARTERS_A_DAY, until)
    sums: dict[str, list[int]] = {arm: [0, 0] for arm in ARMS}
    days: dict[str, dict[str, Any]] = {}
    for quarter in quarters:
        date = date_of(quarter // QUARTERS_A_DAY)
        day = days.setdefault(date, {**stamp, "date": date, "cells": [], "goals": {GOAL: []}, "money": {}})
        for arm in ARMS:
            buys = 0 if arm == TREATMENT and quarter >= until - broke else BUYS
            day["cells"].append([arm, "quarter", quarter, "", VISITORS])
            day["goals"][GOAL].append([arm, "quarter", quarter, "", buys, buys, buys, str(buys)])
            sums[arm] = [sums[arm][0] + VISITORS, sums[arm][1] + buys]
    totals = {
        **stamp,
        "computed_at": timestamp(now),
        "through": timestamp(now),
        "currency": "EUR",
        "variations": {arm: {"visitors": visitors} for arm, (visitors, _) in sums.items()},
        "goals": {GOAL: {arm: _goal(buys) for arm, (_, buys) in sums.items()}, MONEY: {arm: _goal(0) for arm in ARMS}},
        "money": {},
        "multiple_exposure": 0,
        "days": sorted(days),
        "digests": {f"DAY#{date}": f"{stand.generation:024d}" for date in days},
    }
    counted_until(stand.rollups, SHOP, now)
    assert stand.rollups.put(totals, days, {})


def _goal(buys: int) -> dict[str, Any]:
    return {"converters": buys, "count": buys, "sum_minor": buys, "sum_squares_minor": str(buys), "excluded": 0}


@pytest.fixture
def late() -> Stand:
    """Ten days and twelve hours after the start; harm is reported, and does not pause."""
    stand = Stand(guardian_override={"pause_on_broken": False, "pause_on_harm": False})
    stand.clock.advance(hours=DAYS * 24 + 12)
    return stand


def test_round__sound_for_ten_days__is_quiet(late: Stand) -> None:
    counted(late, broke=0)
    assert late.round(minutes=0).results == {"quiet": 1}


def test_round__conversions_that_stopped_on_the_tenth_day__is_reported_with_the_hour(late: Stand) -> None:
    counted(late, broke=12)
    assert late.round(minutes=0).results == {"notified": 1}
    kinds = {event["kind"]: event for event in late.webhooks()}
    assert set(kinds) == {"broken_conversion", "conversion_harm"}
    details = kinds["broken_conversion"]["details"]
    assert details["changed_at"] == details["window"]["from"] == "2026-03-12T09:00:00.000Z"
    assert (details["observed"], details["expected"], details["sample"]) == (0, BUYS / VISITORS, 2 * 12 * VISITORS)
    assert any("stopped about 3 hours before this check (2026-03-12 09:00 UTC)" in row.body for row in late.inbox())


def test_health__of_a_change__has_the_moment_in_the_contract(late: Stand) -> None:
    counted(late, broke=12)
    late.round(minutes=0)
    health = HealthReading(late.world).read(CALLER, EXPERIMENT)
    assert {finding.kind for finding in health.data} == {"broken_conversion", "conversion_harm"}
    assert {finding.details.changed_at for finding in health.data} == {"2026-03-12T09:00:00.000Z"}


def test_round__the_same_counts_again__reports_nothing_new(late: Stand) -> None:
    counted(late, broke=12)
    late.round(minutes=0)
    reported = len(late.webhooks())
    for _ in range(3):
        late.round()
    counted(late, broke=13)
    late.round()
    assert len(late.webhooks()) == reported


def test_round__after_the_counts_were_corrected__ends_the_finding(late: Stand) -> None:
    counted(late, broke=12)
    late.round(minutes=0)
    for _ in range(4):
        late.clock.advance(minutes=15)
        counted(late, broke=0)
        late.round(minutes=0)
    assert late.state.open == ()
    assert {case.kind for case in late.state.past} == {"broken_conversion", "conversion_harm"}
