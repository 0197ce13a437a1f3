"""Score intervals of rates: against the score equation in 40 digits, statsmodels, and published values."""

from itertools import product
from math import isclose, sqrt

import pytest
from mpmath import mp, mpf
from statsmodels.stats.proportion import confint_proportions_2indep

from abtest.domain.stats.comparisons import compare_rates
from abtest.domain.stats.formulas import rate_difference
from abtest.domain.stats.quantiles import upper_normal
from abtest.domain.stats.samples import Conversions, Interval
from abtest.domain.stats.score_intervals import score_intervals
from tests.oracle.score import Counts, z_of_difference, z_of_ratio

CLOSE = mpf("1e-9")
TABLES: list[Counts] = [
    (500, 10_000, 570, 10_000), (260, 9000, 41, 1000), (3000, 100_000, 3450, 100_000), (50, 100, 70, 100),
    (27, 900, 0, 100), (0, 900, 3, 100), (100, 99_000, 3, 1000), (9, 90_000_000, 1, 10_000_000), (1, 2, 1, 1),
    (1, 1, 0, 1), (0, 1, 1, 1), (1, 1, 0, 90), (8, 8, 1, 4), (1, 4, 8, 8), (40, 40, 39, 40), (0, 2, 1, 2),
    (150, 400, 300, 400), (9000, 10_000, 2000, 9000), (70, 10**6, 4000, 10**7),
    (999, 1000, 5, 10), (5, 10**9, 900, 10**9), (3 * 10**7, 10**9, 30_020_000, 10**9), (0, 10**9, 50, 10**9),
    (400_000_000, 10**9, 400_300_000, 10**9), (10**9 - 9, 10**9, 10**9 - 1, 10**9), (1, 3, 2, 3), (7, 7, 0, 7),
]  # fmt: skip
LEVELS = [0.05, 1e-12, 0.499]


def intervals(counts: Counts, quantile: float) -> tuple[Interval, Interval | None]:
    """Intervals at a quantile, with the verdict of the pooled z test."""
    x_c, n_c, x_t, n_t = counts
    pooled = (x_c + x_t) / (n_c + n_t)
    z = rate_difference(*counts) / sqrt(pooled * (1 - pooled) * (1 / n_c + 1 / n_t))
    return score_intervals(*counts, rate_difference(*counts), quantile, abs(z) >= quantile)


def compared(counts: Counts, alpha: float) -> tuple[Interval | None, Interval | None]:
    """Intervals of a single comparison, which has formulas of its own for many conversions."""
    x_c, n_c, x_t, n_t = counts
    arms = Conversions(visitors=n_c, conversions=x_c), Conversions(visitors=n_t, conversions=x_t)
    (one,) = compare_rates(arms[0], [arms[1]], alpha=alpha, correction="none")
    assert one is not None
    return one.difference_interval, one.lift_interval


FORMS = {
    "intervals": lambda counts, alpha: intervals(counts, upper_normal(alpha / 2)),
    "comparison": compared,
}


@pytest.mark.parametrize(("form", "counts", "alpha"), list(product(FORMS, TABLES, LEVELS)))
def test_score_intervals__of_the_difference__solve_the_score_equation(form: str, counts: Counts, alpha: float) -> None:
    """Bisection would end within 1e-9 of the interval's width: just outside z is above the quantile, inside below."""
    quantile = upper_normal(alpha / 2)
    interval, _ = FORMS[form](counts, alpha)
    assert interval is not None
    # A float next to 1 has no more digits than the second part.
    room = CLOSE * (mpf(interval.upper) - mpf(interval.lower)) + mpf("2e-16")
    with mp.workdps(40):
        for end, outwards in ((mpf(interval.lower), -1), (mpf(interval.upper), 1)):
            assert end == outwards or -outwards * z_of_difference(counts, end + outwards * room) > quantile
            assert -outwards * z_of_difference(counts, end - outwards * room) < quantile


@pytest.mark.parametrize(("form", "counts", "alpha"), list(product(FORMS, TABLES, LEVELS)))
def test_score_intervals__of_the_lift__solve_the_score_equation(form: str, counts: Counts, alpha: float) -> None:
    """The same of the ratio, within 1e-9 of the lift's own ends."""
    quantile = upper_normal(alpha / 2)
    _, interval = FORMS[form](counts, alpha)
    if not counts[0]:
        assert interval is None
        return
    assert interval is not None
    with mp.workdps(40):
        for end, outwards in ((mpf(interval.lower), -1), (mpf(interval.upper), 1)):
            room = CLOSE * abs(end) + mpf("4e-16")
            assert end == -1 or -outwards * z_of_ratio(counts, 1 + end + outwards * room) > quantile
            assert end == -1 or -outwards * z_of_ratio(counts, 1 + end - outwards * room) < quantile


