"""Five shops with an experiment each, in memory, and one process after the other that dispatches and counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from abtest.adapters.warehouse.shop_counter import DuckDbShopCounter
from abtest.adapters.warehouse.shop_units import DuckDbShopUnits
from abtest.domain.experiments.model import Experiment
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.manifests import manifest_key, sectioned
from abtest.domain.ledger.objects import raw_key
from abtest.domain.ledger.partitions import MOST_ROWS
from abtest.kit.clock import ManualClock, from_milliseconds, timestamp, to_milliseconds
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Catalog, Commit, Put
from abtest.services.context import World
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.ledger_feed import LedgerFeed
from abtest.services.shop_records import puts_of
from tests.faults.faults import Fate, Fated
from tests.support.counting import Counting
from tests.support.memory import MemoryBlobs, MemoryCatalog, MemoryLeases, MemoryRollupStore
from tests.support.memory.metrics import MemoryMetrics
from tests.support.reference_counter import ReferenceCounter
from tests.support.storefronts import goal, shop, variation
from tests.unit.ledger.streams import BEGIN, row

SHOPS = [f"0192a3b4-0000-7000-8000-00000000a00{number}" for number in range(5)]
EXPERIMENT_OF = {shop_id: shop_id.replace("a00", "e00") for shop_id in SHOPS}


def running(experiment_id: str, shop_id: str) -> Experiment:
    """A running experiment, launched at BEGIN."""
    moment = timestamp(from_milliseconds(BEGIN))
    return Experiment(
        id=experiment_id,
        shop_id=shop_id,
        version=1,
        name="Headline",
        status="running",
        started_at=moment,
        measurement_started_at=moment,
        created_at=moment,
        updated_at=moment,
        variations=(variation(0), variation(1)),
        goals=(goal(),),
    )


def stored(catalog: Catalog, *experiments: Experiment, shop_id: str | None = None) -> None:
    """A shop with these experiments."""
    catalog.commit(Commit(puts=puts_of(shop(id=shop_id or shop().id))))
    for experiment in experiments:
        catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(experiment), expected_version=0)]))


def put_events(ledger: Any, name: str, rows: Sequence[Row], at: int = BEGIN) -> None:
    """A raw object and its manifest, as the ingest worker writes them."""
    key = raw_key([name], at)
    content, manifest = sectioned(key, rows)
    ledger.put(key, content, content_type="application/x-ndjson")
    ledger.put(manifest_key(key), manifest.encoded(), content_type="application/json")


class RolledShops:
    """The shops. `arrive` brings visitors, `process` starts a process, `count` dispatches and counts."""

    def __init__(self) -> None:
        self.clock, self.catalog = ManualClock(from_milliseconds(BEGIN + 60_000)), MemoryCatalog()
        self.ledger = MemoryBlobs(self.now)
        self.store, self.leases, self.metrics = MemoryRollupStore(), MemoryLeases(), MemoryMetrics()
        self._arrived = 0
        for shop_id, experiment_id in EXPERIMENT_OF.items():
            stored(self.catalog, running(experiment_id, shop_id), shop_id=shop_id)
        self.process()

    def now(self) -> int:
        return to_milliseconds(self.clock.now())

    def process(self, fate: Fate | None = None, *, entries: int = 1000, most_rows: int | None = None) -> Counting:
        """A new process; its calls of stores may kill it. With `most_rows` it divides larger shops, in DuckDB."""
        fate = fate or Fate()
        ledger: Any = Fated(self.ledger, fate)
        self.counter = ReferenceCounter(ledger, self.clock, entries=entries)
        whole = DuckDbShopCounter(ledger, self.clock, LedgerFeed(ledger, self.clock))
        self.counting = Counting(
            world=World(catalog=Fated(self.catalog, fate), clock=self.clock, random=SystemRandomness()),
            counter=self.counter if most_rows is None else whole,
            units=None if most_rows is None else DuckDbShopUnits(whole, self.clock),
            most_rows=most_rows or MOST_ROWS,
            ledger=ledger,
            store=Fated(self.store, fate),
            leases=Fated(self.leases, fate),
            metrics=self.metrics,
        )
        return self.counting

    def arrive(self, visitors: int, *shops: str, received_at: int | None = None) -> None:
        """So many new visitors in each of the shops, by default in all, in one object."""
        moment, first = received_at or self.now(), self._arrived
        self._arrived += visitors
        rows = [
            row(
                event_id=f"{shop_id}-{first + number}",
                shop_id=shop_id,
                visitor_id=f"v-{first + number}",
                experiment_id=EXPERIMENT_OF[shop_id],
                variation_id=variation(0).id,
                assignment_epoch=1,
                ts=moment,
                received_at=moment,
            )
            for shop_id in shops or SHOPS
            for number in range(visitors)
        ]
        put_events(self.ledger, f"{self._arrived}-{moment}-{shops}", rows, at=self.now())

    def visitors(self) -> list[int]:
        """How many the stored roll-ups count, shop by shop; -1 without one."""
        totals = [self.store.totals(experiment_id, 1) for experiment_id in EXPERIMENT_OF.values()]
        return [each["variations"][variation(0).id]["visitors"] if each else -1 for each in totals]

    def read(self, *shops: str) -> None:
        """Someone reads results of these shops."""
        for shop_id in shops:
            self.store.note_read(shop_id, timestamp(self.clock.now()), unless_after="")

    def edit(self, shop_id: str, *, status: Any = "running") -> None:
        """A change of the shop's experiment."""
        before = running(EXPERIMENT_OF[shop_id], shop_id)
        moment = timestamp(self.clock.now())
        experiment = replace(before, version=2, name="Another", status=status, updated_at=moment)
        self.catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(experiment), expected_version=1)]))
