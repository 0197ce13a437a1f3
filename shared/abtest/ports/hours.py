"""Reader of one hour of the raw ledger, for compaction and for the audit that compares the two forms."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from abtest.domain.ledger.blocks import Block
from abtest.domain.ledger.shop_groups import ALL_SHOPS, ShopGroup

NONE: Mapping[str, Sequence[Block]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsPart:
    """Content of one Parquet file: rows of a shop whose visitor buckets are from `first` to `last`, both included."""

    shop_id: str
    first: int
    last: int
    rows: int
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableLine:
    """Line that is not a valid row: its raw object, its index from 0, and the fields that could be read."""

    key: str
    index: int
    shop_id: str | None
    event_id: str | None
    sample: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Comparison of the events in raw objects and Parquet files by shop and event id.

    `events` is their number in raw objects; `missing` are not in the Parquet files, `foreign` only there. `examples`
    describes the first few differences.
    """

    events: int
    missing: int
    foreign: int
    examples: Sequence[str]


class HourRows(Protocol):
    """Rows of an hour without copies that are never counted, open until the context ends."""

    @property
    def read(self) -> int:
        """Number of lines in the raw objects, with copies and unreadable lines."""
        ...

    @property
    def unreadable(self) -> Sequence[UnreadableLine]:
        """Lines that are not valid rows and are therefore in no part."""
        ...

    def parts(self) -> Iterator[EventsPart]:
        """Yield all rows by shop and visitor bucket. Equal rows always give equal parts."""
        ...


class Hours(Protocol):
    """Reader of hours in bounded memory. All calls may raise LedgerObjectError and BlobsUnavailableError."""

    def open(
        self, raw: Sequence[str], *, group: ShopGroup = ALL_SHOPS, blocks: Mapping[str, Sequence[Block]] = NONE
    ) -> AbstractContextManager[HourRows]:
        """Open the rows of the group's shops in these raw objects, given by their keys.

        Of an object in `blocks` only these are read, or all of it where they do not contain what they should. An
        unreadable line belongs to the group of the shop that the block names for it; in an object that is read whole,
        to the group of the line's own shop, and without one to group 0.
        """
        ...

    def compared(
        self,
        raw: Sequence[str],
        events: Sequence[str],
        *,
        group: ShopGroup = ALL_SHOPS,
        blocks: Mapping[str, Sequence[Block]] = NONE,
    ) -> Compared:
        """Compare the events of raw objects, read as `open` does, with those of Parquet files, given by their keys."""
        ...
