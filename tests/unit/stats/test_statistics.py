"""Formulas against scipy.stats, the conformance values, and the edges where there is nothing to compute."""

from math import isclose, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from abtest.domain.stats.comparisons import compare_rates
from abtest.domain.stats.means import welch, welch_alone
from abtest.domain.stats.multiplicity import holm
from abtest.domain.stats.proportions import two_proportions
from abtest.domain.stats.relative_lift import fieller
from abtest.domain.stats.sample_ratio import sample_ratio
from abtest.domain.stats.samples import Conversions, Sample

ALPHA = 0.05


def close(found: float | None, expected: float, rel: float = 1e-9) -> bool:
    return found is not None and isclose(found, expected, rel_tol=rel, abs_tol=1e-12)


def arm(conversions: int, visitors: int) -> Conversions:
    return Conversions(visitors=visitors, conversions=conversions)


def sample(n: int, mean: float, variance: float) -> Sample:
    return Sample(n=n, mean=mean, variance=variance)


def test_two_proportions__conformance_case__has_its_values() -> None:
    found = two_proportions(arm(500, 10_000), arm(570, 10_000), alpha=ALPHA)
    assert found is not None
    assert found.interval is not None
    assert close(found.difference, 0.007)
    assert close(found.se_pooled, 0.00318238118395644)
    assert close(found.se_unpooled, 0.00318199622878469)
    assert close(found.z, 2.19961079310347)
    assert close(found.p_value, 0.0278345207643267)
    assert close(found.p_greater, 0.0139172603821633)
    # The case itself has Wald's interval; these are the roots of the score equation, bisected in 40 digits.
    assert close(found.interval.lower, 0.000763812067255976)
    assert close(found.interval.upper, 0.0132545901984154)


def test_two_proportions__huge_effect__keeps_the_digits_of_a_tiny_p() -> None:
    found = two_proportions(arm(100_000, 1_000_000), arm(116_300, 1_000_000), alpha=ALPHA)
    assert found is not None
    assert 0 < found.p_value < 1e-300
    assert isclose(found.p_value, 2 * stats.norm.sf(abs(found.z)), rel_tol=1e-9)


@pytest.mark.parametrize("conversions", [0, 50])
def test_two_proportions__nobody_or_everybody_converts__is_no_evidence(conversions: int) -> None:
    found = two_proportions(arm(conversions, 50), arm(conversions, 50), alpha=ALPHA)
    assert found is not None
    assert (found.p_value, found.interval) == (1.0, None)


def test_compare_rates__everybody_converts__has_no_interval_for_the_lift_either() -> None:
    """Four visitors are no proof that nothing is different, which is what an interval of no width would say."""
    (found,) = compare_rates(arm(8, 8), [arm(4, 4)], alpha=ALPHA, correction="holm")
    assert found is not None
    assert (found.lift, found.p_value, found.difference_interval, found.lift_interval) == (0.0, 1.0, None, None)


def test_compare_rates__no_conversions_in_the_control__have_a_difference_but_no_lift() -> None:
    (comparison,) = compare_rates(arm(0, 1000), [arm(9, 1000)], alpha=ALPHA, correction="holm")
    assert comparison is not None
    assert comparison.difference_interval is not None
    assert comparison.difference_interval.lower > 0
    assert (comparison.is_significant, comparison.lift, comparison.lift_interval) == (True, None, None)


def test_compare_rates__no_conversions_in_the_treatment__can_be_all_lost_and_no_more() -> None:
    (comparison,) = compare_rates(arm(9, 1000), [arm(0, 1000)], alpha=ALPHA, correction="holm")
    assert comparison is not None
    assert comparison.lift_interval is not None
    assert (comparison.lift, comparison.lift_interval.lower, comparison.is_significant) == (-1.0, -1.0, True)
    assert -1 < comparison.lift_interval.upper < 0


def test_compare_rates__one_visitor_each__excludes_next_to_nothing() -> None:
    (comparison,) = compare_rates(arm(1, 1), [arm(0, 1)], alpha=ALPHA, correction="holm")
    assert comparison is not None
    assert comparison.difference_interval is not None
    assert comparison.lift_interval is not None
    assert comparison.difference_interval.lower == -1
    assert 0 < comparison.difference_interval.upper < 1
    assert (comparison.lift_interval.lower, comparison.is_significant) == (-1, False)


def test_compare_rates__of_three_treatments__intervals_follow_the_verdicts_of_holm() -> None:
    """Alone, 5.7 % is significant; after 6.0 % it is measured at half of alpha, and its interval with it."""
    treatments = [arm(570, 10_000), arm(600, 10_000), arm(505, 10_000)]
    comparisons = compare_rates(arm(500, 10_000), treatments, alpha=0.04, correction="holm")
    verdicts = [one.is_significant for one in comparisons if one]
    excluded = [one.difference_interval.lower > 0 for one in comparisons if one and one.difference_interval]
    of_lift = [one.lift_interval.lower > 0 for one in comparisons if one and one.lift_interval]
    assert (verdicts, excluded, of_lift) == ([False, True, False],) * 3


def test_two_proportions__an_empty_arm__is_not_evaluable() -> None:
    assert two_proportions(arm(0, 0), arm(1, 10), alpha=ALPHA) is None


