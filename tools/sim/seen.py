"""Counts that Guardian sees of a shop: arrays (paths, looks) of counts so far, unless noted otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray

from abtest.domain.guardian import harm
from tools.stats import batched

Counts = NDArray[np.int64]
Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]

HOUR = 4
"""Quarters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A goal that is to rise; each array (2, paths, looks), the control first. `total`, `squares`: money, in cents.

    `quarters`: of money the buyers, total and squares of each quarter of an hour alone, (2, paths, quarters).
    """

    converters: Counts
    hits: Counts
    excluded: Counts
    total: Counts | None = None
    squares: Counts | None = None
    quarters: tuple[Counts, Counts, Counts] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A pair of arms, look by look. Arrays of arms are (2, paths, looks), the control first.

    `arrivals` (2, paths, quarters) are new visitors, `order_arrivals` (paths, quarters) the shop's orders; a look is at
    the end of each hour.
    """

    share: float
    visitors: Counts
    goals: Sequence[Goal]
    failed: Counts
    missed: Counts
    twice: Counts
    orders: Counts
    repeated: Counts
    stitched: Counts
    arrivals: Counts
    order_arrivals: Counts
    broke: Counts
    """Hour at which the treatment broke, of each path."""
    _money: dict[int, Numbers] = field(default_factory=dict, init=False, compare=False)

    @property
    def looks(self) -> int:
        """How many."""
        return self.visitors.shape[-1]

    def money(self, goal: Goal) -> tuple[Numbers, Numbers]:
        """Mean and variance per visitor, in major units."""
        if goal.total is None or goal.squares is None:
            raise ValueError("the goal counts no money")
        n = self.visitors
        with np.errstate(all="ignore"):
            mean = goal.total / n
            variance = (goal.squares - goal.total * mean) / (n - 1)
        return mean / 100, variance / 10_000

    def harm_of_money(self, goal: Goal) -> Numbers:
        """The greatest log E of harm so far; used by two rules."""
        if id(goal) not in self._money:
            self._money[id(goal)] = _harm_of_money(self, goal)
        return self._money[id(goal)]


def _harm_of_money(seen: Seen, goal: Goal) -> Numbers:
    mean, variance = seen.money(goal)
    tau = np.where(mean[0] > 0, harm.EXPECTED_REVENUE_HARM * mean[0], 1.0)
    differences = batched.differences_of_means(*_interleaved(seen.visitors, mean, variance))
    test = batched.one_sided_mixture_test(differences, direction="decrease", alpha=harm.HARM_LEVEL, tau=tau)
    return peaks(np.where(is_ready(goal) & (mean[0] > 0), test.log_e, np.nan))


def is_ready(goal: Goal) -> Flags:
    """Return whether both arms have as many orders as rules of money require."""
    answer: Flags = goal.hits.min(axis=0) >= harm.ORDERS_AT_LEAST
    return answer


def _interleaved(n: Counts, mean: Numbers, variance: Numbers) -> tuple[NDArray[np.generic], ...]:
    return n[0], mean[0], variance[0], n[1], mean[1], variance[1]


def peaks(log_e: Numbers) -> Numbers:
    """The greatest so far, at least 0; looks without a test change nothing."""
    answer: Numbers = np.maximum.accumulate(np.maximum(np.nan_to_num(log_e, nan=0.0, posinf=inf), 0.0), axis=-1)
    return answer
