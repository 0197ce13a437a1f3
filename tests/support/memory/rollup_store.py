"""Roll-ups in memory."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from abtest.kit import canonical_json
from abtest.ports.rollup_store import Document, RollupSummary, ShopProgress

Key = tuple[str, str, str]


class MemoryRollupStore:
    """Documents in a dictionary; a write is always whole."""

    def __init__(self) -> None:
        self._documents: dict[Key, tuple[int, bytes]] = {}
        self._shops: dict[str, ShopProgress] = {}
        self._read: dict[str, str] = {}
        self._lock = threading.Lock()

    def put(self, totals: Document, days: Mapping[str, Document], segments: Mapping[str, Document]) -> bool:
        name = _name(totals["experiment_id"], totals["measurement_epoch"])
        written = {
            (name, "", ""): totals,
            **{(name, "DAY", date): day for date, day in days.items()},
            **{(name, "SEG", date): segment for date, segment in segments.items()},
        }
        return self._put(written, totals["generation"])

    def summary(self, experiment_id: str, measurement_epoch: int) -> RollupSummary:
        totals = self.totals(experiment_id, measurement_epoch)
        return RollupSummary(totals=totals, is_whole=True, next_generation=totals["generation"] + 1 if totals else 1)

    def totals(self, experiment_id: str, measurement_epoch: int) -> Document | None:
        found = self._documents.get((_name(experiment_id, measurement_epoch), "", ""))
        return _loaded(found) if found else None

    def totals_of(self, measurements: Sequence[tuple[str, int]]) -> Mapping[tuple[str, int], Document]:
        return {each: totals for each in measurements if (totals := self.totals(*each))}

    def days(self, experiment_id: str, measurement_epoch: int, first: str, last: str) -> Sequence[Document]:
        return self._between(_name(experiment_id, measurement_epoch), "DAY", first, last)

    def segments(self, experiment_id: str, measurement_epoch: int, first: str, last: str) -> Sequence[Document]:
        return self._between(_name(experiment_id, measurement_epoch), "SEG", first, last)

    def put_shop_day(self, document: Document) -> bool:
        return self._put({(document["shop_id"], "SHOPDAY", document["date"]): document}, document["generation"])

    def shop_days(self, shop_id: str, first: str, last: str) -> Sequence[Document]:
        return self._between(shop_id, "SHOPDAY", first, last)

    def put_shop_progress(self, progress: ShopProgress) -> bool:
        with self._lock:
            before = self._shops.get(progress.shop_id)
            if before and (before.offset, before.counted_at) > (progress.offset, progress.counted_at):
                return False
            self._shops[progress.shop_id] = progress
        return True

    def forget_progress(self) -> None:
        """As if no shop had been counted; its documents stay."""
        self._shops.clear()

    def shop_progress(self, shop_id: str) -> ShopProgress | None:
        return self._shops.get(shop_id)

    def progress_of_shops(self) -> Iterator[ShopProgress]:
        with self._lock:
            shops = sorted(self._shops.items())
        return iter([progress for _, progress in shops])

    def note_read(self, shop_id: str, at: str, *, unless_after: str) -> bool:
        with self._lock:
            if self._read.get(shop_id, "") > unless_after:
                return False
            self._read[shop_id] = at
        return True

    def shops_read(self, since: str) -> Mapping[str, str]:
        with self._lock:
            return {shop_id: at for shop_id, at in self._read.items() if at >= since}

    def _put(self, documents: Mapping[Key, Document], generation: int) -> bool:
        encoded = {key: (generation, canonical_json.encode(dict(document))) for key, document in documents.items()}
        with self._lock:
            if any(self._documents[key][0] >= generation for key in encoded if key in self._documents):
                return False
            self._documents.update(encoded)
        return True

    def _between(self, name: str, kind: str, first: str, last: str) -> Sequence[Document]:
        with self._lock:
            keys = sorted(key for key in self._documents if key[:2] == (name, kind) and first <= key[2] <= last)
            return [_loaded(self._documents[key]) for key in keys]


def _name(experiment_id: str, measurement_epoch: int) -> str:
    return f"{experiment_id}#{measurement_epoch}"


def _loaded(stored: tuple[int, bytes]) -> dict[str, Any]:
    document: dict[str, Any] = canonical_json.loads(stored[1])
    return document
