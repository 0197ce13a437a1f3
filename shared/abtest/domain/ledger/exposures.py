"""A visitor's first exposure, and which rows are after it."""

from collections.abc import Mapping
from typing import NamedTuple

from abtest.domain.ledger.cells import Cell
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.rows import SenderClock, happened_at, sender_time


class Seen(NamedTuple):
    """Earliest exposure of a visitor by one kind of clock: by that clock, and by ours."""

    since: int
    at: int


class Exposure(NamedTuple):
    """First exposure of a visitor; `cells` are those in which the visitor is counted.

    `seen` has the exposures by kind of clock. The measurement began at `begins_at`.
    """

    variation_id: str
    at: int
    cells: tuple[Cell, ...]
    seen: Mapping[SenderClock, Seen]
    begins_at: int

    def precedes(self, row: Row) -> bool:
        """Return whether the row happened at an exposure or later.

        Requests overtake each other, and what is ahead of us counts at arrival: the sender's clock knows the order. Our
        clock decides between different senders, and where the sender is not known.
        """
        at, sent = happened_at(row), sender_time(row)
        by_sender = any(clock == sent.clock and sent.ts >= seen.since for clock, seen in self.seen.items())
        by_ours = any(
            not (clock == sent.clock and sent.is_known) and at >= seen.at for clock, seen in self.seen.items()
        )
        return at >= self.begins_at and (by_sender or by_ours)
