"""Roll-ups: the absolute counts of an experiment or of a shop's days, replaced only by a newer generation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from abtest.kit.clock import Timestamp

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What stands of a roll-up.

    `totals`: None when nothing was written to its end yet. `is_whole`: all day and segment items are as the totals say;
    False after a write that was cut short. `next_generation`: the lowest that can be put, one more than any
    item of the epoch has, those of a run that died half way included.
    """

    totals: Document | None
    is_whole: bool
    next_generation: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far the newest scheduled count of all shops reaches.

    What the ledger held at `until`, when it began, was counted. `missing`: ids of the shops and experiments for which
    that failed.
    """

    until: Timestamp
    missing: frozenset[str] = frozenset()


class RollupStore(Protocol):
    """Documents as docs/data-model.md section 5 describes them, of any size. All calls may raise DatabaseBusyError."""

    def put(self, totals: Document, days: Mapping[str, Document], segments: Mapping[str, Document]) -> bool:
        """Store documents of one `generation`, days and segments by date (`YYYY-MM-DD`).

        All at once when they fit into one transaction; else the items first and the totals last, after the generation
        was claimed. False, possibly with some items written, when something stands that is as new or newer.
        """
        ...

    def standing(self, experiment_id: str, measurement_epoch: int) -> Standing:
        """What a writer needs to know, in one read."""
        ...

    def totals(self, experiment_id: str, measurement_epoch: int) -> Document | None:
        """The totals, or None when nothing was counted yet."""
        ...

    def days(self, experiment_id: str, measurement_epoch: int, first: str, last: str) -> Sequence[Document]:
        """Items by day, of the dates from `first` to `last` (both included), by date."""
        ...

    def segments(self, experiment_id: str, measurement_epoch: int, first: str, last: str) -> Sequence[Document]:
        """Segment items in the same way."""
        ...

    def put_shop_day(self, document: Document) -> bool:
        """Store a shop's day by its `shop_id`, `date` and `generation`; False when one as new or newer stands."""
        ...

    def put_reach(self, reach: Reach) -> bool:
        """Store how far the counts reach; False when what stands reaches as far."""
        ...

    def reach(self) -> Reach | None:
        """How far the counts reach; None before the first run."""
        ...

    def shop_days(self, shop_id: str, first: str, last: str) -> Sequence[Document]:
        """The days of a shop from `first` to `last` (both included), by date."""
        ...
