"""Every formula against mpmath at 50 digits, scipy.stats and statsmodels, to 1e-9, at the extremes too."""

from itertools import product
from math import isclose, log, sqrt
from typing import Any

import numpy as np
import pytest
from mpmath import mpf
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import normal_power_het
from statsmodels.stats.proportion import proportion_confint, proportions_ztest
from statsmodels.stats.weightstats import ttest_ind as statsmodels_ttest

from abtest.domain.planning.sample_size import Demand, size_for_rate
from abtest.domain.stats.bayes import bayesian_means, bayesian_rates
from abtest.domain.stats.cuped import CovariateSums, cuped
from abtest.domain.stats.exact_counts import harm_evidence
from abtest.domain.stats.means import UNEQUAL_SIZES, welch, welch_alone
from abtest.domain.stats.multiplicity import holm
from abtest.domain.stats.proportions import two_proportions
from abtest.domain.stats.quantiles import two_sided_t, two_sided_t_batched, upper_normal, upper_t
from abtest.domain.stats.relative_lift import fieller
from abtest.domain.stats.sample_ratio import sample_ratio, sequential_sample_ratio
from abtest.domain.stats.samples import Conversions, Sample
from abtest.domain.stats.sequential import Mixture, mixture_test, one_sided_mixture_test
from abtest.domain.stats.wilson import wilson_bounds
from tests.oracle import exact
from tools.stats.power import power_for_rate

ALPHA, REL = 0.05, 1e-9

RATES = [
    (500, 10_000, 570, 10_000), (3000, 100_000, 3450, 100_000), (0, 1, 1, 1), (1, 2, 1, 1), (0, 2, 1, 2),
    (27, 900, 0, 100), (1, 10**8, 3, 10**8), (10**8 - 1, 10**8, 10**8 - 5, 10**8),
    (5 * 10**7, 10**8, 50_000_001, 10**8),
    (5 * 10**7, 10**8, 50_000_001, 10**8 + 3), (3_000_000, 10**8, 3_010_000, 10**8), (10_000, 10**6, 16_000, 10**6),
    (10**7, 10**8, 10_400_000, 10**8), (9, 90_000_000, 1, 10_000_000), (90_000, 9 * 10**6, 9000, 10**6),
    (100, 99_000, 3, 1000), (999, 1000, 5, 10), (250, 500, 251, 500), (1, 3, 2, 3), (0, 10**8, 50, 10**8),
]  # fmt: skip
MEANS = [
    (1000, 2.0, 400.0, 1000, 3.1, 520.0), (25_000, 1.85, 310.25, 24_900, 2.45, 335.5), (2, 1.0, 1.0, 2, 2.0, 3.0),
    (2, 5.0, 1e-6, 10**8, 5.5, 100.0), (10**8, 1.0, 100.0, 10**8, 1.002, 110.0),
    (10**8, 2.0, 400.0, 10**8, 2.104, 400.0),
    (90_000, 2.0, 300.0, 10_000, 2.5, 500.0), (10, 0.5, 2.0, 1000, 0.7, 0.0), (3, 1e6, 1e8, 4, 2e6, 1e9),
    (10**6, 1e-6, 1e-10, 10**6, 1.1e-6, 1e-10), (50, -3.0, 4.0, 70, 1.0, 9.0), (500, 0.0, 1.0, 400, 0.01, 2.0),
    (10_000, 3.0, 0.0, 10_000, 3.5, 900.0), (10**5, 1.0, 1.0, 10**5, 1.16, 1.0), (7, 1.0, 2.0, 5, 1.0, 2.0),
]  # fmt: skip
SKEWED_MEANS = [
    (90_000, 2.0, 500.0, 10_000, 1.5, 120.0), (900, 1.8, 300.0, 100, 0.2, 4.0), (99, 1.8, 300.0, 2, 0.0, 0.0),
    (100, 0.2, 4.0, 900, 1.8, 300.0), (9 * 10**7, 1.8, 320.0, 10**7, 1.79, 300.0), (2, 0.0, 0.0, 98, 1.0, 9.0),
]  # fmt: skip
TINY_P = 1e-300


