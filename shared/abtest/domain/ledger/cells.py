"""Counts of an experiment: additive sufficient statistics in cells, fine enough for every question about results.

Two sets of rows that share no visitor, event id and order id have counts whose sum is the count of their union. All
numbers are integers, so that addition and subtraction are exact.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

# Time zones differ from UTC by whole quarters of an hour.
QUARTER_MS = 15 * 60 * 1000

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
    """Sum and sum of squares of the visitors' totals: money in minor units for a revenue goal, else hits."""

    converters: int = 0
    hits: int = 0
    total: int = 0
    squares: int = 0

    def plus(self, other: "GoalCount", sign: int = 1) -> "GoalCount":
        """Return the sum of both, or with sign -1 their difference."""
        return GoalCount(
            self.converters + sign * other.converters,
            self.hits + sign * other.hits,
            self.total + sign * other.total,
            self.squares + sign * other.squares,
        )


class MoneyCell(NamedTuple):
    """Hits of one variation's visitors, by the quarter of the exposure, whose money is not simply the shop's own.

    `kind` is `converted`, `foreign` or `unknown`; `currency` is the sender's, empty when unknown.
    """

    variation_id: str
    quarter: int
    kind: str
    currency: str


class Money(NamedTuple):
    """Hits and their money: the shop's minor unit for converted, the currency's own for foreign, else hundredths."""

    orders: int = 0
    minor: int = 0

    def plus(self, other: "Money", sign: int = 1) -> "Money":
        """Return the sum of both, or with sign -1 their difference."""
        return Money(self.orders + sign * other.orders, self.minor + sign * other.minor)


class SessionCount(NamedTuple):
    """Sessions of a variation: those with any event of it, those with an error, those in which it was not applied.

    `without_sticky`: those with an exposure of a server that does not keep the visitor's variations. `unmatched`: those
    with a page where a selector of it matched nothing, which is not an error.
    """

    seen: int = 0
    failed: int = 0
    missed: int = 0
    without_sticky: int = 0
    unmatched: int = 0

    def plus(self, other: "SessionCount", sign: int = 1) -> "SessionCount":
        """Return the sum of both, or with sign -1 their difference."""
        return SessionCount(
            self.seen + sign * other.seen,
            self.failed + sign * other.failed,
            self.missed + sign * other.missed,
            self.without_sticky + sign * other.without_sticky,
            self.unmatched + sign * other.unmatched,
        )


class Covariate(NamedTuple):
    """Sums over a variation's visitors of x, x * x and x * y, where x is the measure before exposure.

    y is the visitor's total as in GoalCount, uncapped; x is the same measure of the fourteen days before.
    """

    total: int = 0
    squares: int = 0
    products: int = 0

    def plus(self, other: "Covariate", sign: int = 1) -> "Covariate":
        """Return the sum of both, or with sign -1 their difference."""
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
    """Counts of one experiment's rows. No entry is zero; `through` is the newest `received_at` read.

    `sessions` are by variation id, `covariates` by goal id and variation id. `covariate_steps` are the covariates of
    visitors with a total above zero by its step, of goals with a spread.
    """

    visitors: Mapping[Cell, int] = field(default_factory=dict)
    goals: Mapping[str, Mapping[Cell, GoalCount]] = field(default_factory=dict)
    money: Mapping[str, Mapping[MoneyCell, Money]] = field(default_factory=dict)
    spread: Mapping[str, Mapping[Step, GoalCount]] = field(default_factory=dict)
    covariates: Mapping[str, Mapping[str, Covariate]] = field(default_factory=dict)
    covariate_steps: Mapping[str, Mapping[Step, Covariate]] = field(default_factory=dict)
    sessions: Mapping[str, SessionCount] = field(default_factory=dict)
    multiple_exposure: int = 0
    through: int | None = None

    def __add__(self, other: "Counts") -> "Counts":
        return _merged(self, other, 1)

    def __sub__(self, other: "Counts") -> "Counts":
        """Subtract counts whose rows were all counted here; `through` stays."""
        return _merged(self, other, -1)


Key = TypeVar("Key")
Value = TypeVar("Value", GoalCount, Money, SessionCount, Covariate)


def ceiling_of(total: int) -> int:
    """Round a total up to three significant digits: 123,456 becomes 124,000."""
    # Integers only: a float would round totals above 2**53. The annotation is for mypy, to which int ** int is Any.
    unit: int = 10 ** max(len(str(total)) - 3, 0)
    return -(-total // unit) * unit


def newest(*moments: int | None) -> int | None:
    """Return the latest of the moments that are not None; None where all are."""
    return max((moment for moment in moments if moment is not None), default=None)


def _merged(left: Counts, right: Counts, sign: int) -> Counts:
    visitors = dict(left.visitors)
    for cell, visitor_count in right.visitors.items():
        visitors[cell] = visitors.get(cell, 0) + sign * visitor_count
        if not visitors[cell]:
            del visitors[cell]
    return Counts(
        visitors=visitors,
        goals=_each(left.goals, right.goals, sign, GoalCount()),
        money=_each(left.money, right.money, sign, Money()),
        spread=_each(left.spread, right.spread, sign, GoalCount()),
        covariates=_each(left.covariates, right.covariates, sign, Covariate()),
        covariate_steps=_each(left.covariate_steps, right.covariate_steps, sign, Covariate()),
        sessions=_together(left.sessions, right.sessions, sign, SessionCount()),
        multiple_exposure=left.multiple_exposure + sign * right.multiple_exposure,
        # A maximum cannot be subtracted: without the rows, the next newest moment is unknown.
        through=left.through if sign < 0 else newest(left.through, right.through),
    )


def _each(
    left: Mapping[str, Mapping[Any, Value]], right: Mapping[str, Mapping[Any, Value]], sign: int, zero: Value
) -> dict[str, dict[Any, Value]]:
    """Merge goal by goal and key by key; a goal stays when all its entries have become zero."""
    return {
        goal_id: _together(left.get(goal_id, {}), right.get(goal_id, {}), sign, zero)
        for goal_id in left.keys() | right.keys()
    }


def _together(left: Mapping[Any, Value], right: Mapping[Any, Value], sign: int, zero: Value) -> dict[Any, Value]:
    # Only keys on the right change, and there are few of them where a small change is added to many counts.
    together = dict(left)
    for key, value in right.items():
        sum_of_both = left.get(key, zero).plus(value, sign)
        # Zeros are left out, so that equal counts are equal mappings, whatever was added and subtracted on the way.
        if any(sum_of_both):
            together[key] = sum_of_both
        else:
            together.pop(key, None)
    return together
