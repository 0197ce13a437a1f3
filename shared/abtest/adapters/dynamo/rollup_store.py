"""Roll-ups in DynamoDB: documents of any size, replaced only by a higher generation.

A document that does not fit its item lies in parts beside it, named by generation and digest: they are written before
the item that names them and removed after it, so that whoever reads finds one version whole, or looks again.

What fits into one transaction is written by one. What does not begins with a claim of the generation on the totals and
ends with the totals; until then everybody sees that the items may be newer than the totals say.
"""

import gzip
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path

from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.bodies import compress
from abtest.adapters.dynamo.table import ConditionFailedError, Item, Table
from abtest.adapters.dynamo.transaction import Transaction, item_size
from abtest.kit import canonical_json
from abtest.kit.errors import DatabaseBusyError, ServiceError
from abtest.ports.rollup_store import Document, Reach, RollupSummary

PART_BYTES = 300 * 1024
TRANSACTION_ITEMS = 100
TRANSACTION_BYTES = 3_500_000
"""Below the 4 MB that DynamoDB takes: conditions and names of the request are not counted here."""
MAX_DAYS = 10_000
LOOKS = 4


class _OlderError(ServiceError):
    """What stands is as new or newer."""


@dataclass(frozen=True, slots=True)
class _Packed:
    """An item to put, and the parts that it names."""

    item: Item
    parts: Sequence[Item]


class DynamoRollupStore:
    """The roll-ups table."""

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
        except (_OlderError, ConditionFailedError):
            # Parts stay: they may be those of what stands. Who writes the next generation removes them.
            return False
        for packed in (*slices, whole):
            self._forget_older(packed)
        return True

    def summary(self, experiment_id: str, measurement_epoch: int) -> RollupSummary:
        item = self._table.get(*keys.rollup(experiment_id, measurement_epoch))
        if item is None:
            return RollupSummary(totals=None, is_whole=True, next_generation=1)
        generation, claimed = item.get("generation", 0), item.get("claimed", 0)
        return RollupSummary(
            totals=self._document(item) if generation else None,
            is_whole=claimed <= generation,
            next_generation=max(generation, claimed) + 1,
        )

    def totals(self, experiment_id: str, measurement_epoch: int) -> Document | None:
        return self.summary(experiment_id, measurement_epoch).totals

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
        self._forget_older(packed)
        return True

    def shop_days(self, shop_id: str, first: str, last: str) -> Sequence[Document]:
        return self._between(keys.shop_day(shop_id, first), keys.shop_day(shop_id, last))

    def put_reach(self, reach: Reach) -> bool:
        pk, sk = keys.rollup_reach()
        document = compress(canonical_json.encode({"missing": sorted(reach.missing)}))
        nearer = Path("until").does_not_exist() | (Path("until") < reach.until)
        try:
            self._table.put({"pk": pk, "sk": sk, "until": reach.until, "document": document}, nearer)
        except ConditionFailedError:
            return False
        return True

    def reach(self) -> Reach | None:
        item = self._table.get(*keys.rollup_reach())
        if item is None:
            return None
        document = canonical_json.loads(gzip.decompress(item["document"]))
        return Reach(until=item["until"], missing=frozenset(document["missing"]))

    def _put_items(self, slices: Sequence[Item], totals: Item, generation: int) -> None:
        """Raises _OlderError or ConditionFailedError."""
        batches = list(_batches([*slices, totals]))
        if len(batches) > 1:
            self._claim(totals["pk"], totals["sk"], generation)
        for batch in batches:
            transaction = Transaction(self._table)
            for item in batch:
                condition = _older_than(generation)
                if item is totals:
                    condition &= _claimed_by(generation) if len(batches) > 1 else _unclaimed(generation)
                transaction.put(item, condition, _OlderError("what stands is as new or newer"))
            transaction.write()

    def _claim(self, pk: str, sk: str, generation: int) -> None:
        condition = _older_than(generation) & _unclaimed(generation)
        self._table.update(pk, sk, [Path("claimed").set(generation)], condition)

    def _between(self, first: keys.Key, last: keys.Key) -> list[Document]:
        where = Path("sk").between(first[1], last[1])
        return [self._document(item) for item in self._table.query(first[0], limit=MAX_DAYS, where=where)]

    def _document(self, item: Item) -> Document:
        """The document that an item holds or names. Raises DatabaseBusyError when it changes too fast."""
        for _ in range(LOOKS):
            content = item["document"] if "document" in item else self._joined(item)
            if content is not None:
                document: Document = canonical_json.loads(gzip.decompress(content))
                return document
            item = self._table.get(item["pk"], item["sk"]) or item
        raise DatabaseBusyError

    def _joined(self, item: Item) -> bytes | None:
        """The parts together; None when they are gone because a newer version stands."""
        whole = item["pk"], item["sk"]
        names = [keys.rollup_part(whole, item["generation"], item["digest"], number) for number in range(item["parts"])]
        found = {part["sk"]: part["content"] for part in self._table.get_many(names)}
        return b"".join(found[sk] for _, sk in names) if len(found) == len(names) else None

    def _forget_older(self, packed: _Packed) -> None:
        """Remove parts of generations before this one. Smaller documents have none, unless they were larger once."""
        if not packed.parts:
            return
        pk, sk = packed.item["pk"], packed.item["sk"]
        older = Path("sk").between(keys.rollup_parts(sk, 0), keys.rollup_parts(sk, packed.item["generation"]))
        for part in self._table.query(pk, limit=MAX_DAYS, where=older):
            self._table.delete(pk, part["sk"])


def _packed(key: keys.Key, document: Document) -> _Packed:
    pk, sk = key
    generation, content = document["generation"], compress(canonical_json.encode(dict(document)))
    item: dict[str, Any] = {"pk": pk, "sk": sk, "generation": generation}
    if len(content) <= PART_BYTES:
        return _Packed(item | {"document": content}, ())
    digest = sha256(content).hexdigest()[:24]
    slices = [content[start : start + PART_BYTES] for start in range(0, len(content), PART_BYTES)]
    names = [keys.rollup_part(key, generation, digest, number) for number in range(len(slices))]
    parts = [{"pk": pk, "sk": sk, "content": part} for (pk, sk), part in zip(names, slices, strict=True)]
    return _Packed(item | {"digest": digest, "parts": len(parts)}, parts)


def _batches(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Items in their order, as many at once as a transaction takes."""
    batch: list[Item] = []
    size = 0
    for item in items:
        size += item_size(item)
        if batch and (len(batch) == TRANSACTION_ITEMS or size > TRANSACTION_BYTES):
            yield batch
            batch, size = [], item_size(item)
        batch.append(item)
    yield batch


def _older_than(generation: int) -> Condition:
    older: Condition = Path("generation").does_not_exist() | (Path("generation") < generation)
    return older


def _unclaimed(generation: int) -> Condition:
    unclaimed: Condition = Path("claimed").does_not_exist() | (Path("claimed") < generation)
    return unclaimed


def _claimed_by(generation: int) -> Condition:
    return Path("claimed") == generation
