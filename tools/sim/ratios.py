"""Revenue per order of visitors who order several times, in tests of nothing: at one look, and at every hour.

Orders of a visitor are alike, so a test that takes orders for units errs too often.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from abtest.domain.autostop.settings import MIN_CONVERSIONS
from abtest.domain.planning.sample_size import Demand, size_for_mean
from abtest.domain.stats.ratios import deviation_per_visitor
from abtest.domain.stats.samples import Sample
from tools.sim.deciding import ALPHA, running
from tools.sim.outcomes import Aim, Cell, Outcomes, Row, ever, share
from tools.sim.traffic import split
from tools.stats import batched

Numbers = NDArray[np.float64]

MOST, LEAST = 0.055, 0.04
RATE = 0.02
LEAST_ORDERS = 100
"""Buyers in the smaller arm from which on the size is also at least `LEAST` at 50/50; before, skewness lowers it."""

DAYS, VISITORS_A_DAY = 28, 10_000


class Sums(NamedTuple):
    """Buyers, and sums over them of revenue y, orders x, their squares and products."""

    buyers: Numbers
    y: Numbers
    x: Numbers
    yy: Numbers
    xx: Numbers
    xy: Numbers
    values: Numbers
    """Sum of the squares of single orders."""

    def so_far(self) -> Sums:
        """Return running sums over the last axis."""
        return Sums(*(each.cumsum(axis=-1) for each in self))

    def arm(self, visitors: Numbers | None = None) -> tuple[Numbers, Numbers, Numbers]:
        """Return size, ratio and variance of the linearised values, of buyers or of all `visitors`."""
        n = self.buyers if visitors is None else visitors
        ratio = self.y / self.x
        residuals = self.yy - 2 * ratio * self.xy + ratio * ratio * self.xx
        return n, ratio, residuals * (n / self.x) ** 2 / (n - 1)

    def orders_as_units(self) -> tuple[Numbers, Numbers, Numbers]:
        """Return size, mean and variance of single orders, as if they were independent."""
        mean = self.y / self.x
        return self.x, mean, (self.values - self.y * mean) / (self.x - 1)


def drawn(rng: np.random.Generator, buyers: NDArray[np.int64]) -> Sums:
    """Draw so many buyers for each cell: 1.5 orders each in the mean, log-normal with σ 1, half of it the visitor's."""
    total = int(buyers.sum())
    orders = 1 + rng.poisson(0.5, total)
    taste = rng.normal(0, np.sqrt(0.5), total)
    values = np.exp(np.repeat(taste, orders) + rng.normal(0, np.sqrt(0.5), int(orders.sum())))
    ends = orders.cumsum()
    money, squares = (_summed(each, ends, orders) for each in (values, values * values))
    each = (money, orders, money * money, orders * orders, money * orders, squares)
    last = buyers.ravel().cumsum()
    sums = (_summed(values, last, buyers.ravel()).reshape(buyers.shape) for values in each)
    return Sums(buyers.astype(np.float64), *sums)