def near(found: float | None, expected: Any, rel: float = REL, absolute: float = 0.0) -> bool:
    """In 50 digits; `absolute` where two large things nearly cancel in the value itself."""
    return found is not None and bool(abs(mpf(found) - expected) <= max(rel * abs(mpf(expected)), absolute))


def conversions(x: int, n: int) -> Conversions:
    return Conversions(conversions=x, visitors=n)


def rate_arms(case: tuple[int, int, int, int]) -> tuple[Conversions, Conversions]:
    return conversions(*case[:2]), conversions(*case[2:])


def mean_arms(case: tuple[Any, ...]) -> tuple[Sample, Sample]:
    control, treatment = (Sample(n=arm[0], mean=arm[1], variance=arm[2]) for arm in (case[:3], case[3:]))
    return control, treatment


@pytest.mark.parametrize("case", RATES)
def test_two_proportions__equals_fifty_digits(case: Any) -> None:
    found = two_proportions(*rate_arms(case), alpha=ALPHA)
    x_c, n_c, x_t, n_t = case
    expected = exact.two_proportions(x_c, n_c, x_t, n_t)
    assert found is not None
    for name in ("difference", "se_pooled", "se_unpooled", "z", "log_p"):
        assert near(getattr(found, name), expected[name], absolute=1e-15 * (name == "log_p")), name
    if expected["p_value"] > TINY_P:
        assert near(found.p_value, expected["p_value"])
        assert near(found.p_greater, expected["p_greater"], absolute=1e-15)


@pytest.mark.parametrize("case", RATES)
def test_two_proportions__equals_statsmodels(case: Any) -> None:
    found = two_proportions(*rate_arms(case), alpha=ALPHA)
    x_c, n_c, x_t, n_t = case
    z, p = proportions_ztest([x_t, x_c], [n_t, n_c])
    assert found is not None
    # Theirs takes 1 - p of rounded rates, which is all that is lost here.
    lost = 1e-15 / min(1 - max(x_c / n_c, x_t / n_t, 0.5), 1) if max(x_c / n_c, x_t / n_t) < 1 else 1e-9
    assert isclose(found.z, z, rel_tol=REL + lost, abs_tol=1e-9)
    assert isclose(found.p_value, p, rel_tol=REL + lost * found.z**2, abs_tol=TINY_P)


@pytest.mark.parametrize("case", MEANS)
def test_welch__equals_fifty_digits(case: Any) -> None:
    found = welch_alone(*mean_arms(case), alpha=ALPHA)
    expected = exact.welch(*case)
    assert found is not None
    assert near(found.t, expected["t"])
    assert near(found.degrees_of_freedom, expected["degrees_of_freedom"])
    if expected["p_value"] > TINY_P:
        assert near(found.p_value, expected["p_value"])


@pytest.mark.parametrize("case", MEANS)
def test_welch_alone__equals_scipy(case: Any) -> None:
    control, treatment = mean_arms(case)
    test = welch_alone(control, treatment, alpha=ALPHA)
    moments = (treatment.mean, sqrt(treatment.variance), treatment.n, control.mean, sqrt(control.variance), control.n)
    theirs = stats.ttest_ind_from_stats(*moments, equal_var=False)
    assert test is not None
    assert isclose(test.t, theirs.statistic, rel_tol=REL)
    assert isclose(test.p_value, theirs.pvalue, rel_tol=REL, abs_tol=TINY_P)


