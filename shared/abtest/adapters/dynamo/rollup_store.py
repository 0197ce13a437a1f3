"""Roll-ups on DynamoDB: documents of any size, replaced only by a higher generation.

A document that does not fit into its item is stored in parts, named by generation and digest. Parts are written before
the item that names them and removed after it. A reader therefore gets all parts of one version, or reads again.

A roll-up that fits into one transaction is written in one. Otherwise the writer first claims the generation in the item
of the totals, and writes the totals last. Until then, readers see that items may be newer than the totals.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import cast

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path

from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.bodies import compress_json, decompress_json
from abtest.adapters.dynamo.ephemeral import expires
from abtest.adapters.dynamo.sizes import item_size
from abtest.adapters.dynamo.table import ConditionFailedError, Item, Table, absent
from abtest.adapters.dynamo.transaction import OvertakenError, Transaction
from abtest.kit.clock import Timestamp, parse_timestamp
from abtest.kit.documents import decode, encode
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.catalog import MAX_COMMIT_ITEMS
from abtest.ports.rollup_store import Document, RollupSummary, ShopProgress

PART_BYTES = 300 * 1024
TRANSACTION_BYTES = 3_500_000
"""Less than DynamoDB's 4 MB, because conditions and names of the request are not counted here."""
MAX_DAYS = 10_000
MAX_SHOPS = 1_000_000
READS_KEPT = timedelta(days=1)
READS = 4
"""Attempts to read a document in parts, because a newer version may replace them during an attempt."""


@dataclass(frozen=True, slots=True)
class _Packed:
    """Item to put, and the parts that it names."""

    item: Item
    parts: Sequence[Item]


