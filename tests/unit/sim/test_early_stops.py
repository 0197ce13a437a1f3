"""Estimates of tests that stopped at a look, in small: the corrected one has no bias over the planned spread."""

from __future__ import annotations

import numpy as np

from tools.sim.early_stops import EarlyStop


def test_corrected_estimate__over_effects_of_the_plans_spread__has_no_bias_and_a_smaller_error() -> None:
    outcomes = EarlyStop(effects="of the plan's spread").run(np.random.default_rng(3), 6000)
    stopped = ~np.isnan(outcomes["raw"])
    truth = outcomes["truth"][stopped]
    raw, corrected = (outcomes[name][stopped] - truth for name in ("raw", "corrected"))
    assert abs(corrected.mean()) < 0.05 * truth.mean() < 0.2 * truth.mean() < raw.mean()
    assert (corrected**2).mean() < 0.5 * (raw**2).mean()


def test_raw_estimate__of_tests_with_the_planned_effect__exaggerates_most() -> None:
    outcomes = EarlyStop(effects="the planned").run(np.random.default_rng(3), 3000)
    raw, corrected = np.nanmean(outcomes["raw"]), np.nanmean(outcomes["corrected"])
    assert 1 < corrected < 1.15 < 1.25 < raw
