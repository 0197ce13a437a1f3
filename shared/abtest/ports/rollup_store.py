"""Store of roll-ups: absolute counts of experiments and of shops' days, replaced only by a newer generation."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from abtest.kit.clock import Timestamp

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RollupSummary:
    """State of a roll-up, as far as a writer needs it.

    `totals`: None before the first complete write. `is_whole`: all day and segment items belong to the totals; False
    after an interrupted write. `next_generation`: the lowest that can be stored, one more than any item of the epoch
    has, including items of an interrupted write.
    """

    totals: Document | None
    is_whole: bool
    next_generation: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Moment up to which a shop is counted: everything that the ledger held then.

    `missing` has the ids of experiments that could not be counted, the shop's own id for its days or all of it.
    """

    until: Timestamp
    missing: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredState:
    """Running counts of a shop in the ledger's bucket: the object `key` has everything up to the feed's `offset`."""

    key: str
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopProgress:
    """How far one shop is counted: its roll-ups have everything up to the feed's `offset`.

    `until`: they have everything that the ledger held at this moment, and `days_until` the same of the shop's days, ""
    before the first. `plans`: a digest of the versions of all records that were counted; `plans_since`: when one of
    them that is measured was changed last.
    `failed`: ids of what could not be counted, the shop's own id for its days. `state`, `held`: the newest stored state
    and its rows.
    """

    shop_id: str
    offset: int
    until: Timestamp
    counted_at: Timestamp
    plans: str = ""
    plans_since: Timestamp = ""
    days_until: Timestamp = ""
    failed: frozenset[str] = frozenset()
    state: StoredState | None = None
    held: int = 0


class RollupStore(Protocol):
    """Roll-up documents of any size (docs/data-model.md section 5). All calls may raise DatabaseBusyError."""

    def put(self, totals: Document, days: Mapping[str, Document], segments: Mapping[str, Document]) -> bool:
        """Store documents of one `generation`, days and segments by date (`YYYY-MM-DD`).

        They are written in one transaction if they fit. If not, the generation is claimed, then the items are written,
        and the totals last. Returns False when an equal or newer generation is stored; some items may be written then.
        """
        ...

    def summary(self, experiment_id: str, measurement_epoch: int) -> RollupSummary:
        """Return the state of the roll-up, in one consistent read."""
        ...

    def totals(self, experiment_id: str, measurement_epoch: int) -> Document | None:
        """Return the totals, or None before the first complete write."""
        ...

    def totals_of(self, measurements: Sequence[tuple[str, int]]) -> Mapping[tuple[str, int], Document]:
        """Return the totals by experiment id and epoch; those without a complete write are absent."""
        ...

    def days(self, experiment_id: str, measurement_epoch: int, first: str, last: str) -> Sequence[Document]:
        """Return the day items of the dates from `first` to `last` (both included), by date."""
        ...

    def segments(self, experiment_id: str, measurement_epoch: int, first: str, last: str) -> Sequence[Document]:
        """Return the segment items of the dates from `first` to `last` (both included), by date."""
        ...

    def put_shop_day(self, document: Document) -> bool:
        """Store a shop's day under its `shop_id` and `date`. Return False when its `generation` is not the newest."""
        ...

    def put_shop_progress(self, progress: ShopProgress) -> bool:
        """Store how far a shop is counted. Return False when the stored progress has a higher offset, or is newer."""
        ...

    def shop_progress(self, shop_id: str) -> ShopProgress | None:
        """Return how far a shop is counted, read consistently; None before its first count."""
        ...

    def progress_of_shops(self) -> Iterator[ShopProgress]:
        """Yield the progress of every counted shop, by shop id, read in pages."""
        ...

    def note_read(self, shop_id: str, at: Timestamp, *, unless_after: Timestamp) -> bool:
        """Note that someone reads the shop's results at this moment.

        Return False, and change nothing, when a later note than `unless_after` is stored. A note is kept for a day. Of
        many processes that note at once, all but the first change nothing.
        """
        ...

    def shops_read(self, since: Timestamp) -> Mapping[str, Timestamp]:
        """Return the shops with a note of `since` or later, and when they were read; in pages of one query."""
        ...

    def shop_days(self, shop_id: str, first: str, last: str) -> Sequence[Document]:
        """Return the days of a shop from `first` to `last` (both included), by date."""
        ...