def _summed(values: NDArray[np.generic], ends: NDArray[np.int64], counts: NDArray[np.int64]) -> Numbers:
    so_far = np.concatenate([[0.0], values.astype(np.float64).cumsum()])
    answer: Numbers = so_far[ends] - so_far[ends - counts]
    return answer


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioSize:
    """One look; `buyers` are those of the smaller arm, in the mean."""

    treatment_share: float
    buyers: int
    paths: int = 10_000

    @property
    def name(self) -> str:
        """Split and buyers."""
        return f"revenue per order, {split(self.treatment_share)}, {self.buyers:,} buyers in the smaller arm"

    @property
    def batch(self) -> int:
        """Paths at once."""
        shares = 1 - self.treatment_share, self.treatment_share
        return max(1, round(1_000_000 * min(shares) / self.buyers))

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return 1 where a test finds a difference that is not there."""
        shares = 1 - self.treatment_share, self.treatment_share
        visitors = [round(self.buyers / RATE / min(shares) * part) for part in shares]
        arms = [drawn(rng, rng.binomial(n, RATE, size=paths)) for n in visitors]
        with np.errstate(all="ignore"):
            pairs = {
                "ours": [arm.arm() for arm in arms],
                "by visitors": [arm.arm(np.full(paths, float(n))) for arm, n in zip(arms, visitors, strict=True)],
                "orders as units": [arm.orders_as_units() for arm in arms],
            }
            tests = {name: batched.welch(*pair[0], *pair[1]).p_value for name, pair in pairs.items()}
        return {name: (p <= ALPHA).astype(np.float64) for name, p in tests.items()}

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """The size, and at equal arms with enough buyers that it is not far below nominal."""
        reached, error = share(outcomes["ours"])
        others = ", ".join(f"{name} {np.mean(values):.3f}" for name, values in outcomes.items() if name != "ours")
        aims = [Aim(MOST)]
        if self.treatment_share == 0.5 and self.buyers >= LEAST_ORDERS:
            aims.append(Aim(LEAST, at_least=True))
        group = "Ratios compared once: false positives"
        return [Row(group=group, what=self.name, aim=aim, reached=reached, error=error, beside=others) for aim in aims]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioPower:
    """One look at the size that is computed from a ratio and its deviation per visitor."""

    mde: float = 0.1
    paths: int = 2_000
    batch: int = 250

    POWER: ClassVar = 0.8

    @property
    def name(self) -> str:
        """Effect."""
        return f"revenue per order, {self.mde:+.0%}, at the computed size"

    def planned(self) -> tuple[int, float]:
        """Return the size per arm for what a large sample measures, and its ratio."""
        seen, measured = 20_000_000, np.random.default_rng(1)
        n, ratio, variance = drawn(measured, np.array([round(seen * RATE)])).arm()
        sd = deviation_per_visitor(Sample(n=int(n[0]), mean=float(ratio[0]), variance=float(variance[0])), seen)
        size = size_for_mean(float(ratio[0]), sd or 0.0, Demand(mde=self.mde))
        return size.required_sample_per_variant, float(ratio[0])

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return 1 where the change is significant; every order is worth so much more, whatever it was worth."""
        visitors, usual = self.planned()
        control, same = (drawn(rng, rng.binomial(visitors, RATE, size=paths)) for _ in range(2))
        size, ratio, variance = same.arm()
        p = batched.welch(*control.arm(), size, ratio + self.mde * usual, variance).p_value
        return {"ours": (p <= ALPHA).astype(np.float64)}

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """One, whose aim allows for the simulation's own error."""
        reached, error = share(outcomes["ours"])
        aim = Aim(self.POWER - 0.03, at_least=True)
        return [Row(group="Ratios: power", what=self.name, aim=aim, reached=reached, error=error)]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatioPeeking:
    """Both arms alike, looked at every hour for 28 days."""

    treatment_share: float
    paths: int = 2_000
    batch: int = 100

    @property
    def name(self) -> str:
        """Split and looks."""
        return f"revenue per order, {split(self.treatment_share)}, {DAYS * 24} looks"

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        """Return whether anything was ever significant; without a plan, because plans are of rates."""
        shares, shape = (1 - self.treatment_share, self.treatment_share), (paths, DAYS * 24)
        arms = [drawn(rng, rng.poisson(VISITORS_A_DAY / 24 * part * RATE, size=shape)).so_far() for part in shares]
        is_ready = (arms[0].buyers >= MIN_CONVERSIONS) & (arms[1].buyers >= MIN_CONVERSIONS)
        with np.errstate(all="ignore"):
            pair = [values[..., None] for arm in arms for values in arm.arm()]
            test = batched.mixture_test(batched.differences_of_means(*pair), alpha=ALPHA)
            once = batched.welch(*pair).p_value <= ALPHA
        flags = {"ours": (running(test).p <= ALPHA) & is_ready[..., None], "naive": once & is_ready[..., None]}
        return {name: ever(each) for name, each in flags.items()}

    def rows(self, outcomes: Outcomes) -> list[Row]:
        """One."""
        reached, error = share(outcomes["ours"])
        return [
            Row(
                group="Ratios: false positives with peeking",
                what=self.name,
                aim=Aim(ALPHA),
                reached=reached,
                error=error,
                beside=f"naive {np.mean(outcomes['naive']):.3f}",
            )
        ]


SHARES, BUYERS = (0.5, 0.2, 0.1, 0.9), (25, 100, 400)

CELLS: tuple[Cell, ...] = (
    *(RatioSize(treatment_share=s, buyers=n) for s, n in product(SHARES, BUYERS)),
    RatioPower(),
    *(RatioPeeking(treatment_share=s) for s in (0.5, 0.1)),
)
