"""Recomputing: what stands is compared with the raw ledger and replaced only where it differs."""

from collections.abc import Mapping
from typing import Any

import pytest

from abtest.domain.ledger.daily_counts import DailyCounts
from abtest.domain.ledger.reference import count
from abtest.ports.rollup_store import Document, RollupStore
from abtest.services.recompute import Progress, Recompute, Recomputed
from tests.support.memory import MemoryRollupStore
from tests.support.storefronts import shop
from tests.unit.ledger.raw_hours import NOON
from tests.unit.ledger.rolled_up import EXPERIMENT, MINUTE, OTHER, RolledUp


def _recompute(bench: RolledUp, store: RollupStore | None = None, **wish: Any) -> Recomputed:
    use = Recompute(world=bench.world, ledger=bench.ledger, warehouse=bench.warehouse, store=store or bench.store)
    return use.run(**wish)


def _generation(bench: RolledUp, experiment_id: str = EXPERIMENT) -> int | None:
    totals = bench.store.totals(experiment_id, 1)
    return totals["generation"] if totals else None


def _ready(*experiments: str) -> RolledUp:
    bench = RolledUp(*experiments)
    for experiment_id in experiments or (EXPERIMENT,):
        bench.arrive(1, 2, 3, experiment_id=experiment_id)
    bench.clock.advance(minutes=1)
    bench.roll_up()
    return bench


def test_run__consistent_ledger__is_equal_and_changes_nothing() -> None:
    bench = _ready(EXPERIMENT, OTHER)
    before = dict(bench.store._documents)

    found = _recompute(bench)

    assert (found.experiments, found.written, found.differing, found.overtaken, found.failed) == (2, 0, {}, [], [])
    assert found.days >= 1
    assert bench.store._documents == before


def test_run__damaged_item__is_named_and_written_anew() -> None:
    bench = _ready()
    bench.damage()

    found = _recompute(bench)

    assert list(found.differing) == [EXPERIMENT]
    assert {str(difference["where"]).split()[0] for difference in found.differing[EXPERIMENT]} == {"visitors"}
    assert all(difference["standing"] == difference["counted"] + 1 for difference in found.differing[EXPERIMENT])
    assert _generation(bench) == 3
    assert _recompute(bench).differing == {}


def test_run__day_that_should_not_stand__is_emptied() -> None:
    bench = _ready()
    totals = bench.store.totals(EXPERIMENT, 1)
    (day,) = bench.store.days(EXPERIMENT, 1, "0000-01-01", "9999-12-31")
    assert totals is not None
    stray = {**day, "date": "2020-01-01", "generation": 2}
    bench.store.put({**totals, "generation": 2}, {"2020-01-01": stray}, {})

    assert list(_recompute(bench).differing) == [EXPERIMENT]
    assert _recompute(bench).differing == {}


@pytest.mark.parametrize("part", ["variations", "goals", "money", "spread", "sessions"])
def test_run__part_of_the_totals_is_damaged__is_told_and_written_anew(part: str) -> None:
    bench = _ready()
    totals = bench.store.totals(EXPERIMENT, 1)
    assert totals is not None
    bench.store.put({**totals, "generation": 2, part: {"stray": {}}}, {}, {})

    found = _recompute(bench)

    assert (list(found.differing), found.failed) == ([EXPERIMENT], [])
    assert _recompute(bench).differing == {}


def test_run__dry_run__tells_and_writes_nothing() -> None:
    bench = _ready()
    bench.damage()
    before = dict(bench.store._documents)

    found = _recompute(bench, dry_run=True)

    assert (list(found.differing), found.written) == ([EXPERIMENT], 0)
    assert bench.store._documents == before


def test_run__nothing_stands_yet__everything_is_written() -> None:
    bench = RolledUp()
    bench.arrive(1, 2)

    found = _recompute(bench)

    assert sorted(found.differing) == sorted([EXPERIMENT, f"{shop().id}/2026-05-27"])
    assert _generation(bench) == 1
    assert len(bench.store.shop_days(shop().id, "0000-01-01", "9999-12-31")) == 1


def test_run__documents_of_an_older_release__are_written_anew() -> None:
    bench = _ready()
    totals = bench.store.totals(EXPERIMENT, 1)
    (day,) = bench.store.shop_days(shop().id, "0000-01-01", "9999-12-31")
    assert totals is not None
    older = {name: found for name, found in totals.items() if name != "sessions"}
    assert bench.store.put({**older, "generation": 2}, {}, {})
    older_day = {name: found for name, found in day.items() if name != "repeated_orders"}
    assert bench.store.put_shop_day({**older_day, "generation": 7})

    found = _recompute(bench)

    told = {name: {difference["where"] for difference in differing} for name, differing in found.differing.items()}
    assert "totals sessions" in told[EXPERIMENT]
    assert told[f"{shop().id}/2026-05-27"] == {"repeated_orders"}
    assert _recompute(bench).differing == {}


