"""Audit rows in memory: those of a catalog in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from abtest.adapters.dynamo.keys import day_of
from abtest.ports.audit import AUDIT_READ, AuditFilter, Indexing
from abtest.ports.catalog import AuditRow
from tests.support.memory.catalog import MemoryCatalog


class MemoryAuditStore:
    """Reader of the rows that commits of this catalog have written."""

    def __init__(self, catalog: MemoryCatalog) -> None:
        self._catalog = catalog
        self._indexing: dict[str, Indexing] = {}
        self._sealed_through: str | None = None

    def page(
        self, shop_id: str, filters: AuditFilter, *, limit: int, after_id: str | None = None
    ) -> tuple[Sequence[AuditRow], str | None]:
        # The partition that is read has the rows of one filter; of the others it may read many that do not pass.
        chosen = ("entity_id", filters.entity_id), ("user_id", filters.user_id), ("action", filters.action)
        by = next((pair for pair in chosen if pair[1] is not None), ("entity_type", filters.entity_type))
        behind = [
            row
            for row in self.between(shop_id, filters.from_id, "g")
            if by[1] in (None, getattr(row, by[0]))
            and (after_id is None or row.id < after_id)
            and (filters.below_id is None or row.id < filters.below_id)
        ][::-1]
        read = behind[:AUDIT_READ]
        passing = [row for row in read if filters.admits(**{name: getattr(row, name) for name in FACTS})]
        if len(passing) > limit:
            return passing[:limit], passing[limit - 1].id
        return passing, read[-1].id if len(behind) > len(read) else None

    def get(self, shop_id: str, row_id: str) -> AuditRow | None:
        return next((row for row in self.between(shop_id, row_id, "g") if row.id == row_id), None)

    def between(self, shop_id: str, from_id: str | None, below_id: str) -> Iterator[AuditRow]:
        rows = [row for row in self._catalog.audit_rows(shop_id) if row.id < below_id]
        return (row for row in rows if from_id is None or row.id >= from_id)

    def shops(self, date: str) -> Iterator[str]:
        return iter(sorted({row.shop_id for row in self._catalog.audit_rows() if day_of(row.id) == date}))

    def index(self, rows: Sequence[AuditRow]) -> None:
        pass  # every read goes through all rows

    def indexing(self, shop_id: str) -> Indexing | None:
        return self._indexing.get(shop_id)

    def set_indexing(self, shop_id: str, progress: Indexing) -> None:
        self._indexing[shop_id] = progress

    def sealed_through(self) -> str | None:
        return self._sealed_through

    def set_sealed_through(self, date: str) -> None:
        self._sealed_through = date

    def misfiled(self, rows: Sequence[AuditRow]) -> Sequence[str]:
        return []  # there are no entries


FACTS = ("entity_type", "entity_id", "action", "user_id")
