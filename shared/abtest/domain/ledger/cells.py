"""What counting gives: additive sufficient statistics in cells, fine enough for every question about results.

Two sets of rows that share no visitor, event id and order id have counts whose sum is the count of both together. All
numbers are integers, so that adding and taking away are exact.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

QUARTER_MS = 15 * 60 * 1000
"""Time zones differ from UTC by whole quarters of an hour."""

QUARTER = "quarter"
DIMENSIONS = ("device", "country", "visitor_kind", "source")
PAIRS = tuple(f"{first}+{second}" for index, first in enumerate(DIMENSIONS) for second in DIMENSIONS[index + 1 :])
UNKNOWN = "unknown"


class Cell(NamedTuple):
    """Visitors of one variation who were first exposed at one time and are alike in one dimension (or two).

    `at` is the quarter of an hour since 1970 for the dimension `quarter`, whose value is empty, and the UTC day since
    1970 for segments.
    """

    variation_id: str
    dimension: str
    at: int
    value: str


class GoalCount(NamedTuple):
    """Of each visitor's total the sum and the sum of squares: money in minor units for a revenue goal, else hits."""

    converters: int = 0
    hits: int = 0
    total: int = 0
    squares: int = 0

    def plus(self, other: "GoalCount", sign: int = 1) -> "GoalCount":
        """Both together, or with sign -1 this without the other."""
        return GoalCount(
            self.converters + sign * other.converters,
            self.hits + sign * other.hits,
            self.total + sign * other.total,
            self.squares + sign * other.squares,
        )


class MoneyCell(NamedTuple):
    """Hits of one variation's visitors, by the quarter of the exposure, whose money is not simply the shop's own.

    `kind` is `converted`, `foreign` or `unknown`; `currency` is what the sender named, empty when unknown.
    """

    variation_id: str
    quarter: int
    kind: str
    currency: str


class Money(NamedTuple):
    """Hits, and their money: of the shop's for converted, of the currency's own minor unit for foreign, hundredths."""

    orders: int = 0
    minor: int = 0

    def plus(self, other: "Money", sign: int = 1) -> "Money":
        """Both together, or with sign -1 this without the other."""
        return Money(self.orders + sign * other.orders, self.minor + sign * other.minor)


class SessionCount(NamedTuple):
    """Sessions of a variation: those in which anything tells of it, those with an error, those it never stood in."""

    seen: int = 0
    failed: int = 0
    missed: int = 0

    def plus(self, other: "SessionCount", sign: int = 1) -> "SessionCount":
        """Both together, or with sign -1 this without the other."""
        return SessionCount(
            self.seen + sign * other.seen, self.failed + sign * other.failed, self.missed + sign * other.missed
        )


class Covariate(NamedTuple):
    """Sums over a variation's visitors: of x, what each did before exposure, of its squares, of x * y.

    y is the visitor's total as in GoalCount, uncapped; x is the same measure of the fourteen days before.
    """

    total: int = 0
    squares: int = 0
    products: int = 0

    def plus(self, other: "Covariate", sign: int = 1) -> "Covariate":
        """Both together, or with sign -1 this without the other."""
        return Covariate(
            self.total + sign * other.total,
            self.squares + sign * other.squares,
            self.products + sign * other.products,
        )


class Step(NamedTuple):
    """Converters of a variation whose totals round up to the same three significant digits, `ceiling`."""

    variation_id: str
    ceiling: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What the rows say about one experiment. No entry is zero; `through` is the newest `received_at` looked at.

    `sessions` are by variation id, `covariates` by goal id and variation id.
    """

    visitors: Mapping[Cell, int] = field(default_factory=dict)
    goals: Mapping[str, Mapping[Cell, GoalCount]] = field(default_factory=dict)
    money: Mapping[str, Mapping[MoneyCell, Money]] = field(default_factory=dict)
    spread: Mapping[str, Mapping[Step, GoalCount]] = field(default_factory=dict)
    covariates: Mapping[str, Mapping[str, Covariate]] = field(default_factory=dict)
    sessions: Mapping[str, SessionCount] = field(default_factory=dict)
    multiple_exposure: int = 0
    through: int | None = None

    def __add__(self, other: "Counts") -> "Counts":
        return _merged(self, other, 1)

    def __sub__(self, other: "Counts") -> "Counts":
        """Without the other, whose rows must all have been counted here; `through` stays."""
        return _merged(self, other, -1)


Key = TypeVar("Key")
Value = TypeVar("Value", GoalCount, Money, SessionCount, Covariate)


def ceiling_of(total: int) -> int:
    """A total rounded up to three significant digits: 123,456 becomes 124,000."""
    unit: int = 10 ** max(len(str(total)) - 3, 0)
    return -(-total // unit) * unit


def newest(*moments: int | None) -> int | None:
    """The last of the moments that there are; None where there is none."""
    return max((moment for moment in moments if moment is not None), default=None)


def _merged(left: Counts, right: Counts, sign: int) -> Counts:
    visitors = {
        cell: found
        for cell in left.visitors.keys() | right.visitors.keys()
        if (found := left.visitors.get(cell, 0) + sign * right.visitors.get(cell, 0))
    }
    return Counts(
        visitors=visitors,
        goals=_each(left.goals, right.goals, sign, GoalCount()),
        money=_each(left.money, right.money, sign, Money()),
        spread=_each(left.spread, right.spread, sign, GoalCount()),
        covariates=_each(left.covariates, right.covariates, sign, Covariate()),
        sessions=_together(left.sessions, right.sessions, sign, SessionCount()),
        multiple_exposure=left.multiple_exposure + sign * right.multiple_exposure,
        through=left.through if sign < 0 else newest(left.through, right.through),
    )


def _each(
    left: Mapping[str, Mapping[Any, Value]], right: Mapping[str, Mapping[Any, Value]], sign: int, zero: Value
) -> dict[str, dict[Any, Value]]:
    """Goal by goal and key by key; goals stay though nothing is left of them."""
    return {
        goal_id: _together(left.get(goal_id, {}), right.get(goal_id, {}), sign, zero)
        for goal_id in left.keys() | right.keys()
    }


def _together(left: Mapping[Any, Value], right: Mapping[Any, Value], sign: int, zero: Value) -> dict[Any, Value]:
    return {
        key: found
        for key in left.keys() | right.keys()
        if any(found := left.get(key, zero).plus(right.get(key, zero), sign))
    }
