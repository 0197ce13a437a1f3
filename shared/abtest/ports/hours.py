"""An hour of the raw ledger, read by an engine: what compaction writes, and what the audit compares."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsPart:
    """The content of one Parquet file: a shop's rows whose visitors are in the buckets from `first` to `last`."""

    shop_id: str
    first: int
    last: int
    rows: int
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableLine:
    """A line that is no row: the raw object in which it stands, its number from 0, and what could be told of it."""

    key: str
    index: int
    shop_id: str | None
    event_id: str | None
    sample: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Events of raw objects beside those of Parquet files, by shop and event id; the first few differences as texts."""

    events: int
    missing: int
    foreign: int
    examples: Sequence[str]


class HourRows(Protocol):
    """The rows of an hour without those copies that nobody would count, open until the context ends."""

    @property
    def read(self) -> int:
        """How many lines the raw objects have, copies and unreadable ones included."""
        ...

    @property
    def unreadable(self) -> Sequence[UnreadableLine]:
        """Lines that are no rows; each stands in no part."""
        ...

    def parts(self) -> Iterator[EventsPart]:
        """All rows, shop by shop and bucket by bucket: the same rows always give the same parts."""
        ...


class Hours(Protocol):
    """Reads hours in memory that does not grow with them. May raise LedgerObjectError and BlobsUnavailableError."""

    def open(self, raw: Sequence[str]) -> AbstractContextManager[HourRows]:
        """The rows of these raw objects."""
        ...

    def compared(self, raw: Sequence[str], events: Sequence[str]) -> Compared:
        """Whether the Parquet files hold the same events as the raw objects."""
        ...
