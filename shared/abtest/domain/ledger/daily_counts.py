"""Counts of an experiment by UTC day, so that an update costs the days it changes and not the whole history."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple

from abtest.domain.ledger.cells import QUARTER, QUARTER_MS, Cell, Counts, GoalCount, Money, MoneyCell, newest
from abtest.domain.ledger.events import DAY_MS
from abtest.kit import canonical_json
from abtest.kit.clock import from_milliseconds, parse_milliseconds

QUARTERS_A_DAY = DAY_MS // QUARTER_MS

Document = Mapping[str, Any]


class Slice(NamedTuple):
    """One item of a roll-up: the cells by quarter (`DAY`) or the segment cells (`SEG`) of one UTC day, `YYYY-MM-DD`."""

    kind: Literal["DAY", "SEG"]
    date: str


# Without slots: cached_property stores into `__dict__`, past the check of a frozen class.
@dataclass(frozen=True)
class Piece:
    """Counts of one slice; values derived from them are computed once."""

    counts: Counts

    @property
    def body(self) -> Document:
        """Cells, goals and money in the form of day and segment items, in a fixed order."""
        counts = self.counts
        return {
            "cells": [[*cell, visitors] for cell, visitors in sorted(counts.visitors.items())],
            "goals": {
                goal_id: [
                    # Squares are texts: they may be larger than the integers of databases.
                    [*cell, count.converters, count.hits, count.total, str(count.squares)]
                    for cell, count in sorted(cells.items())
                ]
                for goal_id, cells in sorted(counts.goals.items())
                if cells
            },
            "money": {
                goal_id: [[*cell, *money] for cell, money in sorted(cells.items())]
                for goal_id, cells in sorted(counts.money.items())
                if cells
            },
        }

    @cached_property
    def digest(self) -> str:
        """Digest of the content."""
        # 96 bits are enough: a day has a few thousand versions.
        return canonical_json.sha256(self.body)[:24]

    @cached_property
    def is_empty(self) -> bool:
        """Return whether every count is zero."""
        counts = self.counts
        return not (counts.visitors or any(counts.goals.values()) or any(counts.money.values()))

    @cached_property
    def visitors(self) -> Mapping[str, int]:
        """Visitors by variation."""
        totals: defaultdict[str, int] = defaultdict(int)
        for cell, visitors in self.counts.visitors.items():
            totals[cell.variation_id] += visitors
        return totals

    @cached_property
    def goals(self) -> Mapping[tuple[str, str], GoalCount]:
        """Statistics by goal and variation."""
        totals: defaultdict[tuple[str, str], GoalCount] = defaultdict(GoalCount)
        for goal_id, cells in self.counts.goals.items():
            for cell, count in cells.items():
                totals[goal_id, cell.variation_id] = totals[goal_id, cell.variation_id].plus(count)
        return totals

    @cached_property
    def money(self) -> Mapping[tuple[str, str, str, str], Money]:
        """Money by goal, variation, kind and currency."""
        totals: defaultdict[tuple[str, str, str, str], Money] = defaultdict(Money)
        for goal_id, cells in self.counts.money.items():
            for cell, money in cells.items():
                key = (goal_id, cell.variation_id, cell.kind, cell.currency)
                totals[key] = totals[key].plus(money)
        return totals


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyCounts:
    """Counts as pieces; `rest` has the parts without a day: spread, multiple exposures, `through`."""

    pieces: Mapping[Slice, Piece] = field(default_factory=dict)
    rest: Counts = field(default_factory=Counts)

    @classmethod
    def of(cls, counts: Counts) -> "DailyCounts":
        """Split counts into pieces."""
        pieces = {slice_: Piece(part) for slice_, part in _cut(counts).items()}
        return cls(pieces=pieces, rest=_rest(counts))

    def changed(self, before: Counts, after: Counts) -> "DailyCounts":
        """Replace `before`, whose rows must all have been counted here, by `after`."""
        pieces = dict(self.pieces)
        # Only the difference is cut: pieces of other days stay the same objects, which keep their cached digests.
        for slice_, part in _cut(after - before).items():
            piece = Piece(pieces[slice_].counts + part if slice_ in pieces else part)
            if piece.is_empty:
                pieces.pop(slice_, None)
            else:
                pieces[slice_] = piece
        return DailyCounts(pieces=pieces, rest=self.rest - _rest(before) + _rest(after))

    def seen(self, through: int | None) -> "DailyCounts":
        """Return the same counts, read up to a later moment whose rows change nothing."""
        return DailyCounts(pieces=self.pieces, rest=replace(self.rest, through=newest(self.rest.through, through)))

    def whole(self) -> Counts:
        """Join all pieces."""
        return _joined([self.rest, *(piece.counts for piece in self.pieces.values())], self.rest)


# One entry a day: eleven years.
@lru_cache(maxsize=4096)
def date_of(day: int) -> str:
    """Return `YYYY-MM-DD` of a UTC day since 1970."""
    return f"{from_milliseconds(day * DAY_MS):%Y-%m-%d}"


def day_of(date: str) -> int:
    """Return the UTC day since 1970 of `YYYY-MM-DD`."""
    return parse_milliseconds(f"{date}T00:00:00Z") // DAY_MS


def quarter_date(quarter: int) -> str:
    """Return the UTC date of a quarter of an hour since 1970."""
    return date_of(quarter // QUARTERS_A_DAY)


def counted_from(bodies: Iterable[Document]) -> Counts:
    """Read the counts in day and segment items."""
    parts = (
        Counts(
            visitors={Cell(*entry[:4]): entry[4] for entry in body["cells"]},
            goals={
                goal_id: {Cell(*entry[:4]): GoalCount(entry[4], entry[5], entry[6], int(entry[7])) for entry in entries}
                for goal_id, entries in body["goals"].items()
            },
            money={
                goal_id: {MoneyCell(*entry[:4]): Money(*entry[4:]) for entry in entries}
                for goal_id, entries in body["money"].items()
            },
        )
        for body in bodies
    )
    return _joined(parts, Counts())


@dataclass(slots=True)
class _Part:
    visitors: dict[Any, Any] = field(default_factory=dict)
    goals: defaultdict[str, dict[Any, Any]] = field(default_factory=lambda: defaultdict(dict))
    money: defaultdict[str, dict[Any, Any]] = field(default_factory=lambda: defaultdict(dict))


def _cut(counts: Counts) -> Mapping[Slice, Counts]:
    parts: defaultdict[Slice, _Part] = defaultdict(_Part)
    for cell, visitors in counts.visitors.items():
        parts[_slice(cell)].visitors[cell] = visitors
    for goal_id, cell, count in _each(counts.goals):
        parts[_slice(cell)].goals[goal_id][cell] = count
    for goal_id, cell, money in _each(counts.money):
        parts[Slice("DAY", quarter_date(cell.quarter))].money[goal_id][cell] = money
    return {key: Counts(visitors=part.visitors, goals=part.goals, money=part.money) for key, part in parts.items()}


def _each(by_goal: Mapping[str, Mapping[Any, Any]]) -> Iterator[tuple[str, Any, Any]]:
    for goal_id, cells in by_goal.items():
        for cell, count in cells.items():
            yield goal_id, cell, count


def _slice(cell: Cell) -> Slice:
    if cell.dimension == QUARTER:
        return Slice("DAY", quarter_date(cell.at))
    return Slice("SEG", date_of(cell.at))


def _joined(parts: Iterable[Counts], rest: Counts) -> Counts:
    """Join parts that share no cell, and add the parts without a day."""
    whole = _Part()
    for part in parts:
        whole.visitors.update(part.visitors)
        for goal_id, cells in part.goals.items():
            whole.goals[goal_id].update(cells)
        for goal_id, monies in part.money.items():
            whole.money[goal_id].update(monies)
    return replace(rest, visitors=whole.visitors, goals=dict(whole.goals), money=dict(whole.money))


def _rest(counts: Counts) -> Counts:
    """Return the parts without a day. Goals stay by name: one without a hit was still counted."""
    return replace(
        counts, visitors={}, goals=dict.fromkeys(counts.goals, _NOTHING), money=dict.fromkeys(counts.money, _NOTHING)
    )


_NOTHING: Mapping[Any, Any] = {}