def test_welch__of_raw_values__equals_statsmodels() -> None:
    control, treatment = stats.norm.rvs(size=(2, 40), random_state=7)
    t, p, freedom = statsmodels_ttest(treatment, control, usevar="unequal")
    arms = [Sample(n=len(one), mean=one.mean(), variance=one.var(ddof=1)) for one in (control, treatment)]
    found = welch_alone(arms[0], arms[1], alpha=ALPHA)
    assert found is not None
    assert found.degrees_of_freedom is not None
    three = (found.t, found.degrees_of_freedom, found.p_value)
    assert [isclose(a, b, rel_tol=REL) for a, b in zip(three, (t, freedom, p), strict=True)] == [True] * 3


@pytest.mark.parametrize("case", MEANS + SKEWED_MEANS)
def test_welch__equals_fifty_digits_for_arms_of_any_size(case: Any) -> None:
    test, sizes = welch(*mean_arms(case), alpha=ALPHA), (case[0], case[3])
    is_unequal = max(sizes) > UNEQUAL_SIZES * min(sizes)
    expected = exact.unequal_arms(*case) if is_unequal else exact.welch(*case)
    assert test is not None
    assert test.interval is not None
    for name in expected.keys() - {"p_value"}:
        assert near(getattr(test, name), expected[name]), name
    if expected["p_value"] > TINY_P:
        assert near(test.p_value, expected["p_value"])
    excludes_zero = test.interval.lower > 0 or test.interval.upper < 0
    assert excludes_zero == bool(expected["p_value"] < ALPHA)


def test_welch__of_money_by_few_orders_and_by_many__goes_from_students_to_welchs() -> None:
    for n, rel, is_equal in ((10, 2e-3, True), (10**8, 4e-3, False)):
        arms = [Sample(n=9 * n, mean=2.0, variance=3000.0), Sample(n=n, mean=2.01, variance=5000.0)]
        moments = [value for one in arms[::-1] for value in (one.mean, sqrt(one.variance), one.n)]
        test = welch(*arms, alpha=ALPHA)
        assert test is not None
        assert isclose(test.t, stats.ttest_ind_from_stats(*moments, equal_var=is_equal).statistic, rel_tol=rel)


@pytest.mark.parametrize(
    ("tail", "freedom"),
    list(product([0.25, 0.025, 0.005, 1e-6, 1e-12], [1.0, 2.5, 30.0, 400.0, 2000.5, 10_000.0, 22_000.0, 1e6, 2e8])),
)
def test_upper_t__equals_the_root_of_fifty_digits(tail: float, freedom: float) -> None:
    """One step of Newton's from what is found must lead nowhere else."""
    found = upper_t(tail, freedom)
    density = stats.t.pdf(found, freedom)
    step = (exact.student_two_sided(found, freedom) / 2 - mpf(tail)) / mpf(density)
    assert abs(step) <= REL * found


@pytest.mark.parametrize("tail", [0.5, 0.025, 0.0005, 1e-10, 1e-100, 1e-300])
def test_upper_normal__equals_fifty_digits(tail: float) -> None:
    found = upper_normal(tail)
    assert near(float(stats.norm.sf(found)), mpf(tail), rel=1e-10)


@pytest.mark.parametrize("freedom", [1.0, 30.5, 449.0, 460.0, 900.0, 1e4, 2e5, 2e8])
@pytest.mark.parametrize("t", [0.0, 1e-9, 0.3, 1.0, 1.96, 3.0, 4.2, 9.0, 14.0, 25.0, 37.0])
def test_two_sided_t__equals_fifty_digits_however_far(t: float, freedom: float) -> None:
    expected = exact.student_two_sided_by_beta(t, freedom)
    assert near(two_sided_t(-t, freedom), expected, rel=1e-12)
    (found,) = two_sided_t_batched(np.array([t]), np.array([freedom]))
    assert near(float(found), expected, rel=1e-12)


