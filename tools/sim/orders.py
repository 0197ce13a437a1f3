"""Money per visitor at one look: visitors who buy nothing or once, orders of log-normal size."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

MEAN_ORDER = 60.0


class Moments(NamedTuple):
    """Mean and variance of an arm's money per visitor, by path, its third central moment, and buyers."""

    n: int
    mean: Numbers
    variance: Numbers
    third: Numbers
    buyers: NDArray[np.int64]

    @property
    def arm(self) -> tuple[int, Numbers, Numbers]:
        """Size, mean and variance."""
        return self.n, self.mean, self.variance

    @property
    def square(self) -> Numbers:
        """Mean of the squares."""
        answer: Numbers = self.variance * (self.n - 1) / self.n + self.mean * self.mean
        return answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Buying:
    """Behaviour of visitors: `rate` of them buy once, for `mean` in the mean; `spread` is the σ of the logarithm."""

    rate: float
    mean: float = MEAN_ORDER
    spread: float = 1.0

    def drawn(self, rng: np.random.Generator, paths: int, n: int) -> Moments:
        """Draw an arm of n visitors for each path."""
        buyers = rng.binomial(n, self.rate, size=paths)
        values = rng.lognormal(log(self.mean) - self.spread**2 / 2, self.spread, size=int(buyers.sum()))
        squares = values * values
        first, second, third = (_summed(powers, buyers) / n for powers in (values, squares, squares * values))
        return Moments(
            n=n,
            mean=first,
            variance=(second - first * first) * n / (n - 1),
            third=third - 3 * first * second + 2 * first**3,
            buyers=buyers,
        )


def sizes(orders: int, rate: float, shares: tuple[float, float]) -> tuple[int, int]:
    """Visitors of both arms if the smaller one has so many orders in the mean; `shares` of control and treatment."""
    visitors = orders / rate / min(shares)
    return round(shares[0] * visitors), round(shares[1] * visitors)


def _summed(values: Numbers, counts: NDArray[np.int64]) -> Numbers:
    so_far = np.concatenate([[0.0], values.cumsum()])
    ends = counts.cumsum()
    answer: Numbers = so_far[ends] - so_far[ends - counts]
    return answer
