"""Snapshots of a roll-up: all numbers of one answer come from one generation, and no item is parsed twice.

The totals name the content of every item by digest. An item that this process has parsed under that digest is not read
again. An item newer than the totals means that a count was written meanwhile; then everything is read again.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from abtest.domain.ledger.daily_counts import day_of as _day_of
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.rollup_store import RollupStore
from abtest.services.results.curves import DayCurves, Document, SegmentSums

ATTEMPTS = 3
ENTRIES_KEPT = 600_000
"""Entries of parsed items; each takes some 200 bytes."""

Answer = TypeVar("Answer")

day_of = lru_cache(maxsize=4096)(_day_of)
"""UTC day since 1970 of a date; every request names the same dates."""


class OutdatedError(Exception):
    """A count was written while its items were read."""


class ReadItems:
    """Cache of parsed items; the least recently used one is evicted first."""

    def __init__(self, entries: int = ENTRIES_KEPT) -> None:
        self._room = entries
        self._kept: OrderedDict[Hashable, tuple[int, Any]] = OrderedDict()

    def get(self, key: Hashable) -> Any:
        """Return the item, or None."""
        kept = self._kept.get(key)
        if kept is None:
            return None
        self._kept.move_to_end(key)
        return kept[1]

    def keep(self, key: Hashable, item: Any, entries: int) -> None:
        """Store an item of this many entries; others are evicted where there is no room."""
        # The digest is part of the key, so an item under a present key is the same item.
        if key not in self._kept:
            self._kept[key] = (entries, item)
            self._room -= entries
        while self._room < 0:
            self._room += self._kept.popitem(last=False)[1][0]


class Snapshot:
    """Roll-up at one generation. `totals` is None before the first count."""

    def __init__(self, totals: Document | None, store: RollupStore, items: ReadItems) -> None:
        self.totals = totals
        self._store = store
        self._items = items

    @property
    def dates(self) -> Sequence[int]:
        """UTC days since 1970 with at least one first exposure, in order."""
        digests = (self.totals or {}).get("digests", {})
        return sorted(day_of(name[4:]) for name in digests if name.startswith("DAY#"))

    def days(self, first: int, last: int) -> Mapping[int, DayCurves]:
        """Return the non-empty days from first to last (since 1970, both included). Raises OutdatedError."""
        return self._parsed("DAY", first, last, self._store.days, DayCurves.of)

    def segments(self, first: int, last: int) -> Mapping[int, SegmentSums]:
        """Return the segment items of these days. Raises OutdatedError."""
        return self._parsed("SEG", first, last, self._store.segments, SegmentSums)

    def _parsed(
        self,
        kind: str,
        first: int,
        last: int,
        read: Callable[[str, int, str, str], Sequence[Document]],
        parse: Callable[[Document], Answer],
    ) -> Mapping[int, Answer]:
        if self.totals is None:
            return {}
        rollup = self.totals["experiment_id"], self.totals["measurement_epoch"]
        prefix = f"{kind}#"
        keys: dict[str, Hashable] = {
            date: (*rollup, kind, date, digest)
            for name, digest in self.totals.get("digests", {}).items()
            if name.startswith(prefix) and first <= day_of(date := name.removeprefix(prefix)) <= last
        }
        items = {date: item for date, key in keys.items() if (item := self._items.get(key)) is not None}
        missing = sorted(keys.keys() - items.keys())
        # One range query; days between that are cached or superfluous are cheaper to skip than to avoid.
        for document in read(*rollup, missing[0], missing[-1]) if missing else ():
            date = document["date"]
            if date not in keys or date in items:
                continue
            # The item belongs to a later count than the totals: mixing them would show numbers that never existed.
            if document["generation"] > self.totals["generation"]:
                raise OutdatedError
            items[date] = parse(document)
            entries = 1 + len(document["cells"]) + sum(len(rows) for rows in document["goals"].values())
            self._items.keep(keys[date], items[date], entries)
        # The totals name an item that is not stored: a newer count must have removed it meanwhile.
        if len(items) < len(keys):
            raise OutdatedError
        return {day_of(date): items[date] for date in sorted(items)}


class RollupReader:
    """Snapshots of roll-ups."""

    def __init__(self, store: RollupStore, items: ReadItems | None = None) -> None:
        self.store = store
        self._items = items or ReadItems()

    def read(
        self,
        experiment_id: str,
        measurement_epoch: int,
        compute: Callable[[Snapshot], Answer],
        totals: Document | None = None,
    ) -> Answer:
        """Return the result of `compute` on a snapshot of one generation.

        `totals` are those of the epoch where the caller has just read them, for many at once. Raises DatabaseBusyError
        when counts were written during each of three attempts.
        """
        for _ in range(ATTEMPTS):
            present = totals or self.store.totals(experiment_id, measurement_epoch)
            try:
                return compute(Snapshot(present, self.store, self._items))
            except OutdatedError:
                totals = None
        raise DatabaseBusyError
