"""A shop that is divided, divided otherwise and joined again equals the reference after any history of a counter."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from abtest.adapters.warehouse.shop_counter import Limits
from abtest.adapters.warehouse.shop_units import DuckDbShopUnits
from abtest.kit.ids import SystemRandomness
from abtest.ports.warehouse import OutOfTimeError, ShopCounted, ShopPlans, UnitsAtWorkError
from abtest.services.context import World
from abtest.services.rollups.divided import DividedCounter
from abtest.services.rollups.generations import GENERATIONS
from abtest.services.rollups.messages import UnitMessage, read_message
from abtest.services.rollups.unit_run import UnitRun
from tests.faults.faults import Fated
from tests.property.test_shop_counter import ShopHistories, number_of_rows
from tests.support.ledgers import BEGIN, SHOP, VARIATIONS, exposure, order
from tests.support.memory import MemoryCatalog, MemoryLeases, MemoryQueue
from tests.support.memory.metrics import MemoryMetrics
from tests.support.sizes import sized

ROUNDS = 100
SIZES = (100, 400, 10**9)
"""Rows of a unit: from several partitions, and several units of ids, to one piece."""


__all__ = ["number_of_rows"]


class DividedHistories(ShopHistories):
    def __init__(self) -> None:
        self.most_rows = SIZES[0]
        self.held: dict[str, int] = {}
        self.repeats = False
        super().__init__()

    @rule(most_rows=st.sampled_from(SIZES))
    def divide_otherwise(self, most_rows: int) -> None:
        self.most_rows = most_rows
        self.start_process(Limits())

    @rule()
    def deliver_messages_twice_and_in_any_order(self) -> None:
        self.repeats = not self.repeats

    @precondition(lambda self: self.held)
    @rule(kind=st.sampled_from(("newest", "done", "part")), how=st.sampled_from(("gone", "truncated")))
    def damage_generation(self, kind: str, how: str) -> None:
        keys = [key for key in self.blobs.objects if key.startswith(f"{GENERATIONS}{SHOP}/") and kind in key]
        for key in keys[-1:]:
            content = self.blobs.objects[key].blob.content
            if how == "gone":
                self.blobs.delete(key)
            else:
                self.blobs.put(key, content[: len(content) // 2], content_type="application/octet-stream")

    def start_process(self, limits: Limits, rows_a_plan: int = 0) -> None:
        super().start_process(limits, rows_a_plan)
        ledger: Any = Fated(self.blobs, self.fate)
        self.queue = MemoryQueue()
        units = DuckDbShopUnits(self.counter, self.clock)
        self.divided = DividedCounter(
            whole=self.counter,
            units=units,
            ledger=ledger,
            queue=self.queue,
            clock=self.clock,
            most_rows=self.most_rows,
        )
        self.unit_run = UnitRun(
            world=World(catalog=MemoryCatalog(), clock=self.clock, random=SystemRandomness()),
            plans_of=self._planned,
            units=units,
            ledger=ledger,
            leases=MemoryLeases(),
            queue=self.queue,
            metrics=MemoryMetrics(),
        )

    def _planned(self, shop_id: str) -> ShopPlans:
        return ShopPlans(
            shop_id=shop_id,
            currency="EUR",
            plans=self.plans[shop_id],
            days_until=self.days_until[shop_id],
            held=self.held.get(shop_id, 0),
        )

    def _call(self, shop_id: str, until: timedelta | None = None) -> ShopCounted:
        head = self._head(shop_id)
        latest = None if until is None else self.clock.now() + until
        for _ in range(ROUNDS):
            try:
                counted = self.divided.count(
                    self._planned(shop_id), head=head, stored=self.stored[shop_id], until=latest
                )
            except UnitsAtWorkError:
                if not self._work(latest) and until is not None:
                    raise OutOfTimeError from None
                # What failed is sent again after a while.
                self.clock.advance(minutes=15)
                continue
            self.held[shop_id] = counted.held
            return counted
        raise AssertionError("units are called again and again")

    def _work(self, latest: Any) -> bool:
        """Carry out messages until one fails."""
        while self.queue.sent:
            message = self.queue.sent.pop(-1 if self.repeats else 0).body
            unit = read_message(message)
            if isinstance(unit, UnitMessage):
                for _ in range(1 + self.repeats):
                    if not self.unit_run.run(unit, latest):
                        return False
        return True


TestDividedHistories = DividedHistories.TestCase
TestDividedHistories.settings = settings(
    max_examples=sized(40, 6),
    stateful_step_count=14,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)


def test_order_id__shared_by_ten_thousand_visitors__is_counted_once() -> None:
    shops = DividedHistories()
    visitors = [f"v-{number}" for number in range(sized(10_000, 2_000))]
    shops._write([exposure(visitor, VARIATIONS[number % 2]) for number, visitor in enumerate(visitors)])
    shops.count_all()
    shops.most_rows = len(visitors) // 2
    shops.start_process(Limits())
    shops._write([order(visitor, 1_000, BEGIN + 10, order_id="the same") for visitor in visitors])
    shops.count_all()
    stored = shops.stored[SHOP]
    assert stored
    assert stored.key.startswith(GENERATIONS), "it is divided"
    shops._write([exposure("another", VARIATIONS[0]), order("another", 5, order_id="the same")])
    shops.count_all()
