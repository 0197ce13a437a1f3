"""Visitors and conversions at each look, as arrays (arms, paths, looks) of counts so far; the control is arm 0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


class Traffic(NamedTuple):
    """So far, at each look."""

    visitors: Counts
    conversions: Counts

    @property
    def control(self) -> tuple[Counts, Counts]:
        """Conversions and visitors of the control, with an axis for treatments at the end."""
        return self.conversions[0][..., None], self.visitors[0][..., None]

    @property
    def treatments(self) -> tuple[Counts, Counts]:
        """Conversions and visitors of the treatments along the last axis."""
        return np.moveaxis(self.conversions[1:], 0, -1), np.moveaxis(self.visitors[1:], 0, -1)


def split(treatment_share: float) -> str:
    """Percent of the control and of the treatment."""
    return f"{100 * (1 - treatment_share):.0f}/{100 * treatment_share:.0f}"


def drawn(
    rng: np.random.Generator, shape: tuple[int, int], *, a_look: int, shares: Sequence[float], rates: Sequence[float]
) -> Traffic:
    """`shape`: paths and looks. Each of the `a_look` new visitors falls to an arm by its share, and converts or not."""
    left, part_left = np.full(shape, a_look), 1.0
    visitors = np.empty((len(shares), *shape), dtype=np.int64)
    for arm, part in enumerate(shares[:-1]):
        visitors[arm] = rng.binomial(left, min(1.0, part / part_left))
        left, part_left = left - visitors[arm], part_left - part
    visitors[-1] = left
    conversions = np.stack([rng.binomial(seen, rate) for seen, rate in zip(visitors, rates, strict=True)])
    return Traffic(visitors.cumsum(axis=-1), conversions.cumsum(axis=-1))
