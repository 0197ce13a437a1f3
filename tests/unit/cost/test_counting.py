"""The model of counting agrees with the dispatcher's own rule, and its sums hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from abtest.domain.ledger import dispatching
from benchmarks.scale.queueing import Simulation, UnitTimes
from tools.cost.counting import STEPS_A_DECADE, Counting, cost_of_count, counting_a_day, counts_of_all
from tools.cost.large import Large, counting_of_one_shop
from tools.cost.model import Assumptions, prices
from tools.cost.scales import DOCUMENTS, TARGETS, counting_by_scale, whole

GIVEN, PRICE = Counting(), prices()
DAY = 86_400.0


@pytest.mark.parametrize("are_read", [False, True])
@pytest.mark.parametrize("size", [10, 14, 18, 22, 26])
def test_counts__of_evenly_arriving_events__are_those_of_a_queue_with_workers(size: int, *, are_read: bool) -> None:
    """That simulation uses `is_due`, too; plans changed long ago, and the shop is read at all times or never."""
    events = 10 ** (size / STEPS_A_DECADE)
    times = UnitTimes(each=1.0, each_row=0.0, most_rows=10**9)
    made = Simulation(rates={"a": events / DAY}, times=times, measured_for=30 * DAY, are_read=are_read).run(10.1 * DAY)
    read = {"read_percent": 100.0 * are_read, "read_hours": 24}
    model = replace(GIVEN, session=1, plan_changes=0, counting_days=-14, **read)
    assert model.counts_a_day(events) == pytest.approx(len(made.lags["a"]) / 10, rel=0.1)


def test_rows__of_all_counts_of_a_day__are_its_events() -> None:
    for events in (50, 2_000, 123_456):
        counts = GIVEN.counts(events)
        assert sum(rows * number for rows, number in counts.items()) == pytest.approx(events, rel=0.1)


def test_reading__costs_counts_only_where_shops_are_read() -> None:
    unread, some, all_day = (
        counts_of_all(replace(GIVEN, read_percent=percent, read_hours=hours), 1_000_000)
        for percent, hours in ((0, 2), (20, 2), (100, 24))
    )
    assert unread < some < 2 * unread < all_day / 5
    assert counts_of_all(replace(GIVEN, read_percent=100, read_hours=0), 1_000_000) == unread


def test_constants__that_differ_for_one_simulation__are_the_dispatchers_own_afterwards() -> None:
    before = dispatching.YOUNG_MS
    longer = GIVEN.counts_a_day(100_000, (("YOUNG_MS", 24 * dispatching.HOUR_MS),))
    assert longer > GIVEN.counts_a_day(100_000)
    assert before == dispatching.YOUNG_MS


@pytest.mark.parametrize(("events", "target"), TARGETS.items())
def test_target__of_many_events__is_met_and_of_few_is_missed_as_recorded(events: int, target: float) -> None:
    dollars = sum(counting_a_day(GIVEN, events, PRICE).values()) * 1_000_000 / events
    assert (dollars <= target) is (events == 100_000_000)


def test_shops__of_zipf__have_all_events() -> None:
    events = list(GIVEN.events_of_shops(1_000_000))
    assert sum(events) == pytest.approx(1_000_000)
    assert events[0] / events[9] == pytest.approx(10)


def test_no_events__cost_the_schedule_alone() -> None:
    dollars = counting_a_day(GIVEN, 0, PRICE)
    assert counts_of_all(GIVEN, 0) == 0
    assert set(dollars) == {"dispatcher", "manifests and the feed", "notes of reads"}


def test_documents__in_transactions__cost_twice_as_much_where_days_change() -> None:
    many = replace(GIVEN, touched=1_000, counting_shops=1, grown_at=1e12, one_item=0)
    single, double = (
        cost_of_count(replace(many, transaction_factor=factor), 10_000, 100, PRICE)[DOCUMENTS] for factor in (1, 2)
    )
    shop_day = PRICE["dynamodb_write"]
    assert double - shop_day == pytest.approx(2 * (single - shop_day), rel=1e-3)


def test_whole__is_the_sum_of_parts_of_each_count() -> None:
    one = replace(GIVEN, counting_shops=1)
    parts = sum(
        number * sum(cost_of_count(one, 5_000, rows, PRICE).values()) for rows, number in one.counts(5_000).items()
    )
    schedule = counting_a_day(one, 5_000, PRICE)
    rest = schedule["dispatcher"] + schedule["manifests and the feed"] + schedule["notes of reads"]
    assert whole(one, 5_000, PRICE) == pytest.approx(parts + rest)


def test_table__has_each_number_of_shops() -> None:
    assert [line.partition(" shops")[0] for line in counting_by_scale(GIVEN, PRICE)][2:] == [
        "| 10",
        "| 1,000",
        "| 10,000",
    ]


def test_large_shop__in_partitions__costs_at_most_twice_the_cheapest_other_way() -> None:
    *rows, beyond = list(counting_of_one_shop(Large(), Counting(), Assumptions(), prices()))[2:]
    for row in rows:
        _, _, partitions, own, *others, _ = row.split("|")
        assert int(partitions) > 1
        assert float(own) <= 2 * min(map(float, others)), row
    assert "| too many | – |" in beyond


def test_large_shop__twice_as_fresh__costs_more_by_every_way() -> None:
    half, hour = (
        list(counting_of_one_shop(Large(large_minutes=minutes), Counting(), Assumptions(), prices()))[2:-1]
        for minutes in (30, 60)
    )
    for sooner, later in zip(half, hour, strict=True):
        pairs = zip(sooner.split("|")[3:-1], later.split("|")[3:-1], strict=True)
        assert all(float(one) > float(other) for one, other in pairs)
