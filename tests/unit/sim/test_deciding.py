"""The simulated auto-stop decides, look by look, what the one at work decides."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from abtest.domain.autostop import sequential
from abtest.domain.autostop.evidence import Arms, Evidence, Measure
from abtest.domain.autostop.looks import look_at
from abtest.domain.autostop.settings import AutoStop
from abtest.domain.autostop.shapes import LookState
from abtest.domain.autostop.verdicts import Winner
from abtest.domain.stats.multiplicity import holm
from abtest.domain.stats.samples import Conversions
from tools.sim.deciding import ALPHA, minima, naive, ready, verdicts
from tools.sim.traffic import Traffic, drawn

SETTINGS = AutoStop(min_visitors=100, min_conversions=5)
GOAL, PATHS, LOOKS = "goal", 25, 40


def paths(rates: list[float]) -> Traffic:
    shares = [1 / len(rates)] * len(rates)
    return drawn(np.random.default_rng(11), (PATHS, LOOKS), a_look=60 * len(rates), shares=shares, rates=rates)


def evidence(traffic: Traffic, path: int, look: int, tau: float | None) -> Evidence:
    arms = [f"arm {number}" for number in range(len(traffic.visitors))]
    counts = {
        arm: Conversions(
            visitors=int(traffic.visitors[number, path, look]), conversions=int(traffic.conversions[number, path, look])
        )
        for number, arm in enumerate(arms)
    }
    measure = Measure(
        goal_id=GOAL,
        source="one definition",
        falls=False,
        is_money=False,
        comparisons={arm: Arms(counts[arms[0]], counts[arm]) for arm in arms[1:]},
        rates=counts,
        samples={},
        tau=tau,
    )
    return Evidence(
        experiment_id="experiment",
        measurement_epoch=1,
        generation=look,
        currency="EUR",
        alpha=ALPHA,
        control_id=arms[0],
        visitors={arm: found.visitors for arm, found in counts.items()},
        weights=dict.fromkeys(arms, 1.0),
        measures={GOAL: measure},
    )


def at_work(traffic: Traffic, path: int, tau: float | None) -> Iterator[tuple[LookState, Evidence]]:
    state: LookState | None = None
    for look in range(LOOKS):
        seen = evidence(traffic, path, look, tau)
        state, _ = look_at(state, seen, "2026-03-02T12:00:00.000Z")
        yield state, seen


@pytest.mark.parametrize("tau", [None, 0.02])
@pytest.mark.parametrize("rates", [[0.05, 0.05], [0.05, 0.07], [0.05, 0.05, 0.09, 0.02]])
def test_decisions__of_arrays__are_those_of_auto_stop(rates: list[float], tau: float | None) -> None:
    traffic = paths(rates)
    found, is_ready = minima(traffic, tau=tau), ready(traffic, SETTINGS)
    verdict = verdicts(found, is_ready)
    for path in range(PATHS):
        for look, (state, seen) in enumerate(at_work(traffic, path, tau)):
            p_values = [one["p"] for one in state["goals"][GOAL]["treatments"].values()]
            np.testing.assert_allclose(found.p[path, look], p_values, rtol=1e-12)
            significant = np.array(holm(p_values, alpha=ALPHA).adjusted) <= ALPHA
            assert (verdict.significant[path, look] == significant & is_ready[path, look]).all()
            decided = sequential.decide(state, seen, SETTINGS, GOAL, is_covered=True)
            assert verdict.wins[path, look].any() == isinstance(decided, Winner)
    assert rates[0] == rates[-1] or 0 < verdict.significant[:, -1].mean() < 1


def test_minimum_data__below_at_and_above__counts_in_both_arms() -> None:
    visitors = np.array([[[99, 100, 101]], [[100, 100, 101]]])
    enough = np.array([[[5, 5, 5]], [[5, 5, 5]]])
    few = np.array([[[5, 5, 5]], [[5, 4, 6]]])
    assert ready(Traffic(visitors, enough), SETTINGS)[0, :, 0].tolist() == [False, True, True]
    assert ready(Traffic(visitors, few), SETTINGS)[0, :, 0].tolist() == [False, False, True]


def test_traffic__of_many_looks__is_cumulative_and_split_by_shares() -> None:
    traffic = drawn(np.random.default_rng(1), (50, 20), a_look=1000, shares=(0.2, 0.3, 0.5), rates=(0.1, 0.1, 0.4))
    assert (traffic.visitors.sum(axis=0) == 1000 * np.arange(1, 21)).all()
    assert (np.diff(traffic.conversions, axis=-1) >= 0).all()
    parts = traffic.visitors[:, :, -1].mean(axis=1) / 20_000
    np.testing.assert_allclose(parts, (0.2, 0.3, 0.5), atol=0.005)
    converted = traffic.conversions[:, :, -1].sum(axis=1) / traffic.visitors[:, :, -1].sum(axis=1)
    np.testing.assert_allclose(converted, (0.1, 0.1, 0.4), atol=0.005)


def test_naive_reader__of_a_rising_treatment__is_earlier_than_the_sequential_one() -> None:
    traffic = paths([0.05, 0.09])
    is_ready = ready(traffic, SETTINGS)
    early = naive(traffic, is_ready)[..., 0]
    late = verdicts(minima(traffic, tau=None), is_ready).wins[..., 0]
    assert early.sum() > late.sum() > 0
