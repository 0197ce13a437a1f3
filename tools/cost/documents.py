"""Write units of a count's roll-ups: what changes, and in which items it is (`adapters.dynamo.rollup_form`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, exp

from abtest.adapters.dynamo.rollup_form import NEWEST_BYTES, SMALL_BYTES

KB = 1024
READ_BYTES = 4 * KB


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """An experiment's documents in bytes: in items of their own, and together in the item of the totals.

    The totals have `totals` and `totals_a_day` more for each of their days. `first` is the newest day in their item,
    `following` each one more. `changed`: the share of counts in which a day changes; `older`: further days that change
    then. `a_day`: counts a day. `days`: of its life. `factor`: of a transaction.
    """

    totals: float
    totals_a_day: float
    day: float
    segments: float
    first: float
    following: float
    changed: float
    older: float
    a_day: float
    days: float
    factor: float

    @property
    def own(self) -> float:
        """Units of a day in items of its own."""
        return units(self.day) + units(self.segments)

    def apart(self) -> float:
        """Units of a count if each day has items of its own, on the average of its life."""
        alone = sum(units(self._totals(age)) for age in self._ages()) / len(self._ages())
        return (1 - self.changed) * alone + self.changed * self.factor * (alone + (1 + self.older) * self.own)

    def together(self) -> tuple[float, float]:
        """Units of a count if the newest days are in the item of the totals while they are small, and of a read of it.

        Earlier days that change are as likely to be of any age.
        """
        return _together(self)

    def life(self) -> tuple[float, float]:
        """Return the same, day after day of the experiment's life."""
        written, read, inside, outside = 0.0, 0.0, 0.0, 0.0
        counts, visited = max(1.0, self.a_day), 1 - exp(-self.changed * self.a_day)
        for age in self._ages():
            inside += visited
            moved = 0.0
            while inside > 0 and not self._has_room(age, inside):
                half = ceil(inside / 2) if inside > 1 else inside
                moved, inside = moved + half, inside - half
            size = self._totals(age) + self._inside(inside)
            item = units(size)
            older = self.changed * self.older * outside / max(1.0, inside + outside)
            written += item + older * self._apart(item, 1)
            if not inside:  # the newest day is too large: each of its changes is written to items of its own
                written += self.changed * self._apart(item, 1)
            elif moved:
                written += self._apart(item, moved) / counts
            read += ceil(size / READ_BYTES)
            outside += moved
        return written / len(self._ages()), read / len(self._ages())

    def _apart(self, item: float, days: float) -> float:
        """Units more where so many days are written to items of their own, in one transaction with the totals."""
        return (self.factor - 1) * item + self.factor * days * self.own

    def _totals(self, age: int) -> float:
        return self.totals + age * self.totals_a_day

    def _inside(self, days: float) -> float:
        return self.first * min(1.0, days) + max(0.0, days - 1) * self.following

    def _has_room(self, age: int, days: float) -> bool:
        if days <= 1:
            return self.first <= NEWEST_BYTES
        return self._totals(age) + self._inside(days) <= SMALL_BYTES

    def _ages(self) -> range:
        return range(1, max(1, round(self.days)) + 1)


@lru_cache(maxsize=65_536)
def _together(documents: Documents) -> tuple[float, float]:
    return documents.life()


def changed_share(rows: float, touched: float, experiments: float) -> float:
    """Return the share of a shop's experiments that so many new rows change."""
    return 1 - exp(-rows * touched / experiments) if experiments else 0.0


def units(size: float) -> int:
    """Write units of an item."""
    return max(1, ceil(size / KB))
