"""A shop with a running experiment, its raw ledger and its roll-ups, all in memory."""

from collections.abc import Iterable
from typing import Any

from abtest.domain.experiments.model import Experiment
from abtest.domain.ledger.daily_counts import DailyCounts
from abtest.domain.ledger.objects import ShopFiles
from abtest.domain.ledger.plans import CountingPlan
from abtest.kit.clock import ManualClock, from_milliseconds, timestamp, to_milliseconds
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Commit, Put
from abtest.services.context import World
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.ledger_files import LedgerFiles
from abtest.services.rollups.work import work_of
from abtest.services.rollups.writer import RollupWriter
from abtest.services.shop_records import puts_of
from tests.support.memory import MemoryBlobs, MemoryCatalog, MemoryMetrics, MemoryRollupStore
from tests.support.reference_warehouse import ReferenceWarehouse
from tests.support.storefronts import goal, shop, variation
from tests.unit.ledger.raw_hours import NOON, put_raw, row

EXPERIMENT, OTHER = "0192a3b4-0000-7000-8000-0000000000e1", "0192a3b4-0000-7000-8000-0000000000e2"
MINUTE = 60_000


class RolledUp:
    """Time begins at noon; raw objects are stored at the clock's time."""

    def __init__(self, *experiments: str) -> None:
        self.clock = ManualClock(from_milliseconds(NOON))
        self.world = World(catalog=MemoryCatalog(), clock=self.clock, random=SystemRandomness())
        self.ledger, self.store, self.metrics = MemoryBlobs(self.now), MemoryRollupStore(), MemoryMetrics()
        self.warehouse = ReferenceWarehouse(self.ledger)
        self.world.catalog.commit(Commit(puts=puts_of(shop())))
        for experiment_id in experiments or (EXPERIMENT,):
            self.world.catalog.commit(
                Commit(puts=[Put(record=EXPERIMENTS.record(running(experiment_id)), expected_version=0)])
            )
        self._objects = 0

    def now(self) -> int:
        return to_milliseconds(self.clock.now())

    def arrive(self, *visitors: int, experiment_id: str = EXPERIMENT, received_at: int | None = None) -> str:
        """A raw object with an exposure and a click of each visitor, received just now."""
        self._objects += 1
        lines = events(visitors, experiment_id, received_at or self.now(), self._objects)
        return put_raw(self.ledger, f"{self._objects}", lines, at=self.now())

    def roll_up(self) -> None:
        """What the schedule does."""
        writer = RollupWriter(self.world, self.store)
        for each in work_of(self.world).shops:
            raw = tuple(LedgerFiles(self.ledger).raw_since(NOON))
            with self.warehouse.open(each.shop_id, ShopFiles(raw=raw), since=0) as opened:
                for plan in each.plans:
                    writer.write(plan, DailyCounts.of(opened.count(plan)))
                date = timestamp(self.clock.now())[:10]
                writer.write_days(each.shop_id, {date: opened.day(date, each.currency)})

    def plan(self, experiment_id: str = EXPERIMENT) -> CountingPlan:
        (found,) = [
            plan for each in work_of(self.world).shops for plan in each.plans if plan.experiment_id == experiment_id
        ]
        return found

    def damage(self, experiment_id: str = EXPERIMENT) -> None:
        """One visitor more stands in a cell than there were, in a generation that looks like any other."""
        totals = self.store.totals(experiment_id, 1)
        (day,) = self.store.days(experiment_id, 1, "0000-01-01", "9999-12-31")
        assert totals is not None
        generation = totals["generation"] + 1
        cells = [[*cell[:4], cell[4] + 1] for cell in day["cells"]]
        damaged = {**day, "cells": cells, "generation": generation}
        assert self.store.put({**totals, "generation": generation}, {day["date"]: damaged}, {})


def events(visitors: Iterable[int], experiment_id: str, received_at: int, name: int = 0) -> list[Any]:
    """An exposure and a click of each visitor."""
    moment = {"shop_id": shop().id, "ts": received_at - 5, "received_at": received_at}
    return [
        event
        for number in visitors
        for event in (
            row(
                f"x-{experiment_id}-{number}",
                type="experiment_viewed",
                visitor_id=f"v-{number}",
                experiment_id=experiment_id,
                variation_id=variation(number % 2).id,
                **moment,
            ),
            row(f"g-{number}-{name}", type="goal", goal_id=goal().id, visitor_id=f"v-{number}", **moment),
        )
    ]


def running(experiment_id: str) -> Experiment:
    """An experiment that runs since a minute before noon."""
    moment = timestamp(from_milliseconds(NOON - MINUTE))
    return Experiment(
        id=experiment_id,
        shop_id=shop().id,
        version=1,
        name="Headline",
        status="running",
        started_at=moment,
        measurement_started_at=moment,
        created_at=moment,
        updated_at=moment,
        variations=(variation(0), variation(1)),
        goals=(goal(winsorize_pct=0.1),),
    )