@pytest.mark.parametrize("case", MEANS)
@pytest.mark.parametrize("quantile", [1.959963984540054, 3.1])
def test_fieller__equals_fifty_digits(case: Any, quantile: float) -> None:
    found = fieller(*mean_arms(case), quantile=quantile)
    if case[1] == 0:
        assert found is None
        return
    n_c, m_c, v_c, n_t, m_t, v_t = case
    expected = exact.fieller(n_c, m_c, v_c, n_t, m_t, v_t, quantile)
    assert found is not None
    assert near(found.lift, expected["lift"])
    assert near(found.g, expected["g"])
    assert (found.interval is None) == (expected["lower"] is None)
    if found.interval:
        assert near(found.interval.lower, expected["lower"], absolute=1e-14)
        assert near(found.interval.upper, expected["upper"], absolute=1e-14)


VARIANCES = {
    "pooled": exact.pooled_variance,
    "unpooled": exact.unpooled_variance,
    "max": lambda *case: max(exact.pooled_variance(*case), exact.unpooled_variance(*case)),
}


@pytest.mark.parametrize("rule", VARIANCES)
@pytest.mark.parametrize("tau", [None, 0.0003, 0.05])
@pytest.mark.parametrize("case", RATES)
def test_mixture_of_rates__equals_fifty_digits(case: Any, tau: float | None, rule: Any) -> None:
    variance = VARIANCES[rule](*case)
    difference = mpf(case[2]) / case[3] - mpf(case[0]) / case[1]
    found = mixture_test(*rate_arms(case), alpha=ALPHA, mixture=Mixture(tau=tau), variance=rule)
    if variance == 0:
        assert found is None
        return
    planned = exact.planned_tau_squared(variance, case[1] + case[3], ALPHA, 5000)
    same_mixture(found, exact.mixture(difference, variance, mpf(tau) ** 2 if tau else planned, ALPHA))


VARIANCES_OF_MEANS = {
    "pooled": exact.pooled_variance_of_means,
    "unpooled": exact.unpooled_variance_of_means,
    "max": lambda *case: max(exact.pooled_variance_of_means(*case), exact.unpooled_variance_of_means(*case)),
}


@pytest.mark.parametrize("rule", VARIANCES_OF_MEANS)
@pytest.mark.parametrize("tau", [None, 0.01])
@pytest.mark.parametrize("case", MEANS + SKEWED_MEANS)
def test_mixture_of_means__equals_fifty_digits(case: Any, tau: float | None, rule: Any) -> None:
    variance = VARIANCES_OF_MEANS[rule](*case)
    found = mixture_test(*mean_arms(case), alpha=ALPHA, mixture=Mixture(tau=tau), variance=rule)
    planned = exact.planned_tau_squared(variance, case[0] + case[3], ALPHA, 5000)
    tau_squared = mpf(tau) ** 2 if tau else planned
    same_mixture(found, exact.mixture(mpf(case[4]) - mpf(case[1]), variance, tau_squared, ALPHA))


def same_mixture(found: Any, expected: dict[str, Any]) -> None:
    # log Λ is a difference of two parts of the size of log(1 + r), and is compared at that size where they cancel.
    assert near(found.log_lambda, expected["log_lambda"], absolute=1e-14)
    assert near(found.log_p, min(mpf(0), -expected["log_lambda"]), absolute=1e-14)
    if expected["p"] > TINY_P:
        assert near(found.always_valid_p, expected["p"])
    scale = 1e-14 * (abs(found.difference) + found.interval.upper - found.interval.lower)
    assert near(found.interval.lower, expected["lower"], absolute=scale)
    assert near(found.interval.upper, expected["upper"], absolute=scale)


@pytest.mark.parametrize("direction", ["increase", "decrease"])
@pytest.mark.parametrize("case", MEANS + SKEWED_MEANS)
def test_one_sided_mixture_of_means__equals_fifty_digits(case: Any, direction: Any) -> None:
    variance, sign = VARIANCES_OF_MEANS["max"](*case), 1 if direction == "increase" else -1
    found = one_sided_mixture_test(*mean_arms(case), direction=direction, alpha=ALPHA, mixture=Mixture(tau=0.01))
    expected = exact.mixture(sign * (mpf(case[4]) - mpf(case[1])), variance, mpf(0.01) ** 2, ALPHA)["log_e"]
    assert found is not None
    assert near(found.log_e, expected, absolute=1e-13)