def test_welch__conformance_case__has_its_values() -> None:
    found = welch(sample(1000, 2.0, 400.0), sample(1000, 3.1, 520.0), alpha=ALPHA)
    assert found is not None
    assert found.interval is not None
    assert close(found.se, 0.959166304662544)
    assert close(found.t, 1.14682927731391)
    assert close(found.degrees_of_freedom, 1964.57620817844)
    assert close(found.p_value, 0.251591838387604)
    assert close(found.interval.lower, -0.781090329592664)
    assert close(found.interval.upper, 2.98109032959266)


@given(
    control=st.lists(st.floats(-1e4, 1e4), min_size=3, max_size=30),
    treatment=st.lists(st.floats(-1e4, 1e4), min_size=3, max_size=30),
)
def test_welch_alone__any_values__equals_scipy(control: list[float], treatment: list[float]) -> None:
    arms = [
        sample(len(values), float(np.mean(values)), float(np.var(values, ddof=1))) for values in (control, treatment)
    ]
    if min(one.variance for one in arms) < 1e-3:
        return
    found = welch_alone(arms[0], arms[1], alpha=ALPHA)
    assert found is not None
    theirs = stats.ttest_ind_from_stats(
        arms[1].mean, sqrt(arms[1].variance), arms[1].n, arms[0].mean, sqrt(arms[0].variance), arms[0].n, False
    )
    assert close(found.t, theirs.statistic, 1e-8)
    assert isclose(found.p_value, theirs.pvalue, rel_tol=1e-7, abs_tol=1e-12)


def test_welch__all_zero_revenue__is_no_evidence() -> None:
    found = welch(sample(500, 0.0, 0.0), sample(500, 0.0, 0.0), alpha=ALPHA)
    assert found is not None
    assert (found.t, found.p_value, found.interval) == (0.0, 1.0, None)


@pytest.mark.parametrize(
    ("control", "treatment"), [(sample(1, 2.0, 0.0), sample(9, 2.0, 1.0)), (sample(9, 2.0, 0.0), sample(9, 3.0, 0.0))]
)
def test_welch__too_few_or_without_variance__is_not_evaluable(control: Sample, treatment: Sample) -> None:
    assert welch(control, treatment, alpha=ALPHA) is None


def test_fieller__conformance_case__has_its_values() -> None:
    quantile = float(stats.norm.ppf(0.975))
    found = fieller(sample(25_000, 1.85, 310.25), sample(24_900, 2.45, 335.5), quantile=quantile)
    assert found is not None
    assert found.interval is not None
    assert close(found.lift, 0.324324324324324)
    assert close(found.g, 0.0139291465200333)
    assert close(found.interval.lower, 0.141881463787451)
    assert close(found.interval.upper, 0.544181752969477)


def test_fieller__a_control_that_may_be_zero__has_no_interval() -> None:
    found = fieller(sample(10, 0.1, 100.0), sample(10, 0.2, 100.0), quantile=1.96)
    assert found is not None
    assert found.interval is None


def test_fieller__a_control_of_zero__is_not_evaluable() -> None:
    assert fieller(sample(10, 0.0, 0.0), sample(10, 0.2, 1.0), quantile=1.96) is None


def test_sample_ratio__conformance_case__has_its_values() -> None:
    found = sample_ratio([5000, 5200], [0.5, 0.5])
    assert found is not None
    assert close(found.chi_squared, 3.92156862745098)
    assert close(found.p_value, 0.0476703806561614)
    assert (found.degrees_of_freedom, found.is_mismatch) == (1, False)


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(1, 100)), min_size=2, max_size=8))
def test_sample_ratio__any_split__equals_scipy(arms: list[tuple[int, int]]) -> None:
    visitors, weights = [seen for seen, _ in arms], [weight for _, weight in arms]
    found = sample_ratio(visitors, weights)
    if sum(visitors) == 0:
        assert found is None
        return
    theirs = stats.chisquare(visitors, [sum(visitors) * weight / sum(weights) for weight in weights])
    assert found is not None
    assert isclose(found.chi_squared, theirs.statistic, rel_tol=1e-9)
    assert isclose(found.p_value, theirs.pvalue, rel_tol=1e-9, abs_tol=1e-300)


def test_sample_ratio__visitors_in_an_arm_of_weight_zero__is_a_mismatch() -> None:
    found = sample_ratio([50, 50, 1], [0.5, 0.5, 0])
    assert found is not None
    assert found.is_mismatch


def test_holm__conformance_case__has_its_values() -> None:
    found = holm([0.01, 0.04], alpha=ALPHA)
    assert found.adjusted == pytest.approx((0.02, 0.04), abs=1e-12)
    assert found.rejected == (True, True)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm__any_p_values__intervals_are_drawn_at_the_level_that_decides(p_values: list[float]) -> None:
    found = holm(p_values, alpha=ALPHA)
    for p, adjusted, is_rejected, level in zip(
        p_values, found.adjusted, found.rejected, found.interval_alphas, strict=True
    ):
        assert adjusted >= p
        assert is_rejected == (adjusted <= ALPHA)
        if not isclose(p, level, rel_tol=1e-9):
            assert is_rejected == (p <= level)


def test_sample__from_integer_sums__has_the_variance_of_the_values() -> None:
    values = [0, 0, 5, 10**15]
    found = Sample.from_sums(4, sum(values), sum(value * value for value in values))
    assert close(found.variance, float(np.var(np.array(values, dtype=float), ddof=1)))
    assert Sample.from_sums(0, 0, 0).variance == 0.0