# Statsmodels 0.15 cannot be the oracle of differences: its restricted rates have `count0` where the cubic has `nobs0`
# (statsmodels/statsmodels#10269). Its ratios are right, where its search has both ends within its limits.
@pytest.mark.parametrize(
    "counts",
    [
        *TABLES[:4], (100, 99_000, 3, 1000), (40, 90, 1, 60), (1, 3, 2, 3), (20, 400, 18, 4000), (900, 1000, 850, 990),
        (12, 10**6, 30, 10**6),
    ],
)  # fmt: skip
def test_score_intervals__of_the_lift__equal_statsmodels(counts: Counts) -> None:
    x_c, n_c, x_t, n_t = counts
    _, interval = intervals(counts, upper_normal(0.025))
    theirs = confint_proportions_2indep(x_t, n_t, x_c, n_c, method="score", compare="ratio", correction=False)
    assert interval is not None
    assert [isclose(a + 1, b, rel_tol=1e-6) for a, b in zip(interval, theirs, strict=True)] == [True, True]


# Treatment first, as published. `mee` and `koopman` are without the factor N / (N - 1), `mn` with it.
PUBLISHED = [
    # Newcombe, Statistics in Medicine 17 (1998) 873-890, table II, methods 5 and 6.
    ("mee", (56, 70, 48, 80), (0.0533, 0.3377)), ("mn", (56, 70, 48, 80), (0.0528, 0.3382)),
    ("mee", (9, 10, 3, 10), (0.1821, 0.8370)), ("mn", (9, 10, 3, 10), (0.1700, 0.8406)),
    ("mee", (5, 56, 0, 29), (-0.0313, 0.1926)), ("mn", (5, 56, 0, 29), (-0.0326, 0.1933)),
    # Gart, Nam, Biometrics 46 (1990) 637-643, before the correction for skewness.
    ("mee", (7, 25, 2, 25), (-0.014, 0.412)),
    # R, PropCIs::diffscoreci(7, 34, 1, 34, 0.95).
    ("mn", (7, 34, 1, 34), (0.0270416, 0.3452912)),
    # Gart, Nam, Biometrics 44 (1988) 323-338, before the correction for skewness.
    ("koopman", (8, 15, 4, 15), (0.815, 5.336)), ("koopman", (6, 10, 6, 20), (0.844, 4.594)),
    # R, PropCIs::riskscoreci(7, 34, 1, 34, 0.95).
    ("koopman", (7, 34, 1, 34), (1.220853, 42.575718)),
    # R, ratesci::scoreci(contrast = "RR", skew = FALSE), for the examples of Fagerland and Newcombe (2013).
    ("mn ratio", (24, 73, 53, 65), (0.280, 0.560)), ("mn ratio", (29, 55, 11, 11), (0.397, 0.742)),
    ("mn ratio", (7, 18, 1, 18), (1.296, 42.544)),
]  # fmt: skip


@pytest.mark.parametrize(("method", "table", "published"), PUBLISHED)
def test_score_intervals__published_values__come_out(
    method: str, table: Counts, published: tuple[float, float]
) -> None:
    x_t, n_t, x_c, n_c = table
    total = n_c + n_t
    quantile = upper_normal(0.025) * (sqrt(total / (total - 1)) if method.startswith("mn") else 1)
    difference, lift = intervals((x_c, n_c, x_t, n_t), quantile)
    interval = difference
    if method in ("koopman", "mn ratio"):
        assert lift is not None
        interval = Interval(1 + lift.lower, 1 + lift.upper)
    digits = max(len(repr(end).partition(".")[2]) for end in published)
    assert tuple(round(end, digits) for end in interval) == published


@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_compare_rates__at_one_in_ten__has_one_verdict(alpha: float) -> None:
    """41 of 1,000 and 260 of 9,000: by the variance of each rate the interval would contain zero at p < 0.05."""
    control, treatment = Conversions(visitors=9000, conversions=260), Conversions(visitors=1000, conversions=41)
    (comparison,) = compare_rates(control, [treatment], alpha=alpha, correction="none")
    assert comparison is not None
    assert comparison.difference_interval is not None
    assert comparison.lift_interval is not None
    assert isclose(comparison.p_value, 0.0335, abs_tol=1e-4)
    verdicts = (comparison.is_significant, comparison.difference_interval.lower > 0, comparison.lift_interval.lower > 0)
    assert verdicts == (alpha == 0.05,) * 3
