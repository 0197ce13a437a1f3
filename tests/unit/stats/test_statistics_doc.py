"""What docs/statistics.md shows is what comes out."""

import doctest
from collections.abc import Callable, Mapping
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tools.peeking_figure import ALPHA, TARGET, simulated, svg
from tools.stats import batched, notebook

DOC = Path(__file__).parents[3] / "docs" / "statistics.md"


def test_examples__executed__show_what_the_document_shows() -> None:
    found = doctest.testfile(str(DOC), module_relative=False)
    assert found.attempted >= 20
    assert found.failed == 0


def test_figure__drawn_anew__is_the_committed_one() -> None:
    assert TARGET.read_text() == svg()


def test_figure__shares__are_those_that_the_text_tells() -> None:
    naive, valid = ((p <= ALPHA).any(axis=1).mean() for p in simulated())
    assert f"{naive:.0%}".replace("%", " %") in DOC.read_text()
    assert valid < 0.01


def test_api__arms_that_cannot_be__are_refused() -> None:
    for make in (lambda: notebook.Rate(5, 4), lambda: notebook.Rate(-1, 4), lambda: notebook.Mean(3, 1.0, -1.0)):
        with pytest.raises(ValueError):
            make()
    with pytest.raises(TypeError):
        notebook.bayes(notebook.Rate(1, 2), notebook.Mean(2, 1.0, 1.0))
    with pytest.raises(TypeError):
        notebook.relative_lift(notebook.Rate(1, 2), notebook.Mean(2, 1.0, 1.0))


def test_relative_lift__of_either_kind__has_the_interval_of_its_comparison() -> None:
    rates, means = (
        (notebook.Rate(500, 10_000), notebook.Rate(570, 10_000)),
        (notebook.Mean(900, 2.0, 40.0), notebook.Mean(90, 3.0, 50.0)),
    )
    for arms, (one,) in ((rates, notebook.compare_rates(*rates)), (means, notebook.compare_means(*means))):
        found = notebook.relative_lift(*arms)
        assert found is not None
        assert one is not None
        assert found.interval == pytest.approx(one.lift_interval, rel=1e-12)
    assert notebook.relative_lift(notebook.Rate(0, 10), notebook.Rate(1, 10)) is None


def test_sequential_means__of_clear_money__is_valid_at_any_look() -> None:
    found = notebook.sequential_means(notebook.Mean(25_000, 1.85, 310.25), notebook.Mean(24_900, 2.45, 335.5), tau=0.3)
    assert found is not None
    assert found.always_valid_p < 0.05
    assert notebook.sample_size_of_means(10.0, 30.0, 0.05).required_sample_per_variant > 10_000


RATES = notebook.Rate(500, 10_000), notebook.Rate(570, 10_000)
MEANS = notebook.Mean(900, 2.0, 40.0), notebook.Mean(90, 3.0, 50.0)
COLUMNS = [900, 2.0, 40.0, [90, 900], [3.0, 2.5], [50.0, 45.0]]
DIFFERENCES = batched.differences_of_means(*COLUMNS)


def sequential_look() -> notebook.MixtureTest:
    look = notebook.sequential_rates(*RATES, tau=0.005)
    assert look is not None
    return look


AT_A_LEVEL: Mapping[str, Callable[[Any], object]] = {
    "compare_rates": lambda alpha: notebook.compare_rates(*RATES, RATES[1], alpha=alpha),
    "compare_means": lambda alpha: notebook.compare_means(*MEANS, alpha=alpha),
    "sequential_rates": lambda alpha: notebook.sequential_rates(*RATES, alpha=alpha),
    "sequential_means": lambda alpha: notebook.sequential_means(*MEANS, alpha=alpha, tau=0.3),
    "sequential_harm": lambda alpha: notebook.sequential_harm(*RATES, alpha=alpha, tau=0.005),
    "sample_size": lambda alpha: notebook.sample_size(0.03, 0.1, alpha=alpha),
    "sample_size_of_means": lambda alpha: notebook.sample_size_of_means(10.0, 30.0, 0.05, alpha=alpha),
    "power_of": lambda alpha: notebook.power_of(0.03, 0.1, 50_000, alpha=alpha),
    "relative_lift": lambda alpha: notebook.relative_lift(*RATES, alpha=alpha),
    "relative_lift of means": lambda alpha: notebook.relative_lift(*MEANS, alpha=alpha),
    "bayes": lambda alpha: notebook.bayes(*RATES, alpha=alpha),
    "bayes of means": lambda alpha: notebook.bayes(*MEANS, alpha=alpha),
    "holm": lambda alpha: notebook.holm([0.01, 0.04], alpha=alpha),
    "benjamini_hochberg": lambda alpha: notebook.benjamini_hochberg([0.01, 0.04], alpha=alpha),
    "batched.compare_rates": lambda alpha: batched.compare_rates(5, 90, [7], 80, alpha=alpha, correction="none"),
    "batched.compare_means": lambda alpha: batched.compare_means(*COLUMNS, alpha=alpha, correction="holm"),
    "batched.holm": lambda alpha: batched.holm([0.01, 0.04], alpha=alpha),
    "batched.mixture_test": lambda alpha: batched.mixture_test(DIFFERENCES, alpha=alpha),
    "batched.one_sided_mixture_test": lambda alpha: batched.one_sided_mixture_test(
        DIFFERENCES, direction="decrease", alpha=alpha, tau=0.2
    ),
    "interval of a look": lambda alpha: sequential_look().interval_at(float(alpha)),
    "intervals of rates": lambda alpha: batched.two_proportions(5, 90, [7, 8], 80).intervals(
        alpha, np.array([False, False])
    ),
    "margin of means": lambda alpha: batched.welch(*COLUMNS).margin(alpha),
    "quantile of means": lambda alpha: batched.welch(*COLUMNS).quantile([0.01, float(alpha)]),
}


@pytest.mark.parametrize("name", AT_A_LEVEL)
@pytest.mark.parametrize("alpha", [0, 0.5, 1, -0.05, 5, float("nan"), float("inf"), True])
def test_api__a_level_outside_of_zero_to_a_half__is_refused(name: str, alpha: float) -> None:
    with pytest.raises(ValueError, match=r"alpha must be between 0 and 0\.5"):
        AT_A_LEVEL[name](alpha)


@pytest.mark.parametrize("name", AT_A_LEVEL)
@pytest.mark.parametrize("alpha", [1e-9, 0.05, 0.499])
def test_api__a_level_below_a_half__is_used(name: str, alpha: float) -> None:
    assert AT_A_LEVEL[name](alpha) is not None


def test_api__every_function_with_a_level__is_among_those_tested() -> None:
    leveled = {name for name in notebook.__all__ if "alpha" in signature(getattr(notebook, name)).parameters}
    many = {f"batched.{name}" for name in batched.__all__ if "alpha" in signature(getattr(batched, name)).parameters}
    assert leveled | many == {name for name in AT_A_LEVEL if " of " not in name}
