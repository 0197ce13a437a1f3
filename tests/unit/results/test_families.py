"""Families of comparisons: what is corrected together, and what each engine does with it."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.contract.results import Correction, CorrectionFamily, Engine, ResultRow
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.goals.definition import definition_digest
from abtest.domain.goals.model import Goal
from abtest.domain.ledger.cells import GoalCount
from abtest.domain.stats.multiplicity import benjamini_hochberg, holm
from abtest.kit.errors import ValidationFailedError
from abtest.services.results.counts import Counts
from abtest.services.results.experiment_results import ResultsQuery
from abtest.services.results.families import correction_message
from abtest.services.results.question import Question
from abtest.services.results.rows import goal_results

NOW = "2026-03-02T09:00:00.000Z"
ARMS = ("c", "t", "u")
BUYERS = {"buy": (500, 574, 560), "cart": (900, 990, 905), "form": (300, 350, 362), "old": (400, 470, 400)}


def goal(name: str, **fields: Any) -> Goal:
    return Goal(id=name, experiment_id="e", name=name, type="click", created_at=NOW, updated_at=NOW, **fields)


GOALS = (goal("buy", is_primary=True), goal("cart"), goal("form"), goal("old", archived_at=NOW))


def rows(
    correction: Correction,
    family: CorrectionFamily,
    shown: tuple[str, ...] = ("buy", "cart", "form"),
    engine: Engine = "frequentist",
    looks: Any = None,
) -> dict[tuple[str, str], ResultRow]:
    """Rows of treatments by goal and variation."""
    variations = tuple(
        Variation(id=arm, experiment_id="e", name=arm, weight=1 / 3, is_control=arm == "c") for arm in ARMS
    )
    experiment = Experiment(
        id="e", shop_id="s", name="E", variations=variations, goals=GOALS, created_at=NOW, updated_at=NOW
    )
    counts = Counts(
        visitors=dict.fromkeys(ARMS, 10_000),
        goals={
            (name, arm): GoalCount(x, x, x, x)
            for name, numbers in BUYERS.items()
            for arm, x in zip(ARMS, numbers, strict=True)
        },
    )
    question = Question(
        experiment=experiment,
        currency="EUR",
        alpha=0.05,
        correction=correction,
        engine=engine,
        looks=looks,
        family=family,
    )
    results = goal_results(question, [one for one in GOALS if one.id in shown], counts)
    return {(one.goal_id, row.variation_id): row for one in results for row in one.rows if not row.is_control}


PLAIN = {key: row.p_value for key, row in rows("none", "treatments", ("buy", "cart", "form", "old")).items()}


def p_of(*goals: str) -> list[float]:
    return [PLAIN[name, arm] or 0.0 for name in goals for arm in ARMS[1:]]


def adjusted(shown: dict[tuple[str, str], ResultRow], *goals: str) -> list[float | None]:
    return [shown[name, arm].adjusted_p_value for name in goals for arm in ARMS[1:]]


@pytest.mark.parametrize(("correction", "method"), [("holm", holm), ("bh", benjamini_hochberg)])
def test_family__of_any_kind__is_corrected_together(correction: Correction, method: Any) -> None:
    def expected(*goals: str) -> Any:
        return pytest.approx(list(method(p_of(*goals), alpha=0.05).adjusted), rel=1e-12)

    alone = rows(correction, "treatments")
    assert [adjusted(alone, name) for name in ("buy", "cart", "form")] == [
        expected("buy"),
        expected("cart"),
        expected("form"),
    ]
    assert adjusted(rows(correction, "goals"), "buy", "cart", "form") == expected("buy", "cart", "form")
    apart = rows(correction, "goals_primary_apart")
    assert adjusted(apart, "buy") == expected("buy")
    assert adjusted(apart, "cart", "form") == expected("cart", "form")


@pytest.mark.parametrize("family", ["goals", "goals_primary_apart"])
def test_goal__requested_alone__is_corrected_as_with_all_others(family: CorrectionFamily) -> None:
    whole, alone = rows("holm", family), rows("holm", family, ("cart",))
    assert alone == {key: row for key, row in whole.items() if key[0] == "cart"}


def test_archived_goal__requested_by_id__is_a_family_of_its_own() -> None:
    both = rows("bh", "goals", ("buy", "old"))
    assert adjusted(both, "old") == adjusted(rows("bh", "treatments", ("old",)), "old")
    assert adjusted(both, "buy") == adjusted(rows("bh", "goals"), "buy")


@pytest.mark.parametrize("correction", ["none", "holm", "bh"])
@pytest.mark.parametrize("family", ["treatments", "goals", "goals_primary_apart"])
@pytest.mark.parametrize("engine", ["frequentist", "sequential"])
def test_verdict__of_any_family__agrees_with_both_intervals(
    correction: Correction, family: CorrectionFamily, engine: Engine
) -> None:
    for row in rows(correction, family, engine=engine).values():
        for interval in (row.ci, row.difference_ci):
            assert interval is not None
            assert row.is_significant == (interval.lower > 0 or interval.upper < 0)


def test_sequential__bh__tests_this_look_and_shows_the_smallest_of_all() -> None:
    stored = {"p": 1e-6, "difference": 0.01}
    mixture = {"planned_visitors": 5000, "alpha": 0.05}
    looks = {
        "goals": {
            "cart": {"source": definition_digest(GOALS[1], "EUR"), "mixture": mixture, "treatments": {"t": stored}}
        }
    }
    fresh = rows("bh", "treatments", engine="sequential")
    shown = rows("bh", "treatments", engine="sequential", looks=looks)
    kept = rows("holm", "treatments", engine="sequential", looks=looks)
    key = ("cart", "t")
    assert shown[key].always_valid_p == kept[key].always_valid_p == 1e-6
    assert shown[key].adjusted_p_value == fresh[key].adjusted_p_value
    assert kept[key].adjusted_p_value == pytest.approx(2e-6)
    assert (shown[key].is_significant, kept[key].is_significant) == (False, True)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"engine": "bayesian", "correction": "bh"}, "correction"),
        ({"engine": "bayesian", "family": "goals"}, "correction_family"),
        ({"correction": "none", "family": "goals_primary_apart"}, "correction_family"),
    ],
)
def test_query__that_corrects_nothing__is_refused_by_name(query: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationFailedError) as raised:
        ResultsQuery(**query).check()
    assert [one.path for one in raised.value.fields] == [field]


def test_correction_message__names_the_family() -> None:
    assert correction_message("none", "treatments") == "none"
    assert correction_message("holm", "treatments") == "Holm, across the treatments of a goal"
    assert correction_message("bh", "goals") == "Benjamini and Hochberg, across all goals and treatments"
