"""One folder with everything that processes share: the ledger's bucket, roll-ups, leases, and how it was made."""

import json
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self, cast

from abtest.kit.clock import ManualClock, from_milliseconds, to_milliseconds
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Catalog
from abtest.services.context import World
from benchmarks.scale.folder_blobs import FolderBlobs
from benchmarks.scale.meters import Fate, FatedStore, MeteredBlobs
from benchmarks.scale.shops import BEGINS, Shops, ShopsCatalog
from benchmarks.scale.stores import Shared, SharedLeases, SharedRollups

SETTINGS = "world.json"


@dataclass
class Place:
    """The view of one process: its clock, its meters, and what may happen to it."""

    folder: Path
    shops: Shops
    seed: int
    clock: ManualClock = field(default_factory=lambda: ManualClock(from_milliseconds(BEGINS)))
    spent: Counter[str] = field(default_factory=Counter)
    fate: Fate = field(default_factory=Fate)

    @classmethod
    def made(cls, folder: Path, shops: Shops, seed: int) -> Self:
        """A new folder's."""
        (folder / SETTINGS).write_text(json.dumps({"seed": seed, "shops": asdict(shops)}))
        return cls(folder, shops, seed)

    @classmethod
    def of(cls, folder: Path) -> Self:
        """That of another process, in a folder that was made."""
        settings: dict[str, Any] = json.loads((folder / SETTINGS).read_text())
        return cls(folder, Shops(**settings["shops"]), settings["seed"])

    def __post_init__(self) -> None:
        shared = Shared(self.folder / "shared.sqlite")
        self.bare = FolderBlobs(self.folder / "ledger", self.now)
        self.ledger = MeteredBlobs(self.bare, self.spent, self.fate)
        self.store: Any = FatedStore(SharedRollups(shared, self.spent), self.fate)
        self.leases = SharedLeases(shared)
        self.catalog = ShopsCatalog(self.shops)
        self.world = World(catalog=cast(Catalog, self.catalog), clock=self.clock, random=SystemRandomness())

    def now(self) -> int:
        """The present moment in Unix ms."""
        return to_milliseconds(self.clock.now())

    def go_to(self, moment: int) -> None:
        """Set the clock forward."""
        self.clock.advance(milliseconds=moment - self.now())
