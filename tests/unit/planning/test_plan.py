"""The frozen plan: its fields, its sizes by the present weights, what another measurement keeps of it."""

from dataclasses import replace
from typing import Any

import pytest

from abtest.domain.planning.engine import requested_engine
from abtest.domain.planning.plan import Plan, Traffic, curve_of_snapshot, for_epoch, frozen, mixture_scale, planned_size
from abtest.domain.planning.sample_size import CannotBePlannedError, Demand

NOW, LATER = "2026-03-02T09:00:00.000Z", "2026-03-09T09:00:00.000Z"
PLAN = Plan(goal_id="g", baseline_rate=0.03, demand=Demand(mde=0.1), window_days=28)
TRAFFIC = Traffic(daily_visitors=4000, weights=[0.5, 0.5], traffic_allocation=0.5, holdout=0.1)
EVALUATED: Any = {"outcome": "inconclusive_pause", "evaluated_at": LATER}


def snapshot(**fields: Any) -> Any:
    return {**frozen(PLAN, TRAFFIC, now=NOW, epoch_started_at=NOW), **fields}


def test_frozen__whole_plan__has_the_fields_of_the_contract() -> None:
    assert snapshot() == {
        "computed_at": NOW,
        "epoch_started_at": NOW,
        "endpoint_reached_at": None,
        "goal_id": "g",
        "correction_method": "holm",
        "baseline_rate": 0.03,
        "mde": 0.1,
        "alpha": 0.05,
        "power": 0.8,
        "window_days": 28,
        "tail": "two-sided",
        "covariate_adjustment": "none",
        "engine": "fixed",
        "spending": None,
        "futility": None,
        "looks": None,
        "required_sample_per_variant": 53_211,
        "required_total_visitors": 106_422,
        "estimated_days": pytest.approx(106_422 / 1800),
        "recommended_days": 63,
        "evaluation": None,
        "revenue_evaluation": None,
    }


def test_frozen__traffic_unknown__tells_no_days() -> None:
    assert "estimated_days" not in frozen(PLAN, replace(TRAFFIC, daily_visitors=None), now=NOW, epoch_started_at=None)


@pytest.mark.parametrize(
    ("weights", "total"),
    [
        ([0.5, 0.5], 2 * 53_211),
        ([1 / 3, 0.333333, 0.333334], 3 * 64_439),
        ([0.333334, 0.333333, 0.333333], 3 * 64_439),
        ([0.25, 0.25], 2 * 53_211),  # a draft's weights need not be whole yet
        ([0.5, 0.5, 0.0], 2 * 53_211),  # nobody sees the third
    ],
)
def test_planned_size__weights_all_the_same__is_that_of_equal_arms(weights: list[float], total: int) -> None:
    assert planned_size(PLAN, weights).required_total_visitors == total


def test_planned_size__weights_differ__is_that_of_unequal_arms() -> None:
    found = planned_size(PLAN, [0.9, 0.1])
    assert found.required_total_visitors > 2 * 53_211
    assert planned_size(PLAN, [9.0, 1.0]).exact == pytest.approx(found.exact, rel=1e-12)


@pytest.mark.parametrize(
    ("engine", "total", "fields"),
    [
        ({"engine": "sequential"}, 183_256, {"spending": None, "futility": None, "looks": None}),
        (
            {"engine": "group_sequential", "futility": {"family": "pocock", "gamma": None}, "looks": 10},
            146_038,
            {
                "spending": {"family": "obrien_fleming", "gamma": None},
                "futility": {"family": "pocock", "gamma": None},
                "looks": 10,
            },
        ),
        # One look a day of the 59.1 days that a single look takes.
        (
            {"engine": "group_sequential"},
            112_082,
            {"spending": {"family": "obrien_fleming", "gamma": None}, "futility": None, "looks": 60},
        ),
    ],
)
def test_frozen__other_engines__have_their_fields_and_longer_days(engine: Any, total: int, fields: Any) -> None:
    plan = replace(PLAN, engine=requested_engine(engine))
    stored: Any = frozen(plan, TRAFFIC, now=NOW, epoch_started_at=NOW)
    assert stored["required_total_visitors"] == total
    assert stored["estimated_days"] == pytest.approx(total / 1800)
    assert {name: stored[name] for name in fields} == fields
    assert stored["engine"] == engine["engine"]
    assert mixture_scale(stored) == pytest.approx(0.003)
    assert epoch(stored, [0.5, 0.5]) == stored | {"epoch_started_at": LATER}
    assert epoch(stored, [0.9, 0.1])["required_total_visitors"] > 2 * total


def test_frozen__more_looks_than_days__cannot_be_planned() -> None:
    plan = replace(PLAN, engine=requested_engine({"engine": "group_sequential", "looks": 70}))
    with pytest.raises(CannotBePlannedError, match="at most 63"):
        frozen(plan, TRAFFIC, now=NOW, epoch_started_at=NOW)
    unknown = replace(TRAFFIC, daily_visitors=None)
    assert frozen(plan, unknown, now=NOW, epoch_started_at=NOW)["looks"] == 70


