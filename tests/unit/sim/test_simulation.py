"""A small simulation with fixed seeds: what was promised holds within the bounds of its size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from tools.sim.__main__ import report
from tools.sim.cells import CELLS
from tools.sim.guarding import KINDS, FalseAlarms, TimeOfChange, TimeToFind
from tools.sim.money import MoneyPeeking
from tools.sim.outcomes import Aim, Cell, Outcomes, Row, median, share
from tools.sim.planned_sizes import LEAST_POWER, MOST_POWER, PlannedSize
from tools.sim.running import simulated
from tools.sim.shop import Shop
from tools.sim.single_look import Agreement
from tools.sim.table import table
from tools.sim.testing import Coverage, Family, Peeking, Power

SURE = 1e-4
"""How improbable a failure is where the promise just holds."""


def run(*cells: Cell, workers: int = 1) -> Sequence[Outcomes]:
    found = simulated(cells, scale=1, workers=workers, planned=lambda _: None, done=lambda: None)
    return [found[cell.name] for cell in cells]


def at_most(rate: float, hits: NDArray[np.float64]) -> bool:
    return bool(hits.sum() <= binom.ppf(1 - SURE, len(hits), rate))


def at_least(rate: float, hits: NDArray[np.float64]) -> bool:
    return bool(hits.sum() >= binom.ppf(SURE, len(hits), rate))


@pytest.mark.parametrize("rate", [0.005, 0.1])
@pytest.mark.parametrize("treatment_share", [0.5, 0.1])
def test_peeking__at_tests_of_nothing__errs_rarely_where_naive_readers_err_often(
    rate: float, treatment_share: float
) -> None:
    (found,) = run(Peeking(rate=rate, treatment_share=treatment_share, looks=100, paths=500))
    ours = [values for name, values in found.items() if name.split()[0] in ("planned", "unplanned")]
    assert len(ours) == 8
    assert all(at_most(0.05, values) for values in ours)
    assert all(found[f"naive {least} 1000"].mean() > 0.1 for least in (1, 25))


def test_power__of_a_plan__is_what_was_promised() -> None:
    (found,) = run(Power(paths=1000))
    assert all(at_least(aim, found[f"planned {multiple}"]) for multiple, aim in Power.MULTIPLES)


@pytest.mark.parametrize(
    "cell",
    [
        PlannedSize(how="fixed", rate=0.1, mde=0.2, paths=1000),
        PlannedSize(how="always valid", rate=0.1, mde=0.2, paths=1000),
        PlannedSize(how="always valid", rate=0.1, mde=-0.2, treatments=3, share=None, paths=1000),
        PlannedSize(how="group-sequential", rate=0.1, mde=0.2, share=0.2, looks=7, paths=1000),
    ],
    ids=lambda cell: cell.name,
)
def test_planned_sizes__of_each_engine__have_the_planned_power(cell: PlannedSize) -> None:
    (outcomes,) = run(cell)
    assert at_least(LEAST_POWER, outcomes["found"])
    assert at_most(MOST_POWER, outcomes["found"])


def test_families__of_several_treatments__err_no_more_than_one() -> None:
    for found in run(Family(treatments=1, paths=500), Family(treatments=4, better=2, paths=500)):
        assert all(at_most(0.05, values) for values in found.values())


def test_coverage__at_all_looks_together__is_the_intervals_level() -> None:
    for found in run(*(Coverage(rate=0.02, treatment_share=0.1, effect=effect, paths=500) for effect in (0.0, -0.5))):
        assert all(at_least(0.95, values) for values in found.values())


def test_agreement__in_unequal_arms__is_of_score_intervals_alone() -> None:
    (outcomes,) = run(Agreement(rate=0.03, visitors=2000, treatment_share=0.1, lift=0.3, paths=5000))
    assert outcomes["Wald contradicts"].mean() > 0.05
    assert not outcomes["ours contradicts"].any()
    assert not outcomes["our lift contradicts"].any()
    assert all(at_least(0.945, outcomes[f"{name} holds"]) for name in ("ours", "our lift"))
    assert not at_least(0.945, outcomes["Wald holds"])


def test_peeking__at_skewed_money_in_unequal_arms__errs_rarely() -> None:
    (found,) = run(MoneyPeeking(treatment_share=0.1, paths=200))
    assert at_most(0.05, found["ours"])
    assert found["naive"].mean() > 0.1


@pytest.mark.parametrize(("treatment_share", "by_amount"), [(0.5, 0.5), (0.1, 0.2)])
def test_guardian__at_a_healthy_shop__keeps_still(treatment_share: float, by_amount: float) -> None:
    shop = Shop(visitors_a_day=1_000, treatment_share=treatment_share)
    (found,) = run(FalseAlarms(name="small", shop=shop, paths=200))
    assert [kind for kind in KINDS if not at_most(0.02, found[kind])] == []
    assert found["amount"].mean() > by_amount


def test_guardian__at_a_broken_shop__is_quick() -> None:
    cells = [replace(cell, paths=100) for cell in CELLS if isinstance(cell, TimeToFind) and cell.days < 28]
    assert len(cells) == 2
    for cell, found in zip(cells, run(*cells), strict=True):
        assert np.median(found["hours"]) <= cell.hours


def test_guardian__at_a_shop_that_breaks_late__is_quick() -> None:
    cells = [replace(cell, paths=24) for cell in CELLS if isinstance(cell, TimeOfChange)]
    assert [cell.kind for cell in cells] == [
        "broken_conversion",
        "conversion_harm",
        "sample_ratio_mismatch",
        "revenue_harm",
    ]
    for cell, outcomes in zip(cells, run(*cells), strict=True):
        # The median of so few is uncertain: half of them within 1.5 times the aim has a chance of error below 1 %.
        assert np.median(outcomes["hours"]) <= 1.5 * cell.hours
        assert cell.rows(outcomes)[0].measure == "median"


def test_simulation__by_one_process_or_two__is_the_same() -> None:
    cell = replace(Family(treatments=1), paths=2500)
    assert cell.paths > cell.batch
    (one,), (two,) = run(cell), run(cell, workers=2)
    assert all((one[name] == two[name]).all() for name in one)
    assert len(one["planned"]) == 2500


def test_cells__all_of_them__differ_in_name_and_cover_what_was_promised() -> None:
    assert (
        len({f"{type(cell).__name__} {cell.name}" for cell in CELLS})
        == len({cell.name for cell in CELLS})
        == len(CELLS)
    )
    peeking = [cell for cell in CELLS if isinstance(cell, Peeking)]
    assert (len(peeking) * 2, {cell.paths for cell in peeking}) == (24, {20_000})


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A cell whose outcome is known."""

    value: float
    name: str = "known"
    paths: int = 10
    batch: int = 4

    def run(self, rng: np.random.Generator, paths: int) -> Outcomes:
        return {"it": np.full(paths, self.value)}

    def rows(self, outcomes: Outcomes) -> list[Row]:
        reached, error = share(outcomes["it"])
        return [Row(group="Known", what=self.name, aim=Aim(0.5), reached=reached, error=error)]


