"""Sizes by engine: worked values, what each engine may and must have, and what holds of every plan."""

from collections.abc import Callable
from math import inf
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abtest.domain.planning.crossing import first_stage
from abtest.domain.planning.engine import FIXED, PlannedEngine, engine_of, requested_engine
from abtest.domain.planning.engine_sizes import detectable_for_mean, detectable_for_rate, mean_size, rate_size
from abtest.domain.planning.planned_looks import LooksDesign, inflation
from abtest.domain.planning.sample_size import MAX_VISITORS, CannotBePlannedError, Demand
from abtest.domain.stats.group_sequential.spending import OBRIEN_FLEMING, POCOCK, Spending

SEQUENTIAL = PlannedEngine(engine="sequential")
LOOKS = PlannedEngine(engine="group_sequential", looks=28)
STEEP = Spending(family="hwang_shih_decani", gamma=40.0)
ENGINES = [FIXED, SEQUENTIAL, LOOKS]


@pytest.mark.parametrize(
    ("engine", "demand", "each"),
    [
        (FIXED, Demand(mde=0.1), 53_211),
        (SEQUENTIAL, Demand(mde=0.1), 91_628),
        (LOOKS, Demand(mde=0.1), 55_823),
        (FIXED, Demand(mde=0.1, tail="one-sided"), 41_914),
        (LOOKS, Demand(mde=0.1, tail="one-sided"), 44_532),
        # The always-valid test is two-sided, and has Holm's correction, in every plan.
        (SEQUENTIAL, Demand(mde=0.1, tail="one-sided"), 91_628),
        (SEQUENTIAL, Demand(mde=0.1, treatments=3), 112_958),
        (SEQUENTIAL, Demand(mde=0.1, treatments=3, correction_method="none"), 112_958),
        (LOOKS, Demand(mde=0.1, treatments=3), 73_530),
    ],
)
def test_rate_size__worked_values__to_the_visitor(engine: PlannedEngine, demand: Demand, each: int) -> None:
    size = rate_size(0.03, demand, engine)
    assert size.required_sample_per_variant == each
    assert size.required_total_visitors == each * (demand.treatments + 1)


@pytest.mark.parametrize(("engine", "each"), [(FIXED, 39_245), (SEQUENTIAL, 81_063), (LOOKS, 41_172)])
def test_mean_size__worked_values__to_the_visitor(engine: PlannedEngine, each: int) -> None:
    assert mean_size(4.0, 20.0, Demand(mde=0.1), engine).required_sample_per_variant == each


