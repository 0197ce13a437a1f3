"""Sample sizes and power: worked values, borders, and what must hold of every plan."""

import math
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from abtest.domain.planning.duration import advice, curve_days, estimated_days, in_words, whole_weeks
from abtest.domain.planning.sample_size import (
    MAX_VISITORS,
    CannotBePlannedError,
    Demand,
    size_for_mean,
    size_for_rate,
    size_for_rate_by_weights,
)
from tools.stats.power import power_for_mean, power_for_rate


@pytest.mark.parametrize(
    ("baseline", "demand", "each"),
    [
        (0.03, Demand(mde=0.1), 53_211),
        (0.03, Demand(mde=0.1, tail="one-sided"), 41_914),
        (0.03, Demand(mde=0.1, treatments=2), 64_439),
        (0.03, Demand(mde=0.1, treatments=3), 70_974),
        (0.03, Demand(mde=0.1, treatments=3, correction_method="none"), 53_211),
        (0.1, Demand(mde=0.2), 3_841),
        (0.2, Demand(mde=0.25), 1_094),
    ],
)
def test_size_for_rate__worked_values__to_the_visitor(baseline: float, demand: Demand, each: int) -> None:
    found = size_for_rate(baseline, demand)
    assert found.required_sample_per_variant == each
    assert found.required_total_visitors == each * (demand.treatments + 1)


def test_size_for_rate__before_rounding__agrees_with_the_power_test_of_r() -> None:
    assert size_for_rate(0.05, Demand(mde=0.1)).exact == pytest.approx(31_233.43794013, rel=1e-10)


def test_size_by_weights__halves__is_twice_the_equal_one_before_rounding() -> None:
    found = size_for_rate_by_weights(0.03, Demand(mde=0.1), control=0.5, treatments=[0.5])
    assert found.exact == pytest.approx(106_420.602414017, rel=1e-12)
    assert (found.required_total_visitors, found.required_sample_per_variant) == (106_421, 53_211)


def test_size_by_weights__one_small_treatment__needs_more_for_its_sake() -> None:
    demand = Demand(mde=0.1, treatments=2)
    skewed = size_for_rate_by_weights(0.03, demand, control=0.5, treatments=[0.4, 0.1])
    alone = size_for_rate_by_weights(0.03, demand, control=0.5, treatments=[0.1])
    assert skewed.exact == alone.exact > size_for_rate(0.03, demand).required_total_visitors
    assert skewed.required_sample_per_variant == math.ceil(skewed.exact * 0.1)


def test_power__size_that_was_found__is_what_was_asked() -> None:
    assert power_for_rate(0.05, Demand(mde=0.1), 31_234) == pytest.approx(0.800007057455054, abs=1e-12)


def test_size_for_mean__by_hand__agrees() -> None:
    """(1.959964 + 0.841621)^2 * 2 * 20^2 / (0.05 * 4)^2 visitors."""
    found = size_for_mean(4.0, 20.0, Demand(mde=0.05))
    assert found.exact == pytest.approx(156_977.74, rel=1e-6)
    assert found.required_total_visitors == 2 * found.required_sample_per_variant


@pytest.mark.parametrize(
    ("baseline", "mde", "field"),
    [
        (0.0, 0.1, "baseline_rate"),
        (1.0, 0.1, "baseline_rate"),
        (-0.1, 0.1, "baseline_rate"),
        (math.nan, 0.1, "baseline_rate"),
        (0.5, 1.0, "mde"),
        (0.999, 0.002, "mde"),
        (0.5, -1.0, "mde"),
        (0.5, 0.0, "mde"),
        (0.5, math.nan, "mde"),
        (0.5, math.inf, "mde"),
        (5e-324, 0.001, "mde"),
        (1e-300, 0.001, "mde"),
        (1e-9, 0.001, "mde"),
    ],
)
def test_size_for_rate__no_such_rates__names_the_field(baseline: float, mde: float, field: str) -> None:
    with pytest.raises(CannotBePlannedError) as raised:
        size_for_rate(baseline, Demand(mde=mde))
    assert raised.value.field == field


@pytest.mark.parametrize(
    ("mean", "sd", "field"),
    [
        (0.0, 1.0, "mean"),
        (-1.0, 1.0, "mean"),
        (math.inf, 1.0, "mean"),
        (1.0, 0.0, "sd"),
        (1.0, math.nan, "sd"),
        (1e-300, 1e300, "mde"),
        (5e-324, 1.0, "mde"),
    ],
)
def test_size_for_mean__no_such_money__names_the_field(mean: float, sd: float, field: str) -> None:
    with pytest.raises(CannotBePlannedError) as raised:
        size_for_mean(mean, sd, Demand(mde=0.1))
    assert raised.value.field == field


def test_size__of_almost_nothing__is_one_visitor() -> None:
    assert size_for_mean(1e300, 1e-300, Demand(mde=1.0)).required_total_visitors == 2


def demands() -> st.SearchStrategy[Demand]:
    return st.builds(
        Demand,
        mde=st.floats(0.001, 1),
        alpha=st.floats(0.001, 0.2),
        power=st.floats(0.5, 0.99),
        tail=st.sampled_from(["two-sided", "one-sided"]),
        treatments=st.integers(1, 9),
        correction_method=st.sampled_from(["none", "holm"]),
    )


RATES = st.floats(1e-4, 0.49)


