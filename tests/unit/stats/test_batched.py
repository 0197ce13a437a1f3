"""The batched forms equal the scalar ones, whatever is asked; nan where those have None."""

from collections.abc import Callable, Sequence
from math import isclose, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.stats.bayes import bayesian_means, bayesian_rates
from abtest.domain.stats.comparisons import compare_means, compare_rates
from abtest.domain.stats.cuped import CovariateSums, cuped
from abtest.domain.stats.exact_counts import excess_evidence, harm_evidence
from abtest.domain.stats.means import welch
from abtest.domain.stats.multiplicity import holm
from abtest.domain.stats.proportions import two_proportions
from abtest.domain.stats.sample_ratio import sample_ratio, sequential_sample_ratio
from abtest.domain.stats.samples import Conversions, Sample
from abtest.domain.stats.sequential import Mixture, mixture_test, one_sided_mixture_test, running_minimum
from abtest.domain.stats.wilson import wilson_bounds
from tools.stats import batched

ALPHA = 0.05
LOGARITHMS = 1e-13
"""numpy's logarithm and the C library's differ in the last bit; sums of logarithms carry that on."""
TWO_GRIDS = 2e-9
"""Integrals are right to 1e-9, on a grid as fine as the worst pair of a batch needs: two grids differ by both."""

VISITORS = st.one_of(st.integers(0, 3), st.integers(0, 10**5), st.just(10**8))
ARM = VISITORS.flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
MONEY = st.one_of(st.just(0.0), st.floats(1e-3, 1e6))
MEAN = st.tuples(VISITORS, MONEY, MONEY)
ROWS = st.integers(1, 6)


def conversions(arm: tuple[int, int]) -> Conversions:
    return Conversions(conversions=arm[0], visitors=arm[1])


def sample(arm: tuple[int, float, float]) -> Sample:
    return Sample(n=arm[0], mean=arm[1], variance=arm[2])


def columns(*arms: Sequence[tuple[Any, ...]]) -> list[np.ndarray[Any, Any]]:
    return [np.array(column) for rows in arms for column in zip(*rows, strict=True)]


def same(found: Any, expected: float | None, rel: float = 1e-15) -> bool:
    if expected is None:
        return bool(np.isnan(found))
    return isclose(float(found), expected, rel_tol=rel, abs_tol=rel)


def ends(interval: tuple[float, float] | None) -> tuple[float | None, float | None]:
    return interval or (None, None)


def alike(found: Sequence[Any], index: int, expected: Sequence[float | None], rel: float = 1e-15) -> None:
    for column, value in zip(found, expected, strict=True):
        assert same(column[index], value, rel), (column[index], value)


@given(st.lists(st.tuples(ARM, ARM), min_size=1, max_size=6))
def test_two_proportions__batched__equals_the_scalar_form(pairs: list[tuple[Any, Any]]) -> None:
    found = batched.two_proportions(*columns(*zip(*pairs, strict=True)))
    for index, (control, treatment) in enumerate(pairs):
        one = two_proportions(conversions(control), conversions(treatment), alpha=ALPHA)
        expected = (one.difference, one.z, one.p_value) if one else (None,) * 3
        alike(found[:3], index, expected)
        intervals = found.intervals(ALPHA, found.p_value <= ALPHA)
        alike(intervals[:2], index, ends(one.interval if one else None), 1e-12)


@given(st.lists(st.tuples(MEAN, MEAN), min_size=1, max_size=6))
def test_welch__batched__equals_the_scalar_form(pairs: list[tuple[Any, Any]]) -> None:
    found = batched.welch(*columns(*zip(*pairs, strict=True)))
    for index, (control, treatment) in enumerate(pairs):
        one = welch(sample(control), sample(treatment), alpha=ALPHA)
        expected = (one.difference, one.t, one.degrees_of_freedom, one.p_value) if one else (None,) * 4
        alike(found[:4], index, expected, 4e-15)
        assert same(found.quantile(ALPHA)[index], one.quantile if one else None, 4e-15)


