"""Catalog on DynamoDB: the reads and writes of each call. keys.py defines the items and their keys."""

import gzip
import heapq
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path

from abtest.adapters import catalog_documents as documents
from abtest.adapters.catalog_pages import page
from abtest.adapters.commit_rules import check
from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.audit import DynamoAuditStore, days_of
from abtest.adapters.dynamo.bodies import Bodies
from abtest.adapters.dynamo.catalog_table import catalog_table
from abtest.adapters.dynamo.table import ConditionFailedError, Item
from abtest.adapters.dynamo.writes import plan
from abtest.kit import canonical_json
from abtest.kit.clock import Timestamp
from abtest.ports.audit import AuditFilter
from abtest.ports.blobs import Blobs
from abtest.ports.catalog import (
    AuditRow,
    Commit,
    DueEntry,
    HeadPage,
    InboxRow,
    Kind,
    OnCommitted,
    OutboxRow,
    Record,
    Topic,
)


class DynamoCatalog:
    """The catalog's table. Bodies that do not fit into an item are in `blobs`.

    `on_committed` receives the outbox rows of each commit that has any.
    """

    def __init__(self, table_name: str, blobs: Blobs, *, on_committed: OnCommitted | None = None) -> None:
        self._on_committed = on_committed
        self._table = catalog_table(table_name)
        self._bodies = Bodies(blobs)
        self._audit = DynamoAuditStore(table_name)
        self._listed: set[str] = set()

    def get(self, shop_id: str, kind: Kind, record_id: str, *, parent_id: str | None = None) -> Record | None:
        if not _is_key(record_id, parent_id):
            return None
        item = self._table.get(keys.record(shop_id, kind, record_id, parent_id), keys.BODY)
        return self._record(item) if item else None

    def get_many(
        self, shop_id: str, kind: Kind, record_ids: Sequence[str], *, parent_id: str | None = None
    ) -> list[Record]:
        # BatchGetItem refuses a request that has the same key twice.
        distinct = dict.fromkeys(record_id for record_id in record_ids if _is_key(record_id, parent_id))
        partitions = [keys.record(shop_id, kind, record_id, parent_id) for record_id in distinct]
        items = self._table.get_many([(pk, keys.BODY) for pk in partitions])
        records = {record.head.id: record for record in map(self._record, items)}
        return [records[record_id] for record_id in record_ids if record_id in records]

    def list(
        self, shop_id: str, kind: Kind, *, limit: int, after_id: str | None = None, parent_id: str | None = None
    ) -> HeadPage:
        if parent_id is not None and not keys.is_usable(parent_id):
            return HeadPage(heads=[], last_id=None)
        items = self._newest(keys.heads(shop_id, kind, parent_id), limit + 1, after_id)
        heads, last_id = page([documents.read_head(item["head"]) for item in items], limit)
        return HeadPage(heads=heads, last_id=last_id)

    def resolve(self, scope: str | None, name: str) -> tuple[str, str] | None:
        if not keys.is_usable(name):
            return None
        item = self._table.get(*keys.unique_name(scope, name))
        return (item["shop"], item["target"]) if item else None

    def resolve_many(self, scope: str | None, names: Sequence[str]) -> Mapping[str, tuple[str, str]]:
        name_of = {keys.unique_name(scope, name): name for name in names if keys.is_usable(name)}
        items = self._table.get_many(list(name_of))
        return {name_of[item["pk"], item["sk"]]: (item["shop"], item["target"]) for item in items}

    def claim_attributes(self, scope: str | None, name: str) -> Mapping[str, str | None] | None:
        item = self._table.get(*keys.unique_name(scope, name)) if keys.is_usable(name) else None
        if item is None:
            return None
        attributes: Mapping[str, str | None] = canonical_json.loads(item.get("attributes", "{}"))
        return attributes

    def commit(self, change: Commit) -> None:
        check(change)
        transaction = plan(self._table, self._bodies, change)
        # Months and days of new audit rows are listed before the rows exist, so a crash in between loses none. They are
        # not part of the transaction, because there all writers would conflict on the one item of the month or day.
        months = {(keys.audit_months(row.shop_id), keys.month_of(row.id)) for row in change.audit}
        for pk, sk in months | days_of(change.audit):
            if f"{pk}#{sk}" not in self._listed:
                self._table.put({"pk": pk, "sk": sk})
                self._listed.add(f"{pk}#{sk}")
        transaction.write()
        # After the write, so that no notification names a row that does not exist. The rows remain in the outbox if the
        # process ends here.
        if self._on_committed and change.outbox:
            self._on_committed(change.outbox)

    def audit(
        self, shop_id: str, *, entity_id: str | None, limit: int, after_id: str | None = None
    ) -> tuple[Sequence[AuditRow], str | None]:
        return self._audit.page(shop_id, AuditFilter(entity_id=entity_id), limit=limit, after_id=after_id)

    def inbox(
        self,
        shop_id: str,
        *,
        limit: int,
        after_id: str | None = None,
        from_id: str | None = None,
        oldest_first: bool = False,
    ) -> tuple[Sequence[InboxRow], str | None]:
        pk = keys.inbox(shop_id)
        # Both bounds of `between` are included, so one item more is read, and the one of `after_id` left out.
        where = _range(after_id, from_id, oldest_first=oldest_first)
        items = self._table.query(pk, limit=limit + 2, where=where, descending=not oldest_first)
        rows = [documents.read_inbox(gzip.decompress(item["row"])) for item in items if item["sk"] != after_id]
        return page(rows, limit)

    def inbox_message(self, shop_id: str, message_id: str) -> InboxRow | None:
        item = self._table.get(keys.inbox(shop_id), message_id) if keys.is_usable(message_id) else None
        return None if item is None else documents.read_inbox(gzip.decompress(item["row"]))

    def due(self, queue: str, until: Timestamp, *, limit: int) -> Sequence[DueEntry]:
        where = Path("due") < keys.after_due(until)
        entries = [
            DueEntry(shop_id=shop_id, kind=cast(Kind, kind), id=record_id, due=due, version=version)
            # All of the earliest entries may be in one shard, so each is read up to the whole limit.
            for shard in keys.work_shards(queue)
            for item in self._table.query(shard, limit=limit, where=where, index=keys.WORK_INDEX)
            for shop_id, kind, record_id in [keys.parse_record(item["pk"])]
            for due, version in [keys.parse_due(item["due"])]
        ]
        return heapq.nsmallest(limit, entries, key=lambda entry: (entry.due, entry.id))

    def forget_due(self, queue: str, entry: DueEntry) -> None:
        key = keys.record(entry.shop_id, entry.kind, entry.id), keys.work_entry(queue)
        try:
            self._table.delete(*key, condition=Path("due").startswith(keys.due(entry.due, entry.id)))
        except ConditionFailedError:
            return  # it is due at another moment by now, or it was removed

    def outbox(self, topic: Topic, *, created_before: Timestamp, limit: int) -> Sequence[OutboxRow]:
        # `sk` continues with `#` after the moment, so a row of exactly this moment sorts after the bound.
        early = Path("sk") < created_before
        items = (self._table.query(shard, limit=limit, where=early) for shard in keys.outbox_shards(topic))
        rows = (_outbox_row(item) for shard in items for item in shard)
        return heapq.nsmallest(limit, rows, key=lambda row: (row.created_at, row.id))

    def unpublished(self, shop_id: str, *, limit: int) -> Sequence[OutboxRow]:
        items = self._table.query(keys.unpublished(shop_id), limit=limit)
        return [_outbox_row(item) for item in items]

    def event(self, created_at: Timestamp, row_id: str) -> OutboxRow | None:
        item = self._table.get(*keys.event(created_at, row_id))
        return None if item is None else _outbox_row(item)

    def outbox_done(self, row: OutboxRow) -> None:
        key, before = keys.outbox(row), keys.outbox_before(row)
        try:
            self._table.delete(*key, condition=None if key == before else Path("pk").exists())
        except ConditionFailedError:  # done before, or a row of an earlier release
            self._table.delete(*before)

    def next_revision(self, shop_id: str) -> int:
        # ADD is not idempotent: after a lost response the retry adds again. Here that only leaves a gap, which is
        # allowed.
        item = self._table.update(*keys.revision(shop_id), actions=[Path("revision").add(1)])
        return int(item["revision"])

    def _record(self, item: Item) -> Record:
        return Record(head=documents.read_head(item["head"]), body=self._bodies.unpack(item))

    def _newest(self, pk: str, limit: int, after_id: str | None) -> Iterator[Item]:
        where = Path("sk") < after_id if after_id is not None else None
        return self._table.query(pk, limit=limit, where=where, descending=True)


def _outbox_row(item: Item) -> OutboxRow:
    return documents.read_outbox(gzip.decompress(item["row"]))


def _range(after_id: str | None, from_id: str | None, *, oldest_first: bool) -> Condition | None:
    """Return the condition on the sort keys of a page; `after_id` itself may be included."""
    sk = Path("sk")
    if oldest_first:
        lowest = after_id or from_id
        return None if lowest is None else sk >= lowest
    if from_id is None or after_id is None:
        return sk >= from_id if from_id is not None else sk <= after_id if after_id is not None else None
    return sk.between(from_id, after_id)


def _is_key(record_id: str, parent_id: str | None) -> bool:
    return keys.is_usable(record_id) and (parent_id is None or keys.is_usable(parent_id))
