"""A shop with experiments in memory, and its publication: what tests of delivery start from."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from abtest.adapters.scripts import QuickJsChecker
from abtest.domain.credentials.signing import RootKeys
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.goals.model import Goal
from abtest.domain.settings.shop import Shop
from abtest.kit.clock import ManualClock, timestamp
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Commit, Put
from abtest.services.context import World
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.publication import Publication
from abtest.services.shop_records import puts_of
from tests.support.memory import MemoryBlobs, MemoryCatalog, MemoryCdn

SHOP_ID = "0192a3b4-0000-7000-8000-00000000000a"
START = datetime(2026, 1, 1, tzinfo=UTC)
MOMENT = timestamp(START)
ROOTS = RootKeys(active="k1", keys={"k1": b"root"})
BUNDLE = "(function(config,scripts){globalThis.started={config:config,scripts:scripts}})"


def shop(**fields: Any) -> Shop:
    """A shop that sells in euros."""
    given = {
        "id": SHOP_ID,
        "name": "Shop",
        "domain": "shop.example",
        "currency": "EUR",
        "org_id": "0192a3b4-0000-7000-8000-0000000000ff",
    }
    return Shop(**{**given, "created_at": MOMENT, "updated_at": MOMENT, **fields})


def variation(number: int, **fields: Any) -> Variation:
    """The control for number 0, a treatment otherwise; an even split between two."""
    given = {
        "id": f"0192a3b4-0000-7000-8000-0000000001{number:02d}",
        "experiment_id": experiment_id(1),
        "name": f"V{number}",
        "weight": 0.5,
        "is_control": number == 0,
    }
    return Variation(**{**given, **fields})


def goal(**fields: Any) -> Goal:
    """A click goal."""
    given = {
        "id": "0192a3b4-0000-7000-8000-000000000200",
        "experiment_id": experiment_id(1),
        "name": "Buy",
        "type": "click",
        "selector": "#buy",
    }
    return Goal(**{**given, "created_at": MOMENT, "updated_at": MOMENT, **fields})


def experiment_id(number: int) -> str:
    """Ids in the order of their numbers."""
    return f"0192a3b4-0000-7000-8000-0000000000{number:02d}"


def experiment(number: int = 1, **fields: Any) -> Experiment:
    """A running experiment with two variations."""
    given: dict[str, Any] = {
        "id": experiment_id(number),
        "shop_id": SHOP_ID,
        "name": f"Experiment {number}",
        "status": "running",
        "started_at": MOMENT,
        "version": 1,
        "created_at": MOMENT,
        "updated_at": MOMENT,
        "variations": (variation(0), variation(1)),
    }
    return Experiment(**{**given, **fields})


@dataclass
class Storefront:
    """The shop's catalog and delivery bucket, with a clock that stands still."""

    clock: ManualClock = field(default_factory=lambda: ManualClock(START))
    catalog: MemoryCatalog = field(default_factory=MemoryCatalog)
    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)
    cdn: MemoryCdn = field(default_factory=MemoryCdn)
    bundle: str = BUNDLE

    def __post_init__(self) -> None:
        self.world = World(catalog=self.catalog, clock=self.clock, random=SystemRandomness())
        self.catalog.commit(Commit(puts=puts_of(shop())))

    @property
    def publication(self) -> Publication:
        """The use case under test."""
        return Publication(
            world=self.world,
            blobs=self.blobs,
            checker=QuickJsChecker(),
            roots=lambda: ROOTS,
            bundle=lambda _: self.bundle,
            worker_base_url="https://edge.example",
            cdn=self.cdn,
        )

    def keep(self, kept: Experiment) -> None:
        """Store the experiment, whatever version stands there."""
        present = self.catalog.get(kept.shop_id, "EXP", kept.id)
        version = present.head.version if present else 0
        put = Put(record=EXPERIMENTS.record(replace(kept, version=version + 1)), expected_version=version)
        self.catalog.commit(Commit(puts=[put]))
