"""Use cases of the audit over the API: rows by filters, one row, its proof, the seals."""

from dataclasses import dataclass
from datetime import timedelta

from abtest.contract.audit import AuditLog, AuditProof, AuditSeal
from abtest.domain.audit.merkle import path_of
from abtest.domain.audit.seals import SealedRows, day_start
from abtest.kit.clock import from_milliseconds
from abtest.kit.errors import ConflictError, NotFoundError
from abtest.kit.ids import before_uuid7, uuid7_milliseconds
from abtest.ports.audit import AuditFilter, AuditStore
from abtest.ports.blobs import Blobs
from abtest.ports.catalog import AuditRow, Catalog
from abtest.services.audit_log.records import audit_log, content_of, leaf_of, read_sealed, read_seals

SEARCHED = 40
"""Days, from that of a row on, whose seals may have it: late rows are in the next seal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLogs:
    """The audit of each shop. `seals` is the bucket of sealed days."""

    catalog: Catalog
    store: AuditStore
    seals: Blobs

    def page(
        self, shop_id: str, filters: AuditFilter, *, limit: int, after: str | None
    ) -> tuple[list[AuditLog], str | None]:
        """Rows that pass the filters, newest first, and the id that continues the list."""
        rows, last = self.store.page(shop_id, filters, limit=limit, after_id=after)
        return [audit_log(row) for row in rows], last

    def get(self, shop_id: str, row_id: str) -> AuditLog:
        """One row. Raises NotFoundError."""
        return audit_log(self._row(shop_id, row_id))

    def seal_page(self, shop_id: str, *, limit: int, after: str | None) -> tuple[list[AuditSeal], str | None]:
        """Seals, the latest day first, and the key that continues the list."""
        seals, last = read_seals(self.catalog, shop_id, limit=limit, after_id=after)
        return [AuditSeal.of(seal) for seal in seals], last

    def proof(self, shop_id: str, row_id: str) -> AuditProof:
        """Return the proof of a row. Raises NotFoundError, and ConflictError for a row that was not sealed yet."""
        row = self._row(shop_id, row_id)
        sealed = self._seal_of(row)
        if sealed is None:
            raise ConflictError("this row is not sealed yet: rows are sealed in the night after their day (UTC)")
        index = sealed.index(row.id) or 0
        leaves = [bytes.fromhex(leaf) for _, leaf in sealed.leaves]
        return AuditProof(
            audit_log_id=row.id,
            content=content_of(row),
            leaf=leaf_of(row)[1],
            leaf_index=index,
            path=[each.hex() for each in path_of(index, leaves)],
            root=sealed.seal.root,
            seal=AuditSeal.of(sealed.seal),
        )

    def _row(self, shop_id: str, row_id: str) -> AuditRow:
        row = self.store.get(shop_id, row_id)
        if row is None:
            raise NotFoundError("there is no such audit row")
        return row

    def _seal_of(self, row: AuditRow) -> SealedRows | None:
        """Return the seal that has this row: that of its day, or a later one if the row was written late."""
        day = f"{from_milliseconds(uuid7_milliseconds(row.id)):%Y-%m-%d}"
        bound = before_uuid7(day_start(day) + timedelta(days=SEARCHED))
        seals, _ = read_seals(self.catalog, row.shop_id, limit=SEARCHED, after_id=bound)
        for seal in seals[::-1]:
            if seal.date >= day:
                sealed = read_sealed(self.seals, row.shop_id, seal.date)
                if sealed is not None and sealed.index(row.id) is not None:
                    return sealed
        return None
