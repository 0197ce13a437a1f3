"""A shop's hours with an experiment on it, at random: visitors, sessions, conversions, orders and their money."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, pi

import numpy as np

from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY
from tools.sim.seen import HOUR, Counts, Goal, Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Shop:
    """Daily traffic; shares are of visitors, of orders where they are about orders.

    `kept`: the part of the control's purchases that the treatment keeps. `swing`: how much busier than the mean the
    busiest moment of the day is, 0 to 1. Amounts of orders are log-normal: with `spread` 1 the largest of a thousand is
    about 20 times the median.
    """

    visitors_a_day: int = 10_000
    treatment_share: float = 0.5
    carts: float = 0.08
    purchases: float = 0.03
    kept: float = 1.0
    mean_order: float = 60.0
    spread: float = 1.0
    swing: float = 0.8
    failed: float = 0.005
    missed: float = 0.05
    twice: float = 0.002
    foreign: float = 0.01
    repeated: float = 0.001
    stitched: float = 0.95

    def seen(self, rng: np.random.Generator, paths: int, days: int) -> Seen:
        """Hours of so many days."""
        arrivals = np.stack([self._arrivals(rng, paths, days, part) for part in self.shares])
        hourly = _by_hour(arrivals)
        rates = self.purchases, self.kept * self.purchases
        bought = np.stack([rng.binomial(seen, rate) for seen, rate in zip(hourly, rates, strict=True)])
        carts = rng.binomial(hourly, self.carts).cumsum(axis=-1)
        orders = bought.sum(axis=0)
        repeated, stitched = rng.binomial(orders, self.repeated), rng.binomial(orders, self.stitched)
        return Seen(
            share=self.treatment_share,
            visitors=hourly.cumsum(axis=-1),
            goals=[
                Goal(converters=carts, hits=carts, excluded=np.zeros_like(carts)),
                self._revenue(rng, bought),
            ],
            failed=rng.binomial(hourly, self.failed).cumsum(axis=-1),
            missed=rng.binomial(hourly, self.missed).cumsum(axis=-1),
            twice=rng.binomial(hourly.sum(axis=0), self.twice).cumsum(axis=-1),
            orders=orders.cumsum(axis=-1),
            repeated=repeated.cumsum(axis=-1),
            stitched=stitched.cumsum(axis=-1),
            arrivals=arrivals,
            order_arrivals=_spread_out(rng, orders),
        )

    @property
    def shares(self) -> tuple[float, float]:
        """Visitors of the control and the treatment."""
        return 1 - self.treatment_share, self.treatment_share

    def _arrivals(self, rng: np.random.Generator, paths: int, days: int, part: float) -> Counts:
        shape = 1 - self.swing * np.cos(2 * pi * np.arange(QUARTERS_A_DAY) / QUARTERS_A_DAY)
        expected = np.tile(self.visitors_a_day * part * shape / QUARTERS_A_DAY, days)
        return rng.poisson(expected, size=(paths, len(expected)))

    def _revenue(self, rng: np.random.Generator, bought: Counts) -> Goal:
        foreign = rng.binomial(bought, self.foreign)
        ours = bought - foreign
        median = self.mean_order * exp(-self.spread * self.spread / 2)
        cents = np.rint(100 * rng.lognormal(log(median), self.spread, size=int(ours.sum()))).astype(np.int64)
        total, squares = (_summed(values, ours) for values in (cents, cents * cents))
        return Goal(
            converters=ours.cumsum(axis=-1),
            hits=ours.cumsum(axis=-1),
            excluded=foreign.cumsum(axis=-1),
            total=total.cumsum(axis=-1),
            squares=squares.cumsum(axis=-1),
        )


def _by_hour(arrivals: Counts) -> Counts:
    answer: Counts = arrivals.reshape(*arrivals.shape[:-1], -1, HOUR).sum(axis=-1)
    return answer


def _spread_out(rng: np.random.Generator, hourly: Counts) -> Counts:
    """Each hour's orders at random in its quarters."""
    answer: Counts = rng.multinomial(hourly, [1 / HOUR] * HOUR).reshape(len(hourly), -1)
    return answer


def _summed(values: Counts, sizes: Counts) -> Counts:
    """Sums of consecutive values, so many to each cell."""
    so_far = np.concatenate([[0], values.cumsum()])
    ends = sizes.ravel().cumsum()
    answer: Counts = (so_far[ends] - so_far[ends - sizes.ravel()]).reshape(sizes.shape)
    return answer