@given(baseline=RATES, demand=demands())
def test_size_for_rate__power_of_it__is_enough_and_of_one_less_is_not(baseline: float, demand: Demand) -> None:
    each = size_for_rate(baseline, demand).required_sample_per_variant
    assert power_for_rate(baseline, demand, each) >= demand.power - 1e-12
    assert each == 1 or power_for_rate(baseline, demand, each - 1) < demand.power + 1e-12


@given(mean=st.floats(0.01, 1e6), variation=st.floats(0.1, 50), demand=demands())
def test_size_for_mean__power_of_it__is_enough_and_of_one_less_is_not(
    mean: float, variation: float, demand: Demand
) -> None:
    each = size_for_mean(mean, variation * mean, demand).required_sample_per_variant
    assert power_for_mean(mean, variation * mean, demand, each) >= demand.power - 1e-12
    assert each == 1 or power_for_mean(mean, variation * mean, demand, each - 1) < demand.power + 1e-12


@pytest.mark.parametrize(
    ("name", "more", "effect"),
    [
        ("mde", lambda demand: demand.mde * 1.25, "fewer"),
        ("alpha", lambda demand: demand.alpha * 1.25, "fewer"),
        ("power", lambda demand: demand.power + (1 - demand.power) / 4, "more"),
    ],
)
@given(baseline=RATES, demand=demands())
def test_size_for_rate__one_demand_more__moves_one_way(
    name: str, more: Any, effect: str, baseline: float, demand: Demand
) -> None:
    assume(baseline * (1 + 1.25 * demand.mde) < 1)
    # The pooled test of rates near one half of the scale needs fewer for a larger change as long as rates stay below 1.
    before, after = (size_for_rate(baseline, wish).exact for wish in (demand, replace(demand, **{name: more(demand)})))
    assert after < before if effect == "fewer" else after > before


@given(baseline=RATES, demand=demands())
def test_size_for_rate__one_treatment_more__costs_a_variation_and_under_holm_a_stricter_look(
    baseline: float, demand: Demand
) -> None:
    fewer, more = (size_for_rate(baseline, replace(demand, treatments=k)) for k in (1, 2))
    assert more.required_total_visitors > fewer.required_total_visitors
    assert (more.exact > fewer.exact) == (demand.correction_method == "holm")


@given(baseline=RATES, demand=demands(), share=st.floats(0.05, 0.95))
def test_size_by_weights__any_split__takes_at_least_the_most_balanced_total(
    baseline: float, demand: Demand, share: float
) -> None:
    """Halves are within 3 % of the best split: the best one leans to the arm with more variance."""
    one = replace(demand, treatments=1, mde=max(0.01, demand.mde / 5))
    halves = size_for_rate_by_weights(baseline, one, control=0.5, treatments=[0.5]).exact
    assert size_for_rate_by_weights(baseline, one, control=share, treatments=[1 - share]).exact > halves * 0.97


@given(baseline=st.floats(0, 1), demand=demands())
def test_size_for_rate__anything_in_range__is_a_sane_number_or_refused(baseline: float, demand: Demand) -> None:
    with suppress(CannotBePlannedError):
        assert 1 <= size_for_rate(baseline, demand).required_sample_per_variant <= MAX_VISITORS


@pytest.mark.parametrize(
    ("daily", "options", "days"),
    [
        (1000, {}, 10.0),
        (1000, {"traffic_allocation": 0.5}, 20.0),
        (1000, {"traffic_allocation": 0.5, "holdout": 0.1}, 10_000 / 450),
        (0, {}, None),
        (1000, {"traffic_allocation": 0.0}, None),
        (1000, {"holdout": 1.0}, None),
        (5e-324, {}, None),
    ],
)
def test_days__traffic__is_what_is_let_in(daily: float, options: dict[str, float], days: float | None) -> None:
    found = estimated_days(10_000, daily, **options)
    assert found == (None if days is None else pytest.approx(days, rel=1e-12))


@pytest.mark.parametrize(("days", "text"), [(0.2, "1 day"), (1.0, "1 day"), (1.1, "2 days"), (1200.0, "1,200 days")])
def test_days__in_words__are_rounded_up(days: float, text: str) -> None:
    assert in_words(days) == text


@pytest.mark.parametrize(("days", "weeks"), [(0.01, 7), (6.9, 7), (7.0, 7), (7.01, 14), (30.0, 35)])
def test_whole_weeks__of_days__are_rounded_up(days: float, weeks: int) -> None:
    assert whole_weeks(days) == weeks


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (0.2, "1 day, less than one week: run the test for 7 days"),
        (6.9, "7 days, less than one week: run the test for 7 days"),
        (7.0, "7 days, which are whole weeks"),
        (14.0, "14 days, which are whole weeks"),
        (20.5, "21 days, which are whole weeks"),
        (16.2, "17 days: run the test for 21 days"),
        (364.0, "364 days, which are whole weeks"),
        (400.0, "400 days, more than a year: plan for a larger change"),
    ],
)
def test_advice__of_days__recommends_whole_weeks(days: float, words: str) -> None:
    assert words in advice(days)


@pytest.mark.parametrize(
    ("days", "step", "last"), [(0.1, 1, 28), (14.0, 1, 28), (20.0, 1, 42), (100.0, 4, 208), (1e9, 7, 364)]
)
def test_curve_days__of_days__are_whole_and_at_most_sixty(days: float, step: int, last: int) -> None:
    points = list(curve_days(days))
    assert (points[0], points[-1]) == (step, last)
    assert len(points) <= 60
