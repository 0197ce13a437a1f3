"""Roll-up documents: an older generation never replaces a newer one, whatever their number and size."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from abtest.adapters.dynamo import rollup_store
from abtest.ports.rollup_store import Document, RollupSummary, ShopProgress, StoredState
from tests.contract.conftest import Ports
from tests.contract.records import concurrent, race

EXPERIMENT = "0192a3b4-0000-7000-8000-0000000000e1"


def totals(generation: int, epoch: int = 1, **extra: Any) -> dict[str, Any]:
    return {"experiment_id": EXPERIMENT, "measurement_epoch": epoch, "generation": generation, **extra}


def dated(dates: list[str], generation: int, **extra: Any) -> dict[str, Document]:
    return {date: totals(generation, date=date, **extra) for date in dates}


def shop_day(date: str, generation: int, **extra: Any) -> dict[str, Any]:
    return {"shop_id": "s", "date": date, "generation": generation, **extra}


def noise(size: int, seed: int = 1) -> str:
    """Text that does not become smaller than about three quarters of its length."""
    return random.Random(seed).randbytes(size // 2).hex()


def many(count: int) -> list[str]:
    return [f"{2000 + number // 300:04}-{number % 300 // 28 + 1:02}-{number % 28 + 1:02}" for number in range(count)]


def test_totals__nothing_counted__is_none(ports: Ports) -> None:
    assert ports.rollup_store.totals(EXPERIMENT, 1) is None
    assert ports.rollup_store.days(EXPERIMENT, 1, "2026-01-01", "2026-12-31") == []
    assert ports.rollup_store.shop_days("s", "2026-01-01", "2026-12-31") == []
    assert ports.rollup_store.summary(EXPERIMENT, 1) == RollupSummary(totals=None, is_whole=True, next_generation=1)


def test_totals__of_many__are_those_of_complete_writes_of_any_size(ports: Ports) -> None:
    store = ports.rollup_store
    others = [f"0192a3b4-0000-7000-8000-{number:012}" for number in range(150)]
    assert store.totals_of([]) == {}
    store.put(totals(3), {}, {})
    store.put(totals(4, epoch=2, spread=noise(900_000)), {}, {})
    stored = ports.another().rollup_store.totals_of([*((each, 1) for each in others), (EXPERIMENT, 2), (EXPERIMENT, 1)])
    assert stored == {(EXPERIMENT, 1): totals(3), (EXPERIMENT, 2): totals(4, epoch=2, spread=noise(900_000))}


def test_put__rising_generations__replace_what_they_name_and_leave_the_rest(ports: Ports) -> None:
    store = ports.rollup_store
    assert store.put(totals(1, source="a"), dated(["2026-01-01", "2026-01-02"], 1), dated(["2026-01-01"], 1))
    assert store.put(totals(4, source="b"), dated(["2026-01-02"], 4), {})
    again = ports.another().rollup_store
    assert again.totals(EXPERIMENT, 1) == totals(4, source="b")
    assert [day["generation"] for day in again.days(EXPERIMENT, 1, "2026-01-01", "2026-01-02")] == [1, 4]
    assert again.segments(EXPERIMENT, 1, "2026-01-01", "2026-01-31") == [totals(1, date="2026-01-01")]
    assert again.summary(EXPERIMENT, 1) == RollupSummary(totals=totals(4, source="b"), is_whole=True, next_generation=5)


def test_put__same_or_older_generation__is_refused_whole(ports: Ports) -> None:
    store = ports.rollup_store
    store.put(totals(5, by="first"), {}, {})
    assert not store.put(totals(5, by="second"), dated(["2026-01-01"], 5), {})
    assert not store.put(totals(4, by="third"), dated(["2026-01-01"], 4), {})
    assert store.totals(EXPERIMENT, 1) == totals(5, by="first")
    assert store.days(EXPERIMENT, 1, "2026-01-01", "2026-01-01") == []


def test_put__totals_alone__are_written_without_a_transaction(ports: Ports, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ports.rollup_store
    store.put(totals(1, source="a"), dated(["2026-01-01"], 1), {})
    monkeypatch.delattr(rollup_store, "Transaction")
    assert store.put(totals(2, source="b"), {}, {})
    assert not store.put(totals(2, source="c"), {}, {})
    assert not store.put(totals(1, source="d"), {}, {})
    assert store.summary(EXPERIMENT, 1) == RollupSummary(totals=totals(2, source="b"), is_whole=True, next_generation=3)


def test_put__newest_days_that_are_small__are_written_without_a_transaction(
    ports: Ports, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, dates = ports.rollup_store, ["2026-01-01", "2026-01-02", "2026-01-03"]
    store.put(totals(1), dated(dates[:2], 1), dated(dates[:2], 1))
    monkeypatch.delattr(rollup_store, "Transaction")
    assert store.put(totals(2), dated(dates[1:2], 2), {})
    assert ports.another().rollup_store.put(totals(3), dated(dates[2:], 3), dated(dates[1:], 3))
    assert not store.put(totals(3, by="another"), dated(dates[2:], 3), {})
    other = ports.another().rollup_store
    assert [day["generation"] for day in other.days(EXPERIMENT, 1, dates[0], dates[2])] == [1, 2, 3]
    assert [day["generation"] for day in other.segments(EXPERIMENT, 1, dates[0], dates[2])] == [1, 3, 3]
    assert [day["date"] for day in other.days(EXPERIMENT, 1, dates[2], "2026-12-31")] == dates[2:]
    assert other.days(EXPERIMENT, 1, "2026-01-04", "2026-12-31") == []
    assert other.summary(EXPERIMENT, 1) == RollupSummary(totals=totals(3), is_whole=True, next_generation=4)


def test_put__many_days_one_after_the_other__all_are_read(ports: Ports) -> None:
    dates = many(60)
    for number, date in enumerate(dates, start=1):
        changed = dates[max(0, number - 9) : number]
        assert ports.rollup_store.put(
            totals(number), dated(changed, number, text=noise(300, number)), dated([date], number)
        )
    other = ports.another().rollup_store
    assert [day["date"] for day in other.days(EXPERIMENT, 1, dates[0], dates[-1])] == dates
    last = [day["generation"] for day in other.days(EXPERIMENT, 1, dates[0], dates[-1])]
    assert last == [min(60, number + 8) for number in range(1, 61)]
    assert [day["date"] for day in other.segments(EXPERIMENT, 1, dates[50], dates[55])] == dates[50:56]


def test_days__asked_for_a_range__gives_both_ends_and_nothing_else(ports: Ports) -> None:
    store = ports.rollup_store
    dates = ["2026-01-30", "2026-01-31", "2026-02-01", "2026-02-02"]
    store.put(totals(1), dated(dates, 1, kind="day"), dated(dates, 1, kind="segment"))
    store.put(totals(1, epoch=2), {"2026-01-31": totals(1, epoch=2)}, {})
    found = store.days(EXPERIMENT, 1, "2026-01-31", "2026-02-01")
    assert [(day["date"], day["kind"]) for day in found] == [("2026-01-31", "day"), ("2026-02-01", "day")]
    assert [day["kind"] for day in store.segments(EXPERIMENT, 1, "2026-02-02", "2026-02-09")] == ["segment"]


def test_epochs__of_one_experiment__are_apart(ports: Ports) -> None:
    ports.rollup_store.put(totals(9), {}, {})
    assert ports.rollup_store.put(totals(1, epoch=1766275200000), {}, {})
    assert ports.rollup_store.totals(EXPERIMENT, 1) == totals(9)
    assert ports.rollup_store.summary(EXPERIMENT, 1).next_generation == 10
    assert ports.rollup_store.summary(EXPERIMENT, 1766275200000).next_generation == 2


def test_put__more_items_than_a_transaction_takes__stores_all(ports: Ports) -> None:
    for count in (99, 100, 230):
        dates, generation = many(count), count
        assert ports.rollup_store.put(totals(generation), dated(dates, generation), {})
        found = ports.another().rollup_store.days(EXPERIMENT, 1, "2000-01-01", "2026-12-31")
        assert {day["generation"] for day in found} == {generation}
        assert len(found) == count
        assert ports.rollup_store.summary(EXPERIMENT, 1).is_whole


def test_put__more_items_than_a_transaction_takes_but_old__changes_no_totals(ports: Ports) -> None:
    ports.rollup_store.put(totals(7, by="first"), {}, {})
    assert not ports.rollup_store.put(totals(7, by="second"), dated(many(150), 7), {})
    assert ports.rollup_store.totals(EXPERIMENT, 1) == totals(7, by="first")
    assert ports.rollup_store.days(EXPERIMENT, 1, "2000-01-01", "2026-12-31") == []


def test_put__documents_larger_than_an_item__are_stored_and_replaced(ports: Ports) -> None:
    large = {"2026-01-01": totals(1, text=noise(1_500_000)), "2026-01-02": totals(1, text=noise(400_000, 2))}
    assert ports.rollup_store.put(totals(1, spread=noise(900_000, 3)), large, large)
    again = ports.another().rollup_store
    assert again.days(EXPERIMENT, 1, "2026-01-01", "2026-01-02") == list(large.values())
    assert again.totals(EXPERIMENT, 1) == totals(1, spread=noise(900_000, 3))
    smaller = {"2026-01-01": totals(2, text=noise(1_000_000, 4))}
    assert again.put(totals(2), smaller, {})
    assert again.days(EXPERIMENT, 1, "2026-01-01", "2026-01-01") == list(smaller.values())
    assert not again.put(totals(2), {"2026-01-01": totals(2, text=noise(1_000_000, 5))}, {})
    assert again.days(EXPERIMENT, 1, "2026-01-01", "2026-01-01") == list(smaller.values())


def test_put__ten_variations_twenty_goals_and_250_countries__are_stored(ports: Ports) -> None:
    chance = random.Random(1)
    goals = {
        f"0192a3b4-0000-7000-8000-0000000000{goal:02}": [
            [
                *(f"0192a3b4-0000-7000-8000-00000000ff{variation:02}", "country", 20_400, f"C{country}"),
                *(chance.randrange(900), chance.randrange(900), chance.randrange(10**6)),
                str(chance.randrange(10**11)),
            ]
            for variation in range(10)
            for country in range(250)
        ]
        for goal in range(20)
    }
    document = totals(1, date="2026-01-01", cells=[], goals=goals, money={})
    assert ports.rollup_store.put(totals(1), {}, {"2026-01-01": document})
    assert ports.rollup_store.segments(EXPERIMENT, 1, "2026-01-01", "2026-01-01") == [document]


def test_put_shop_day__rising_generations__replace(ports: Ports) -> None:
    store = ports.rollup_store
    assert store.put_shop_day(shop_day("2026-01-31", 1, by="first"))
    assert store.put_shop_day(shop_day("2026-02-01", 1))
    assert not store.put_shop_day(shop_day("2026-01-31", 1, by="second"))
    assert store.put_shop_day(shop_day("2026-01-31", 2, by="third", activity=noise(700_000)))
    found = ports.another().rollup_store.shop_days("s", "2026-01-01", "2026-02-01")
    assert [(day["date"], day["generation"]) for day in found] == [("2026-01-31", 2), ("2026-02-01", 1)]
    assert found[0]["activity"] == noise(700_000)
    assert store.shop_days("another", "2026-01-01", "2026-02-01") == []


@concurrent
def test_put__generations_racing__the_newest_stays(ports: Ports) -> None:
    for turn in range(5):
        generations = range(turn * 10 + 1, turn * 10 + 6)
        writes = [
            partial(ports.rollup_store.put, totals(generation), dated(["2026-01-01"], generation), {})
            for generation in generations
        ]
        race(*writes)
        newest = max(generations)
        assert ports.rollup_store.totals(EXPERIMENT, 1) == totals(newest)
        assert ports.rollup_store.days(EXPERIMENT, 1, "2026-01-01", "2026-01-01") == [totals(newest, date="2026-01-01")]


@concurrent
def test_put__writes_of_many_items_racing_with_one_generation__never_end_mixed(ports: Ports) -> None:
    dates = many(130)
    answers = race(*(partial(ports.rollup_store.put, totals(1, by=by), dated(dates, 1, by=by), {}) for by in "abc"))
    summary = ports.rollup_store.summary(EXPERIMENT, 1)
    assert answers.count(True) <= 1
    if summary.is_whole:
        assert summary.totals is not None
        found = ports.rollup_store.days(EXPERIMENT, 1, "2000-01-01", "2026-12-31")
        assert {day["by"] for day in found} == {summary.totals["by"]}
    assert ports.rollup_store.put(totals(2), dated(dates, 2), {})


EPOCH = "1970-01-01T00:00:00.000Z"


def progress(offset: int, minute: int = 0, **more: Any) -> ShopProgress:
    moment = f"2026-03-02T10:{minute:02}:00.000Z"
    return ShopProgress(shop_id="shop-a", offset=offset, until=moment, counted_at=moment, **more)


def test_shop_progress__of_a_higher_offset__is_never_replaced_by_a_lower_one(ports: Ports) -> None:
    store = ports.rollup_store
    assert store.shop_progress("shop-a") is None
    first = progress(7, failed=frozenset({"e1", "e2"}), state=StoredState(key="state/x", offset=5), held=12, plans="p")
    assert store.put_shop_progress(first)
    assert store.put_shop_progress(first), "a repeated write is harmless"
    assert ports.another().rollup_store.shop_progress("shop-a") == first
    assert not store.put_shop_progress(progress(6, 5))
    assert store.shop_progress("shop-a") == first
    assert store.put_shop_progress(progress(7, 1))
    assert not store.put_shop_progress(progress(7)), "counted before the stored one"
    assert store.put_shop_progress(progress(8))
    assert store.shop_progress("shop-a") == progress(8)


def test_progress_of_shops__has_each_by_its_id(ports: Ports) -> None:
    store = ports.rollup_store
    assert list(store.progress_of_shops()) == []
    for shop_id in ("b", "c", "a"):
        store.put_shop_progress(replace(progress(1), shop_id=shop_id))
    assert [each.shop_id for each in ports.another().rollup_store.progress_of_shops()] == ["a", "b", "c"]


def test_note_of_a_read__after_a_recent_one__changes_nothing(ports: Ports) -> None:
    store, moments = ports.rollup_store, [f"2026-03-02T10:{minute:02}:00.000Z" for minute in (0, 3, 5, 10)]
    assert store.note_read("shop-a", moments[0], unless_after=EPOCH)
    assert not ports.another().rollup_store.note_read("shop-a", moments[1], unless_after=EPOCH)
    assert store.shops_read(EPOCH) == {"shop-a": moments[0]}
    assert store.note_read("shop-a", moments[3], unless_after=moments[0])
    assert store.note_read("shop-b", moments[1], unless_after=EPOCH)
    assert store.shops_read(EPOCH) == {"shop-a": moments[3], "shop-b": moments[1]}
    assert store.shops_read(moments[2]) == {"shop-a": moments[3]}, "expired notes may still be stored"


def test_note_of_a_read__is_not_read_as_progress(ports: Ports) -> None:
    store = ports.rollup_store
    store.note_read("shop-a", "2026-03-02T10:00:00.000Z", unless_after=EPOCH)
    assert list(store.progress_of_shops()) == []
    assert store.shop_progress("shop-a") is None
