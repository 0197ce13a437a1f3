"""Ours: a rate with its absolute and relative interval, one by one and as arrays (with Holm's correction)."""

import sys

from abtest.domain.stats.comparisons import Comparison, compare_means, compare_rates
from abtest.domain.stats.samples import Conversions, Sample
from benchmarks.stats.work import ONE, arms_of, many, tell
from tools.stats import batched

KIND = sys.argv[1]
CONTROL, TREATMENT = (Conversions(visitors=n, conversions=x) for n, x in ONE)
MEANS = tuple(Sample(n=n, mean=x / n, variance=(x / n) * (1 - x / n) * n / (n - 1)) for n, x in ONE)


def lift_of(found: Comparison | None) -> float:
    assert found is not None
    assert found.lift is not None
    return found.lift


def one_rate() -> float:
    (found,) = compare_rates(CONTROL, [TREATMENT], alpha=0.05, correction="holm")
    return lift_of(found)


def one_mean() -> float:
    (found,) = compare_means(MEANS[0], [MEANS[1]], alpha=0.05, correction="holm")
    return lift_of(found)


def arrays() -> list[float]:
    arms = arms_of(PAIRS)
    if KIND == "rates":
        return batched.compare_rates(*arms, alpha=0.05, correction="holm").lift.ravel().tolist()
    x_c, n_c, x_t, n_t = arms
    p_c, p_t = x_c / n_c, x_t / n_t
    samples = (n_c, p_c, p_c * (1 - p_c) * n_c / (n_c - 1), n_t, p_t, p_t * (1 - p_t) * n_t / (n_t - 1))
    return batched.compare_means(*samples, alpha=0.05, correction="holm").lift.ravel().tolist()


PAIRS = many()
tell(one_rate if KIND == "rates" else one_mean, arrays)
