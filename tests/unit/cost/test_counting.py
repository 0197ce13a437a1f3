"""The model of counting agrees with the dispatcher's own rule, and its sums hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from abtest.domain.ledger import dispatching
from benchmarks.scale.queueing import Simulation, UnitTimes
from tools.cost.counting import Counting, count_of_shop, counting_a_day, counts_of_all
from tools.cost.model import prices
from tools.cost.scales import DOCUMENTS, counting_by_scale, whole

GIVEN, PRICE = Counting(), prices()
DAY = 86_400.0


@pytest.mark.parametrize("events", [300, 3_000, 30_000, 300_000, 3_000_000])
def test_counts__of_evenly_arriving_events__are_those_of_the_rule_of_dispatching(events: int) -> None:
    """The simulation uses `is_due` itself; plans that changed long ago make its patience the longest."""
    times = UnitTimes(each=1.0, each_row=0.0, most_rows=10**9)
    made = Simulation(rates={"a": events / DAY}, times=times, measured_for=30 * DAY).run(2 * DAY)
    model = replace(GIVEN, session=1, patience_percent=1e6, counting_days=-14)
    assert model.counts_a_day(events) == pytest.approx(len(made.lags["a"]) / 2, rel=0.15)


def test_constants__are_those_of_the_dispatcher() -> None:
    assert GIVEN.many_rows == dispatching.MANY_ROWS
    assert GIVEN.most_patience_minutes * dispatching.MINUTE_MS == dispatching.MOST_PATIENCE_MS


def test_patience__of_plans_that_hardly_change__is_the_longest() -> None:
    assert replace(GIVEN, plan_changes=1e-6).patience_minutes == pytest.approx(GIVEN.most_patience_minutes, rel=1e-3)
    assert replace(GIVEN, plan_changes=1e6).patience_minutes < 0.1


def test_shops__of_zipf__have_all_events() -> None:
    events = list(GIVEN.events_of_shops(1_000_000))
    assert sum(events) == pytest.approx(1_000_000)
    assert events[0] / events[9] == pytest.approx(10)


def test_no_events__cost_the_schedule_alone() -> None:
    dollars = counting_a_day(GIVEN, 0, PRICE)
    assert counts_of_all(GIVEN, 0) == 0
    assert set(dollars) == {"dispatcher", "manifests and the feed"}


def test_documents__in_transactions__cost_twice_as_much_where_days_change() -> None:
    many = replace(GIVEN, touched=1_000, counting_shops=1, grown_at=1e12)
    single, double = (
        count_of_shop(replace(many, transaction_factor=factor), 10_000, PRICE)[DOCUMENTS] for factor in (1, 2)
    )
    shop_day = PRICE["dynamodb_write"]
    assert double - shop_day == pytest.approx(2 * (single - shop_day), rel=1e-3)


def test_whole__is_the_sum_of_parts_of_each_count() -> None:
    one = replace(GIVEN, counting_shops=1)
    parts = sum(count_of_shop(one, 5_000, PRICE).values()) * one.counts_a_day(5_000)
    schedule = counting_a_day(one, 5_000, PRICE)
    rest = schedule["dispatcher"] + schedule["manifests and the feed"]
    assert whole(one, 5_000, PRICE) == pytest.approx(parts + rest)


def test_table__has_each_number_of_shops() -> None:
    assert [line.partition(" shops")[0] for line in counting_by_scale(GIVEN, PRICE)][2:] == [
        "| 10",
        "| 1,000",
        "| 10,000",
    ]
