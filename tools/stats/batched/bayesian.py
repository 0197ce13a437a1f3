"""Bayesian comparisons, without the intervals of rates, which only the scalar form searches."""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from abtest.domain.stats.arithmetic import ARRAYS, FloatArray
from abtest.domain.stats.bayes import WEAK, BetaPrior
from abtest.domain.stats.beta_pairs import beat_and_loss
from abtest.domain.stats.formulas import normal_loss, unit_information
from tools.stats.batched.shapes import Values, counts, numbers, quietly, unless


class BayesianComparisons(NamedTuple):
    """Fields of `BayesianComparison`."""

    difference: FloatArray
    probability_to_beat_control: FloatArray
    expected_loss: FloatArray
    expected_loss_of_control: FloatArray


@quietly
def bayesian_rates(
    x_c: Values, n_c: Values, x_t: Values, n_t: Values, *, prior: BetaPrior = WEAK
) -> BayesianComparisons:
    """Compare rates; nan where an arm has no visitors. Needs memory for up to 401 nodes per comparison."""
    x_c, n_c, x_t, n_t = counts(x_c, n_c, x_t, n_t)
    is_empty = (n_c <= 0) | (n_t <= 0)
    a_c, b_c, a_t, b_t = prior.a + x_c, prior.b + (n_c - x_c), prior.a + x_t, prior.b + (n_t - x_t)
    found = beat_and_loss(a_c, b_c, a_t, b_t)
    return BayesianComparisons(
        unless(is_empty, a_t / (a_t + b_t) - a_c / (a_c + b_c)), *(unless(is_empty, value) for value in found)
    )


@quietly
def bayesian_means(
    n_c: Values, mean_c: Values, variance_c: Values, n_t: Values, mean_t: Values, variance_t: Values
) -> BayesianComparisons:
    """Compare means; nan where an arm has fewer than two visitors or no value varies."""
    n_c, mean_c, variance_c, n_t, mean_t, variance_t = numbers(n_c, mean_c, variance_c, n_t, mean_t, variance_t)
    noise = variance_c / n_c + variance_t / n_t
    is_empty = (n_c < 2) | (n_t < 2) | ~(noise > 0)
    trust = unit_information(noise, variance_c + variance_t)
    mean, sd = trust * (mean_t - mean_c), np.sqrt(trust * noise)
    found = (mean, ndtr(mean / sd), normal_loss(ARRAYS, mean, sd), normal_loss(ARRAYS, -mean, sd))
    return BayesianComparisons(*(unless(is_empty, value) for value in found))