@pytest.mark.parametrize("direction", ["increase", "decrease"])
@pytest.mark.parametrize("case", RATES)
def test_one_sided_mixture__equals_fifty_digits(case: Any, direction: Any) -> None:
    variance, sign = VARIANCES["max"](*case), 1 if direction == "increase" else -1
    difference = sign * (mpf(case[2]) / case[3] - mpf(case[0]) / case[1])
    found = one_sided_mixture_test(*rate_arms(case), direction=direction, alpha=ALPHA, mixture=Mixture(tau=0.01))
    assert found is not None
    assert near(found.log_e, exact.mixture(difference, variance, mpf(0.01) ** 2, ALPHA)["log_e"], absolute=1e-13)


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (10.0, 10.0), (2.0, 18.0), (0.5, 3.5)])
@pytest.mark.parametrize(
    ("x_c", "x_t", "share"),
    [
        (14, 0, 0.5), (0, 0, 0.5), (0, 1, 0.1), (1, 0, 0.9), (1000, 900, 0.5), (900, 1000, 0.5), (9000, 10, 0.1),
        (3, 4000, 0.5), (10**6, 990_000, 0.5), (10**6, 10**6, 0.5), (9 * 10**7, 10**7 - 9000, 0.1), (50, 10**5, 0.5),
    ],
)  # fmt: skip
def test_harm_evidence__equals_fifty_digits(x_c: int, x_t: int, share: float, a: float, b: float) -> None:
    found = harm_evidence(x_c, x_t, share=share, a=a, b=b)
    assert near(found.log_e, exact.count_ratio(x_c, x_t, share, a, b), absolute=1e-11)


SPLITS = [
    ([5000, 5200], [0.5, 0.5]), ([100, 110], [0.5, 0.5]), ([1, 0], [0.9, 0.1]), ([0, 1], [0.999, 0.001]),
    ([5 * 10**7, 50_010_000], [0.5, 0.5]), ([10**8, 0], [0.5, 0.5]), ([90_000_000, 10_003_000], [9, 1]),
    ([33, 34, 33], [1, 1, 1]), ([10**8, 10**8, 10**8 + 50_000], [1, 1, 1]), ([7, 1, 1, 1, 0], [70, 10, 10, 5, 5]),
    ([1_000_000, 1_000_500], [0.5, 0.5]), ([2, 0], [0.5, 0.5]),
]  # fmt: skip


@pytest.mark.parametrize("concentration", [2500.0, 10_000.0, 1.0])
@pytest.mark.parametrize(("visitors", "weights"), SPLITS)
def test_sequential_sample_ratio__equals_fifty_digits(visitors: Any, weights: Any, concentration: float) -> None:
    found = sequential_sample_ratio(visitors, weights, concentration=concentration)
    assert found is not None
    assert near(found.log_bayes_factor, exact.ratio_factor(visitors, weights, concentration), absolute=1e-11)


@pytest.mark.parametrize(("visitors", "weights"), SPLITS)
def test_sample_ratio__equals_scipy_and_fifty_digits(visitors: Any, weights: Any) -> None:
    found = sample_ratio(visitors, weights)
    due = [sum(visitors) * weight / sum(weights) for weight in weights]
    theirs = stats.chisquare(visitors, due)
    assert found is not None
    assert isclose(found.chi_squared, theirs.statistic, rel_tol=REL)
    assert isclose(found.p_value, theirs.pvalue, rel_tol=REL, abs_tol=TINY_P)
    if found.p_value > TINY_P:
        assert near(found.p_value, exact.chi_squared_sf(found.chi_squared, len(visitors) - 1))


