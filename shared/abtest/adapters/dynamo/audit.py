"""Audit rows on DynamoDB, in the table of the catalog. keys.py defines the items and their keys."""

import gzip
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path

from abtest.adapters import catalog_documents as documents
from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.catalog_table import catalog_table
from abtest.adapters.dynamo.table import Item
from abtest.kit import canonical_json
from abtest.kit.documents import decode, encode
from abtest.ports.audit import AUDIT_READ, AuditFilter, Indexing
from abtest.ports.catalog import AuditRow

MAX_MONTHS = 1200
"""Months of audit rows that are read; a hundred years."""

MAX_SHOPS = 10_000_000
MAX_ROWS = 10**9
CHUNKS = (400, 1000)
"""Entries of the later queries of a page; the first has those of a page that is full at once."""


class DynamoAuditStore:
    """Reader of audit rows."""

    def __init__(self, table_name: str) -> None:
        self._table = catalog_table(table_name)
        self._whole: set[str] = set()

    def page(
        self, shop_id: str, filters: AuditFilter, *, limit: int, after_id: str | None = None
    ) -> tuple[Sequence[AuditRow], str | None]:
        upper = min(filter(None, (after_id, filters.below_id)), default=None)
        # Of earlier releases only the entries by entity exist for certain.
        partition = _partition(shop_id, filters) if filters.entity_id or self._is_whole(shop_id) else None
        if partition is None:
            taken, last = _taken(self._by_month(shop_id, upper, filters.from_id, limit), filters, limit)
            return [_row(item) for item in taken], last
        taken, last = _taken(self._newest(partition, upper, filters.from_id, limit), filters, limit)
        rows = self._rows(shop_id, [item["sk"] for item in taken])
        # Entries only find rows: what is in them is not believed.
        return [row for row in rows if filters.admits(**_facts(row))], last

    def get(self, shop_id: str, row_id: str) -> AuditRow | None:
        try:
            month = keys.month_of(row_id)
        except ValueError:  # a UUID of another version is never the id of a row
            return None
        item = self._table.get(keys.audit_month(shop_id, month), row_id)
        return None if item is None else _row(item)

    def between(self, shop_id: str, from_id: str | None, below_id: str) -> Iterator[AuditRow]:
        first = None if from_id is None else keys.month_of_bound(from_id)
        where = Path("sk") < below_id if from_id is None else Path("sk").between(from_id, below_id)
        for month in (item["sk"] for item in self._table.query(keys.audit_months(shop_id), limit=MAX_MONTHS)):
            if (first is None or month >= first) and month <= keys.month_of_bound(below_id):
                items = self._table.query(keys.audit_month(shop_id, month), limit=MAX_ROWS, where=where, page=1000)
                # A row that was moved to another month is not found by its id either: it is gone.
                placed = (item for item in items if keys.is_audit_place(item["pk"], item["sk"]))
                yield from (_row(item) for item in placed if item["sk"] != below_id)

    def shops(self, date: str) -> Iterator[str]:
        return (item["sk"] for item in self._table.query(keys.audit_day(date), limit=MAX_SHOPS, page=1000))

    def index(self, rows: Sequence[AuditRow]) -> None:
        for item in chain.from_iterable(map(entries_of, rows)):
            self._table.put(item)

    def indexing(self, shop_id: str) -> Indexing | None:
        item = self._table.get(*keys.audit_indexing(shop_id))
        return None if item is None else decode(Indexing, canonical_json.loads(item["progress"], own=True))

    def set_indexing(self, shop_id: str, progress: Indexing) -> None:
        pk, sk = keys.audit_indexing(shop_id)
        self._table.put({"pk": pk, "sk": sk, "progress": canonical_json.dumps(encode(progress))})

    def sealed_through(self) -> str | None:
        item = self._table.get(*keys.audit_sealing())
        return None if item is None else str(item["date"])

    def set_sealed_through(self, date: str) -> None:
        pk, sk = keys.audit_sealing()
        self._table.put({"pk": pk, "sk": sk, "date": date})

    def misfiled(self, rows: Sequence[AuditRow]) -> Sequence[str]:
        entries = {row.id: [(item["pk"], row.id) for item in entries_of(row)] for row in rows}
        read = self._table.get_many([key for of_row in entries.values() for key in of_row])
        stored = {(item["pk"], item["sk"]): _facts_in(item) for item in read}
        return [
            row.id
            for row in rows
            for about in [[stored.get(key) for key in entries[row.id]]]
            if any(each not in (None, _facts(row)) for each in about) or (None in about and self._is_whole(row.shop_id))
        ]

    def _is_whole(self, shop_id: str) -> bool:
        # Once whole it remains so, and only the other answer is read again.
        if shop_id not in self._whole:
            progress = self.indexing(shop_id)
            if progress is None or not progress.is_whole:
                return False
            self._whole.add(shop_id)
        return True

    def _by_month(self, shop_id: str, upper: str | None, lower: str | None, limit: int) -> Iterator[Item]:
        latest = None if upper is None else keys.month_of_bound(upper)
        earliest = None if lower is None else keys.month_of_bound(lower)
        months = self._table.query(keys.audit_months(shop_id), limit=MAX_MONTHS, descending=True)
        for month in (item["sk"] for item in months):
            if earliest is not None and month < earliest:
                return
            if latest is None or month <= latest:
                yield from self._newest(keys.audit_month(shop_id, month), upper, lower, limit)

    def _newest(self, pk: str, upper: str | None, lower: str | None, limit: int) -> Iterator[Item]:
        """Yield the items below `upper`, from `lower` on, newest first, in queries that grow."""
        # Two more than the page: `upper` itself, and the item that shows that the page is not the last one.
        for size in chain((limit + 2, *CHUNKS), iter(lambda: CHUNKS[-1], None)):
            read = list(self._table.query(pk, limit=size, where=_within(upper, lower), descending=True))
            yield from (item for item in read if item["sk"] != upper)
            if len(read) < size:
                return
            upper = read[-1]["sk"]

    def _rows(self, shop_id: str, row_ids: Sequence[str]) -> list[AuditRow]:
        """Return the rows of entries, from the one place where a row is stored."""
        read = self._table.get_many([(keys.audit_month(shop_id, keys.month_of(each)), each) for each in row_ids])
        by_id = {item["sk"]: item for item in read}
        return [_row(by_id[row_id]) for row_id in row_ids if row_id in by_id]


