"""Roll-ups and leases in one SQLite file that several processes share, with what DynamoDB would charge for each call.

The items are packed as the adapter packs them, so their sizes are the real ones.
"""

import pickle
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from math import ceil
from pathlib import Path
from typing import Any

from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.bodies import compress_json, decompress_json
from abtest.adapters.dynamo.rollup_form import Held, Slice, formed
from abtest.adapters.dynamo.sizes import item_size
from abtest.kit.clock import to_milliseconds
from abtest.kit.documents import decode, encode
from abtest.ports.rollup_store import Document, RollupSummary, ShopProgress

SCHEMA = """
CREATE TABLE IF NOT EXISTS documents (pk TEXT, sk TEXT, generation INTEGER, content BLOB, PRIMARY KEY (pk, sk));
CREATE TABLE IF NOT EXISTS forms (pk TEXT, sk TEXT, item BLOB, PRIMARY KEY (pk, sk));
CREATE TABLE IF NOT EXISTS progress (shop_id TEXT PRIMARY KEY, reached INTEGER, counted_at TEXT, content BLOB);
CREATE TABLE IF NOT EXISTS leases (name TEXT PRIMARY KEY, owner TEXT, until INTEGER);
"""
WRITE_BYTES, READ_BYTES = 1024, 4096
TRANSACTION = 2
"""DynamoDB charges this many times the units for items of a transaction."""

Item = tuple[keys.Key, int, bytes]


class Shared:
    """The file. Writes are atomic, and those of a process that was killed are whole or not there."""

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
        # What a crash of the machine would lose does not matter here.
        self._database.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; {SCHEMA}")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction."""
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield self._database
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    def rows(self, text: str, *values: Any) -> list[tuple[Any, ...]]:
        """Rows of a query."""
        return self._database.execute(text, values).fetchall()