@pytest.mark.parametrize(
    ("hits", "n"), [(0, 1), (1, 1), (1, 2), (0, 10**8), (1, 10**8), (10**8, 10**8), (3, 200), (57, 100)]
)
@pytest.mark.parametrize("confidence", [0.975, 0.9, 0.9999])
def test_wilson_bounds__equals_fifty_digits_and_statsmodels(hits: int, n: int, confidence: float) -> None:
    found = wilson_bounds(hits, n, confidence=confidence)
    lower, upper = exact.wilson(hits, n, confidence)
    assert found is not None
    assert near(found.lower, lower, absolute=1e-30)
    assert near(found.upper, upper)
    theirs = proportion_confint(hits, n, alpha=2 * (1 - confidence), method="wilson")
    assert [isclose(a, b, rel_tol=REL, abs_tol=1e-15) for a, b in zip(found, theirs, strict=True)] == [True, True]


P_VALUES = [[0.01, 0.04], [0.04, 0.01, 0.03], [0.5], [0.0, 1.0, 0.2, 0.2], [1e-310, 1e-5, 0.049, 0.01, 0.9]]


@pytest.mark.parametrize("p_values", P_VALUES)
def test_holm__equals_statsmodels(p_values: list[float]) -> None:
    rejected, adjusted, *_ = multipletests(p_values, alpha=ALPHA, method="holm")
    found = holm(p_values, alpha=ALPHA)
    assert list(found.rejected) == rejected.tolist()
    assert [isclose(a, b, rel_tol=1e-12) for a, b in zip(found.adjusted, adjusted, strict=True)] == [True] * len(
        p_values
    )


POSTERIORS = [
    (0, 1, 1, 1), (0, 4, 4, 8), (500, 10_000, 570, 10_000), (30, 1000, 3, 60), (0, 1000, 2, 3), (999, 1000, 5, 10),
    (3, 10**6, 9, 10**6), (19, 50, 19, 50), (300, 10_000, 300, 9_000), (40, 80, 0, 10**6), (0, 2, 0, 2), (2, 2, 1, 2),
]  # fmt: skip


@pytest.mark.parametrize("case", POSTERIORS)
def test_bayesian_rates__equals_the_exact_sum(case: Any) -> None:
    x_c, n_c, x_t, n_t = case
    found = bayesian_rates(*rate_arms(case), alpha=ALPHA)
    posteriors = (1 + x_c, 1 + n_c - x_c, 1 + x_t, 1 + n_t - x_t)
    assert found is not None
    assert near(found.probability_to_beat_control, exact.beats(*posteriors), absolute=1e-11)
    assert near(found.expected_loss, exact.loss(*posteriors), absolute=1e-12)


@pytest.mark.parametrize("case", [POSTERIORS[index] for index in (0, 1, 7, 11)])
def test_bayesian_rates__the_interval__holds_what_it_says(case: Any) -> None:
    x_c, n_c, x_t, n_t = case
    found = bayesian_rates(*rate_arms(case), alpha=ALPHA)
    posteriors = (1 + x_c, 1 + n_c - x_c, 1 + x_t, 1 + n_t - x_t)
    assert found is not None
    assert near(0.025, exact.difference_cdf(*posteriors, found.interval.lower), absolute=1e-8)
    assert near(0.975, exact.difference_cdf(*posteriors, found.interval.upper), absolute=1e-8)


