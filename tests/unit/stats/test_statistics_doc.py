"""What docs/statistics.md shows is what comes out."""

import doctest
from pathlib import Path

import pytest

from abtest.domain.stats import api
from tools.peeking_figure import ALPHA, TARGET, simulated, svg

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
    for make in (lambda: api.Rate(5, 4), lambda: api.Rate(-1, 4), lambda: api.Mean(3, 1.0, -1.0)):
        with pytest.raises(ValueError):
            make()
    with pytest.raises(TypeError):
        api.bayes(api.Rate(1, 2), api.Mean(2, 1.0, 1.0))
    with pytest.raises(TypeError):
        api.relative_lift(api.Rate(1, 2), api.Mean(2, 1.0, 1.0))


def test_relative_lift__of_either_kind__has_the_interval_of_its_comparison() -> None:
    rates, means = (api.Rate(500, 10_000), api.Rate(570, 10_000)), (api.Mean(900, 2.0, 40.0), api.Mean(90, 3.0, 50.0))
    for arms, (one,) in ((rates, api.compare_rates(*rates)), (means, api.compare_means(*means))):
        found = api.relative_lift(*arms)
        assert found is not None
        assert one is not None
        assert found.interval == pytest.approx(one.lift_interval, rel=1e-12)
    assert api.relative_lift(api.Rate(0, 10), api.Rate(1, 10)) is None


def test_sequential_means__of_clear_money__is_valid_at_any_look() -> None:
    found = api.sequential_means(api.Mean(25_000, 1.85, 310.25), api.Mean(24_900, 2.45, 335.5), tau=0.3)
    assert found is not None
    assert found.always_valid_p < 0.05
    assert api.sample_size_of_means(10.0, 30.0, 0.05).required_sample_per_variant > 10_000
