"""Adjusted arms as tests that are read at any time take them: unbiased, and unchanged where nothing is explained."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abtest.domain.stats.cuped import CovariateSums, cuped
from abtest.domain.stats.samples import Conversions, Sample
from abtest.domain.stats.sequential import mixture_test
from tests.support.covariates import covariate_sums

SIZES = st.integers(2, 3000)


@st.composite
def rates(draw: st.DrawFn) -> CovariateSums:
    """Return an arm of zeros and ones whose visitors all had x = 3 before."""
    n = draw(SIZES)
    y = draw(st.integers(0, n))
    return CovariateSums(n=n, y=y, yy=y, x=3 * n, xx=9 * n, xy=3 * y)


@st.composite
def means(draw: st.DrawFn) -> CovariateSums:
    """Return an arm of money without anything before."""
    values = draw(st.lists(st.integers(0, 10**6), min_size=2, max_size=20))
    return CovariateSums(n=len(values), y=sum(values), yy=sum(v * v for v in values), x=0, xx=0, xy=0)


@given(rates(), rates())
def test_rates__whose_covariate_does_not_vary__are_tested_as_they_are(
    control: CovariateSums, other: CovariateSums
) -> None:
    plain = mixture_test(
        Conversions(visitors=control.n, conversions=control.y),
        Conversions(visitors=other.n, conversions=other.y),
        alpha=0.05,
    )
    adjusted = mixture_test(*cuped([control, other]).pair(0, 1, is_rate=True), alpha=0.05)

    if adjusted is None or not adjusted.variance:
        # Within arms nothing varies.
        assert control.y in (0, control.n)
        assert other.y in (0, other.n)
        return
    assert plain is not None
    assert adjusted.difference == pytest.approx(plain.difference, abs=1e-12)
    assert adjusted.variance == pytest.approx(plain.variance, rel=1e-9)
    assert adjusted.log_lambda == pytest.approx(plain.log_lambda, rel=1e-6, abs=1e-9)


@given(means(), means())
def test_means__without_anything_before__are_tested_as_they_are(control: CovariateSums, other: CovariateSums) -> None:
    arms = [Sample.from_sums(arm.n, arm.y, arm.yy) for arm in (control, other)]

    pair = cuped([control, other]).pair(0, 1)

    assert [(one.n, one.mean) for one in pair] == [(one.n, one.mean) for one in arms]
    assert [one.variance for one in pair] == pytest.approx([one.variance for one in arms], rel=1e-9)


@given(st.integers(10, 400), st.integers(10, 400), st.integers(0, 10**6))
@settings(max_examples=50)
def test_means__whose_covariate_is_not_correlated__keep_their_test_within_rounding(n: int, m: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    # Each y occurs once with each x, so that arms have the same x and no correlation.
    arms = [list(product((0, 1, 5), rng.integers(0, 1000, size).tolist())) for size in (n, m)]
    counted = [covariate_sums(arm) for arm in arms]

    adjusted = mixture_test(*cuped(counted).pair(0, 1), alpha=0.05)
    plain = mixture_test(*(Sample.from_sums(arm.n, arm.y, arm.yy) for arm in counted), alpha=0.05)

    assert plain is not None
    assert adjusted is not None
    assert adjusted.difference == pytest.approx(plain.difference, abs=1e-9)
    # The estimate of theta costs one degree of freedom.
    freedom = 3 * (n + m) - 2
    assert adjusted.variance == pytest.approx(plain.variance * freedom / (freedom - 1), rel=1e-9)


def test_difference__of_random_splits__is_unbiased() -> None:
    """A fixed effect on 200 populations of 400, split by chance: the mean difference is that effect."""
    rng, effect = np.random.default_rng(7), 100
    x = rng.integers(0, 50, (200, 400))
    y = 3 * x + rng.integers(0, 60, (200, 400))
    differences = []
    for before, after in zip(x, y, strict=True):
        is_treated = rng.permutation(400) < 200
        arms = [
            covariate_sums([(int(b), int(a) + effect * place) for b, a in zip(before[part], after[part], strict=True)])
            for place, part in enumerate((~is_treated, is_treated))
        ]
        control, treatment = cuped(arms).pair(0, 1)
        differences.append(treatment.mean - control.mean)

    error = np.std(differences, ddof=1) / np.sqrt(len(differences))
    assert abs(np.mean(differences) - effect) < 3.5 * error
    # The noise of y without x: 60 / √12, in two arms of 200.
    assert np.std(differences) == pytest.approx(60 / np.sqrt(12) * np.sqrt(2 / 200), rel=0.15)


def test_pair__with_an_unlucky_split_of_the_covariate__is_less_certain() -> None:
    same = [covariate_sums([(x, x + noise) for x in (0, 1, 2, 3) for noise in (0, 4)]) for _ in range(2)]
    shifted = [same[0], covariate_sums([(x + 2, x + noise) for x in (0, 1, 2, 3) for noise in (0, 4)])]

    even, uneven = (cuped(arms).pair(0, 1)[0].variance for arms in (same, shifted))

    # 1 + shift² / (Σ S_xx (1/n + 1/m)) with S_xx = 10 in each arm of 8.
    assert uneven / even == pytest.approx(1 + 4 / (20 * 2 / 8))


@pytest.mark.parametrize("sizes", [(0, 5), (1, 5), (5, 1), (1, 1)])
def test_pair__of_an_arm_without_two_visitors__cannot_be_tested(sizes: tuple[int, int]) -> None:
    pair = cuped([covariate_sums([(1, 2), (2, 3), (4, 4), (1, 0), (3, 1)][:size]) for size in sizes]).pair(0, 1)

    assert mixture_test(*pair, alpha=0.05) is None