@pytest.mark.parametrize("case", MEANS)
def test_bayesian_means__equals_scipys_normal_distribution(case: Any) -> None:
    control, treatment = mean_arms(case)
    found = bayesian_means(control, treatment, alpha=ALPHA)
    noise = control.variance / control.n + treatment.variance / treatment.n
    trust = (control.variance + treatment.variance) / (control.variance + treatment.variance + noise)
    mean, sd = trust * (treatment.mean - control.mean), sqrt(trust * noise)
    assert found is not None
    assert isclose(found.probability_to_beat_control, stats.norm.sf(0, mean, sd), rel_tol=REL)
    expected = stats.norm.expect(lambda d: max(-d, 0.0), loc=mean, scale=sd, ub=0) if abs(mean / sd) < 5 else None
    assert expected is None or isclose(found.expected_loss, expected, rel_tol=1e-6)
    assert isclose(found.expected_loss_of_control - found.expected_loss, mean, rel_tol=REL, abs_tol=1e-12)


def test_cuped__equals_least_squares_on_visitors() -> None:
    x, noise = stats.randint.rvs(0, 1000, size=(2, 400), random_state=3)
    y, arm = x // 2 + noise, stats.randint.rvs(0, 2, size=400, random_state=4)
    parts = [(x[arm == index], y[arm == index]) for index in (0, 1)]
    found = cuped([
        CovariateSums(
            n=len(a), y=int(b.sum()), yy=int(b @ b), x=int(a.sum()), xx=int(a @ a), xy=int(a @ b)
        )
        for a, b in parts
    ])  # fmt: skip
    within_x, within_y = ([part[i] - part[i].mean() for part in parts] for i in (0, 1))
    theta = sum(a @ b for a, b in zip(within_x, within_y, strict=True)) / sum(a @ a for a in within_x)
    assert isclose(found.theta, theta, rel_tol=REL)
    for (a, b), adjusted in zip(parts, found.samples, strict=True):
        residual = b - theta * (a - x.mean())
        assert isclose(adjusted.mean, residual.mean(), rel_tol=REL)
        assert isclose(adjusted.variance, residual.var(ddof=1), rel_tol=REL)


@pytest.mark.parametrize(("baseline", "mde"), list(product([0.005, 0.03, 0.1, 0.2, 0.5], [0.05, 0.1, 0.25])))
def test_power_for_rate__equals_statsmodels(baseline: float, mde: float) -> None:
    demand = Demand(mde=mde, correction_method="none")
    visitors = size_for_rate(baseline, demand).required_sample_per_variant
    other = baseline * (1 + mde)
    middle = (baseline + other) / 2
    theirs = normal_power_het(
        other - baseline, visitors, ALPHA, std_null=sqrt(2 * middle * (1 - middle)),
        std_alternative=sqrt(baseline * (1 - baseline) + other * (1 - other)), alternative="larger",
    )  # fmt: skip
    one_sided = power_for_rate(baseline, Demand(mde=mde, tail="one-sided", correction_method="none"), visitors)
    assert isclose(one_sided, theirs, rel_tol=REL)
    assert power_for_rate(baseline, demand, visitors) >= 0.8


@pytest.mark.parametrize(
    ("case", "tau", "log_lambda", "p", "ends"),
    [
        (RATES[0], 0.005, 1.100273034, 0.3327802109, (-0.003145386678, 0.01714538668)),
        (RATES[1], 0.003, 13.80352054, 1.012062188e-6, (0.002086640483, 0.006913359517)),
    ],
)
def test_mixture__worked_values_of_the_design__come_out(
    case: Any, tau: float, log_lambda: float, p: Any, ends: Any
) -> None:
    found = mixture_test(*rate_arms(case), alpha=ALPHA, mixture=Mixture(tau=tau), variance="unpooled")
    assert found is not None
    assert found.interval is not None
    values = (found.log_lambda, found.always_valid_p, *found.interval)
    assert values == pytest.approx((log_lambda, p, *ends), rel=5e-10)


def test_mixture__p_below_every_float__has_its_logarithm() -> None:
    found = mixture_test(
        conversions(10**6, 10**8), conversions(2 * 10**6, 10**8), alpha=ALPHA, mixture=Mixture(tau=0.001)
    )
    assert found is not None
    assert found.always_valid_p == 0.0
    assert found.log_p < log(TINY_P)
