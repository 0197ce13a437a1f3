"""Audit rows as they are read: by filters, by id, by time. They are written by commits of the catalog only."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from abtest.kit.clock import Timestamp
from abtest.ports.catalog import AuditRow

AUDIT_READ = 2000
"""Entries that one page reads at most; a page that ends there continues behind the last one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Filters of audit rows; None admits everything. `from_id` is the first id of a period, `below_id` is behind it."""

    entity_type: str | None = None
    entity_id: str | None = None
    action: str | None = None
    user_id: str | None = None
    from_id: str | None = None
    below_id: str | None = None

    def admits(self, *, entity_type: str, entity_id: str, action: str, user_id: str) -> bool:
        """Return whether a row with these fields passes; its id is not compared."""
        return (
            self.entity_type in (None, entity_type)
            and self.entity_id in (None, entity_id)
            and self.action in (None, action)
            and self.user_id in (None, user_id)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexing:
    """Progress of giving a shop's rows of earlier releases their entries: from `begun_at`, up to the id `through`.

    Until `is_whole`, filters by user, action or type read all rows instead.
    """

    begun_at: Timestamp
    through: str
    is_whole: bool


class AuditStore(Protocol):
    """Audit rows of all shops. Reads name the shop. Every call may raise DatabaseBusyError."""

    def page(
        self, shop_id: str, filters: AuditFilter, *, limit: int, after_id: str | None = None
    ) -> tuple[Sequence[AuditRow], str | None]:
        """Return at most `limit` rows that pass, newest first, and the id that continues the list, if any.

        Ids below `after_id` only. At most AUDIT_READ entries are read, so a page may be short, even empty.
        """
        ...

    def get(self, shop_id: str, row_id: str) -> AuditRow | None:
        """Return the row, read consistently, or None."""
        ...

    def between(self, shop_id: str, from_id: str | None, below_id: str) -> Iterator[AuditRow]:
        """Yield the rows with these ids, oldest first; `below_id` itself is left out."""
        ...

    def shops(self, date: str) -> Iterator[str]:
        """Yield the shops that may have rows with ids of this UTC day (`yyyy-mm-dd`): all that do, and more."""
        ...

    def index(self, rows: Sequence[AuditRow]) -> None:
        """Write the entries of these rows that filters read. Repeating the call is harmless."""
        ...

    def indexing(self, shop_id: str) -> Indexing | None:
        """Return how far the rows of a shop have entries, or None before anything was recorded."""
        ...

    def set_indexing(self, shop_id: str, progress: Indexing) -> None:
        """Record how far the rows of a shop have entries."""
        ...

    def sealed_through(self) -> str | None:
        """Return the UTC day of the last run that sealed every shop, or None before there was one."""
        ...

    def set_sealed_through(self, date: str) -> None:
        """Record that a run of this day sealed every shop."""
        ...

    def misfiled(self, rows: Sequence[AuditRow]) -> Sequence[str]:
        """Return the ids of rows with an entry that differs, and once indexing is whole, of rows that lack one."""
        ...
