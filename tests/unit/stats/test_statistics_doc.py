"""What docs/statistics.md shows is what comes out."""

import doctest
from pathlib import Path

import pytest

from tools.peeking_figure import ALPHA, TARGET, simulated, svg
from tools.stats import notebook

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
