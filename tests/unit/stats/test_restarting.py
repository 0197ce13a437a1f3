"""Evidence of a change, against sums written out start by start, and its limits."""

from itertools import product
from math import comb, exp, log, prod

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import binom, norm

from abtest.domain.stats.arithmetic import FloatArray
from abtest.domain.stats.restarting import HOURS_OF_LEVEL, restarting_counts, restarting_values

FACTORS = ((0.1, 0.25), (0.5, 0.75))


def _by_hand(control: list[int], treatment: list[int], share: float) -> list[float]:
    """log of each start's mixture, from binomial probabilities of each hour."""
    starts = []
    for start in range(len(control)):
        ratios = []
        for factor, weight in FACTORS:
            part = share * factor / (share * factor + 1 - share)
            hours = list(zip(control[start:], treatment[start:], strict=True))
            gains = [binom.logpmf(t, c + t, part) - binom.logpmf(t, c + t, share) for c, t in hours]
            ratios.append(log(weight) + sum(gains))
        starts.append(float(logsumexp(ratios)))
    return starts


@pytest.mark.parametrize("share", [0.5, 0.1])
def test_counts__of_a_loss__have_the_likelihood_ratios_of_every_start(share: float) -> None:
    control, treatment = [5, 9, 7, 8, 11, 0], [6, 8, 0, 1, 0, 0]
    starts = _by_hand(control, treatment, share)
    change = restarting_counts(control, treatment, share=share, factors=FACTORS)
    assert change is not None
    assert change.log_e == pytest.approx(logsumexp(starts) - log(HOURS_OF_LEVEL), rel=1e-12)
    assert change.start == int(np.argmax(starts))


def test_counts__of_a_loss_after_two_hours__began_in_the_third() -> None:
    change = restarting_counts([50, 50, 50, 50], [50, 50, 1, 0], share=0.5, factors=FACTORS)
    assert change is not None
    assert change.start == 2


def test_counts__where_nothing_changes__expect_no_more_than_their_weights() -> None:
    """The mean of E over all outcomes of three hours of two counts each is the weight of three starts."""
    whole = 0.0
    for treatment in product(range(3), repeat=3):
        probability = prod(comb(2, t) * 0.3**t * 0.7 ** (2 - t) for t in treatment)
        change = restarting_counts([2 - t for t in treatment], list(treatment), share=0.3, factors=FACTORS)
        assert change is not None
        whole += probability * exp(change.log_e)
    assert whole == pytest.approx(3 / HOURS_OF_LEVEL, rel=1e-12)


def test_counts__of_a_loss_in_a_long_past__are_not_outweighed_by_it() -> None:
    recent = restarting_counts([30] * 3, [0] * 3, share=0.5, factors=FACTORS)
    late = restarting_counts([30] * 303, [30] * 300 + [0] * 3, share=0.5, factors=FACTORS)
    assert recent is not None
    assert late is not None
    assert late.log_e == pytest.approx(recent.log_e, abs=0.01)


def test_counts__of_a_factor_above_one__are_an_excess() -> None:
    more = restarting_counts([10, 10], [30, 30], share=0.5, factors=[(1 / factor, part) for factor, part in FACTORS])
    fewer = restarting_counts([30, 30], [10, 10], share=0.5, factors=FACTORS)
    assert more is not None
    assert fewer is not None
    assert more.log_e == pytest.approx(fewer.log_e, rel=1e-12)


def test_counts__of_millions__are_finite() -> None:
    change = restarting_counts([10**7] * 336, [0] * 336, share=0.5, factors=FACTORS)
    assert change is not None
    assert change.log_e > 1e6


def test_counts__without_an_hour_or_out_of_range__are_none_or_refused() -> None:
    assert restarting_counts([], [], share=0.5, factors=FACTORS) is None
    for control, share, factors in (([1, 2], 0.5, FACTORS), ([1], 1.0, FACTORS), ([1], 0.5, ((0.0, 1.0),))):
        with pytest.raises(ValueError, match="must be"):
            restarting_counts(control, [1], share=share, factors=factors)


def _values(rng: np.random.Generator, lower: float) -> tuple[FloatArray, FloatArray]:
    """Two classes, twelve hours; the treatment is lower from the seventh hour on."""
    arms = []
    for arm in range(2):
        sums = np.zeros((3, 2, 12))
        for place, hour in product(range(2), range(12)):
            for value in rng.normal(place - lower * arm * (hour >= 6), 1 / (1 + place), size=rng.integers(2, 6)):
                sums[:, place, hour] += (1, value, value * value)
        arms.append(sums)
    return arms[0], arms[1]


def test_values__of_two_classes__have_the_ratios_of_normal_densities() -> None:
    control, treatment = _values(np.random.default_rng(3), 1.0)
    factors = ((0.5, 0.4), (1.0, 0.6))
    starts = []
    for start in range(12):
        ratios = []
        for size, weight in factors:
            gain = log(weight)
            for place in range(2):
                both = [each[:, place] for each in (control, treatment)]
                within = sum(each[2].sum() - each[1].sum() ** 2 / each[0].sum() for each in both)
                variance = within / sum(each[0].sum() - 1 for each in both)
                (n_c, sum_c, _), (n_t, sum_t, _) = (each[:, start:].sum(axis=1) for each in both)
                spread = (variance * (1 / n_c + 1 / n_t)) ** 0.5
                difference = sum_c / n_c - sum_t / n_t
                gain += norm.logpdf(difference, size, spread) - norm.logpdf(difference, 0, spread)
            ratios.append(gain)
        starts.append(logsumexp(ratios))
    change = restarting_values(control, treatment, factors=factors)
    assert change is not None
    assert change.log_e == pytest.approx(logsumexp(starts) - log(HOURS_OF_LEVEL), rel=1e-9)
    assert change.start == int(np.argmax(starts))


def test_values__too_few_or_all_alike_or_of_one_arm__are_none() -> None:
    alike = np.stack([np.full((1, 8), 3.0), np.full((1, 8), 6.0), np.full((1, 8), 12.0)])
    few = np.stack([np.full((1, 1), 5.0), np.zeros((1, 1)), np.full((1, 1), 5.0)])
    many = np.stack([np.full((1, 8), 3.0), np.zeros((1, 8)), np.full((1, 8), 3.0)])
    assert restarting_values(alike, alike, factors=FACTORS) is None
    assert restarting_values(few, few, factors=FACTORS) is None
    assert restarting_values(many, np.zeros((3, 1, 8)), factors=FACTORS) is None
    assert restarting_values(np.zeros((3, 1, 0)), np.zeros((3, 1, 0)), factors=FACTORS) is None
    assert restarting_values(many, many, factors=FACTORS) is not None