@pytest.mark.parametrize(("value", "status", "verdict"), [(0.0, 0, "passed"), (1.0, 1, "MISSED")])
def test_report__of_an_aim_met_or_missed__says_so_in_words_and_status(
    value: float, status: int, verdict: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report([Known(value=value)], scale=1, workers=1) == status
    printed = capsys.readouterr().out
    assert verdict in printed
    assert f"{status} of 1 aims missed" in printed


def test_aim__at_its_limit__is_met() -> None:
    assert Aim(0.05).is_met(0.05)
    assert not Aim(0.05).is_met(0.0501)
    assert Aim(0.95, at_least=True).is_met(0.95)
    assert not Aim(0.95, at_least=True).is_met(0.9499)


def test_monte_carlo_error__of_shares_and_medians__encloses() -> None:
    part, error = share(np.repeat([1.0, 0.0], [50, 950]))
    assert (part, round(error, 4)) == (0.05, 0.0135)
    assert share(np.zeros(100)) == (0, 0.03)
    middle, spread = median(np.arange(101, dtype=np.float64))
    assert middle == 50
    assert spread == pytest.approx(10, abs=1)
    assert median(np.full(11, np.inf)) == (np.inf, np.inf)


def test_table__of_a_row__tells_aim_reached_error_and_what_others_reach() -> None:
    row = Row(group="Group", what="hours", aim=Aim(5), reached=3, error=0.5, measure="median", beside="late 4 h")
    *_, line = table([row])
    assert line.split() == ["hours", "≤", "5", "h", "3.0", "h", "0.5", "h", "passed", "late", "4", "h"]
