"""What must hold of every test whatever the numbers: symmetry between arms, monotony in the evidence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.stats.bayes import bayesian_rates
from abtest.domain.stats.exact_counts import excess_evidence, harm_evidence
from abtest.domain.stats.proportions import two_proportions
from abtest.domain.stats.samples import Conversions, Sample
from abtest.domain.stats.sequential import Mixture, VarianceRule, mixture_test

ARM = st.integers(1, 10**6).flatmap(lambda n: st.integers(0, n).map(lambda x: Conversions(visitors=n, conversions=x)))
COUNT, SHARE = st.integers(0, 5000), st.floats(0.05, 0.95)
SIZE, VARIANCE = st.integers(2, 10**6), st.floats(0.01, 1000)
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