@pytest.mark.parametrize("correction", ["none", "holm"])
@given(ARM, st.lists(ARM, min_size=1, max_size=5))
def test_compare_rates__batched__equals_the_scalar_form(correction: Any, control: Any, treatments: list[Any]) -> None:
    (x_c, n_c), (x_t, n_t) = control, columns(treatments)
    found = batched.compare_rates(x_c, n_c, x_t, n_t, alpha=ALPHA, correction=correction)
    scalars = compare_rates(
        conversions(control), [conversions(arm) for arm in treatments], alpha=ALPHA, correction=correction
    )
    same_comparisons(found, scalars)


@pytest.mark.parametrize("correction", ["none", "holm"])
@given(MEAN, st.lists(MEAN, min_size=1, max_size=5))
def test_compare_means__batched__equals_the_scalar_form(correction: Any, control: Any, treatments: list[Any]) -> None:
    found = batched.compare_means(*control, *columns(treatments), alpha=ALPHA, correction=correction)
    scalars = compare_means(sample(control), [sample(arm) for arm in treatments], alpha=ALPHA, correction=correction)
    same_comparisons(found, scalars)


def same_comparisons(found: batched.Comparisons, scalars: Sequence[Any]) -> None:
    for index, one in enumerate(scalars):
        if one is None:
            assert np.isnan(found.p_value[index])
            assert not found.is_significant[index]
            continue
        intervals = (*ends(one.difference_interval), one.lift, *ends(one.lift_interval))
        expected = (one.difference, *intervals, one.p_value, one.adjusted_p_value)
        alike(found[:8], index, expected, 1e-12)
        assert found.is_significant[index] == one.is_significant


@pytest.mark.parametrize("rule", ["max", "unpooled", "pooled"])
@pytest.mark.parametrize("tau", [None, 0.004])
@given(st.lists(st.tuples(ARM, ARM), min_size=1, max_size=6))
def test_mixture_of_rates__batched__equals_the_scalar_form(tau: Any, rule: Any, pairs: list[tuple[Any, Any]]) -> None:
    arrays = columns(*zip(*pairs, strict=True))
    differences = batched.differences_of_rates(*arrays, variance=rule)
    found = batched.mixture_test(differences, alpha=ALPHA, tau=tau)
    harm = batched.one_sided_mixture_test(differences, direction="decrease", alpha=ALPHA, tau=tau)
    for index, pair in enumerate(pairs):
        arms, mixture = [conversions(arm) for arm in pair], Mixture(tau=tau)
        one = mixture_test(*arms, alpha=ALPHA, mixture=mixture, variance=rule)
        side = one_sided_mixture_test(*arms, direction="decrease", alpha=ALPHA, mixture=mixture, variance=rule)
        if one is None or side is None:
            assert np.isnan([found.log_lambda[index], found.lower[index], harm.log_e[index]]).all()
            continue
        alike(found, index, (*one[:6], *ends(one.interval)), LOGARITHMS)
        alike(harm, index, side, LOGARITHMS)


@pytest.mark.parametrize("rule", ["max", "unpooled", "pooled"])
@pytest.mark.parametrize("tau", [None, 0.4])
@given(st.lists(st.tuples(MEAN, MEAN), min_size=1, max_size=6))
def test_mixture_of_means__batched__equals_the_scalar_form(tau: Any, rule: Any, pairs: list[tuple[Any, Any]]) -> None:
    arrays = columns(*zip(*pairs, strict=True))
    differences = batched.differences_of_means(*arrays, variance=rule)
    found = batched.mixture_test(differences, alpha=ALPHA, tau=tau)
    gain = batched.one_sided_mixture_test(differences, direction="increase", alpha=ALPHA, tau=tau)
    for index, pair in enumerate(pairs):
        arms, mixture = [sample(arm) for arm in pair], Mixture(tau=tau)
        one = mixture_test(*arms, alpha=ALPHA, mixture=mixture, variance=rule)
        side = one_sided_mixture_test(*arms, direction="increase", alpha=ALPHA, mixture=mixture, variance=rule)
        if one is None or side is None:
            assert np.isnan([found.log_lambda[index], gain.log_e[index]]).all()
            continue
        alike(found, index, (*one[:6], *ends(one.interval)), LOGARITHMS)
        alike(gain, index, side, LOGARITHMS)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 10**6), st.integers(0, 10**6), st.floats(0.01, 0.99), st.floats(0.1, 30), st.floats(0.1, 30)
        ),
        min_size=1,
        max_size=5,
    )
)
def test_count_evidence__batched__equals_the_scalar_form(rows: list[tuple[Any, ...]]) -> None:
    x_c, x_t, share, a, b = columns(rows)
    for form, scalar in ((batched.harm_evidence, harm_evidence), (batched.excess_evidence, excess_evidence)):
        found = form(x_c, x_t, share=share, a=a, b=b)
        for index, row in enumerate(rows):
            one = scalar(row[0], row[1], share=row[2], a=row[3], b=row[4])
            assert isclose(found.log_e[index], one.log_e, rel_tol=1e-12, abs_tol=1e-11)


