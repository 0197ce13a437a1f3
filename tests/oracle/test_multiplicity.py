"""Benjamini and Hochberg's correction against statsmodels, and against the definition by ranks."""

from math import isclose
from random import Random

import pytest
from statsmodels.stats.multitest import multipletests

from abtest.domain.stats.multiplicity import Correction, benjamini_hochberg, corrected

# Table 1 of Benjamini and Hochberg (1995): fifteen comparisons of a clinical study. They reject four at 0.05, Holm
# three.
PUBLISHED = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
    0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0,
]  # fmt: skip


def drawn(seed: int) -> list[float]:
    """From 1 to 60 p-values, a part of them small, some of them equal."""
    random = Random(seed)
    size = random.choice([1, 2, 3, 5, 8, 20, 60])
    values = [random.random() ** random.choice([1, 1, 4, 12]) for _ in range(size)]
    return [random.choice(values) if random.random() < 0.15 else value for value in values]


CASES = [
    PUBLISHED, [0.5], [0.05], [0.0, 1.0, 0.2, 0.2], [1e-310, 1e-5, 0.049, 0.01, 0.9], [1.0] * 6, [0.0] * 4,
    [0.05, 0.05, 0.05], [0.04, 0.041, 0.06], [0.049, 0.05, 0.051],
    *(drawn(seed) for seed in range(40)),
]  # fmt: skip


@pytest.mark.parametrize("alpha", [0.05, 0.1, 0.001])
@pytest.mark.parametrize("p_values", CASES)
def test_benjamini_hochberg__equals_statsmodels(p_values: list[float], alpha: float) -> None:
    rejected, adjusted, *_ = multipletests(p_values, alpha=alpha, method="fdr_bh")
    verdict = benjamini_hochberg(p_values, alpha=alpha)
    assert all(isclose(a, b, rel_tol=1e-12) for a, b in zip(verdict.adjusted, adjusted, strict=True))
    # On the edge, where p = i alpha / k to the last digit, either verdict is right.
    edge = [isclose(p, alpha, rel_tol=1e-12) for p in adjusted]
    verdicts = zip(verdict.rejected, rejected.tolist(), edge, strict=True)
    assert all(ours == theirs or is_edge for ours, theirs, is_edge in verdicts)


def test_benjamini_hochberg__published_example__rejects_four() -> None:
    verdict = benjamini_hochberg(PUBLISHED, alpha=0.05)
    assert sum(verdict.rejected) == 4
    assert sum(corrected("holm", PUBLISHED, alpha=0.05).rejected) == 3
    # Four of fifteen are selected: false-coverage-adjusted intervals have the level 4/15 of alpha.
    assert verdict.interval_alphas[:4] == pytest.approx([0.05 * 4 / 15] * 4, rel=1e-12)
    assert verdict.interval_alphas[4:] == pytest.approx([0.05 * 5 / 15] * 11, rel=1e-12)


@pytest.mark.parametrize("correction", ["none", "holm", "bh"])
@pytest.mark.parametrize("p_values", CASES)
def test_corrected__intervals__exclude_zero_exactly_when_rejected(
    p_values: list[float], correction: Correction
) -> None:
    verdict = corrected(correction, p_values, alpha=0.05)
    for p, adjusted, is_rejected, level in zip(
        p_values, verdict.adjusted, verdict.rejected, verdict.interval_alphas, strict=True
    ):
        assert is_rejected == (adjusted <= 0.05)
        # An interval at a level excludes zero where p is at most that level, up to the last digit.
        assert (p <= level) == is_rejected or isclose(p, level, rel_tol=1e-12)
        assert level <= 0.05 * (1 + 1e-12)
