"""Reading a roll-up so that all of one answer belongs together, and nothing is read or parsed twice.

The totals name the contents of every item by digest: what this process has read before under that digest is not read
again. An item that is newer than the totals means that a count was written meanwhile; then all is read anew.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from abtest.domain.ledger.daily_counts import day_of as _day_of
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.rollup_store import RollupStore
from abtest.services.results.curves import DayCurves, Document, SegmentSums

ATTEMPTS = 3
ENTRIES_KEPT = 600_000
"""Of parsed items; an entry takes some 200 bytes."""

Answer = TypeVar("Answer")

day_of = lru_cache(maxsize=4096)(_day_of)
"""UTC days since 1970 of dates that every request names again."""


class OutdatedError(Exception):
    """A count was written while its items were read."""


class ReadItems:
    """Items that were read and worked out, the least recently used forgotten first."""

    def __init__(self, entries: int = ENTRIES_KEPT) -> None:
        self._room = entries
        self._kept: OrderedDict[Hashable, tuple[int, Any]] = OrderedDict()

    def get(self, key: Hashable) -> Any:
        """The item, or None."""
        found = self._kept.get(key)
        if found is None:
            return None
        self._kept.move_to_end(key)
        return found[1]

    def keep(self, key: Hashable, item: Any, entries: int) -> None:
        """Remember it, if need be instead of others."""
        if key not in self._kept:
            self._kept[key] = (entries, item)
            self._room -= entries
        while self._room < 0:
            self._room += self._kept.popitem(last=False)[1][0]


class Snapshot:
    """A roll-up at one generation. `totals` None: nothing was counted yet."""

    def __init__(self, totals: Document | None, store: RollupStore, items: ReadItems) -> None:
        self.totals = totals
        self._store = store
        self._items = items

    @property
    def dates(self) -> Sequence[int]:
        """UTC days since 1970 on which somebody was first exposed."""
        return sorted(day_of(name[4:]) for name in self._digests if name.startswith("DAY#"))

    def days(self, first: int, last: int) -> Mapping[int, DayCurves]:
        """The days (since 1970, both included) that have anyone. Raises OutdatedError."""
        return dict(self._each("DAY", first, last, self._store.days, DayCurves.of))

    def segments(self, first: int, last: int) -> Mapping[int, SegmentSums]:
        """The segment items of these days. Raises OutdatedError."""
        return dict(self._each("SEG", first, last, self._store.segments, SegmentSums))

    @property
    def _digests(self) -> Mapping[str, str]:
        found: Mapping[str, str] = (self.totals or {}).get("digests", {})
        return found

    def _each(
        self,
        kind: str,
        first: int,
        last: int,
        read: Callable[[str, int, str, str], Sequence[Document]],
        work_out: Callable[[Document], Answer],
    ) -> Iterator[tuple[int, Answer]]:
        totals = self.totals or {}
        dates = [date for name in self._digests if (date := _date(name, kind)) and first <= day_of(date) <= last]
        keys = {date: self._key(kind, date) for date in dates}
        found = {date: item for date, key in keys.items() if (item := self._items.get(key)) is not None}
        missing = sorted(keys.keys() - found.keys())
        if missing:
            stored = read(totals["experiment_id"], totals["measurement_epoch"], missing[0], missing[-1])
            for document in stored:
                if document["date"] in keys and document["date"] not in found:
                    found[document["date"]] = self._worked_out(document, keys[document["date"]], work_out)
        if len(found) < len(keys):
            raise OutdatedError
        for date in sorted(found):
            yield day_of(date), found[date]

    def _key(self, kind: str, date: str) -> Hashable:
        totals = self.totals or {}
        return totals["experiment_id"], totals["measurement_epoch"], kind, date, self._digests[f"{kind}#{date}"]

    def _worked_out(self, document: Document, key: Hashable, work_out: Callable[[Document], Answer]) -> Answer:
        if document["generation"] > (self.totals or {})["generation"]:
            raise OutdatedError
        item = work_out(document)
        self._items.keep(key, item, _entries(document))
        return item


class RollupReader:
    """Snapshots of roll-ups."""

    def __init__(self, store: RollupStore, items: ReadItems | None = None) -> None:
        self.store = store
        self._items = items or ReadItems()

    def read(self, experiment_id: str, measurement_epoch: int, ask: Callable[[Snapshot], Answer]) -> Answer:
        """What `ask` makes of a snapshot, all of it of one generation. Raises DatabaseBusyError when that fails."""
        for _ in range(ATTEMPTS):
            totals = self.store.totals(experiment_id, measurement_epoch)
            try:
                return ask(Snapshot(totals, self.store, self._items))
            except OutdatedError:
                continue
        raise DatabaseBusyError


def _date(name: str, kind: str) -> str:
    found, _, date = name.partition("#")
    return date if found == kind else ""


def _entries(document: Document) -> int:
    return 1 + len(document["cells"]) + sum(len(entries) for entries in document["goals"].values())
