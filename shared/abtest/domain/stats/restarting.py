"""Evidence of a change at an unknown moment: tests that begin again at every hour, in one weighted sum.

A test of all counts so far must first outweigh every visitor from before the change. A test of the visitors since one
hour has no such past. Each is an e-process, and so is their sum with weights that are fixed before the first visitor.
With the weight 1/672 for each hour, all tests that begin in 28 days have a part of 1 together: while nothing changes,
the chance that the sum ever reaches 1/level is at most `level` in 28 days, at any number of looks.
Source: Shin, Ramdas, Rinaldo: E-detectors, New England Journal of Statistics in Data Science 2 (2024) 229-260; the sum
of Shiryaev and Roberts.
"""

from collections.abc import Sequence
from math import log, log1p
from typing import NamedTuple

import numpy as np

from abtest.domain.stats.arithmetic import FloatArray

HOURS_OF_LEVEL = 28 * 24
"""Hours in which the level is spent once."""

DEGREES_AT_LEAST = 10
"""Of freedom, before the spread of a class of values is used."""

Factors = Sequence[tuple[float, float]]
"""Alternatives: by what the treatment's odds are multiplied (values: the log of it), and its prior weight."""


class Restarting(NamedTuple):
    """log E (natural) of a change, and the index of the hour at which it most probably began."""

    log_e: float
    start: int


class Hour(NamedTuple):
    """Sum and sum of squares of `n` values of one class in one hour."""

    n: float
    total: float
    squares: float


def restarting_counts(
    control: Sequence[int], treatment: Sequence[int], *, share: float, factors: Factors
) -> Restarting | None:
    """Test whether the treatment's part of the counts has changed from `share` by one of the factors.

    Counts are by hour, both of the same length. Each count falls to the treatment with probability `share` if nothing
    is wrong, else with odds multiplied by the factor: below 1 for a loss. None without an hour. Raises ValueError for
    series of different lengths, and for a share or factors outside their range.
    """
    if len(control) != len(treatment) or not 0 < share < 1 or any(factor <= 0 for factor, _ in factors):
        raise ValueError("series must be equally long, share must be between 0 and 1, factors must be positive")
    if not control:
        return None
    seen_c, seen_t = since(np.asarray(control, dtype=np.float64)), since(np.asarray(treatment, dtype=np.float64))
    return together(
        [
            log(weight) + seen_t * log(factor) - (seen_c + seen_t) * log1p(share * (factor - 1))
            for factor, weight in factors
        ]
    )


def restarting_values(control: FloatArray, treatment: FloatArray, *, factors: Factors) -> Restarting | None:
    """Test whether the treatment's values have become lower, each `factors` entry being a distance and its weight.

    Arrays are (3, classes, hours): number, sum and sum of squares of the values of a class in an hour. Values are only
    compared within their class, and have there one variance, estimated from all hours together. None where no class has
    values of both arms and 10 degrees of freedom.
    Normal: the log-likelihood ratio of the difference of means, which a common level of both arms does not enter.
    """
    n_c, n_t = since(control[0]), since(treatment[0])
    total_c, total_t = since(control[1]), since(treatment[1])
    degrees = np.maximum(n_c[:, 0] - 1, 0) + np.maximum(n_t[:, 0] - 1, 0) if n_c.size else np.zeros(0)
    if not (degrees >= DEGREES_AT_LEAST).any():
        return None
    within = sum(
        each[2].sum(axis=-1) - np.divide(each[1].sum(axis=-1) ** 2, n[:, 0], out=np.zeros(len(n)), where=n[:, 0] > 0)
        for each, n in ((control, n_c), (treatment, n_t))
    )
    variance = np.maximum(within, 0.0) / np.maximum(degrees, 1)
    usable = ((degrees >= DEGREES_AT_LEAST) & (variance > 0))[:, None] & (n_c > 0) & (n_t > 0)
    if not usable.any():
        return None
    n_c, n_t, noise = np.maximum(n_c, 1), np.maximum(n_t, 1), np.where(variance > 0, variance, 1.0)[:, None]
    information = np.where(usable, n_c * n_t / (n_c + n_t) / noise, 0.0)
    lower = (information * (total_c / n_c - total_t / n_t)).sum(axis=0)
    whole = information.sum(axis=0)
    return together([log(weight) + size * lower - 0.5 * size * size * whole for size, weight in factors])


def since(hourly: FloatArray) -> FloatArray:
    """Return, for each hour, the sum from that hour on."""
    answer: FloatArray = np.flip(np.flip(hourly, -1).cumsum(axis=-1), -1)
    return answer


def together(logs: Sequence[FloatArray]) -> Restarting:
    """Sum the alternatives of each start, then the starts, by their weights; in logarithms."""
    by_start: FloatArray = np.logaddexp.reduce(np.asarray(logs), axis=0)
    log_e = float(np.logaddexp.reduce(by_start)) - log(HOURS_OF_LEVEL)
    return Restarting(log_e=log_e, start=int(by_start.argmax()))