@given(st.lists(st.lists(st.integers(0, 10**6), min_size=3, max_size=3), min_size=1, max_size=5), st.booleans())
def test_sample_ratios__batched__equal_the_scalar_forms(visitors: list[list[int]], has_zero: bool) -> None:
    weights = [0.5, 0.5, 0.0] if has_zero else [0.5, 0.3, 0.2]
    single, sequential = batched.sample_ratio(visitors, weights), batched.sequential_sample_ratio(visitors, weights)
    for index, seen in enumerate(visitors):
        one, look = sample_ratio(seen, weights), sequential_sample_ratio(seen, weights)
        if one is None or look is None:
            assert np.isnan([single.p_value[index], sequential.p_value[index]]).all()
            continue
        expected = (one.chi_squared, one.degrees_of_freedom, one.p_value)
        alike(single, index, expected, 1e-9)
        assert isclose(sequential.log_bayes_factor[index], look.log_bayes_factor, rel_tol=1e-12, abs_tol=1e-11)


@given(st.lists(ARM, min_size=1, max_size=6), st.floats(0.6, 0.9999))
def test_wilson_bounds__batched__equals_the_scalar_form(arms: list[tuple[int, int]], confidence: float) -> None:
    found = batched.wilson_bounds(*columns(arms), confidence=confidence)
    for index, (hits, n) in enumerate(arms):
        alike(found, index, ends(wilson_bounds(hits, n, confidence=confidence)), 4e-15)


@given(st.lists(st.one_of(st.just(nan), st.floats(0, 1), st.sampled_from([0.01, 0.02])), min_size=1, max_size=7))
def test_holm__batched__equals_the_scalar_form_of_what_is_not_nan(p_values: list[float]) -> None:
    found = batched.holm(np.array([p_values, p_values]), alpha=ALPHA)
    kept = [index for index, p in enumerate(p_values) if p == p]
    one = holm([p_values[index] for index in kept], alpha=ALPHA)
    for row in range(2):
        assert [float(found.adjusted[row][index]) for index in kept] == list(one.adjusted)
        assert [bool(found.rejected[row][index]) for index in kept] == list(one.rejected)
        assert [float(found.interval_alphas[row][index]) for index in kept] == list(one.interval_alphas)
    assert not any(found.rejected[0][index] for index in set(range(len(p_values))) - set(kept))


@given(st.lists(st.one_of(st.just(nan), st.floats(0, 1)), min_size=1, max_size=9))
def test_running_minimum__batched__equals_the_scalar_form(p_values: list[float]) -> None:
    expected = running_minimum(None if p != p else p for p in p_values)
    assert batched.running_minimum(p_values).tolist() == expected


@given(st.lists(st.tuples(ARM, ARM), min_size=1, max_size=3))
def test_bayesian_rates__batched__equals_the_scalar_form(pairs: list[tuple[Any, Any]]) -> None:
    found = batched.bayesian_rates(*columns(*zip(*pairs, strict=True)))
    for index, (control, treatment) in enumerate(pairs):
        one = bayesian_rates(conversions(control), conversions(treatment), alpha=ALPHA)
        assert same(
            found.probability_to_beat_control[index], one.probability_to_beat_control if one else None, TWO_GRIDS
        )
        assert same(found.expected_loss[index], one.expected_loss if one else None, TWO_GRIDS)
        assert same(found.difference[index], one.difference if one else None, 1e-14)


