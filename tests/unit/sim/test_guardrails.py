"""The simulated guardrails decide, look by look, what those of auto-stop decide."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from abtest.domain.autostop.evidence import Arms, Evidence, Measure
from abtest.domain.autostop.guardrails import findings
from abtest.domain.autostop.looks import look_at
from abtest.domain.autostop.settings import AutoStop
from abtest.domain.autostop.shapes import LookState
from abtest.domain.stats.samples import Conversions
from tools.sim.deciding import ALPHA
from tools.sim.guardrails import CELLS, HarmlessFamily, HarmlessMoney, TimeToHarm, harmed
from tools.sim.traffic import Traffic, drawn

SETTINGS = AutoStop(min_visitors=100, min_conversions=5)
PATHS, LOOKS = 15, 30


def evidence(guardrails: list[Traffic], path: int, look: int) -> Evidence:
    arms = [f"arm {number}" for number in range(len(guardrails[0].visitors))]
    measures = {}
    for number, traffic in enumerate(guardrails):
        rates = {
            arm: Conversions(
                visitors=int(traffic.visitors[place, path, look]),
                conversions=int(traffic.conversions[place, path, look]),
            )
            for place, arm in enumerate(arms)
        }
        measures[f"goal {number}"] = Measure(
            goal_id=f"goal {number}",
            source="one definition",
            falls=False,
            is_money=False,
            is_guardrail=True,
            comparisons={arm: Arms(rates[arms[0]], rates[arm]) for arm in arms[1:]},
            rates=rates,
            samples={},
        )
    return Evidence(
        experiment_id="experiment",
        measurement_epoch=1,
        generation=look,
        currency="EUR",
        alpha=ALPHA,
        control_id=arms[0],
        visitors={arm: rate.visitors for arm, rate in measures["goal 0"].rates.items()},
        weights=dict.fromkeys(arms, 1.0),
        measures=measures,
        guardrails=list(measures),
    )


@pytest.mark.parametrize("rates", [[[0.05, 0.03]], [[0.05, 0.05, 0.02], [0.1, 0.08, 0.1]]])
def test_harm__of_arrays__is_that_of_auto_stop(rates: list[list[float]]) -> None:
    rng, shares = np.random.default_rng(5), [1 / len(rates[0])] * len(rates[0])
    first = drawn(rng, (PATHS, LOOKS), a_look=100 * len(rates[0]), shares=shares, rates=rates[0])
    new = np.diff(first.visitors, axis=-1, prepend=0)
    others = [
        Traffic(
            first.visitors,
            np.stack([rng.binomial(seen, rate) for seen, rate in zip(new, row, strict=True)]).cumsum(axis=-1),
        )
        for row in rates[1:]
    ]
    guardrails = [first, *others]
    flags = harmed(guardrails, SETTINGS)
    for path in range(PATHS):
        state: LookState | None = None
        for look in range(LOOKS):
            seen = evidence(guardrails, path, look)
            state, _ = look_at(state, seen, "2026-03-02T12:00:00.000Z")
            shown = findings(state, seen, SETTINGS, is_covered=True)
            assert [one.status == "harmed" for one in shown] == flags[path, look].tolist()
    assert 0 < flags.mean() < 1


@pytest.mark.parametrize(
    "cell",
    [
        HarmlessFamily(guardrails=3, treatments=2, paths=300),
        HarmlessFamily(guardrails=2, control_share=0.1, rate=0.005, paths=300),
        HarmlessMoney(treatment_share=0.1, paths=40),
    ],
    ids=lambda cell: cell.name,
)
def test_harmless_guardrails__are_rarely_called_harmed(cell: HarmlessFamily | HarmlessMoney) -> None:
    outcomes = cell.run(np.random.default_rng(7), cell.paths)
    assert all(values.sum() <= binom.ppf(1 - 1e-4, len(values), ALPHA) for values in outcomes.values())
    assert all(row.aim is not None for row in cell.rows(outcomes))


def test_harm__of_a_fifth__is_shown_within_days() -> None:
    cell = TimeToHarm(paths=30)
    (row,) = cell.rows(cell.run(np.random.default_rng(7), cell.paths))
    assert row.passes


def test_cells__have_names_of_their_own() -> None:
    assert len({cell.name for cell in CELLS}) == len(CELLS)
