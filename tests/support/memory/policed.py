"""The catalog in memory under the policy of a function: writes outside of its partitions fail the test.

Tests of whole families run on it, so that a policy in template.yaml that is too narrow is noticed here and not by AWS.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

from pynamodb.expressions.condition import Condition

from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.audit import days_of
from abtest.adapters.dynamo.bodies import Bodies
from abtest.adapters.dynamo.table import Item, Table
from abtest.adapters.dynamo.writes import plan
from abtest.ports.catalog import Commit, DueEntry, OutboxRow
from tests.support.memory.blobs import MemoryBlobs
from tests.support.memory.catalog import MemoryCatalog
from tests.support.permissions import Need, Statement, allows
from tests.support.template import Stack

Write = tuple[str, str]
"""Action and partition."""


class PolicedCatalog(MemoryCatalog):
    """Memory catalog that notes what the running function writes."""

    def __init__(self) -> None:
        super().__init__()
        self._written: ContextVar[set[Write] | None] = ContextVar("written", default=None)

    @contextmanager
    def under(self, function_id: str) -> Iterator[None]:
        """Apply the function's policy. Raises AssertionError, at its end, for writes that it does not allow."""
        written: set[Write] = set()
        token = self._written.set(written)  # the same set in every thread that serves the request
        try:
            yield
        finally:
            self._written.reset(token)
        table, statements = _policy(function_id)
        refused = {
            write for write in written if not allows(statements, Need(f"dynamodb:{write[0]}", table, (write[1],)))
        }
        assert not refused, f"{function_id} lacks {sorted(refused)}"

    def commit(self, change: Commit) -> None:
        super().commit(change)
        if self._written.get() is not None:
            self._note(*writes_of(change))

    def next_revision(self, shop_id: str) -> int:
        self._note(("UpdateItem", keys.revision(shop_id)[0]))
        return super().next_revision(shop_id)

    def outbox_done(self, row: OutboxRow) -> None:
        self._note(("DeleteItem", keys.outbox(row)[0]))
        super().outbox_done(row)

    def forget_due(self, queue: str, entry: DueEntry) -> None:
        self._note(("DeleteItem", keys.record(entry.shop_id, entry.kind, entry.id)))
        super().forget_due(queue, entry)

    def _note(self, *writes: Write) -> None:
        written = self._written.get()
        if written is not None:
            written.update(writes)


class _NotingTable(Table):
    """Table that notes the requests of a transaction instead of building them, which takes a connection."""

    def __init__(self) -> None:
        super().__init__("catalog", sorted_items=True)
        self.writes: list[Write] = []

    def put_request(self, item: Item, condition: Condition | None = None) -> dict[str, Any]:
        self.writes.append(("PutItem", item["pk"]))
        return {}

    def delete_request(self, pk: str, sk: str | None, condition: Condition | None = None) -> dict[str, Any]:
        self.writes.append(("DeleteItem", pk))
        return {}


def writes_of(change: Commit) -> list[Write]:
    """Return the writes of a commit to the real table."""
    table = _NotingTable()
    plan(table, Bodies(MemoryBlobs()), change)
    months = [("PutItem", keys.audit_months(row.shop_id)) for row in change.audit]
    days = [("PutItem", pk) for pk, _ in days_of(change.audit)]
    return table.writes + months + days


@cache
def _policy(function_id: str) -> tuple[str, list[Statement]]:
    stack = Stack.planned(endpoint="http://127.0.0.1:1")
    return stack.resolver.attributes["CatalogTable"]["Arn"], stack.statements(function_id)
