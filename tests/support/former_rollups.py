"""The roll-up store of the release before days were in the item of the totals: what it writes, and what it reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pynamodb.expressions.operand import Path

from abtest.adapters.dynamo import keys, rollup_store
from abtest.adapters.dynamo.bodies import compress_json, decompress_json
from abtest.adapters.dynamo.table import ConditionFailedError, Item, Table
from abtest.adapters.dynamo.transaction import OvertakenError, Transaction
from abtest.ports.rollup_store import Document, RollupSummary


class FormerRollupStore:
    """That release's store, without parts."""

    def __init__(self, table_name: str) -> None:
        self._table = Table(table_name, sorted_items=True)

    def put(self, totals: Document, days: Mapping[str, Document], segments: Mapping[str, Document]) -> bool:
        key, generation = keys.rollup(totals["experiment_id"], totals["measurement_epoch"]), totals["generation"]
        items = [
            *(_item(keys.rollup_slice(key, "DAY", date), day) for date, day in days.items()),
            *(_item(keys.rollup_slice(key, "SEG", date), segment) for date, segment in segments.items()),
            _item(key, totals),
        ]
        try:
            self._put_items(items, generation)
        except (OvertakenError, ConditionFailedError):
            return False
        return True

    def _put_items(self, items: Sequence[Item], generation: int) -> None:
        batches, totals = list(rollup_store._batches(items)), items[-1]
        older = Path("generation").does_not_exist() | (Path("generation") < generation)
        claim = Path("claimed").does_not_exist() | (Path("claimed") < generation)
        if len(batches) > 1:
            self._table.update(totals["pk"], totals["sk"], [Path("claimed").set(generation)], older & claim)
            claim = Path("claimed") == generation
        for batch in batches:
            conditions = [older & claim if item is totals else older for item in batch]
            if len(batch) == 1:
                self._table.put(batch[0], conditions[0])
                continue
            transaction = Transaction(self._table)
            for item, condition in zip(batch, conditions, strict=True):
                transaction.put(item, condition, OvertakenError())
            transaction.write()

    def summary(self, experiment_id: str, measurement_epoch: int) -> RollupSummary:
        item = self._table.get(*keys.rollup(experiment_id, measurement_epoch))
        if item is None:
            return RollupSummary(totals=None, is_whole=True, next_generation=1)
        generation, claimed = item.get("generation", 0), item.get("claimed", 0)
        totals = decompress_json(item["document"]) if generation else None
        next_generation = max(generation, claimed) + 1
        return RollupSummary(totals=totals, is_whole=claimed <= generation, next_generation=next_generation)

    def totals(self, experiment_id: str, measurement_epoch: int) -> Document | None:
        return self.summary(experiment_id, measurement_epoch).totals

    def days(self, experiment_id: str, measurement_epoch: int, first: str, last: str) -> Sequence[Document]:
        return self._between(keys.rollup(experiment_id, measurement_epoch), "DAY", first, last)

    def segments(self, experiment_id: str, measurement_epoch: int, first: str, last: str) -> Sequence[Document]:
        return self._between(keys.rollup(experiment_id, measurement_epoch), "SEG", first, last)

    def _between(self, key: keys.Key, kind: Any, first: str, last: str) -> Sequence[Document]:
        (pk, low), (_, high) = keys.rollup_slice(key, kind, first), keys.rollup_slice(key, kind, last)
        items = self._table.query(pk, limit=10_000, where=Path("sk").between(low, high))
        return [decompress_json(item["document"]) for item in items]


def _item(key: keys.Key, document: Document) -> Item:
    pk, sk = key
    return {"pk": pk, "sk": sk, "generation": document["generation"], "document": compress_json(dict(document))}
