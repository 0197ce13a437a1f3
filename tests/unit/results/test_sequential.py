"""The sequential engine: verdicts and intervals agree, whatever the counts and whatever earlier looks found."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.goals.definition import definition_digest
from abtest.domain.goals.model import Goal
from abtest.domain.ledger.cells import GoalCount
from abtest.services.results import adjusted_decisions
from abtest.services.results.comparison import TreatmentComparison
from abtest.services.results.counts import Counts
from abtest.services.results.question import Question, reading_of

NOW = "2026-03-02T09:00:00.000Z"
GOAL = Goal(id="g", experiment_id="e", name="Buy", type="click", created_at=NOW, updated_at=NOW)
ARMS = ("c", "t", "u")


def experiment(**fields: Any) -> Experiment:
    variations = tuple(
        Variation(id=arm, experiment_id="e", name=arm, weight=1 / 3, is_control=arm == "c") for arm in ARMS
    )
    return Experiment(
        id="e", shop_id="s", name="E", variations=variations, goals=(GOAL,), created_at=NOW, updated_at=NOW, **fields
    )


def compared(
    counts: list[tuple[int, int]], minima: dict[str, tuple[float, float]], **fields: Any
) -> list[TreatmentComparison | None]:
    """Visitors and converters of control and treatments, and what looks found of the treatments."""
    treatments = {arm: {"p": p, "difference": difference} for arm, (p, difference) in minima.items()}
    mixture = {"planned_visitors": 5000, "alpha": 0.05}
    source = definition_digest(GOAL, "EUR")
    looks: Any = {"goals": {"g": {"source": source, "mixture": mixture, "treatments": treatments}}}
    question = Question(
        experiment=experiment(**fields), currency="EUR", alpha=0.05, correction="holm", engine="sequential", looks=looks
    )
    measured = Counts(
        visitors=dict(zip(ARMS, (n for n, _ in counts), strict=True)),
        goals={("g", arm): GoalCount(x, x, x, x) for arm, (_, x) in zip(ARMS, counts, strict=True)},
    )
    return adjusted_decisions.compare([reading_of(question, GOAL, measured)])


ARM = st.integers(1, 5000).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
MINIMUM = st.tuples(st.floats(0, 1), st.floats(-0.5, 0.5))


@settings(max_examples=300, deadline=None)
@given(counts=st.lists(ARM, min_size=3, max_size=3), minima=st.lists(MINIMUM, min_size=2, max_size=2))
@example(counts=[(1000, 100), (1000, 100), (1000, 160)], minima=[(1e-9, 0.1), (1.0, 0.0)])
def test_verdict__of_any_counts_and_looks__agrees_with_both_intervals(
    counts: list[tuple[int, int]], minima: list[tuple[float, float]]
) -> None:
    for found in compared(counts, dict(zip(ARMS[1:], minima, strict=True))):
        assert found is not None
        for interval in (found.difference_interval, found.lift_interval):
            if interval is None or found.is_contradicted:
                continue
            excludes_zero = interval.lower >= 0 or interval.upper <= 0
            assert excludes_zero == found.is_significant
        assert found.always_valid_p is not None
        assert found.p_value is not None
        assert found.adjusted_p_value is not None
        assert found.always_valid_p <= found.p_value
        assert found.always_valid_p <= found.adjusted_p_value


def test_plan__that_is_frozen__sets_the_mixture_before_the_first_look() -> None:
    counts = [(10_000, 500), (10_000, 570), (10_000, 500)]
    plan = {"goal_id": "g", "mde": 0.1, "baseline_rate": 0.05}
    planned = compared(counts, {}, planned_test=plan)[0]
    assert planned is not None
    # Looks keep the mixture that the first one took; before it the plan's tau = 0.1 x 0.05 gives the worked p.
    question = Question(
        experiment=experiment(planned_test=plan), currency="EUR", alpha=0.05, correction="none", engine="sequential"
    )
    measured = Counts(
        visitors=dict(zip(ARMS, (n for n, _ in counts), strict=True)),
        goals={("g", arm): GoalCount(x, x, x, x) for arm, (_, x) in zip(ARMS, counts, strict=True)},
    )
    fresh = adjusted_decisions.compare([reading_of(question, GOAL, measured)])[0]
    assert fresh is not None
    assert fresh.p_value is not None
    assert abs(fresh.p_value - 0.3327802109) < 1e-3  # worked with V unpooled; the maximum is a little larger
    assert fresh.p_value != planned.p_value