@given(st.lists(st.tuples(MEAN, MEAN), min_size=1, max_size=6))
def test_bayesian_means__batched__equals_the_scalar_form(pairs: list[tuple[Any, Any]]) -> None:
    found = batched.bayesian_means(*columns(*zip(*pairs, strict=True)))
    for index, (control, treatment) in enumerate(pairs):
        one = bayesian_means(sample(control), sample(treatment), alpha=ALPHA)
        assert same(found.probability_to_beat_control[index], one.probability_to_beat_control if one else None, 4e-15)
        assert same(found.expected_loss[index], one.expected_loss if one else None, LOGARITHMS)


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 500)), min_size=4, max_size=40))
def test_cuped__batched__equals_the_scalar_form(values: list[tuple[int, int]]) -> None:
    arms = [np.array(values[:2] + values[4::2], dtype=float), np.array(values[2:4] + values[5::2], dtype=float)]
    one = cuped([sums(arm) for arm in arms])
    moments = [
        (len(a), a[:, 1].mean(), a[:, 1].var(ddof=1), a[:, 0].mean(), a[:, 0].var(ddof=1), np.cov(a.T)[0, 1])
        for a in arms
    ]
    found = batched.cuped(*columns(moments))
    assert same(found.theta, one.theta, 1e-9)
    for index, adjusted in enumerate(one.samples):
        assert same(found.mean[index], adjusted.mean, 1e-8)
        assert isclose(found.variance[index], adjusted.variance, rel_tol=1e-8, abs_tol=1e-8)


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 1)), min_size=6, max_size=60), st.booleans())
def test_adjusted_differences__batched__equal_the_scalar_form(values: list[tuple[int, int]], is_rate: bool) -> None:
    arms = [sums(np.array(values[place::3], dtype=float)) for place in range(3)]
    ours = batched.adjusted_differences(
        *([getattr(arm, name) for arm in arms] for name in ("n", "y", "yy", "x", "xx", "xy")), is_rate=is_rate
    )
    for place in (1, 2):
        one = mixture_test(*cuped(arms).pair(0, place, is_rate=is_rate), alpha=ALPHA)
        if one is not None and one.variance > 1e-9:
            assert isclose(ours.difference[place - 1], one.difference, rel_tol=1e-9, abs_tol=1e-9)
            assert isclose(ours.variance[place - 1], one.variance, rel_tol=1e-7)


def sums(arm: np.ndarray[Any, Any]) -> CovariateSums:
    x, y = (column.astype(int) for column in arm.T)
    return CovariateSums(n=len(arm), y=int(y.sum()), yy=int(y @ y), x=int(x.sum()), xx=int(x @ x), xy=int(x @ y))


def mixture_of_rates(*arms: Any) -> batched.MixtureTests:
    return batched.mixture_test(batched.differences_of_rates(*arms), alpha=ALPHA)


@pytest.mark.parametrize("form", [mixture_of_rates, batched.two_proportions])
def test_batched__shapes_that_broadcast__give_the_broadcast_shape(form: Callable[..., Any]) -> None:
    x_t = np.arange(12).reshape(4, 3)
    found = form(np.array([[5], [6], [7], [8]]), 1000, x_t, 900)
    assert found.difference.shape == (4, 3)
    assert same(found.difference[2, 1], 7 / 900 - 7 / 1000, 1e-14)


def test_batched__no_comparisons_at_all__are_none() -> None:
    nothing = np.zeros((0, 2), dtype=int)
    assert batched.compare_rates(nothing, nothing, nothing, nothing, alpha=ALPHA, correction="holm").p_value.size == 0


@pytest.mark.parametrize("tau", [0, -1.0, np.array([0.1, 0.0])])
def test_batched__tau_that_is_not_positive__is_refused(tau: Any) -> None:
    differences = batched.differences_of_rates([5, 6], [100, 100], [7, 8], [100, 100])
    with pytest.raises(ValueError, match="tau must be positive"):
        batched.mixture_test(differences, alpha=ALPHA, tau=tau)
    with pytest.raises(ValueError, match="tau must be positive"):
        batched.one_sided_mixture_test(differences, direction="decrease", alpha=ALPHA, tau=tau)