class DynamoRollupStore:
    """Roll-up store on the roll-ups table."""

    def __init__(self, table_name: str) -> None:
        self._table = Table(table_name, sorted_items=True)

    def put(self, totals: Document, days: Mapping[str, Document], segments: Mapping[str, Document]) -> bool:
        key, generation = keys.rollup(totals["experiment_id"], totals["measurement_epoch"]), totals["generation"]
        slices = [
            *(_packed(keys.rollup_slice(key, "DAY", date), day) for date, day in days.items()),
            *(_packed(keys.rollup_slice(key, "SEG", date), segment) for date, segment in segments.items()),
        ]
        whole = _packed(key, totals)
        for packed in (*slices, whole):
            for part in packed.parts:
                self._table.put(part)
        try:
            self._put_items([packed.item for packed in slices], whole.item, generation)
        except (OvertakenError, ConditionFailedError):
            # The parts are not removed, as they may belong to the stored version. The next generation removes them.
            return False
        for packed in (*slices, whole):
            self._remove_older_parts(packed)
        return True

    def summary(self, experiment_id: str, measurement_epoch: int) -> RollupSummary:
        item = self._table.get(*keys.rollup(experiment_id, measurement_epoch))
        if item is None:
            return RollupSummary(totals=None, is_whole=True, next_generation=1)
        generation, claimed = item.get("generation", 0), item.get("claimed", 0)
        return RollupSummary(
            totals=self._document(item) if generation else None,
            # A higher claim means that a writer began and has not written the totals: slices may be newer than they
            # are.
            is_whole=claimed <= generation,
            next_generation=max(generation, claimed) + 1,
        )

    def totals(self, experiment_id: str, measurement_epoch: int) -> Document | None:
        return self.summary(experiment_id, measurement_epoch).totals

    def totals_of(self, measurements: Sequence[tuple[str, int]]) -> Mapping[tuple[str, int], Document]:
        named = {keys.rollup(*each): each for each in measurements}
        items = self._table.get_many(list(named))
        return {named[item["pk"], item["sk"]]: self._document(item) for item in items if item.get("generation", 0)}

    def days(self, experiment_id: str, measurement_epoch: int, first: str, last: str) -> Sequence[Document]:
        key = keys.rollup(experiment_id, measurement_epoch)
        return self._between(keys.rollup_slice(key, "DAY", first), keys.rollup_slice(key, "DAY", last))

    def segments(self, experiment_id: str, measurement_epoch: int, first: str, last: str) -> Sequence[Document]:
        key = keys.rollup(experiment_id, measurement_epoch)
        return self._between(keys.rollup_slice(key, "SEG", first), keys.rollup_slice(key, "SEG", last))

    def put_shop_day(self, document: Document) -> bool:
        packed = _packed(keys.shop_day(document["shop_id"], document["date"]), document)
        for part in packed.parts:
            self._table.put(part)
        try:
            self._table.put(packed.item, _older_than(document["generation"]))
        except ConditionFailedError:
            return False
        self._remove_older_parts(packed)
        return True

    def shop_days(self, shop_id: str, first: str, last: str) -> Sequence[Document]:
        return self._between(keys.shop_day(shop_id, first), keys.shop_day(shop_id, last))

    def put_shop_progress(self, progress: ShopProgress) -> bool:
        pk, sk = keys.shop_progress(progress.shop_id)
        offset, counted_at = progress.offset, progress.counted_at
        item = {
            "pk": pk,
            "sk": sk,
            "offset": offset,
            "counted_at": counted_at,
            "document": compress_json(encode(progress)),
        }
        is_older = (
            absent() | (Path("offset") < offset) | ((Path("offset") == offset) & (Path("counted_at") <= counted_at))
        )
        try:
            self._table.put(item, is_older)
        except ConditionFailedError:
            return False
        return True

    def shop_progress(self, shop_id: str) -> ShopProgress | None:
        item = self._table.get(*keys.shop_progress(shop_id))
        return decode(ShopProgress, decompress_json(item["document"])) if item else None

    def progress_of_shops(self) -> Iterator[ShopProgress]:
        for item in self._table.query(keys.SHOP_PROGRESS, limit=MAX_SHOPS):
            yield decode(ShopProgress, decompress_json(item["document"]))

    def note_read(self, shop_id: str, at: Timestamp, *, unless_after: Timestamp) -> bool:
        pk, sk = keys.shop_reader(shop_id)
        item = {"pk": pk, "sk": sk, "read_at": at, "expires": expires(parse_timestamp(at) + READS_KEPT)}
        try:
            self._table.put(item, absent() | (Path("read_at") <= unless_after))
        except ConditionFailedError:
            return False
        return True

    def shops_read(self, since: Timestamp) -> Mapping[str, Timestamp]:
        # Expired items may stand for days, so the moment decides.
        items = self._table.query(keys.SHOP_READERS, limit=MAX_SHOPS)
        return {item["sk"]: item["read_at"] for item in items if item["read_at"] >= since}

    def _put_items(self, slices: Sequence[Item], totals: Item, generation: int) -> None:
        """Write items, totals last. Raises OvertakenError or ConditionFailedError unless the generation is newer."""
        batches = list(_batches([*slices, totals]))
        claim = Path("claimed").does_not_exist() | (Path("claimed") < generation)
        if len(batches) > 1:
            condition = _older_than(generation) & claim
            self._table.update(totals["pk"], totals["sk"], [Path("claimed").set(generation)], condition)
            # If a newer writer claims meanwhile, the totals must fail: they would be older than its slices.
            claim = Path("claimed") == generation
        for batch in batches:
            conditions = [
                _older_than(generation) & claim if item is totals else _older_than(generation) for item in batch
            ]
            if len(batch) == 1:  # in a transaction an item costs twice as much
                self._table.put(batch[0], conditions[0])
                continue
            transaction = Transaction(self._table)
            for item, condition in zip(batch, conditions, strict=True):
                transaction.put(item, condition, OvertakenError())
            transaction.write()

    def _between(self, first: keys.Key, last: keys.Key) -> list[Document]:
        where = Path("sk").between(first[1], last[1])
        return [self._document(item) for item in self._table.query(first[0], limit=MAX_DAYS, where=where)]

    def _document(self, item: Item) -> Document:
        """Return the document of an item or of its parts. Raises DatabaseBusyError when it changes at every read."""
        for _ in range(READS):
            if "document" in item:
                return cast(Document, decompress_json(item["document"]))
            key, count = (item["pk"], item["sk"]), item["parts"]
            names = [keys.rollup_part(key, item["generation"], item["digest"], number) for number in range(count)]
            parts = {part["sk"]: part["content"] for part in self._table.get_many(names)}
            if len(parts) == count:
                return cast(Document, decompress_json(b"".join(parts[sk] for _, sk in names)))
            # A newer version has replaced the parts since the item was read.
            item = self._table.get(*key) or item
        raise DatabaseBusyError

    def _remove_older_parts(self, packed: _Packed) -> None:
        """Remove parts of earlier generations."""
        if not packed.parts:  # nearly always: a document without parts has no older ones, unless it has shrunk
            return
        pk, sk = packed.item["pk"], packed.item["sk"]
        older = Path("sk").between(keys.rollup_parts(sk, 0), keys.rollup_parts(sk, packed.item["generation"]))
        for part in self._table.query(pk, limit=MAX_DAYS, where=older):
            self._table.delete(pk, part["sk"])


def _packed(key: keys.Key, document: Document) -> _Packed:
    pk, sk = key
    generation, content = document["generation"], compress_json(dict(document))
    item = {"pk": pk, "sk": sk, "generation": generation}
    if len(content) <= PART_BYTES:
        return _Packed(item | {"document": content}, ())
    # Two writers may use the same generation; with the digest, neither replaces parts of the other.
    digest = sha256(content).hexdigest()[:24]
    slices = [content[start : start + PART_BYTES] for start in range(0, len(content), PART_BYTES)]
    names = [keys.rollup_part(key, generation, digest, number) for number in range(len(slices))]
    parts = [{"pk": pk, "sk": sk, "content": part} for (pk, sk), part in zip(names, slices, strict=True)]
    return _Packed(item | {"digest": digest, "parts": len(parts)}, parts)


def _batches(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Yield the items in their order, as many at once as a transaction allows."""
    batch: list[Item] = []
    size = 0
    for item in items:
        size += item_size(item)
        if batch and (len(batch) == MAX_COMMIT_ITEMS or size > TRANSACTION_BYTES):
            yield batch
            batch, size = [], item_size(item)
        batch.append(item)
    yield batch


def _older_than(generation: int) -> Condition:
    older: Condition = Path("generation").does_not_exist() | (Path("generation") < generation)
    return older
