"""The adjusted estimate next to the plain one in the sequential engine, and as the one that decides."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any, Literal

import pytest

from abtest.contract import results as contract
from abtest.domain.autostop import sequential as rule
from abtest.domain.autostop.evidence import Evidence
from abtest.domain.autostop.looks import look_at
from abtest.domain.autostop.observed_rates import adjusts_rates, observed_rates
from abtest.domain.autostop.settings import AutoStop
from abtest.domain.autostop.shapes import LookState
from abtest.domain.autostop.verdicts import Waiting, Winner
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.goals.model import Goal
from abtest.domain.planning.shapes import Snapshot
from abtest.domain.stats.group_sequential.observation import Observation, Unobserved
from abtest.services.results import adjusted_decisions
from abtest.services.results.counts import Counts, counts_of_totals
from abtest.services.results.evidence import measure_of
from abtest.services.results.question import Question, reading_of
from abtest.services.results.rows import goal_results
from abtest.services.results.verdicts import Facts, verdict_of

NOW = "2026-03-02T09:00:00.000Z"
N = 2000
Visitors = dict[str, list[tuple[int, int]]]


def drawn(lift: float, seed: int = 1, n: int = N, *, is_rate: bool = True) -> Visitors:
    """Visitors by what they did before and after: regular ones do it nearly always, others hardly ever."""
    random, arms = Random(seed), {}
    for arm, more in (("c", 0.0), ("t", lift)):
        visitors = []
        for _ in range(n):
            chance = 0.85 if random.random() < 0.3 else 0.02
            x, y = random.random() < chance, random.random() < min(1.0, chance + more)
            worth = (1, 1) if is_rate else (random.randint(5, 15), random.randint(5, 15))
            visitors.append((x * worth[0], y * worth[1]))
        arms[arm] = visitors
    return arms


def totals(visitors: Visitors, *, is_known: bool = True) -> dict[str, Any]:
    return {
        "variations": {arm: {"visitors": len(each)} for arm, each in visitors.items()},
        "goals": {
            "g": {
                arm: {
                    "converters": sum(y > 0 for _, y in each),
                    "count": sum(y > 0 for _, y in each),
                    "sum_minor": sum(y for _, y in each),
                    "sum_squares_minor": str(sum(y * y for _, y in each)),
                }
                for arm, each in visitors.items()
            }
        },
        "covariates": {
            "g": {
                arm: [sum(x for x, _ in each), str(sum(x * x for x, _ in each)), str(sum(x * y for x, y in each))]
                for arm, each in visitors.items()
            }
        }
        if is_known
        else {},
    }


class Measuring:
    """One goal of a test in a measurement, count by count."""

    def __init__(self, adjustment: Literal["none", "cuped"] | None = "cuped", *, is_rate: bool = True) -> None:
        kind: Any = "click" if is_rate else "revenue"
        self.goal = Goal(id="g", experiment_id="e", name="Buy", type=kind, created_at=NOW, updated_at=NOW)
        self.state: LookState | None = None
        self.generation = 0
        plan: Snapshot = {"goal_id": "g", "mde": 0.1, "baseline_rate": 0.25, "alpha": 0.05}
        self.experiment = Experiment(
            id="e",
            shop_id="s",
            name="E",
            variations=tuple(
                Variation(id=arm, experiment_id="e", name=arm, weight=0.5, is_control=arm == "c") for arm in "ct"
            ),
            goals=(self.goal,),
            planned_test=plan if adjustment is None else {**plan, "covariate_adjustment": adjustment},
            created_at=NOW,
            updated_at=NOW,
        )

    def question(self, engine: Any = "sequential") -> Question:
        return Question(
            experiment=self.experiment,
            currency="EUR",
            alpha=0.05,
            correction="holm",
            engine=engine,
            looks=self.state,
        )

    def evidence(self, counts: Counts) -> Evidence:
        reading, arms = reading_of(self.question(), self.goal, counts), self.experiment.variations
        return Evidence(
            experiment_id="e",
            measurement_epoch=1,
            generation=self.generation,
            currency="EUR",
            alpha=0.05,
            control_id="c",
            visitors=dict(counts.visitors),
            weights={"c": 0.5, "t": 0.5},
            measures={"g": measure_of(reading, arms[0], arms)},
        )

    def look(self, visitors: Visitors, *, is_known: bool = True) -> Winner | Waiting:
        self.generation += 1
        evidence = self.evidence(counts_of_totals(totals(visitors, is_known=is_known)))
        self.state, _ = look_at(self.state, evidence, NOW)
        return rule.decide(self.state, evidence, AutoStop(), "g", is_covered=True)

    def shown(self, visitors: Visitors, engine: Any = "sequential", *, is_known: bool = True) -> Any:
        counts = counts_of_totals(totals(visitors, is_known=is_known))
        return goal_results(self.question(engine), [self.goal], counts)[0]


LIFT = 0.032
"""Too little for the plain test of 2,000 visitors an arm, enough for the adjusted one."""


@pytest.mark.parametrize("is_rate", [True, False])
def test_row__of_a_plan_that_adjusts__has_plain_figures_and_the_adjusted_verdict(is_rate: bool) -> None:
    visitors = drawn(LIFT, is_rate=is_rate)
    chosen, plain = (Measuring(choice, is_rate=is_rate).shown(visitors) for choice in ("cuped", "none"))

    (_, row), (_, other) = chosen.rows, plain.rows

    figures = ("lift", "ci", "difference", "difference_ci", "p_value", "adjusted_p_value", "always_valid_p")
    assert [getattr(row, name) for name in figures] == [getattr(other, name) for name in figures]
    assert (other.is_significant, other.state) == (False, "undecided")
    assert (row.is_significant, row.state) == (True, "better")
    assert (row.cuped.decides, row.cuped.is_significant, row.cuped.variance_reduction > 0.4) == (True, True, True)
    assert f"{row.cuped.lift:+.1%}" in row.message
    assert row.message.endswith("adjusted for what visitors did in the 14 days before")
    assert (chosen.adjustment.status, plain.adjustment) == ("decides", None)
    # Shown next to the plain figures all the same.
    assert (other.cuped.decides, other.cuped.difference) == (False, pytest.approx(row.cuped.difference))


def test_report__of_a_winner_by_the_adjusted_estimate__has_its_figures_in_the_sentence() -> None:
    test = Measuring()
    goal = test.shown(drawn(LIFT))
    facts = Facts(
        experiment=replace(test.experiment, status="running", started_at=NOW, measurement_started_at=NOW),
        visitors=2 * N,
        goal=goal,
        plan=None,
        srm=contract.SampleRatio(p_value=1.0, status="ok", expected={}, observed={}, sequential_p_value=1.0),
        health=[],
        coverage=contract.Coverage(mixed_populations=False, reasons=[]),
    )

    verdict = verdict_of(facts)

    adjusted = goal.rows[1].cuped
    assert verdict.status == "winner"
    assert f"rises by {adjusted.lift:.1%} (between {adjusted.ci.lower:+.1%} and" in verdict.sentence
    assert verdict.sentence.endswith("adjusted for what visitors did in the 14 days before.")


def test_autostop__of_a_plan_that_adjusts__finds_the_winner_earlier() -> None:
    chosen, plain = (Measuring(choice).look(drawn(LIFT)) for choice in ("cuped", "none"))

    assert isinstance(chosen, Winner)
    assert (chosen.variation_id, chosen.is_adjusted) == ("t", True)
    assert plain == Waiting("no_winner")


def test_verdict__of_an_adjusted_look__stays_when_later_visitors_blur_it() -> None:
    test = Measuring()
    test.look(drawn(LIFT))
    blurred = drawn(LIFT, n=N) | {"t": drawn(0.012)["t"]}

    row = test.shown(blurred).rows[1]

    assert row.cuped.p_value > 0.05
    assert (row.cuped.always_valid_p <= 0.05, row.is_significant, row.state) == (True, True, "better")


@pytest.mark.parametrize("choice", ["none", None])
def test_looks__of_other_plans__store_no_adjusted_minima(choice: Any) -> None:
    test = Measuring(choice)
    test.look(drawn(LIFT))

    assert test.state is not None
    assert "adjusted" not in test.state["goals"]["g"]


def test_first_look__without_the_time_before__freezes_the_plain_estimate() -> None:
    test = Measuring()
    early = test.look(drawn(LIFT), is_known=False)
    later = test.look(drawn(LIFT))
    shown = test.shown(drawn(LIFT))

    assert (early, later) == (Waiting("no_winner"), Waiting("no_winner"))
    assert (shown.adjustment.status, shown.rows[1].is_significant) == ("not_from_the_first_look", False)
    assert shown.rows[1].cuped.decides is False


def test_later_look__without_the_time_before__decides_nothing_and_keeps_the_minima() -> None:
    test = Measuring()
    assert isinstance(test.look(drawn(LIFT)), Winner)
    assert test.state is not None
    before = test.state["goals"]["g"]["adjusted"]

    verdict = test.look(drawn(0.3), is_known=False)
    shown = test.shown(drawn(0.3), is_known=False)

    assert verdict == Waiting("covariate_not_counted")
    assert test.state["goals"]["g"]["adjusted"] == before
    assert (shown.adjustment.status, shown.rows[1].is_significant, shown.rows[1].cuped) == ("missing", False, None)
    assert isinstance(test.look(drawn(LIFT)), Winner)


def test_first_look__before_the_first_visitor__freezes_the_adjusted_estimate() -> None:
    test = Measuring()
    test.look({"c": [], "t": []})

    assert isinstance(test.look(drawn(LIFT)), Winner)


def test_minima__of_both_estimates__are_kept_apart() -> None:
    test = Measuring()
    test.look(drawn(LIFT))

    assert test.state is not None
    goal = test.state["goals"]["g"]
    assert goal["adjusted"]["t"]["p"] < 0.05 < goal["treatments"]["t"]["p"]
    assert test.state["minima"]["g"]["t"] == goal["treatments"]["t"]["p"]


def test_planned_look__at_adjusted_rates__has_more_information_about_the_same_difference() -> None:
    measure = Measuring().evidence(counts_of_totals(totals(drawn(LIFT)))).measures["g"]

    plain, adjusted = (observed_rates(measure, "c", "t", is_adjusted=is_adjusted) for is_adjusted in (False, True))

    assert adjusts_rates(measure)
    assert isinstance(plain, Observation)
    assert isinstance(adjusted, Observation)
    assert adjusted.information > 1.5 * plain.information
    assert adjusted.difference == pytest.approx(plain.difference, abs=2 / plain.information**0.5)


@pytest.mark.parametrize(("is_rate", "is_known"), [(True, False), (False, True)])
def test_planned_look__without_adjusted_rates__observes_nothing_in_their_place(is_rate: bool, is_known: bool) -> None:
    counts = counts_of_totals(totals(drawn(LIFT, is_rate=is_rate), is_known=is_known))
    measure = Measuring(is_rate=is_rate).evidence(counts).measures["g"]

    assert not adjusts_rates(measure)
    assert isinstance(observed_rates(measure, "c", "t", is_adjusted=False), Observation)
    assert isinstance(observed_rates(measure, "c", "t", is_adjusted=True), Unobserved)


@pytest.mark.parametrize(
    ("engine", "is_known", "status"),
    [("frequentist", True, "other_engine"), ("bayesian", True, "other_engine"), ("sequential", False, "not_counted")],
)
def test_adjustment__that_does_not_decide__has_its_reason_in_words(engine: Any, is_known: bool, status: str) -> None:
    adjustment = Measuring().shown(drawn(LIFT), engine, is_known=is_known).adjustment

    assert adjustment.status == status
    assert adjustment.message.startswith("The plan adjusts")


def test_adjustment__of_a_part_of_the_visitors__is_restricted() -> None:
    test, counts = Measuring(), counts_of_totals(totals(drawn(LIFT)))
    part = Counts(visitors=counts.visitors, goals=counts.goals)

    shown = goal_results(test.question(), [test.goal], part)[0]

    assert shown.adjustment is not None
    assert (shown.adjustment.status, shown.rows[1].is_significant) == ("restricted", False)


def test_family__of_an_adjusted_and_a_plain_goal__is_corrected_over_the_estimates_that_decide() -> None:
    test = Measuring()
    visitors = drawn(LIFT)
    plain_goal = replace(test.goal, id="h", name="Other", is_primary=False)
    counts = counts_of_totals(totals(visitors))
    both = replace(counts, goals={**counts.goals, **{("h", arm): counts.goals["g", arm] for arm in "ct"}})
    question = test.question()
    readings = [reading_of(question, goal, replace(both, counted=None)) for goal in (test.goal, plain_goal)]

    adjusted, plain = adjusted_decisions.compare(readings)

    assert adjusted is not None
    assert plain is not None
    assert adjusted.adjusted is not None
    # Holm: the adjusted p of the first goal is the smaller one, so it counts twice; no later one is below that.
    twice = 2 * (adjusted.adjusted.always_valid_p or 0)
    assert adjusted.adjusted.adjusted_p_value == pytest.approx(twice)
    assert plain.adjusted_p_value == pytest.approx(max(twice, plain.always_valid_p or 0))
    assert (adjusted.adjusted.decides, plain.adjusted) == (True, None)