def test_run__damaged_day_of_the_shop__is_written_anew() -> None:
    bench = _ready()
    (day,) = bench.store.shop_days(shop().id, "0000-01-01", "9999-12-31")
    bench.store.put_shop_day({**day, "generation": 7, "events": {"pageview": 99}})

    found = _recompute(bench)

    ((name, differing),) = found.differing.items()
    assert (name, [difference["where"] for difference in differing]) == (f"{shop().id}/2026-05-27", ["events"])
    (mended,) = bench.store.shop_days(shop().id, "0000-01-01", "9999-12-31")
    assert (mended["generation"], mended["events"]) == (8, day["events"])


def test_run__one_experiment__leaves_others_and_days_alone() -> None:
    bench = _ready(EXPERIMENT, OTHER)
    bench.damage(OTHER)
    bench.damage(EXPERIMENT)

    found = _recompute(bench, experiment_id=EXPERIMENT)

    assert (found.experiments, found.days, list(found.differing)) == (1, 0, [EXPERIMENT])
    assert _generation(bench, OTHER) == 2


@pytest.mark.parametrize("wish", [{"shop_id": "unknown"}, {"experiment_id": "unknown"}])
def test_run__nothing_of_that_name__does_nothing(wish: Mapping[str, Any]) -> None:
    assert _recompute(_ready(), **wish) == Recomputed()


class Overtaking(MemoryRollupStore):
    """A store in which the schedule writes at the very moment before a recomputation does."""

    def __init__(self, bench: RolledUp, times: int) -> None:
        super().__init__()
        self._documents = bench.store._documents
        self._bench, self._times = bench, times

    def put(self, totals: Document, days: Mapping[str, Document], segments: Mapping[str, Document]) -> bool:
        if self._times:
            self._times -= 1
            self._bench.arrive(90 + self._times)
            self._bench.roll_up()
        return super().put(totals, days, segments)


def test_run__the_schedule_writes_meanwhile__what_it_wrote_stands() -> None:
    bench = _ready()
    bench.damage()

    found = _recompute(bench, Overtaking(bench, 1), experiment_id=EXPERIMENT)

    totals = bench.store.totals(EXPERIMENT, 1)
    assert totals is not None
    assert sum(found["visitors"] for found in totals["variations"].values()) == 4
    assert (found.experiments, found.overtaken) == (1, [])


def test_run__overtaken_each_time__says_so_and_what_stands_is_newer() -> None:
    bench = _ready()
    bench.damage()

    class Refusing(Overtaking):
        """Damaged anew before each write, so that there is always something to write."""

        def put(self, totals: Document, days: Mapping[str, Document], segments: Mapping[str, Document]) -> bool:
            bench.damage()
            return MemoryRollupStore.put(self, totals, days, segments)

    found = _recompute(bench, Refusing(bench, 0), experiment_id=EXPERIMENT)

    assert (found.experiments, found.written, found.overtaken) == (0, 0, [EXPERIMENT])
    assert _generation(bench) == 5


def test_run__raw_object_that_cannot_be_read__is_told() -> None:
    bench = _ready()
    key = bench.arrive(9)
    bench.ledger.put(key, b"?", content_type="application/x-ndjson")

    assert _recompute(bench).failed == [shop().id]


def test_run__progress__names_every_experiment_before_it_is_counted() -> None:
    bench = _ready(EXPERIMENT, OTHER)
    told: list[Progress] = []

    Recompute(
        world=bench.world,
        ledger=bench.ledger,
        warehouse=bench.warehouse,
        store=bench.store,
        progress=told.append,
    ).run()

    assert [(progress.done, progress.total, progress.objects) for progress in told] == [(0, 2, 2), (1, 2, 2)]


def test_rolled_up__the_bench_itself__is_what_the_reference_says() -> None:
    bench = _ready()
    with bench.warehouse.open(shop().id, bench.warehouse.opened[-1], since=NOON - MINUTE) as opened:
        assert DailyCounts.of(opened.count(bench.plan())).whole() == opened.count(bench.plan())
    assert count([], bench.plan()).visitors == {}
