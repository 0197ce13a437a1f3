"""Evidence of a measurement out of its roll-up: the numbers that results show, as auto-stop decides by them."""

from collections.abc import Sequence

from abtest.domain.autostop.evidence import Arms, Evidence, LeftOut, Measure
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.goals.definition import definition_digest
from abtest.domain.goals.model import Goal
from abtest.services.results.adjustment import adjusted_arms, is_adjustment_chosen
from abtest.services.results.population import WHOLE, population_of
from abtest.services.results.question import Reading, reading_of
from abtest.services.results.shop_rules import ShopRules
from abtest.services.results.snapshots import Snapshot


def evidence_in(snapshot: Snapshot, rules: ShopRules, experiment: Experiment) -> Evidence | None:
    """Return the evidence of a snapshot; None before the first count, or without a control.

    With `results_weekdays` it covers only visitors first exposed on these days. Raises OutdatedError.
    """
    question = rules.question(experiment, snapshot.totals)
    control = question.control
    if snapshot.totals is None or control is None:
        return None
    counts = population_of(experiment, snapshot, WHOLE).counts(snapshot)
    arms = sorted(question.variations, key=lambda variation: variation is not control)
    goals = [goal for goal in experiment.goals if goal.archived_at is None]
    readings = [reading_of(question, goal, counts) for goal in goals]
    return Evidence(
        experiment_id=experiment.id,
        measurement_epoch=experiment.measurement_epoch,
        generation=snapshot.totals["generation"],
        currency=question.currency,
        alpha=question.alpha,
        control_id=control.id,
        visitors={arm.id: counts.visitors.get(arm.id, 0) for arm in arms},
        weights={arm.id: arm.weight for arm in arms},
        measures={reading.goal.id: measure_of(reading, control, arms) for reading in readings if not reading.problem},
        guardrails=[goal.id for goal in goals if is_guardrail(goal)],
    )


def is_guardrail(goal: Goal) -> bool:
    """Return whether the goal is tested for harm: a guardrail by its role, or money per visitor."""
    # A ratio may fall where its denominator rises, as the value of an order does with more small orders.
    return goal.role == "guardrail" or goal.is_revenue


def measure_of(reading: Reading, control: Variation, arms: Sequence[Variation]) -> Measure:
    """Return one goal's arms, and each treatment with traffic next to the control."""
    goal, question = reading.goal, reading.question
    compared = [arm for arm in arms if arm is not control and arm.weight > 0]
    paid = arms if goal.depends_on_money else ()
    adjusted = adjusted_arms(reading) if is_adjustment_chosen(reading) else None
    return Measure(
        goal_id=goal.id,
        source=definition_digest(goal, question.currency, question.experiment.results_weekdays),
        falls=goal.direction == "decrease",
        is_money=goal.depends_on_money,
        is_ratio=goal.is_ratio,
        is_guardrail=is_guardrail(goal),
        comparisons={arm.id: Arms(reading.level(control), reading.level(arm)) for arm in compared},
        rates={arm.id: reading.rate(arm) for arm in arms},
        samples={arm.id: reading.sample(arm) for arm in arms},
        tau=reading.tau,
        left_out={
            arm.id: LeftOut(reading.count(arm).hits, reading.counts.excluded(goal.id, arm.id) or 0) for arm in paid
        },
        adjusts=adjusted is not None,
        adjusted={arm: Arms(*pair) for arm, pair in adjusted.pairs.items()} if adjusted else {},
    )
