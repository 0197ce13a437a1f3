"""A running experiment in memory, its roll-up as a test wants it, and Guardian who looks at it."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

from abtest.domain.experiments.model import Experiment
from abtest.domain.guardian.cases import State
from abtest.domain.ledger.cells import QUARTER_MS
from abtest.kit.clock import timestamp, to_milliseconds
from abtest.ports.catalog import Commit, InboxRow, Put
from abtest.services.context import World
from abtest.services.decisions.shop_round import Round
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.guardian_memory import remembered
from tests.support.deciding import Deciders
from tests.support.memory import MemoryLeases, MemoryMetrics, MemoryRollupStore
from tests.support.reaches import counted_until
from tests.unit.experiments.examples import CONTROL, EXPERIMENT, GOAL, SHOP, TREATMENT, goal, in_status
from tests.unit.experiments.test_store import House

MONEY = "019c0000-0000-7000-8000-0000000000d1"
HARMED = {"visitors": (5000, 5000), "buys": (500, 300)}
HEALTHY = {"visitors": (5000, 5000), "buys": (500, 490)}


class Stand(House):
    """The clock begins at midnight, when the experiment does; every round looks a quarter of an hour later."""

    def __init__(self, **fields: Any) -> None:
        super().__init__()
        self.rollups, self.leases, self.metrics = MemoryRollupStore(), MemoryLeases(), MemoryMetrics()
        self.generation = 0
        now = timestamp(self.clock.now())
        goals = (goal(is_primary=True, role="primary"), goal(id=MONEY, name="Orders", type="revenue", selector=None))
        made = replace(
            in_status("running", goals=goals, **fields), version=1, started_at=now, measurement_started_at=now
        )
        self.catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(made), expected_version=0)]))

    def counted(self, **numbers: Any) -> None:
        """A new roll-up: visitors of both arms in the present quarter, who bought, what the totals say besides."""
        self.generation += 1
        now = self.clock.now()
        date, quarter = f"{now:%Y-%m-%d}", to_milliseconds(now) // QUARTER_MS
        stamp = {
            "experiment_id": EXPERIMENT,
            "measurement_epoch": numbers.pop("epoch", 1),
            "generation": self.generation,
            "computed_at": timestamp(now),
        }
        visitors, buys = numbers.pop("visitors"), numbers.pop("buys", (0, 0))
        orders, cents = numbers.pop("orders", (0, 0)), numbers.pop("cents", (5000, 5000))
        arms = (CONTROL, TREATMENT)
        totals = {
            **stamp,
            "through": timestamp(now),
            "currency": "EUR",
            "variations": {arm: {"visitors": number} for arm, number in zip(arms, visitors, strict=True)},
            "goals": {
                GOAL: {arm: _counts(number, 1) for arm, number in zip(arms, buys, strict=True)},
                MONEY: {arm: _counts(number, each) for arm, number, each in zip(arms, orders, cents, strict=True)},
            },
            "money": {},
            "multiple_exposure": 0,
            "days": [date],
            "digests": {f"DAY#{date}": f"{self.generation:024d}"},
            **numbers,
        }
        self.count_nothing_new()
        cells = [[arm, "quarter", quarter, "", number] for arm, number in zip(arms, visitors, strict=True)]
        assert self.rollups.put(totals, {date: {**stamp, "date": date, "cells": cells, "goals": {}, "money": {}}}, {})

    def count_nothing_new(self) -> None:
        """A run of the roll-ups that finds no events."""
        counted_until(self.rollups, SHOP, self.clock.now())

    def guardian(self, world: World | None = None) -> Deciders:
        """One of many workers."""
        store = copy(self.store)
        store.world = world or self.world
        return Deciders(store, self.rollups, self.leases, metrics=self.metrics)

    def round(self, *, minutes: float = 15, world: World | None = None) -> Round:
        """What the schedule does."""
        self.clock.advance(minutes=minutes)
        return self.guardian(world).run("guardian")

    @property
    def experiment(self) -> Experiment:
        """As it is stored."""
        return self.store.get(SHOP, EXPERIMENT)

    @property
    def state(self) -> State:
        """What Guardian remembers."""
        found = remembered(self.catalog, SHOP, EXPERIMENT).state
        assert found is not None
        return found

    def webhooks(self) -> list[dict[str, Any]]:
        """Events that wait to be sent."""
        return [dict(row.payload) for row in self.outbox() if row.topic == "webhook"]

    def events(self) -> list[tuple[str, str]]:
        """Their names, with the kind that was found."""
        return [(found["event"], found.get("kind") or found["reason"]) for found in self.webhooks()]

    def inbox(self) -> list[InboxRow]:
        """Messages, newest first."""
        return list(self.catalog.inbox(SHOP, limit=100)[0])


def _counts(number: int, each: int) -> dict[str, Any]:
    return {
        "converters": number,
        "count": number,
        "sum_minor": number * each,
        "sum_squares_minor": str(number * each * each),
        "excluded": 0,
    }
