"""Visitors with a past, as sums so far at each look: what they did before the exposure (x) and after it (y)."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, sqrt
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]

SHARED_AMOUNTS = 0.8
"""Correlation of the logarithms of what one visitor spent before and after."""


class Sums(NamedTuple):
    """Sums so far, each (paths, looks, 2), the control first; `converters` have y above zero."""

    n: Numbers
    y: Numbers
    yy: Numbers
    x: Numbers
    xx: Numbers
    xy: Numbers
    converters: Counts

    @property
    def moments(self) -> tuple[Numbers, ...]:
        """Sums that an adjustment takes."""
        return self[:6]

    @property
    def without_a_past(self) -> tuple[Numbers, ...]:
        """The same visitors, with nothing known of the time before."""
        none = np.zeros_like(self.x)
        return self.n, self.y, self.yy, none, none, none


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """A shop whose visitors buy in a window before and after with chance `rate`; `lift` multiplies it in the treatment.

    `correlation` is that of x and y within an arm. Of `money` both are log-normal amounts with σ = 1 and mean 1; of
    rates both are 0 or 1.
    """

    kind: Literal["rate", "money"]
    rate: float
    correlation: float
    treatment_share: float = 0.5
    lift: float = 1.0

    def seen(self, rng: np.random.Generator, shape: tuple[int, int], *, a_look: int) -> Sums:
        """Draw paths and looks with about so many new visitors a look."""
        arms = [
            self._arm(rng, rng.binomial(a_look, share, size=shape), lift)
            for share, lift in ((1 - self.treatment_share, 1.0), (self.treatment_share, self.lift))
        ]
        return Sums(*(np.stack(parts, axis=-1).cumsum(axis=1) for parts in zip(*arms, strict=True)))

    @property
    def both(self) -> float:
        """Chance to buy in both windows, so that x and y have the correlation."""
        square = exp(1) if self.kind == "money" else 1.0
        product = exp(SHARED_AMOUNTS) if self.kind == "money" else 1.0
        return (self.rate**2 + self.correlation * (self.rate * square - self.rate**2)) / product

    def _arm(self, rng: np.random.Generator, n: Counts, lift: float) -> tuple[NDArray[np.generic], ...]:
        # Of those who bought before and of the others the same share more buys after.
        both = rng.binomial(n, self.both * lift)
        before = rng.binomial(n - both, (self.rate - self.both * lift) / (1 - self.both * lift))
        after = rng.binomial(n - both - before, (self.rate - self.both) * lift / (1 - self.rate))
        if self.kind == "rate":
            return n, both + after, both + after, both + before, both + before, both, both + after
        noise = rng.standard_normal((2, int(both.sum())))
        mixed = SHARED_AMOUNTS * noise[0] + sqrt(1 - SHARED_AMOUNTS**2) * noise[1]
        x, y = np.exp(noise[0] - 0.5), np.exp(mixed - 0.5)
        earlier, later = (np.exp(rng.standard_normal(int(count.sum())) - 0.5) for count in (before, after))
        return (
            n,
            _summed(y, both) + _summed(later, after),
            _summed(y * y, both) + _summed(later * later, after),
            _summed(x, both) + _summed(earlier, before),
            _summed(x * x, both) + _summed(earlier * earlier, before),
            _summed(x * y, both),
            both + after,
        )


def _summed(values: Numbers, sizes: Counts) -> Numbers:
    """Sums of consecutive values, so many to each cell."""
    so_far = np.concatenate([[0.0], values.cumsum()])
    ends = sizes.ravel().cumsum()
    answer: Numbers = (so_far[ends] - so_far[ends - sizes.ravel()]).reshape(sizes.shape)
    return answer