@pytest.mark.parametrize("weights", [[0.0, 1.0], [1.0, 0.0], [1.0]])
def test_planned_size__nothing_to_compare__cannot_be_planned(weights: list[float]) -> None:
    with pytest.raises(CannotBePlannedError):
        planned_size(PLAN, weights)


def test_planned_size__goal_that_falls__is_of_the_lower_rate() -> None:
    falling = planned_size(replace(PLAN, falls=True), [0.5, 0.5])
    assert falling.required_sample_per_variant < 53_211
    with pytest.raises(CannotBePlannedError):
        planned_size(replace(PLAN, falls=True, demand=Demand(mde=1.0)), [0.5, 0.5])


def epoch(stored: Any, weights: list[float]) -> Any:
    return dict(for_epoch(stored, weights, falls=False, now=LATER, epoch_started_at=LATER))


def test_for_epoch__same_weights__forgets_what_was_evaluated_and_nothing_else() -> None:
    stored = snapshot(endpoint_reached_at=LATER, evaluation=EVALUATED, revenue_evaluation={"basis": "shop_money"})
    assert epoch(stored, [0.5, 0.5]) == snapshot(epoch_started_at=LATER)


def test_for_epoch__a_variation_more__is_sized_anew_and_takes_longer() -> None:
    found = epoch(snapshot(), [0.4, 0.4, 0.4])
    assert (found["required_sample_per_variant"], found["required_total_visitors"]) == (64_439, 193_317)
    assert found["estimated_days"] == pytest.approx(193_317 / 1800)
    assert (found["baseline_rate"], found["computed_at"]) == (0.03, LATER)


@pytest.mark.parametrize("lost", ["baseline_rate", "mde", "alpha", "power", "tail"])
def test_for_epoch__older_plan_without_all_fields__keeps_its_sizes(lost: str) -> None:
    stored = {name: value for name, value in snapshot().items() if name != lost}
    assert epoch(stored, [0.9, 0.1]) == {**stored, "epoch_started_at": LATER}


def test_for_epoch__older_plan_without_a_correction__is_sized_without_one() -> None:
    stored = {name: value for name, value in snapshot().items() if name != "correction_method"}
    assert epoch(stored, [0.2, 0.2, 0.2])["required_sample_per_variant"] == 53_211


def test_for_epoch__weights_that_compare_nothing__keep_the_sizes() -> None:
    assert epoch(snapshot(), [0.0, 1.0])["required_total_visitors"] == 106_422


@pytest.mark.parametrize(
    ("stored", "tau"),
    [
        (None, None),
        ({}, None),
        ({"mde": 0.1}, None),
        ({"mde": 0, "baseline_rate": 0.03}, None),
        ({"mde": 0.1, "baseline_rate": 0.03}, 0.003),
        ({"mde": -0.1, "baseline_rate": 0.03}, 0.003),
    ],
)
def test_mixture_scale__of_a_plan__is_the_change_that_is_looked_for(stored: Any, tau: float | None) -> None:
    assert mixture_scale(stored) == (None if tau is None else pytest.approx(tau))


@pytest.mark.parametrize("broken", [{"engine": "fixed", "looks": 5}, {"engine": "group_sequential", "looks": 1000}])
def test_for_epoch__engine_whose_fields_do_not_belong_together__keeps_its_sizes(broken: Any) -> None:
    assert epoch(snapshot(**broken), [0.9, 0.1])["required_total_visitors"] == 106_422


@pytest.mark.parametrize("engine", ["fixed", "sequential", "group_sequential"])
@pytest.mark.parametrize("weights", [[0.5, 0.5], [0.8, 0.2]])
def test_curve_of_snapshot__planned_days__reach_the_planned_effect(engine: Any, weights: list[float]) -> None:
    plan = replace(PLAN, engine=requested_engine({"engine": engine}))
    stored = frozen(plan, replace(TRAFFIC, weights=weights), now=NOW, epoch_started_at=NOW)
    curve = curve_of_snapshot(stored, weights, falls=False, daily_visitors=1800)
    effects = [point.mde for point in curve]
    assert effects == sorted(effects, reverse=True)
    days = stored["estimated_days"]
    around = [point.mde for point in curve if abs(point.day - days) < 0.1 * days]
    assert min(around) < 0.1 < max(around)
    assert all(point.visitors == point.day * 1800 for point in curve)


@pytest.mark.parametrize("daily", [0.0, 5e-324])
def test_curve_of_snapshot__no_traffic__is_empty(daily: float) -> None:
    assert not curve_of_snapshot(snapshot(), [0.5, 0.5], falls=False, daily_visitors=daily)


@pytest.mark.parametrize(("stored", "weights"), [({"mde": 0.1}, [0.5, 0.5]), (snapshot(), [0.0, 1.0])])
def test_curve_of_snapshot__nothing_to_compute_with__is_empty(stored: Any, weights: list[float]) -> None:
    assert not curve_of_snapshot(stored, weights, falls=False, daily_visitors=1800)