def entries_of(row: AuditRow) -> list[Item]:
    """Return the items by which filters read a row: short ones, because rows may be large."""
    facts = canonical_json.dumps(_facts(row))
    partitions = (
        keys.audit_entity(row.shop_id, row.entity_id),
        keys.audit_user(row.shop_id, row.user_id),
        keys.audit_action(row.shop_id, row.action),
        keys.audit_type(row.shop_id, row.entity_type),
    )
    return [{"pk": pk, "sk": row.id, "about": facts} for pk in partitions]


def days_of(rows: Sequence[AuditRow]) -> set[tuple[str, str]]:
    """Return the keys of the items that list shops by day: of the day of each row's id."""
    return {(keys.audit_day(keys.day_of(row.id)), row.shop_id) for row in rows}


def _facts(row: AuditRow) -> dict[str, str]:
    return {
        "entity_type": row.entity_type,
        "entity_id": row.entity_id,
        "action": row.action,
        "user_id": row.user_id,
    }


def _partition(shop_id: str, filters: AuditFilter) -> str | None:
    """Return the partition with the fewest rows for the filters, or None for all rows."""
    if filters.entity_id is not None:
        return keys.audit_entity(shop_id, filters.entity_id)
    if filters.user_id is not None:
        return keys.audit_user(shop_id, filters.user_id)
    if filters.action is not None:
        return keys.audit_action(shop_id, filters.action)
    return None if filters.entity_type is None else keys.audit_type(shop_id, filters.entity_type)


def _taken(entries: Iterator[Item], filters: AuditFilter, limit: int) -> tuple[list[Item], str | None]:
    """Return the first entries that pass, and the id behind which the list continues."""
    taken: list[Item] = []
    last = None
    for seen, item in enumerate(entries):
        if seen == AUDIT_READ:
            return taken, last
        if filters.admits(**_facts_in(item)):
            if len(taken) == limit:
                return taken, str(taken[-1]["sk"])
            taken.append(item)
        last = str(item["sk"])
    return taken, None


def _facts_in(item: Item) -> Mapping[str, Any]:
    if "about" in item:
        facts: Mapping[str, Any] = canonical_json.loads(item["about"], own=True)
        return facts
    # A row of a month, or the entry of an earlier release, which had the row.
    return _facts(_row(item))


def _within(upper: str | None, lower: str | None) -> Condition | None:
    """Return the condition on sort keys; both bounds are included, because `between` includes them."""
    sk = Path("sk")
    if upper is not None and lower is not None:
        return sk.between(lower, max(lower, upper))
    if upper is not None:
        return sk <= upper
    return None if lower is None else sk >= lower


def _row(item: Item) -> AuditRow:
    """Return the row of an item under the id and the shop of its key, by which it is found and sealed."""
    row = documents.read_audit(gzip.decompress(item["row"]))
    return replace(row, id=item["sk"], shop_id=keys.shop_of(item["pk"]))
