"""A million random tables with extremes: intervals of rates exclude zero exactly when the test is significant."""

from unittest.mock import patch

import numpy as np
import pytest
from numpy.typing import NDArray

from abtest.domain.stats.comparisons import compare_rates
from abtest.domain.stats.samples import Conversions
from tools.stats import batched
from tools.stats.batched import rate_intervals

TABLES, SINGLE_TABLES = 1_000_000, 60_000
SEED = 20260307
LEVELS = (0.499, 0.2, 0.05, 0.01, 1e-3, 1e-6, 1e-12)

Counts = NDArray[np.int64]


def arms(random: np.random.Generator, sizes: int) -> tuple[Counts, Counts]:
    """Conversions and visitors from 1 to 10^9: none, one, a few, all but a few, all, or any share."""
    n = np.where(random.random(sizes) < 0.3, random.integers(1, 40, sizes), 10 ** random.uniform(0, 9, sizes))
    n = n.astype(np.int64)
    few = np.minimum(n, 10 ** random.uniform(0, 2.5, sizes)).astype(np.int64)
    kind = random.integers(0, 12, sizes)
    some = [0 * n, n, np.minimum(n, 1), few, n - few]
    return np.select([kind == i for i in range(len(some))], some, random.binomial(n, random.random(sizes) ** 3)), n


def tables(random: np.random.Generator, sizes: int) -> tuple[Counts, Counts, Counts, Counts]:
    """Half of the treatments have nearly the rate of their control."""
    (x_c, n_c), (x_t, n_t) = arms(random, sizes), arms(random, sizes)
    near = random.binomial(n_t, np.clip(x_c / n_c * (1 + 0.1 * random.standard_normal(sizes)), 0, 1))
    return x_c, n_c, np.where(random.random(sizes) < 0.5, near, x_t), n_t


def excludes_zero(lower: NDArray[np.float64], upper: NDArray[np.float64]) -> NDArray[np.bool_]:
    excluded: NDArray[np.bool_] = (lower > 0) | (upper < 0)
    return excluded


def test_intervals__of_a_million_tables__exclude_zero_exactly_when_significant() -> None:
    random = np.random.default_rng(SEED)
    counts = tables(random, TABLES)
    tests = batched.two_proportions(*counts)
    # A third of the levels are the p-value itself or the next floats: there rounding alone decides.
    p, levels = tests.p_value, random.choice(LEVELS, TABLES)
    is_edge = (random.random(TABLES) < 0.33) & (p < LEVELS[0]) & (p > LEVELS[-1])
    levels = np.where(is_edge, p * (1 + random.integers(-3, 4, TABLES) * np.finfo(float).eps), levels)
    verdicts = p <= levels

    intervals = tests.intervals(levels, verdicts)
    with patch.object(rate_intervals, "_agreeing", lambda lower, upper, *_: (lower, upper)):
        unmoved = tests.intervals(levels, verdicts)

    has_interval, has_lift = np.isfinite(intervals.lower), np.isfinite(intervals.lift_lower)
    x_c, _, x_t, _ = counts
    assert has_interval.sum() > 0.8 * TABLES
    assert np.array_equal(has_interval, (x_c + x_t > 0) & (x_c + x_t < counts[1] + counts[3]))
    assert np.array_equal(has_lift, has_interval & (x_c > 0))
    for lower, upper, shown in (
        (intervals.lower, intervals.upper, has_interval),
        (intervals.lift_lower, intervals.lift_upper, has_lift),
    ):
        assert np.isfinite(upper[shown]).all()
        assert (lower[shown] >= -1).all()
        assert np.array_equal(excludes_zero(lower, upper)[shown], verdicts[shown])
    assert 0.2 < verdicts[has_interval].mean() < 0.8

    # What is moved is rounding: p and its level differ by a few units in the last place.
    for lower, upper, shown in (
        (unmoved.lower, unmoved.upper, has_interval),
        (unmoved.lift_lower, unmoved.lift_upper, has_lift),
    ):
        is_moved = shown & (excludes_zero(lower, upper) != verdicts)
        assert np.abs(p / levels - 1)[is_moved].max() == pytest.approx(0, abs=1e-14)


def busy_tables(random: np.random.Generator, sizes: int) -> tuple[Counts, Counts, Counts, Counts]:
    """From 60 of both outcomes on, in arms of unequal size, with any effect."""
    x_c, f_c, x_t, f_t = (60 * 10 ** np.minimum(random.exponential(1.2, (4, sizes)), 7)).astype(np.int64)
    near = np.minimum(x_t * f_c // x_c, 10**9) + random.integers(0, 60, sizes)
    return x_c, x_c + f_c, x_t, x_t + np.where(random.random(sizes) < 0.6, np.maximum(near, 1), f_t)


def test_single_comparisons__of_random_tables__have_the_searched_intervals_and_their_verdict() -> None:
    """One by one, many conversions have formulas of their own; the search shares none with them."""
    random = np.random.default_rng(SEED + 1)
    drawn = [draw(random, SINGLE_TABLES // 2) for draw in (tables, busy_tables)]
    x_c, n_c, x_t, n_t = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
    p, levels = batched.two_proportions(x_c, n_c, x_t, n_t).p_value, random.choice(LEVELS, SINGLE_TABLES)
    nothing = [np.zeros(SINGLE_TABLES)] * 5
    with patch.object(rate_intervals, "quick_ends", lambda *_: tuple(each.copy() for each in nothing)):
        searched = batched.two_proportions(x_c, n_c, x_t, n_t).intervals(levels, p <= levels)
    is_edge = (random.random(SINGLE_TABLES) < 0.33) & (p < LEVELS[0]) & (p > LEVELS[-1])
    for row, arms_of_row in enumerate(zip(n_c.tolist(), x_c.tolist(), n_t.tolist(), x_t.tolist(), strict=True)):
        control, treatment = (Conversions(visitors=arms_of_row[i], conversions=arms_of_row[i + 1]) for i in (0, 2))
        (one,) = compare_rates(control, [treatment], alpha=float(levels[row]), correction="none")
        assert one is not None
        assert one.p_value == pytest.approx(p[row], rel=1e-11, abs=1e-300)
        for interval, lower, upper in (
            (one.difference_interval, searched.lower[row], searched.upper[row]),
            (one.lift_interval, searched.lift_lower[row], searched.lift_upper[row]),
        ):
            assert (interval is None) == np.isnan(lower)
            if interval is not None:
                assert one.is_significant == (interval.lower > 0 or interval.upper < 0)
                for end, expected in zip(interval, (lower, upper), strict=True):
                    assert abs(end - expected) <= 1e-9 * (upper - lower) + 4e-16, (arms_of_row, levels[row])
        if is_edge[row]:
            level = float(one.p_value * (1 + random.integers(-3, 4) * np.finfo(float).eps))
            (edge,) = compare_rates(control, [treatment], alpha=level, correction="none")
            assert edge is not None
            assert edge.is_significant == (one.p_value <= level)
            for interval in (edge.difference_interval, edge.lift_interval):
                assert interval is None or edge.is_significant == (interval.lower > 0 or interval.upper < 0)