@pytest.mark.parametrize("engine", ENGINES)
def test_rate_size__shares_all_alike__is_that_of_equal_variations(engine: PlannedEngine) -> None:
    demand = Demand(mde=0.1, treatments=2)
    equal = rate_size(0.03, demand, engine)
    by_shares = rate_size(0.03, demand, engine, shares=[1 / 3, 1 / 3, 1 / 3])
    assert by_shares.exact == pytest.approx(3 * equal.exact, rel=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
def test_rate_size__one_small_treatment__decides_the_total(engine: PlannedEngine) -> None:
    size = rate_size(0.03, Demand(mde=0.1, treatments=2), engine, shares=[0.5, 0.4, 0.1])
    assert size.exact > 3 * rate_size(0.03, Demand(mde=0.1, treatments=2), engine).exact
    assert size.required_sample_per_variant == pytest.approx(0.1 * size.exact, abs=1)


def test_rate_size__one_look__is_that_of_a_fixed_test() -> None:
    one = PlannedEngine(engine="group_sequential", looks=1, spending=POCOCK, futility=POCOCK)
    assert rate_size(0.03, Demand(mde=0.1), one) == rate_size(0.03, Demand(mde=0.1))


def test_rate_size__futility__costs_visitors() -> None:
    with_futility = PlannedEngine(engine="group_sequential", looks=28, futility=OBRIEN_FLEMING)
    factor = rate_size(0.03, Demand(mde=0.1), with_futility).exact / rate_size(0.03, Demand(mde=0.1)).exact
    assert factor == pytest.approx(1.226, abs=1e-3)


@settings(max_examples=40, deadline=None)
@given(
    baseline=st.floats(1e-4, 0.49),
    mde=st.floats(-0.9, 0.99).filter(lambda mde: abs(mde) > 0.01),
    alpha=st.floats(0.001, 0.2),
    power=st.floats(0.5, 0.99),
    treatments=st.integers(1, 9),
)
def test_rate_size__any_demand__takes_most_where_any_moment_may_be_the_last(
    baseline: float, mde: float, alpha: float, power: float, treatments: int
) -> None:
    demand = Demand(mde=mde, alpha=alpha, power=power, treatments=treatments)
    fixed, sequential, looks = (rate_size(baseline, demand, engine).exact for engine in ENGINES)
    assert fixed < looks < sequential < 4 * fixed


@pytest.mark.parametrize("engine", ENGINES)
def test_size__more_visitors_than_anyone_has__cannot_be_planned(engine: PlannedEngine) -> None:
    calls: list[Callable[[], Any]] = [
        lambda: rate_size(1e-9, Demand(mde=0.001), engine),
        lambda: rate_size(1e-9, Demand(mde=0.001), engine, shares=[0.9, 0.1]),
        lambda: mean_size(1.0, 1e7, Demand(mde=0.001), engine),
    ]
    for call in calls:
        with pytest.raises(CannotBePlannedError, match="visitors") as error:
            call()
        assert error.value.field == "mde"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("shares", [None, [0.7, 0.3]])
def test_detectable_for_rate__planned_visitors__is_the_planned_effect(
    engine: PlannedEngine, shares: list[float] | None
) -> None:
    for mde in (0.1, -0.3):
        size = rate_size(0.03, Demand(mde=mde), engine, shares=shares)
        visitors = size.exact if shares else 2 * size.exact
        detected = detectable_for_rate(visitors, 0.03, Demand(mde=mde), engine, shares=shares)
        assert detected == pytest.approx(abs(mde), rel=3e-3)


@pytest.mark.parametrize("engine", ENGINES)
def test_detectable_for_mean__planned_visitors__is_the_planned_effect(engine: PlannedEngine) -> None:
    demand = Demand(mde=0.1, treatments=2)
    visitors = 3 * mean_size(4.0, 20.0, demand, engine).exact
    assert detectable_for_mean(visitors, 4.0, 20.0, demand, engine) == pytest.approx(0.1, rel=1e-4)


@pytest.mark.parametrize("engine", ENGINES)
def test_detectable__more_visitors__is_less(engine: PlannedEngine) -> None:
    numbers = [day * 1500 for day in range(1, 60)]
    for effects in (
        [detectable_for_rate(visitors, 0.05, Demand(mde=0.1), engine) for visitors in numbers],
        [detectable_for_mean(visitors, 4.0, 20.0, Demand(mde=0.1), engine) for visitors in numbers],
    ):
        known = [effect for effect in effects if effect is not None]
        assert len(known) > 50
        assert known == sorted(known, reverse=True)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("visitors", [0.0, 1.0, 40.0])
def test_detectable__next_to_no_visitors__is_nothing(engine: PlannedEngine, visitors: float) -> None:
    assert detectable_for_rate(visitors, 0.01, Demand(mde=0.1), engine) is None


@pytest.mark.parametrize("engine", ENGINES)
def test_detectable__visitors_without_end__is_nothing_or_tiny(engine: PlannedEngine) -> None:
    detected = detectable_for_rate(10.0 * MAX_VISITORS, 0.01, Demand(mde=0.1), engine)
    assert detected is None or detected < 0.001


def test_inflation__all_spent_at_the_first_of_many_looks__is_large_and_has_an_end() -> None:
    for futility in (None, STEEP):
        design = LooksDesign(alpha=0.05, power=0.8, sides=2, looks=100, spending=STEEP, futility=futility)
        assert 5 < inflation(design) < 20


def test_stage__bounds_that_meet__leave_no_paths() -> None:
    stage = first_stage(0.5).after(1.0, 1.0, 1.0)
    assert (stage.above(0.0), stage.above(0.0, 3.0)) == (0.0, 0.0)


def test_stage__nothing_to_spend__has_no_bound() -> None:
    assert (first_stage(0.5).bound(1e-17), first_stage(0.5).below(1e-17)) == (inf, -inf)


@pytest.mark.parametrize(
    ("given_fields", "field"),
    [
        ({"engine": "fixed", "looks": 5}, "looks"),
        ({"looks": 5}, "looks"),
        ({"engine": "sequential", "spending": {"family": "pocock", "gamma": None}}, "spending"),
        ({"engine": "sequential", "futility": {"family": "pocock"}}, "futility"),
        ({"engine": "group_sequential", "looks": 0}, "looks"),
        ({"engine": "group_sequential", "looks": 101}, "looks"),
        ({"engine": "group_sequential", "spending": {"family": "pocock", "gamma": 1.0}}, "spending.gamma"),
        ({"engine": "group_sequential", "spending": {"family": "hwang_shih_decani"}}, "spending.gamma"),
        ({"engine": "group_sequential", "futility": {"family": "hwang_shih_decani", "gamma": 41}}, "futility.gamma"),
    ],
)
def test_requested_engine__fields_that_do_not_belong_together__are_named(given_fields: Any, field: str) -> None:
    with pytest.raises(CannotBePlannedError) as error:
        requested_engine(given_fields)
    assert error.value.field == field


@pytest.mark.parametrize(
    ("days", "looks"), [(None, 28), (0.2, 7), (7.0, 7), (13.2, 14), (60.5, 60), (1e12, 60), (inf, 60)]
)
def test_with_looks__none_chosen__takes_one_a_day(days: float | None, looks: int) -> None:
    assert requested_engine({"engine": "group_sequential"}).with_looks(days).looks == looks


def test_with_looks__other_engines_and_chosen_looks__stay() -> None:
    for engine in (FIXED, SEQUENTIAL, LOOKS):
        assert engine.with_looks(12.0) == engine


@pytest.mark.parametrize(("looks", "days", "is_refused"), [(12, 11.5, False), (13, 11.5, True), (1, 0.1, False)])
def test_check_days__more_looks_than_days__are_refused(looks: int, days: float, *, is_refused: bool) -> None:
    engine = PlannedEngine(engine="group_sequential", looks=looks)
    engine.check_days(None)
    if is_refused:
        with pytest.raises(CannotBePlannedError, match="at most 12"):
            engine.check_days(days)
    else:
        engine.check_days(days)


@pytest.mark.parametrize(
    "engine",
    [
        FIXED,
        SEQUENTIAL,
        PlannedEngine(engine="group_sequential", looks=9, spending=POCOCK, futility=STEEP),
    ],
)
def test_document__read_again__is_the_same_engine(engine: PlannedEngine) -> None:
    assert engine_of(engine.document()) == engine


def test_engine_of__older_plan__is_one_look() -> None:
    assert engine_of({"mde": 0.1}) == FIXED
