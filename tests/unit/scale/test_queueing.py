"""The model of the queue: lags of a load that can be computed by hand, and what groups change."""

from __future__ import annotations

import pytest

from benchmarks.scale.queueing import DISPATCH_SECONDS, Simulation, UnitTimes

HOUR = 3600.0


def simulation(rates: dict[str, float], *, each: float = 10.0, each_row: float = 0.0, **given: object) -> Simulation:
    times = UnitTimes(each=each, each_row=each_row, most_rows=100_000)
    made = Simulation(rates=rates, times=times, measured_for=0.0, **given)  # type: ignore[arg-type]
    return made.run(HOUR)


def test_lag__of_one_shop__is_a_pause_of_the_dispatcher_and_a_unit() -> None:
    lags = simulation({"a": 10.0}).lags["a"]
    assert lags[1:] == pytest.approx([DISPATCH_SECONDS + 10 - 0.1] * (len(lags) - 1))


def test_waits__of_more_shops_than_workers__grow_by_turns() -> None:
    one = simulation({"a": 1.0, "b": 1.0, "c": 1.0}, workers=1)
    assert sorted(one.waits[name][1] for name in "abc") == pytest.approx([10, 20, 30])
    assert one.p95(one.waits) == pytest.approx(30)


def test_slice__of_a_large_backlog__goes_behind_the_others() -> None:
    made = simulation({"a": 1_000.0, "b": 1.0, "c": 1.0}, workers=1, each_row=1e-4)
    # The first 100,000 rows take 20 s, then the others have their turn.
    assert made.waits["b"][1] < 60
    assert made.waits["c"][1] < 60


def test_flood__with_workers_to_spare__moves_no_other() -> None:
    rates = {f"shop {number}": 1.0 for number in range(40)}
    calm = simulation(rates, each=1.0, each_row=1e-4)
    flood = simulation(rates | {"shop 7": 1_000.0}, each=1.0, each_row=1e-4)
    assert flood.p95(flood.lags, without="shop 7") <= 1.1 * calm.p95(calm.lags, without="shop 7")


@pytest.mark.parametrize("are_fair", [True, False])
def test_messages__of_a_shop_that_is_held__are_dropped(are_fair: bool) -> None:
    made = simulation({"a": 1.0, "b": 1.0}, each=2 * DISPATCH_SECONDS, are_fair=are_fair)
    assert len(made.lags["a"]) <= HOUR / (2 * DISPATCH_SECONDS)
    assert max(made.waits["b"]) <= 3 * DISPATCH_SECONDS