class SharedRollups:
    """The part of a roll-up store that counting uses. `spent` adds up units of writes and reads, by kind of item."""

    def __init__(self, shared: Shared, spent: Counter[str]) -> None:
        self._shared = shared
        self._spent = spent

    def put(self, totals: Document, days: Mapping[str, Document], segments: Mapping[str, Document]) -> bool:
        key, generation = keys.rollup(totals["experiment_id"], totals["measurement_epoch"]), totals["generation"]
        given = {Slice("DAY", date): document for date, document in days.items()}
        given |= {Slice("SEG", date): document for date, document in segments.items()}
        form = self._shared.rows("SELECT item FROM forms WHERE pk = ? AND sk = ?", *key)
        *own, whole = formed(Held(pickle.loads(form[0][0]) if form else None), key, totals, given)
        for packed in own:
            kind = "days" if "#DAY#" in packed.item["sk"] else "segments"
            self._charge(kind, item_size(packed.item), TRANSACTION)
        self._charge("totals", item_size(whole.item), TRANSACTION if own else 1)
        items = [
            (keys.rollup_slice(key, *slice_), generation, compress_json(dict(document)))
            for slice_, document in given.items()
        ]
        return self._put([*items, (key, generation, compress_json(dict(totals)))], form=whole.item)

    def put_shop_day(self, document: Document) -> bool:
        name = keys.shop_day(document["shop_id"], document["date"])
        item = (name, document["generation"], compress_json(dict(document)))
        self._charge("shop_days", _size(item), 1)
        return self._put([item])

    def summary(self, experiment_id: str, measurement_epoch: int) -> RollupSummary:
        totals = self.totals(experiment_id, measurement_epoch)
        return RollupSummary(totals=totals, is_whole=True, next_generation=totals["generation"] + 1 if totals else 1)

    def totals(self, experiment_id: str, measurement_epoch: int) -> Document | None:
        pk, sk = keys.rollup(experiment_id, measurement_epoch)
        return next(iter(self._read("SELECT content FROM documents WHERE pk = ? AND sk = ?", pk, sk)), None)

    def days(self, experiment_id: str, measurement_epoch: int, first: str, last: str) -> Sequence[Document]:
        return self._slices(keys.rollup(experiment_id, measurement_epoch), "DAY", first, last)

    def segments(self, experiment_id: str, measurement_epoch: int, first: str, last: str) -> Sequence[Document]:
        return self._slices(keys.rollup(experiment_id, measurement_epoch), "SEG", first, last)

    def shop_days(self, shop_id: str, first: str, last: str) -> Sequence[Document]:
        (pk, least), (_, most) = keys.shop_day(shop_id, first), keys.shop_day(shop_id, last)
        return self._read(_BETWEEN, pk, least, most)

    def put_shop_progress(self, progress: ShopProgress) -> bool:
        content = compress_json(encode(progress))
        self._charge("progress", _size((keys.shop_progress(progress.shop_id), progress.offset, content)), 1)
        mark = progress.offset, progress.counted_at
        with self._shared.writing() as run:
            text = "SELECT reached, counted_at FROM progress WHERE shop_id = ?"
            before = run.execute(text, [progress.shop_id]).fetchone()
            if before and before > mark:
                return False
            run.execute("INSERT OR REPLACE INTO progress VALUES (?, ?, ?, ?)", [progress.shop_id, *mark, content])
        return True

    def shop_progress(self, shop_id: str) -> ShopProgress | None:
        documents = self._read("SELECT content FROM progress WHERE shop_id = ?", shop_id)
        return decode(ShopProgress, documents[0]) if documents else None

    def progress_of_shops(self) -> Iterator[ShopProgress]:
        for document in self._read("SELECT content FROM progress ORDER BY shop_id"):
            yield decode(ShopProgress, document)

    def shops_read(self, since: str) -> Mapping[str, str]:  # noqa: ARG002 - of the port
        self._spent["reads"] += 1
        self._spent["read_units"] += 1
        return {}

    def _slices(self, key: keys.Key, kind: Any, first: str, last: str) -> Sequence[Document]:
        (pk, least), (_, most) = keys.rollup_slice(key, kind, first), keys.rollup_slice(key, kind, last)
        return self._read(_BETWEEN, pk, least, most)

    def _read(self, text: str, *values: Any) -> list[Any]:
        contents = [content for (content,) in self._shared.rows(text, *values)]
        self._spent["reads"] += 1
        self._spent["read_units"] += max(1, ceil(sum(map(len, contents)) / READ_BYTES))
        return [decompress_json(content) for content in contents]

    def _charge(self, kind: str, size: int, times: int) -> None:
        self._spent[f"written {kind}"] += 1
        self._spent[f"bytes {kind}"] += size
        self._spent[f"units {kind}"] += times * ceil(size / WRITE_BYTES)
        self._spent["write_units"] += times * ceil(size / WRITE_BYTES)

    def _put(self, items: Sequence[Item], form: Mapping[str, Any] | None = None) -> bool:
        with self._shared.writing() as run:
            for (pk, sk), generation, _ in items:
                text = "SELECT 1 FROM documents WHERE pk = ? AND sk = ? AND generation >= ?"
                if run.execute(text, [pk, sk, generation]).fetchone():
                    return False
            rows = [(*key, generation, content) for key, generation, content in items]
            run.executemany("INSERT OR REPLACE INTO documents VALUES (?, ?, ?, ?)", rows)
            if form is not None:
                packed = pickle.dumps(form)
                run.execute("INSERT OR REPLACE INTO forms VALUES (?, ?, ?)", [form["pk"], form["sk"], packed])
        return True


def _size(item: Item) -> int:
    (pk, sk), generation, content = item
    return item_size({"pk": pk, "sk": sk, "generation": generation, "document": content})


_BETWEEN = "SELECT content FROM documents WHERE pk = ? AND sk BETWEEN ? AND ? ORDER BY sk"


class SharedLeases:
    """Leases in the file."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    def acquire(self, name: str, *, owner: str, seconds: int, now: datetime) -> bool:
        moment = to_milliseconds(now)
        with self._shared.writing() as run:
            held = run.execute("SELECT owner, until FROM leases WHERE name = ?", [name]).fetchone()
            if held and held[0] != owner and held[1] > moment:
                return False
            run.execute("INSERT OR REPLACE INTO leases VALUES (?, ?, ?)", [name, owner, moment + seconds * 1000])
        return True

    def renew(self, name: str, *, owner: str, seconds: int, now: datetime) -> bool:
        until = to_milliseconds(now) + seconds * 1000
        with self._shared.writing() as run:
            text = "UPDATE leases SET until = ? WHERE name = ? AND owner = ?"
            return run.execute(text, [until, name, owner]).rowcount == 1

    def is_held(self, name: str, *, now: datetime) -> bool:
        return bool(self._shared.rows("SELECT 1 FROM leases WHERE name = ? AND until > ?", name, to_milliseconds(now)))

    def release(self, name: str, *, owner: str) -> None:
        with self._shared.writing() as run:
            run.execute("DELETE FROM leases WHERE name = ? AND owner = ?", [name, owner])
