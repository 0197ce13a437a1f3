"""Division of a large shop's counting into units of a size for one worker.

All rows of a visitor are in one partition. Counts of sets of rows that share no visitor, event id and order id can be
added (`cells`), but events and orders may have the same id for visitors of several partitions. Visitors who share an id
with another visitor are *tied*. First the units `ids` find them, each for a part of the ids. Then the units `visitors`
count the visitors of their partitions who are not tied, and who adds up counts all tied ones together.
"""

from dataclasses import dataclass
from typing import Literal

MOST_ROWS = 10_000_000
"""Rows of a unit, above which they are divided (docs/adr/0075-partitions-of-a-large-shop.md)."""

JOINED_BELOW = 8
"""Units with less than this part of MOST_ROWS are joined, so that a shop is not divided and joined to and fro."""

ROWS_FOR_IDS = 4
"""A unit of ids is for so many times MOST_ROWS: it keeps 16 bytes of a row."""

MOST_PARTITIONS = 64

Kind = Literal["ids", "visitors"]
KINDS: tuple[Kind, ...] = ("ids", "visitors")
"""In the order in which they are counted."""


@dataclass(frozen=True, slots=True, order=True)
class Unit:
    """Part `number` (from 0) of `of` of a shop's ids or visitors, by hashes: those whose remainder is the number."""

    kind: Kind
    number: int
    of: int

    @property
    def name(self) -> str:
        """Name in keys, such as `visitors-3of4`."""
        return f"{self.kind}-{self.number}of{self.of}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """Number of a shop's units of each kind. A shop with one partition is not divided and needs no unit of ids."""

    visitors: int = 1
    ids: int = 1

    def units(self, kind: Kind) -> tuple[Unit, ...]:
        """Return the units of a kind."""
        of = self.ids if kind == "ids" else self.visitors
        return tuple(Unit(kind, number, of) for number in range(of))

    def unit_named(self, name: str) -> Unit:
        """Return the unit with this name. Raises ValueError where there is none."""
        for kind in KINDS:
            for unit in self.units(kind):
                if unit.name == name:
                    return unit
        raise ValueError(f"{name[:30]} must be the name of a unit, such as visitors-3of4")


UNDIVIDED = Division()


def division_for(rows: int, present: Division = UNDIVIDED, *, most: int = MOST_ROWS) -> Division:
    """Return the division of a shop with so many rows: the `present` one as long as its units are of a good size."""
    if present.visitors * (most // JOINED_BELOW) <= rows <= present.visitors * most:
        return present
    if rows <= most:
        return UNDIVIDED
    visitors = _power_of_two(rows, most // 2, at_most=MOST_PARTITIONS)
    return Division(visitors=visitors, ids=_power_of_two(rows, most * ROWS_FOR_IDS, at_most=MOST_PARTITIONS))


def _power_of_two(rows: int, of_a_unit: int, *, at_most: int) -> int:
    number = 1
    while number < at_most and number * of_a_unit < rows:
        number *= 2
    return number
