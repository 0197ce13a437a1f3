"""Small simulations of the false discovery rate where dependence is not covered by a proof, with fixed seeds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import norm

from abtest.domain.stats.multiplicity import Correction, corrected

ALPHA = 0.1


@pytest.mark.parametrize(("goals", "between"), [(1, 0.0), (4, 0.6), (4, -0.3)])
def test_bh__treatments_that_share_a_control__false_discoveries_and_coverage_hold(goals: int, between: float) -> None:
    """Two-sided tests of three treatments and of goals that depend on each other; a third of them is better."""
    rng, paths, arms = np.random.default_rng(11), 4000, 4
    within = np.full((goals, goals), between) + (1 - between) * np.eye(goals)
    noise = rng.multivariate_normal(np.zeros(goals), within, size=(paths, arms))
    z = ((noise[:, 1:] - noise[:, :1]) / np.sqrt(2)).reshape(paths, -1)
    effects = np.tile(np.repeat([0.0, 0.0, 3.0], goals), (paths, 1))
    observed = z + effects
    false, missed = [], []
    for values, truths in zip(observed, effects, strict=True):
        verdict = corrected("bh", (2 * norm.sf(np.abs(values))).tolist(), alpha=ALPHA)
        rejected, levels = np.array(verdict.rejected), np.array(verdict.interval_alphas)
        chosen = max(1, rejected.sum())
        outside = np.abs(values - truths) > -ndtri(levels / 2)
        false.append((rejected & (truths == 0)).sum() / chosen)
        missed.append((rejected & outside).sum() / chosen)
    assert np.mean(false) <= ALPHA + 0.01
    assert np.mean(missed) <= ALPHA + 0.01


def false_shares(correction: Correction, *, is_running: bool) -> float:
    """Share of false ones among the rejected at the first look that rejects anything, of six tests that are null."""
    rng, paths, looks, tests = np.random.default_rng(7), 600, 60, 6
    steps = rng.standard_normal((paths, looks, tests))
    # One test in two moves against the others, and all of them are stopped together by a reader who likes a look.
    steps[:, :, 1::2] = -steps[:, :, ::2]
    times = np.arange(1, looks + 1)[:, None]
    means, variances, prior = np.cumsum(steps, axis=1) / times, 1 / times, 0.2
    log_e = 0.5 * np.log(variances / (variances + prior)) + means**2 * prior / (2 * variances * (variances + prior))
    p_values = np.exp(np.minimum(0, -log_e))
    shown = np.minimum.accumulate(p_values, axis=1) if is_running else p_values
    return float(np.mean([any(any(corrected(correction, p, alpha=ALPHA).rejected) for p in path) for path in shown]))


def test_bh__of_inverted_e_values_at_a_chosen_look__holds_for_tests_that_move_against_each_other() -> None:
    """All null: any rejection is false, so this is also the family-wise error over all looks."""
    assert false_shares("bh", is_running=False) <= ALPHA
