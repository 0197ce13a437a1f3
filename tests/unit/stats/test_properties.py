"""What must hold of every test whatever the numbers: symmetry between arms, monotony in the evidence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.stats.bayes import bayesian_rates
from abtest.domain.stats.comparisons import Comparison, compare_means, compare_pairs, compare_rates
from abtest.domain.stats.exact_counts import excess_evidence, harm_evidence
from abtest.domain.stats.formulas import pooled_variance_of_means, unpooled_variance_of_means
from abtest.domain.stats.means import welch
from abtest.domain.stats.multiplicity import Correction
from abtest.domain.stats.proportions import two_proportions
from abtest.domain.stats.samples import Conversions, Interval, Sample
from abtest.domain.stats.sequential import Mixture, VarianceRule, mixture_test

ARM = st.integers(1, 10**6).flatmap(lambda n: st.integers(0, n).map(lambda x: Conversions(visitors=n, conversions=x)))
COUNT, SHARE = st.integers(0, 5000), st.floats(0.05, 0.95)
SIZE, VARIANCE = st.integers(2, 10**6), st.floats(0.01, 1000)
MONEY = st.builds(lambda n, mean, variance: Sample(n=n, mean=mean, variance=variance), SIZE, st.floats(-5, 5), VARIANCE)
WHOLE = st.integers(1, 10**9).flatmap(lambda n: st.sampled_from([0, 1, n - 1, n]).map(lambda x: (x, n)))
ANY_ARM = st.one_of(
    ARM, WHOLE.map(lambda arm: Conversions(visitors=arm[1], conversions=arm[0])),
    st.integers(1, 12).flatmap(lambda n: st.integers(0, n).map(lambda x: Conversions(visitors=n, conversions=x))),
)  # fmt: skip
LEVEL = st.one_of(st.sampled_from([0.05, 0.01, 1e-12, 0.499]), st.floats(1e-12, 0.499))
RULES: tuple[VarianceRule, ...] = ("max", "unpooled", "pooled")


@given(ARM, ARM)
def test_rates__arms_exchanged__differ_the_other_way_with_the_same_evidence(
    one: Conversions, other: Conversions
) -> None:
    there, back = two_proportions(one, other, alpha=0.05), two_proportions(other, one, alpha=0.05)
    looks = [mixture_test(*arms, alpha=0.05, mixture=Mixture(tau=0.01)) for arms in ((one, other), (other, one))]
    assert there is not None
    assert back is not None
    assert there.difference == -back.difference
    assert there.z == pytest.approx(-back.z, rel=1e-12)
    assert there.p_value == pytest.approx(back.p_value, rel=1e-9, abs=1e-300)
    assert looks[0] is not None
    assert looks[1] is not None
    assert looks[0].log_lambda == pytest.approx(looks[1].log_lambda, rel=1e-12, abs=1e-12)


def excludes_zero(interval: Interval | None) -> bool | None:
    return None if interval is None else interval.lower > 0 or interval.upper < 0


@given(ANY_ARM, ANY_ARM, LEVEL)
def test_compare_rates__at_any_level__intervals_exclude_zero_exactly_when_significant(
    control: Conversions, treatment: Conversions, alpha: float
) -> None:
    (one,) = compare_rates(control, [treatment], alpha=alpha, correction="none")
    assert one is not None
    # At the level of its own p-value it is significant, and by a hair.
    (edge,) = compare_rates(control, [treatment], alpha=min(max(one.p_value, 1e-300), 0.499), correction="none")
    for comparison in (one, edge):
        assert comparison is not None
        assert excludes_zero(comparison.difference_interval) in (comparison.is_significant, None)
        assert excludes_zero(comparison.lift_interval) in (comparison.is_significant, None)
        assert (comparison.lift_interval is None) == (
            control.conversions == 0 or comparison.difference_interval is None
        )


@pytest.mark.parametrize("correction", ["holm", "bh"])
@given(st.lists(st.tuples(ANY_ARM, ANY_ARM), min_size=2, max_size=6), LEVEL)
def test_compare_pairs__corrected__intervals_exclude_zero_exactly_when_significant(
    correction: Correction, pairs: list[tuple[Conversions, Conversions]], alpha: float
) -> None:
    for comparison in compare_pairs(pairs, alpha=alpha, correction=correction):
        assert comparison is not None
        assert comparison.is_significant == (comparison.adjusted_p_value <= alpha)
        assert excludes_zero(comparison.difference_interval) in (comparison.is_significant, None)
        assert excludes_zero(comparison.lift_interval) in (comparison.is_significant, None)


@given(ANY_ARM, ANY_ARM, LEVEL)
def test_compare_rates__arms_exchanged__mirror_the_difference_and_invert_the_ratio(
    one: Conversions, other: Conversions, alpha: float
) -> None:
    (there,) = compare_rates(one, [other], alpha=alpha, correction="none")
    (back,) = compare_rates(other, [one], alpha=alpha, correction="none")
    assert there is not None
    assert back is not None
    if there.difference_interval is None or back.difference_interval is None:
        assert there.difference_interval == back.difference_interval
        return
    lower, upper = there.difference_interval
    assert back.difference_interval == pytest.approx((-upper, -lower), rel=1e-9, abs=1e-9 * (upper - lower))
    if there.lift_interval is None or back.lift_interval is None:
        return
    # A lift next to -1 is a ratio with few digits.
    ratio, inverse = 1 + there.lift_interval.upper, 1 + back.lift_interval.lower
    assert ratio * inverse == pytest.approx(1, rel=1e-9 + 4e-16 / min(ratio, inverse))


@given(ARM, ARM)
def test_bayes__arms_exchanged__have_the_complement(one: Conversions, other: Conversions) -> None:
    there, back = bayesian_rates(one, other, alpha=0.05), bayesian_rates(other, one, alpha=0.05)
    assert there is not None
    assert back is not None
    assert there.probability_to_beat_control + back.probability_to_beat_control == pytest.approx(1, abs=1e-9)
    assert there.expected_loss == pytest.approx(back.expected_loss_of_control, rel=1e-6, abs=1e-12)
    assert there.interval.lower <= there.difference <= there.interval.upper


@given(COUNT, COUNT, SHARE)
def test_counts__one_more_of_the_treatment__is_less_harm_and_more_excess(x_c: int, x_t: int, share: float) -> None:
    harms = [harm_evidence(x_c, count, share=share).log_e for count in (x_t, x_t + 1)]
    excesses = [excess_evidence(x_c, count, share=share).log_e for count in (x_t, x_t + 1)]
    assert harms[0] > harms[1] - 1e-9
    assert excesses[0] < excesses[1] + 1e-9


@given(st.integers(2, 10**6), st.floats(0.1, 100), st.floats(0, 10), st.floats(0, 10))
def test_mixture__a_larger_difference__is_more_evidence(n: int, variance: float, first: float, more: float) -> None:
    control = Sample(n=n, mean=0.0, variance=variance)
    looks = [
        mixture_test(control, Sample(n=n, mean=mean, variance=variance), alpha=0.05, mixture=Mixture(tau=1.0))
        for mean in (first, first + more)
    ]
    assert looks[0] is not None
    assert looks[1] is not None
    assert looks[1].log_lambda >= looks[0].log_lambda - 1e-12
    for look in looks:
        excludes_zero = look is not None and look.interval is not None and look.interval.lower > 0
        assert (
            look is None
            or abs(look.log_p + 2.995732273553991) < 1e-9
            or excludes_zero == (look.log_p < -2.995732273553991)
        )


@given(st.tuples(SIZE, VARIANCE), st.tuples(SIZE, VARIANCE), st.floats(-5, 5))
def test_mixture_of_means__unless_told_otherwise__is_never_surer_than_by_either_variance(
    one: tuple[int, float], other: tuple[int, float], mean: float
) -> None:
    arms = Sample(n=one[0], mean=1.0, variance=one[1]), Sample(n=other[0], mean=mean, variance=other[1])
    largest, *each = (mixture_test(*arms, alpha=0.05, mixture=Mixture(tau=0.1), variance=rule) for rule in RULES)
    assert largest == mixture_test(*arms, alpha=0.05, mixture=Mixture(tau=0.1))
    assert largest is not None
    assert largest.log_p >= max(found.log_p for found in each if found) - 1e-9
    assert largest.variance == max(found.variance for found in each if found)


def compared(control: Sample, treatment: Sample, alpha: float = 0.05) -> Comparison:
    (comparison,) = compare_means(control, [treatment], alpha=alpha, correction="none")
    assert comparison is not None
    return comparison


def nine_times(arm: Sample) -> Sample:
    return Sample(n=9 * arm.n, mean=arm.mean, variance=arm.variance)


@given(MONEY, MONEY)
def test_means__arms_exchanged__differ_the_other_way_with_the_same_evidence(one: Sample, other: Sample) -> None:
    there, back = compared(one, other), compared(other, one)
    assert there.difference == -back.difference
    assert there.p_value == pytest.approx(back.p_value, rel=1e-9, abs=1e-300)


@given(MONEY, MONEY, st.sampled_from([0.001, 100.0, 1e6]))
def test_means__in_another_unit__have_the_same_evidence(one: Sample, other: Sample, unit: float) -> None:
    comparison = compared(one.scaled(unit), other.scaled(unit))
    assert comparison.p_value == pytest.approx(compared(one, other).p_value, rel=1e-9, abs=1e-290)


@given(MONEY, MONEY)
def test_means__arms_of_any_size__are_tested_by_a_variance_between_pooled_and_unpooled(
    one: Sample, other: Sample
) -> None:
    comparison, arms = welch(one, other, alpha=0.05), (one.n, one.variance, other.n, other.variance)
    assert comparison is not None
    both = [form(arms[1], arms[0], arms[3], arms[2]) for form in (pooled_variance_of_means, unpooled_variance_of_means)]
    assert min(both) * (1 - 1e-12) <= comparison.se**2 <= max(both) * (1 + 1e-12)
    assert comparison.degrees_of_freedom is not None
    assert min(arms[0], arms[2]) - 1 <= comparison.degrees_of_freedom * (1 + 1e-12)
    assert comparison.degrees_of_freedom * (1 - 1e-12) <= arms[0] + arms[2] - 2


@given(MONEY, MONEY, st.floats(0.0005, 0.4))
def test_means__any_arms_and_level__are_significant_exactly_where_both_intervals_exclude_zero(
    control: Sample, treatment: Sample, alpha: float
) -> None:
    comparison = compared(control, treatment, alpha)
    # At the very edge a rounded end is on either side.
    if comparison.p_value == pytest.approx(alpha, rel=1e-9) or abs(control.mean) < 1e-6:
        return
    for interval in (comparison.difference_interval, comparison.lift_interval):
        if interval is not None:
            assert comparison.is_significant == (interval.lower > 0 or interval.upper < 0)


@given(MONEY, st.floats(0, 5), st.floats(0.001, 5))
def test_means__of_the_same_shape__are_more_significant_the_more_visitors(
    control: Sample, mean: float, more: float
) -> None:
    """Nine times the visitors with the same means and variances never raise the p-value."""
    treatment = Sample(n=2 * control.n, mean=mean + more, variance=control.variance)
    few = compared(control, treatment)
    many = compared(nine_times(control), nine_times(treatment))
    assert many.p_value <= few.p_value * (1 + 1e-9)
