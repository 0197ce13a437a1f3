"""The catalog in memory."""

import heapq
import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from abtest.adapters import catalog_documents as documents
from abtest.adapters.catalog_pages import page
from abtest.adapters.commit_rules import RecordKey, check, record_key
from abtest.adapters.dynamo.bodies import Bodies
from abtest.adapters.dynamo.writes import plan
from abtest.kit.clock import Timestamp
from abtest.ports.catalog import (
    AuditRow,
    Claim,
    Commit,
    DueEntry,
    Head,
    HeadPage,
    InboxRow,
    Kind,
    NameTakenError,
    OnCommitted,
    OutboxRow,
    Record,
    StaleVersionError,
    Topic,
)
from tests.support.memory.blobs import MemoryBlobs


class _NoTable:
    """Table of a plan that is never written."""

    def put_request(self, *_: Any) -> dict[str, Any]:
        return {}

    def delete_request(self, *_: Any) -> dict[str, Any]:
        return {}


_NO_TABLE: Any = _NoTable()


class MemoryCatalog:
    """Aggregates in dictionaries, as JSON text: what comes out shares nothing with what went in.

    `on_committed` receives the outbox rows of each commit.
    """

    def __init__(self, *, on_committed: OnCommitted | None = None) -> None:
        self._on_committed = on_committed
        self._records: dict[RecordKey, tuple[Head, bytes]] = {}
        self._names: dict[tuple[str | None, str], tuple[str, str]] = {}
        self._claim_attributes: dict[tuple[str | None, str], Mapping[str, str | None]] = {}
        self._siblings: defaultdict[tuple[str, str, str | None], set[RecordKey]] = defaultdict(set)
        self._audit: defaultdict[str, dict[str, bytes]] = defaultdict(dict)
        self._outbox: dict[str, bytes] = {}
        self._inbox: dict[str, bytes] = {}
        self._revisions: dict[str, int] = {}
        self._lock = threading.RLock()

    def get(self, shop_id: str, kind: Kind, record_id: str, *, parent_id: str | None = None) -> Record | None:
        with self._lock:
            found = self._records.get((shop_id, kind, record_id, parent_id))
        return documents.read_record(found[1]) if found else None

    def get_many(
        self, shop_id: str, kind: Kind, record_ids: Sequence[str], *, parent_id: str | None = None
    ) -> list[Record]:
        found = [self.get(shop_id, kind, record_id, parent_id=parent_id) for record_id in record_ids]
        return [record for record in found if record]

    def list(
        self, shop_id: str, kind: Kind, *, limit: int, after_id: str | None = None, parent_id: str | None = None
    ) -> HeadPage:
        with self._lock:
            heads = [self._records[key][0] for key in self._siblings[shop_id, kind, parent_id]]
        older = [head for head in heads if after_id is None or head.id < after_id]
        newest, last_id = page(sorted(older, key=lambda head: head.id, reverse=True), limit)
        return HeadPage(heads=newest, last_id=last_id)

    def resolve(self, scope: str | None, name: str) -> tuple[str, str] | None:
        with self._lock:
            return self._names.get((scope, name))

    def resolve_many(self, scope: str | None, names: Sequence[str]) -> Mapping[str, tuple[str, str]]:
        return {name: found for name in names if (found := self.resolve(scope, name))}

    def claim_attributes(self, scope: str | None, name: str) -> Mapping[str, str | None] | None:
        with self._lock:
            found = self._claim_attributes.get((scope, name))
        return None if found is None else dict(found)

    def commit(self, change: Commit) -> None:
        check(change)
        # The items of the table are planned for their sizes: what AWS refuses is refused here as well.
        plan(_NO_TABLE, Bodies(MemoryBlobs()), change)
        written = [documents.write_record(put.record) for put in change.puts]
        with self._lock:
            self._refuse_stale(change)
            self._refuse_taken(change)
            for text in written:
                head = documents.read_record(text).head
                self._records[record_key(head)] = (head, text)
                self._siblings[_family(record_key(head))].add(record_key(head))
            self._apply_rest(change)
        if self._on_committed and change.outbox:
            self._on_committed(change.outbox)

    def audit_rows(self, shop_id: str | None = None) -> Sequence[AuditRow]:
        """Every audit row of a shop, or of all shops, by id."""
        with self._lock:
            shops = self._audit.values() if shop_id is None else [self._audit[shop_id]]
            texts = [text for rows in shops for text in rows.values()]
        return sorted(map(documents.read_audit, texts), key=lambda row: row.id)

    def audit_ids(self) -> frozenset[str]:
        """Ids of every audit row of every shop."""
        with self._lock:
            return frozenset(row_id for rows in self._audit.values() for row_id in rows)

    def lose_audit_row(self, row: AuditRow) -> None:
        """Remove a row, as nothing of the service does."""
        with self._lock:
            del self._audit[row.shop_id][row.id]

    def audit(
        self, shop_id: str, *, entity_id: str | None, limit: int, after_id: str | None = None
    ) -> tuple[Sequence[AuditRow], str | None]:
        matching = [
            row
            for row in self.audit_rows(shop_id)
            if entity_id in (None, row.entity_id) and (after_id is None or row.id < after_id)
        ]
        return page(matching[::-1], limit)

    def inbox(
        self,
        shop_id: str,
        *,
        limit: int,
        after_id: str | None = None,
        from_id: str | None = None,
        oldest_first: bool = False,
    ) -> tuple[Sequence[InboxRow], str | None]:
        with self._lock:
            rows = [documents.read_inbox(text) for text in self._inbox.values()]
        ids = [row.id for row in rows if row.shop_id == shop_id and (from_id is None or row.id >= from_id)]
        behind = [each for each in ids if after_id is None or (each > after_id if oldest_first else each < after_id)]
        by_id = {row.id: row for row in rows}
        return page([by_id[each] for each in sorted(behind, reverse=not oldest_first)], limit)

    def inbox_message(self, shop_id: str, message_id: str) -> InboxRow | None:
        with self._lock:
            text = self._inbox.get(message_id)
        row = documents.read_inbox(text) if text else None
        return row if row and row.shop_id == shop_id else None

    def due(self, queue: str, until: Timestamp, *, limit: int) -> Sequence[DueEntry]:
        with self._lock:
            heads = [head for head, _ in self._records.values() if head.due.get(queue, "~") <= until]
        entries = (
            DueEntry(shop_id=head.shop_id, kind=head.kind, id=head.id, due=head.due[queue], version=head.version)
            for head in heads
        )
        return heapq.nsmallest(limit, entries, key=lambda entry: (entry.due, entry.id))

    def forget_due(self, queue: str, entry: DueEntry) -> None:
        key = (entry.shop_id, entry.kind, entry.id, None)
        with self._lock:
            head, text = self._records.get(key, (None, b""))
            if head is not None and head.due.get(queue) == entry.due:
                due = {name: moment for name, moment in head.due.items() if name != queue}
                self._records[key] = replace(head, due=due), text

    def outbox(self, topic: Topic, *, created_before: Timestamp, limit: int) -> Sequence[OutboxRow]:
        return [row for row in self._promised(topic) if row.created_at < created_before][:limit]

    def unpublished(self, shop_id: str, *, limit: int) -> Sequence[OutboxRow]:
        return self._promised("publish")[:limit]

    def event(self, created_at: Timestamp, row_id: str) -> OutboxRow | None:
        with self._lock:
            found = self._outbox.get(row_id)
        row = documents.read_outbox(found) if found else None
        return row if row and (row.topic, row.created_at) == ("webhook", created_at) else None

    def outbox_done(self, row: OutboxRow) -> None:
        with self._lock:
            self._outbox.pop(row.id, None)

    def next_revision(self, shop_id: str) -> int:
        with self._lock:
            self._revisions[shop_id] = self._revisions.get(shop_id, 0) + 1
            return self._revisions[shop_id]

    def _promised(self, topic: Topic) -> Sequence[OutboxRow]:
        with self._lock:
            rows = [documents.read_outbox(text) for text in self._outbox.values()]
        return sorted((row for row in rows if row.topic == topic), key=lambda row: (row.created_at, row.id))

    def _refuse_stale(self, change: Commit) -> None:
        expected = [(record_key(put.record.head), put.expected_version) for put in change.puts]
        expected += [(record_key(remove.head), remove.head.version) for remove in change.removes]
        for key, version in expected:
            stored = self._records.get(key)
            if (stored[0].version if stored else 0) != version:
                raise StaleVersionError(f"{key[1]} {key[2]} was changed by another request")

    def _refuse_taken(self, change: Commit) -> None:
        released = {(release.scope, release.name) for release in change.releases}
        for claim in change.claims:
            holder = self._names.get((claim.scope, claim.name))
            if holder and holder != _target(claim) and (claim.scope, claim.name) not in released:
                raise NameTakenError(claim.name)

    def _apply_rest(self, change: Commit) -> None:
        for remove in change.removes:
            key = record_key(remove.head)
            del self._records[key]
            self._siblings[_family(key)].discard(key)
        for release in change.releases:
            self._names.pop((release.scope, release.name), None)
            self._claim_attributes.pop((release.scope, release.name), None)
        for claim in change.claims:
            self._names[claim.scope, claim.name] = _target(claim)
            self._claim_attributes[claim.scope, claim.name] = dict(claim.attributes)
        for row in change.audit:
            self._audit[row.shop_id][row.id] = documents.write_row(row)
        self._outbox |= {row.id: documents.write_row(row) for row in change.outbox}
        self._inbox |= {row.id: documents.write_row(row) for row in change.inbox}


def _family(key: RecordKey) -> tuple[str, str, str | None]:
    shop_id, kind, _, parent_id = key
    return shop_id, kind, parent_id


def _target(claim: Claim) -> tuple[str, str]:
    return claim.target_shop_id, claim.target_id
