"""Looks in DynamoDB: beside the roll-up that they looked at, the state and the hour's look in one transaction."""

import gzip
from collections.abc import Mapping, Sequence
from typing import Any

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path

from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.bodies import compress
from abtest.adapters.dynamo.table import Item, Table, absent
from abtest.adapters.dynamo.transaction import Transaction
from abtest.domain.autostop.shapes import LookState
from abtest.kit import canonical_json
from abtest.kit.errors import ServiceError
from abtest.ports.rollup_store import Document

MAX_HOURS = 20_000
"""Two years and more."""
_FIRST_HOUR, _LAST_HOUR = "0000", "9999-12-31T23"


class _OvertakenError(ServiceError):
    """Another look came between."""


class DynamoLookStore:
    """Looks in the roll-ups table. A document takes a few hundred bytes a goal and treatment: far below 400 KB."""

    def __init__(self, table_name: str) -> None:
        self._table = Table(table_name, sorted_items=True)

    def state(self, experiment_id: str, measurement_epoch: int) -> LookState | None:
        item = self._table.get(*keys.looks_state(keys.rollup(experiment_id, measurement_epoch)))
        return None if item is None else _document(item)

    def put(self, state: LookState, look: Document) -> bool:
        totals = keys.rollup(state["experiment_id"], state["measurement_epoch"])
        transaction, overtaken = Transaction(self._table), _OvertakenError("another look came between")
        counter = {"generation": state["generation"], "looks": state["looks"]}
        transaction.put(_item(keys.looks_state(totals), state, counter), _follows(state), overtaken)
        transaction.put(_item(keys.look(totals, look["computed_at"][:13]), look, {}))
        try:
            transaction.write()
        except _OvertakenError:
            return False
        return True

    def looks(self, experiment_id: str, measurement_epoch: int) -> Sequence[Document]:
        totals = keys.rollup(experiment_id, measurement_epoch)
        first, last = keys.look(totals, _FIRST_HOUR), keys.look(totals, _LAST_HOUR)
        where = Path("sk").between(first[1], last[1])
        return [_document(item) for item in self._table.query(first[0], limit=MAX_HOURS, where=where)]


def _follows(state: LookState) -> Condition:
    if state["looks"] == 1:
        return absent()
    condition: Condition = (Path("looks") == state["looks"] - 1) & (Path("generation") < state["generation"])
    return condition


def _item(key: keys.Key, document: Document, attributes: Mapping[str, int]) -> Item:
    pk, sk = key
    return {"pk": pk, "sk": sk, **attributes, "document": compress(canonical_json.encode(dict(document)))}


def _document(item: Item) -> Any:
    document: Any = canonical_json.loads(gzip.decompress(item["document"]))
    return document
