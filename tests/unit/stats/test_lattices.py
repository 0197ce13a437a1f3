"""Beta posteriors on a lattice against the integrals over incomplete beta functions."""

from math import isclose, sqrt

import numpy as np
import pytest

from abtest.domain.stats.bayes import bayesian_rates
from abtest.domain.stats.beta_pairs import beat_and_loss, beta_variance, compared_on_lattice, difference_quantile
from abtest.domain.stats.samples import Conversions

Posteriors = tuple[float, float, float, float]


def drawn(seed: int) -> Posteriors:
    """From 50 of both outcomes on; most treatments are near their control."""
    random = np.random.default_rng(seed)
    a_c, b_c, a_t, b_t = (50 + 50 * 10 ** np.minimum(random.exponential(1.0, 4), 6)).tolist()
    if seed % 3:
        a_t, b_t = 50 + a_c * random.uniform(0.3, 3), 50 + b_c * random.uniform(0.3, 3)
        a_t = max(50.0, a_c / b_c * b_t * random.normal(1, 1 / sqrt(min(a_c, a_t))))
    return a_c, b_c, a_t, b_t


@pytest.mark.parametrize("seed", range(60))
def test_compared_on_lattice__random_posteriors__equal_the_integrals(seed: int) -> None:
    posteriors = drawn(seed)
    spread = sqrt(beta_variance(*posteriors[:2]) + beta_variance(*posteriors[2:]))
    pair = beat_and_loss(*(np.array([value]) for value in posteriors))
    on_lattice = compared_on_lattice(*posteriors, 0.05)
    if on_lattice is None:
        assert beta_variance(*posteriors[:2]) > 64 * beta_variance(*posteriors[2:]) or (
            beta_variance(*posteriors[2:]) > 64 * beta_variance(*posteriors[:2])
        )
        return
    for end, level in ((on_lattice.lower, 0.025), (on_lattice.upper, 0.975)):
        assert abs(end - difference_quantile(*posteriors, level)) < 1e-9 * spread
    if on_lattice.pair is None:
        assert min(pair.beat[0], 1 - pair.beat[0]) < 1.1e-5
        return
    assert isclose(on_lattice.pair[0], pair.beat[0], rel_tol=1e-9)
    # Of the larger loss, the integrals lose digits: it is a difference of nearly equal terms.
    for loss, integral in zip(on_lattice.pair[1:], (pair.loss[0], pair.loss_of_control[0]), strict=True):
        assert abs(loss - integral) < 1e-9 * spread + 2e-14
    mean = posteriors[2] / (posteriors[2] + posteriors[3]) - posteriors[0] / (posteriors[0] + posteriors[1])
    assert abs(on_lattice.pair[2] - on_lattice.pair[1] - mean) < 1e-12 * spread + 1e-16


@pytest.mark.parametrize(
    ("posteriors", "alpha"),
    [((49.0, 900.0, 80.0, 900.0), 0.05), ((900.0, 49.0, 900.0, 80.0), 0.05), ((80.0, 900.0, 90.0, 900.0), 1e-6),
     ((100.0, 100.0, 10**6, 10**6), 0.05)],
)  # fmt: skip
def test_compared_on_lattice__outside_of_its_limits__has_no_answer(posteriors: Posteriors, alpha: float) -> None:
    assert compared_on_lattice(*posteriors, alpha) is None


def test_compared_on_lattice__a_certain_winner__leaves_its_loss_to_the_integrals() -> None:
    on_lattice = compared_on_lattice(300.0, 9700.0, 600.0, 9400.0, 0.05)
    assert on_lattice is not None
    assert on_lattice.pair is None
    comparison = bayesian_rates(
        Conversions(visitors=9998, conversions=299), Conversions(visitors=9998, conversions=599), alpha=0.05
    )
    assert comparison is not None
    assert comparison.interval == (on_lattice.lower, on_lattice.upper)
    assert 0 < comparison.expected_loss < 1e-20
