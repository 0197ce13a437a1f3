"""The simulated group-sequential tests decide, look by look, what the state machine decides."""

from __future__ import annotations

import numpy as np
import pytest

from abtest.domain.autostop.planned_looks import looked
from abtest.domain.autostop.shapes import PlannedLooks
from abtest.domain.autostop.verdicts import Waiting
from abtest.domain.stats.group_sequential.design import Design
from abtest.domain.stats.group_sequential.families import look_at_family, started_family
from abtest.domain.stats.group_sequential.looks import look, started
from tests.support.autostopping import CONTROL, TREATMENT, plan
from tests.unit.autostop.test_adjusted_planned_looks import adjusted
from tests.unit.autostop.test_group_sequential import MOMENT
from tests.unit.sim.test_deciding import SETTINGS
from tools.sim.adjusted import is_ready
from tools.sim.before import Past
from tools.sim.daily_looks import DailyLooks
from tools.sim.deciding import ALPHA, ready
from tools.sim.outcomes import ever
from tools.sim.planned_looks import sides_by_information, significant, z_values
from tools.sim.running import simulated
from tools.sim.traffic import Traffic, drawn
from tools.stats import batched

DESIGN, LOOKS = Design(alpha=ALPHA), 8
SIDES = {"better": 1.0, "worse": -1.0}


def paths(rates: list[float], number: int) -> Traffic:
    shares = [1 / len(rates)] * len(rates)
    rng = np.random.default_rng(13)
    return drawn(rng, (number, LOOKS), a_look=400 * len(rates), shares=shares, rates=rates)


@pytest.mark.parametrize("rates", [[0.05, 0.065], [0.05, 0.05, 0.07, 0.04]])
def test_significance__of_arrays__is_that_of_the_family(rates: list[float]) -> None:
    z, _ = z_values(paths(rates, 12))
    flags = significant(z, np.ones(z.shape, dtype=bool))
    for path in range(len(z)):
        state = started_family(DESIGN, dict.fromkeys(map(str, range(1, len(rates))), float(LOOKS)))
        for number in range(LOOKS):
            observed = {name: (number + 1.0, z[path, number, int(name) - 1]) for name in state["treatments"]}
            state, compared = look_at_family(state, observed)
            assert [one.is_significant for one in compared.values()] == flags[path, number].tolist()
    assert 0 < flags[:, -1].mean() < 1


def test_sides__by_observed_information__are_those_of_the_state_machine() -> None:
    traffic = paths([0.05, 0.06], 40)
    (z, information), is_ready, planned = z_values(traffic), ready(traffic, SETTINGS), 400 * LOOKS / 0.11
    sides = sides_by_information(z, information, planned, is_ready)
    for path, side in enumerate(sides):
        state, ended = started(DESIGN, planned), 0.0
        for number in range(LOOKS):
            if is_ready[path, number, 0]:
                at = (float(information[path, number, 0]), float(z[path, number, 0]))
                state, outcome = look(state, *at, is_last=number == LOOKS - 1)
                ended = SIDES.get(outcome.kind, ended)
        assert side == ended
    assert 0 < ever(sides[:, None] > 0).mean() < 1


def test_sides__without_any_look__are_none() -> None:
    nothing = np.zeros((3, LOOKS, 1))
    assert sides_by_information(nothing, nothing, 1.0, nothing > 0).tolist() == [0, 0, 0]


def test_daily_looks__of_a_small_simulation__win_more_often_than_always_valid_ones() -> None:
    cells = [DailyLooks(has_effect=effect, paths=200) for effect in (True, False)]
    results = simulated(cells, scale=1, workers=1, planned=lambda _: None, done=lambda: None)
    power, error = (results[cell.name] for cell in cells)
    assert power["information"].mean() > power["always valid"].mean() + 0.1
    assert abs(power["information"].mean() - power["visitors"].mean()) < 0.05
    assert error["information"].mean() < 0.1
    assert all(cell.rows(results[cell.name])[0].aim for cell in cells)


@pytest.mark.parametrize("lift", [1.0, 1.12])
def test_sides__at_adjusted_rates__are_those_of_the_looks_that_autostop_takes(lift: float) -> None:
    a_look, days = 1000, 12
    sums = Past(kind="rate", rate=0.1, correlation=0.6, lift=lift).seen(
        np.random.default_rng(5), (24, days), a_look=a_look
    )
    differences = batched.adjusted_differences(*sums.moments, is_rate=True)
    information = 1 / differences.variance
    planned = plan(required_total_visitors=days * a_look, baseline_rate=0.1, mde=0.2, looks=100)
    needed = days * a_look / (4 * 0.11 * 0.89)
    sides = sides_by_information(differences.difference * np.sqrt(information), information, needed, is_ready(sums))
    for path, side in enumerate(sides):
        looks: PlannedLooks | None = None
        for day in range(days):
            counts, past = {}, {}
            for place, arm in enumerate((CONTROL, TREATMENT)):
                n, y, x, xy = (int(values[path, day, place]) for values in (sums.n, sums.y, sums.x, sums.xy))
                counts[arm], past[arm] = (n, y), (x, xy)
            after = looked(looks, planned, adjusted(counts, past), SETTINGS, MOMENT)
            assert not isinstance(after, Waiting)
            looks = after
        assert looks is not None
        taken = looks["family"]["treatments"][TREATMENT]["looks"]
        assert taken[-1]["place"] == 1
        crossed = [np.sign(one["z"]) for one in taken if one["upper"] is not None and abs(one["z"]) >= one["upper"]]
        assert next(iter(crossed), 0.0) == side
    assert (sides > 0).any() == (lift > 1)
