"""Copies of shops that a process holds: databases in a temporary folder, a limited number of shops and bytes."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from weakref import finalize

import duckdb

from abtest.adapters.warehouse.duckdb_settings import settings_of
from abtest.adapters.warehouse.ids_copy import IdsCopy
from abtest.adapters.warehouse.shop_copy import ShopCopy
from abtest.ports.rollup_store import StoredState

Copy = ShopCopy | IdsCopy


@dataclass(slots=True, kw_only=True)
class Held:
    """A shop's copy and what is known of its stored state. `rows` and `entries` of the feed came after that one."""

    copy: Copy
    file: Path
    stored: StoredState | None = None
    parts: tuple[str, ...] = ()
    plans: dict[str, str] = field(default_factory=dict)
    """Digests of the plans with counts in the stored state, by experiment id."""
    changed: dict[str, int] = field(default_factory=dict)
    """By date, when the day was changed that may not be stored yet (Unix ms)."""
    rows: int = 0
    entries: int = 0


class Shelf:
    """The process's database and its copies by shop. For one thread."""

    def __init__(self, *, memory_limit: str, disk_bytes: int, shops: int) -> None:
        self.folder = Path(mkdtemp(prefix="shops-"))
        finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self.database = duckdb.connect(config=settings_of(self.folder, memory_limit))
        self._disk_bytes = disk_bytes
        self._shops = shops
        self._held: dict[str, Held] = {}
        """Least recently used first."""
        self._made = 0

    def get(self, shop_id: str) -> Held | None:
        """Return the shop's copy, which becomes the most recently used one."""
        held = self._held.pop(shop_id, None)
        if held is not None:
            self._held[shop_id] = held
        return held

    def put(self, shop_id: str, held: Held) -> None:
        """Hold a complete copy, instead of the shop's former one."""
        self.drop(shop_id)
        self._held[shop_id] = held

    @contextmanager
    def new_file(self) -> Iterator[tuple[str, Path]]:
        """Return the name and the file of a new copy; after an exception both are removed."""
        self._made += 1
        name = f"shop_{self._made}"
        file = self.folder / f"{name}.duckdb"
        try:
            yield name, file
        except BaseException:
            self._remove(name, file)
            raise

    def attach(self, name: str, file: Path) -> None:
        """Open the file, which is a new one or has the tables of a copy, as the database `name`."""
        self.database.execute(f"ATTACH '{file}' AS {name} (STORAGE_VERSION 'latest')")

    def drop(self, shop_id: str) -> None:
        """Remove the shop's copy, also one that was being changed."""
        held = self._held.pop(shop_id, None)
        if held is not None:
            self._remove(held.copy.name, held.file)

    def limit(self) -> None:
        """Drop the copies used longest ago, until the others are within the limits."""
        while self._held and (len(self._held) > self._shops or self._used() > self._disk_bytes):
            self.drop(next(iter(self._held)))

    def _used(self) -> int:
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())

    def _remove(self, name: str, file: Path) -> None:
        with suppress(duckdb.Error):  # there is a transaction only while a copy is changed
            self.database.rollback()
        self.database.execute(f"DETACH DATABASE IF EXISTS {name}")
        for path in self.folder.glob(f"{file.name}*"):
            path.unlink(missing_ok=True)
