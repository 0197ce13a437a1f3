"""Looks on DynamoDB, in the partition of their roll-up. State and look are written in one transaction."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from pynamodb.expressions.operand import Path

from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.bodies import compress_json, decompress_json
from abtest.adapters.dynamo.ephemeral import expires
from abtest.adapters.dynamo.table import Item, Table, absent
from abtest.adapters.dynamo.transaction import OvertakenError, Transaction
from abtest.domain.autostop.shapes import LookState
from abtest.kit.clock import parse_timestamp
from abtest.ports.rollup_store import Document

MAX_HOURS = 20_000
"""Most looks that are read, one per hour for more than two years."""
LOOKS_KEPT = timedelta(days=1096)
"""Life of the look of an hour: three years, more than `MAX_HOURS` and the longest test. Decisions and p-values read the
state, which does not expire; only the curves of reports read looks."""
_FIRST_HOUR, _LAST_HOUR = "0000", "9999-12-31T23"


class DynamoLookStore:
    """Looks in the roll-ups table. A look has a few hundred bytes per goal and treatment, far below 400 KB."""

    def __init__(self, table_name: str) -> None:
        self._table = Table(table_name, sorted_items=True)

    def state(self, experiment_id: str, measurement_epoch: int) -> LookState | None:
        item = self._table.get(*keys.looks_state(keys.rollup(experiment_id, measurement_epoch)))
        return None if item is None else decompress_json(item["document"])

    def states(self, measurements: Sequence[tuple[str, int]]) -> Mapping[tuple[str, int], LookState]:
        named = {keys.looks_state(keys.rollup(*each)): each for each in measurements}
        items = self._table.get_many(list(named))
        return {named[item["pk"], item["sk"]]: decompress_json(item["document"]) for item in items}

    def put(self, state: LookState, look: Document) -> bool:
        totals = keys.rollup(state["experiment_id"], state["measurement_epoch"])
        # Of two workers that computed a look from the same state, only the first can store it.
        follows = (Path("looks") == state["looks"] - 1) & (Path("generation") < state["generation"])
        condition = absent() if state["looks"] == 1 else follows
        counters = {"generation": state["generation"], "looks": state["looks"]}
        transaction = Transaction(self._table)
        transaction.put(look_item(keys.looks_state(totals), state, counters), condition, OvertakenError())
        # 13 characters are date and hour: a later look of the hour replaces the earlier one.
        expiry = {"expires": expires(parse_timestamp(look["computed_at"]) + LOOKS_KEPT)}
        transaction.put(look_item(keys.look(totals, look["computed_at"][:13]), look, expiry))
        try:
            transaction.write()
        except OvertakenError:
            return False
        return True

    def looks(self, experiment_id: str, measurement_epoch: int) -> Sequence[Document]:
        totals = keys.rollup(experiment_id, measurement_epoch)
        first, last = keys.look(totals, _FIRST_HOUR), keys.look(totals, _LAST_HOUR)
        where = Path("sk").between(first[1], last[1])
        return [decompress_json(item["document"]) for item in self._table.query(first[0], limit=MAX_HOURS, where=where)]


def look_item(key: keys.Key, document: Document, attributes: Mapping[str, int]) -> Item:
    pk, sk = key
    return {"pk": pk, "sk": sk, **attributes, "document": compress_json(dict(document))}
