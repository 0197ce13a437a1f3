"""Parsed day and segment items of a roll-up: sums between two quarters, sums by a dimension's value.

Running sums are computed once per item, because a dashboard needs hundreds of sums of the same day.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

from abtest.domain.ledger.cells import GoalCount, Money

Document = Mapping[str, Any]
Key = tuple[str, str]
"""Goal id and variation id."""

MoneyByKind = Mapping[tuple[str, str], Money]
"""By kind (`converted`, `foreign`, `unknown`) and currency."""


class Span(NamedTuple):
    """Quarters of an hour since 1970: `start` is included, `end` is not."""

    start: int
    end: int


class Curve:
    """Running sums of some numbers over the quarters of one day."""

    __slots__ = ("_quarters", "_running")

    def __init__(self, points: Iterable[tuple[int, tuple[int, ...]]], width: int) -> None:
        ordered = sorted(points)
        columns = zip(*(numbers for _, numbers in ordered), strict=True)
        # Without points zip() has no columns, but `between` still has to return `width` sums.
        zeros: list[Sequence[int]] = [(0,)] * width
        self._quarters = [quarter for quarter, _ in ordered]
        # A leading zero, so that the difference of two entries is the sum between them.
        self._running = [(0, *accumulate(column)) for column in columns] or zeros

    @property
    def points(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield each quarter with its numbers; quarters without any are left out."""
        for place, quarter in enumerate(self._quarters):
            yield quarter, tuple(column[place + 1] - column[place] for column in self._running)

    def between(self, span: Span) -> list[int]:
        """Return the sums of the quarters within the span."""
        first, last = bisect_left(self._quarters, span.start), bisect_left(self._quarters, span.end)
        return [column[last] - column[first] for column in self._running]


@dataclass(frozen=True)
class DayCurves:
    """One day item. `money` by goal and variation: quarter, kind, currency, money."""

    visitors: Mapping[str, Curve]
    goals: Mapping[Key, Curve]
    money: Mapping[Key, Sequence[tuple[int, str, str, Money]]]

    @classmethod
    def of(cls, document: Document) -> "DayCurves":
        """Return the curves of a stored item."""
        visitors: defaultdict[str, list[Any]] = defaultdict(list)
        for variation_id, _, quarter, _, number in document["cells"]:
            visitors[variation_id].append((quarter, (number,)))
        goals: defaultdict[Key, list[Any]] = defaultdict(list)
        for goal_id, entries in document["goals"].items():
            for variation_id, _, quarter, _, converters, hits, total, squares in entries:
                # Squares are stored as text: their sums exceed the 53 bits that JSON readers keep exactly.
                goals[goal_id, variation_id].append((quarter, (converters, hits, total, int(squares))))
        money: defaultdict[Key, list[Any]] = defaultdict(list)
        for goal_id, entries in document["money"].items():
            for variation_id, quarter, kind, currency, orders, minor in entries:
                money[goal_id, variation_id].append((quarter, kind, currency, Money(orders, minor)))
        return cls(
            visitors={variation_id: Curve(points, 1) for variation_id, points in visitors.items()},
            goals={key: Curve(points, 4) for key, points in goals.items()},
            money=money,
        )

    def money_within(self, span: Span) -> Iterator[tuple[Key, tuple[str, str], Money]]:
        """Yield goal and variation, kind and currency, and money of each entry within the span."""
        for key, entries in self.money.items():
            for quarter, kind, currency, money in entries:
                if span.start <= quarter < span.end:
                    yield key, (kind, currency), money


class SegmentSums:
    """One segment item. Dimensions are parsed on first use, because a reader needs few of them."""

    def __init__(self, document: Document) -> None:
        self._document = document

    @cached_property
    def visitors(self) -> Mapping[str, Mapping[tuple[str, str], int]]:
        """Visitors by dimension, then by value and variation."""
        sums: defaultdict[str, dict[tuple[str, str], int]] = defaultdict(dict)
        for variation_id, dimension, _, value, number in self._document["cells"]:
            sums[dimension][value, variation_id] = number
        return sums

    @cached_property
    def goals(self) -> Mapping[str, Mapping[tuple[str, str, str], GoalCount]]:
        """Goal sums by dimension, then by value, goal and variation."""
        sums: defaultdict[str, dict[tuple[str, str, str], GoalCount]] = defaultdict(dict)
        for goal_id, entries in self._document["goals"].items():
            for variation_id, dimension, _, value, converters, hits, total, squares in entries:
                sums[dimension][value, goal_id, variation_id] = GoalCount(converters, hits, total, int(squares))
        return sums
