"""A visitor's first exposure, which events are after it, and sums by the cells of exposures."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from operator import add
from typing import Any, NamedTuple

from abtest.domain.ledger.cells import DIMENSIONS, PAIRS, QUARTER, QUARTER_MS, UNKNOWN, Cell
from abtest.domain.ledger.events import DAY_MS, Row
from abtest.domain.ledger.rows import SenderClock
from abtest.domain.ledger.shop_rows import Event


class Seen(NamedTuple):
    """Earliest exposure of a visitor by one kind of clock: by that clock, and by ours."""

    since: int
    at: int


class Exposure(NamedTuple):
    """First exposure of a visitor; `segments` are the values of `cells.DIMENSIONS`.

    `seen` has the exposures by kind of clock. The measurement began at `begins_at`.
    """

    variation_id: str
    at: int
    segments: tuple[str, ...]
    seen: Mapping[SenderClock, Seen]
    begins_at: int

    def precedes(self, event: Event) -> bool:
        """Return whether the event happened at an exposure or later.

        Requests overtake each other, and what is ahead of us counts at arrival: the sender's clock knows the order. Our
        clock decides between different senders, and where the sender is not known.
        """
        if event.at < self.begins_at:
            return False
        sent = event.sent
        for clock, seen in self.seen.items():
            is_same = clock == sent.clock
            if is_same and sent.ts >= seen.since:
                return True
            if not (is_same and sent.is_known) and event.at >= seen.at:
                return True
        return False


def summed_in_cells(parts: Iterable[tuple[Exposure, tuple[int, ...]]]) -> dict[Cell, tuple[int, ...]]:
    """Sum the numbers of visitors in every cell of their exposures: a quarter, four dimensions, six pairs of them."""
    quarters: dict[Cell, tuple[int, ...]] = {}
    alike: dict[tuple[str, int, tuple[str, ...]], tuple[int, ...]] = {}
    for exposure, numbers in parts:
        _add(quarters, Cell(exposure.variation_id, QUARTER, exposure.at // QUARTER_MS, ""), numbers)
        # Of visitors who are alike in all dimensions the sum is added to the ten cells once.
        _add(alike, (exposure.variation_id, exposure.at // DAY_MS, exposure.segments), numbers)
    cells = quarters
    for (variation_id, day, segments), numbers in alike.items():
        for dimension, value in _values(segments):
            _add(cells, Cell(variation_id, dimension, day, value), numbers)
    return cells


def segments_of(row: Row) -> tuple[str, ...]:
    """Return the row's values of all dimensions."""
    return tuple(segment_of(row, dimension) for dimension in DIMENSIONS)


def segment_of(row: Row, dimension: str) -> str:
    """Return the row's value of a dimension."""
    columns: Mapping[str, Any] = row
    return columns[dimension] or UNKNOWN


@lru_cache(maxsize=4096)
def _values(segments: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    values = dict(zip(DIMENSIONS, segments, strict=True))
    return (*values.items(), *((pair, "|".join(values[name] for name in pair.split("+"))) for pair in PAIRS))


def _add(sums: dict[Any, tuple[int, ...]], key: Any, numbers: tuple[int, ...]) -> None:
    present = sums.get(key)
    sums[key] = numbers if present is None else tuple(map(add, present, numbers))
