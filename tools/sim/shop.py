"""A shop's hours with an experiment on it, at random: visitors, sessions, conversions, orders and their money."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, pi

import numpy as np

from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY
from tools.sim.seen import HOUR, Counts, Flags, Goal, Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Shop:
    """Daily traffic; shares are of visitors, of orders where they are about orders.

    `kept`: the part of the control's purchases that the treatment keeps; `kept_visitors` and `kept_money` are the same
    of its visitors and of what an order is worth. They hold from an hour on that is drawn between the `breaks`, the
    second excluded; by default from the first hour on. `swing`: how much busier than the mean the
    busiest moment of the day is, 0 to 1. Amounts of orders are log-normal: with `spread` 1 the largest of a thousand is
    about 20 times the median.
    """

    visitors_a_day: int = 10_000
    treatment_share: float = 0.5
    carts: float = 0.08
    purchases: float = 0.03
    kept: float = 1.0
    kept_visitors: float = 1.0
    kept_money: float = 1.0
    breaks: tuple[int, int] = (0, 1)
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
        broke = rng.integers(*self.breaks, size=paths)
        arrivals = np.stack([self._arrivals(rng, paths, days, part) for part in self.shares])
        is_broken = np.arange(arrivals.shape[-1]) >= HOUR * broke[:, None]
        if self.kept_visitors < 1:
            arrivals[1] = rng.binomial(arrivals[1], np.where(is_broken, self.kept_visitors, 1.0))
        hourly = by_hour(arrivals)
        kept = np.stack([np.ones(is_broken.shape), np.where(is_broken, self.kept, 1.0)])
        bought = rng.binomial(arrivals, self.purchases * kept)
        carts = rng.binomial(hourly, self.carts).cumsum(axis=-1)
        orders = by_hour(bought).sum(axis=0)
        repeated, stitched = rng.binomial(orders, self.repeated), rng.binomial(orders, self.stitched)
        return Seen(
            share=self.treatment_share,
            visitors=hourly.cumsum(axis=-1),
            goals=[
                Goal(converters=carts, hits=carts, excluded=np.zeros_like(carts)),
                self._revenue(rng, bought, is_broken),
            ],
            failed=rng.binomial(hourly, self.failed).cumsum(axis=-1),
            missed=rng.binomial(hourly, self.missed).cumsum(axis=-1),
            twice=rng.binomial(hourly.sum(axis=0), self.twice).cumsum(axis=-1),
            orders=orders.cumsum(axis=-1),
            repeated=repeated.cumsum(axis=-1),
            stitched=stitched.cumsum(axis=-1),
            arrivals=arrivals,
            order_arrivals=bought.sum(axis=0),
            broke=broke,
        )

    @property
    def shares(self) -> tuple[float, float]:
        """Visitors of the control and the treatment."""
        return 1 - self.treatment_share, self.treatment_share

    def _arrivals(self, rng: np.random.Generator, paths: int, days: int, part: float) -> Counts:
        shape = 1 - self.swing * np.cos(2 * pi * np.arange(QUARTERS_A_DAY) / QUARTERS_A_DAY)
        expected = np.tile(self.visitors_a_day * part * shape / QUARTERS_A_DAY, days)
        return rng.poisson(expected, size=(paths, len(expected)))

    def _revenue(self, rng: np.random.Generator, bought: Counts, is_broken: Flags) -> Goal:
        foreign = rng.binomial(bought, self.foreign)
        ours = bought - foreign
        median = self.mean_order * exp(-self.spread * self.spread / 2)
        worth = np.stack([np.ones(is_broken.shape), np.where(is_broken, self.kept_money, 1.0)])
        money = np.repeat(worth.ravel(), ours.ravel()) * rng.lognormal(log(median), self.spread, size=int(ours.sum()))
        cents = np.rint(100 * money).astype(np.int64)
        total, squares = (_summed(values, ours) for values in (cents, cents * cents))
        so_far = [by_hour(each).cumsum(axis=-1) for each in (ours, foreign, total, squares)]
        return Goal(
            converters=so_far[0],
            hits=so_far[0],
            excluded=so_far[1],
            total=so_far[2],
            squares=so_far[3],
            quarters=(ours, total, squares),
        )


def by_hour(quarters: Counts) -> Counts:
    """Return the sums of four quarters each."""
    answer: Counts = quarters.reshape(*quarters.shape[:-1], -1, HOUR).sum(axis=-1)
    return answer


def _summed(values: Counts, sizes: Counts) -> Counts:
    """Sums of consecutive values, so many to each cell."""
    so_far = np.concatenate([[0], values.cumsum()])
    ends = sizes.ravel().cumsum()
    answer: Counts = (so_far[ends] - so_far[ends - sizes.ravel()]).reshape(sizes.shape)
    return answer
