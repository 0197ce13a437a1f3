"""`group_sequential`: a winner at one of the looks of a plan, or its end, with the error spent over the looks."""

from collections.abc import Mapping

from abtest.domain.autostop.evidence import Evidence, Measure
from abtest.domain.autostop.money import blocked
from abtest.domain.autostop.planned_end import evaluated
from abtest.domain.autostop.settings import AutoStop
from abtest.domain.autostop.verdicts import Evaluated, GuardrailFinding, Waiting
from abtest.domain.planning.shapes import Snapshot
from abtest.domain.stats.formulas import pooled_variance
from abtest.domain.stats.group_sequential.design import Design, Sides
from abtest.domain.stats.group_sequential.families import (
    Compared,
    FamilyState,
    compared,
    look_at_family,
    started_family,
)
from abtest.domain.stats.group_sequential.looks import State
from abtest.domain.stats.group_sequential.observation import Observation, observe
from abtest.domain.stats.group_sequential.spending import OBRIEN_FLEMING, Spending

LOOK_STEP = 0.01
"""Part of the planned information that a look adds at least: about a hundred looks, however often events are counted.

The rule depends on the information alone, so it does not matter to the error rate.
"""


def begun(plan: Snapshot, evidence: Evidence, *, spending: Spending = OBRIEN_FLEMING) -> FamilyState | Waiting:
    """Return the state of a measurement before its first look: the design and the planned information are frozen.

    The planned information of a treatment is that of the planned visitors, split by the weights, at the mean of both
    planned rates.
    """
    measure, required = evidence.measures.get(plan.get("goal_id", "")), plan.get("required_total_visitors")
    if measure is None:
        return Waiting("goal_not_counted")
    if required is None or not {"baseline_rate", "mde"} <= plan.keys():
        return Waiting("plan_without_size")
    change = -plan["mde"] if measure.falls else plan["mde"]
    rate = plan["baseline_rate"] * (1 + change / 2)
    parts = {arm: required * weight / sum(evidence.weights.values()) for arm, weight in evidence.weights.items()}
    control = parts[evidence.control_id]
    planned = {
        arm: 1 / pooled_variance(rate * control, control, rate * parts[arm], parts[arm]) for arm in evidence.treatments
    }
    sides: Sides = 1 if plan.get("tail") == "one-sided" else 2
    design = Design(alpha=float(plan.get("alpha", evidence.alpha)), sides=sides, spending=spending)
    return started_family(design, planned)


def look_at(state: FamilyState, plan: Snapshot, evidence: Evidence, settings: AutoStop) -> FamilyState:
    """Return the state after a look at the goal's rates; z is positive where the goal got better.

    A treatment without the minimum data, without variance, or with little more information than at its last look, is
    not looked at and spends nothing. With the planned number of visitors the look is the last one, even if the
    information is slightly below the planned one.
    """
    measure = evidence.measures.get(plan.get("goal_id", ""))
    if measure is None:
        return state
    is_last = _is_reached(plan, evidence)
    observed: dict[str, tuple[float, float]] = {}
    for arm in evidence.treatments:
        if arm not in state["treatments"] or not _is_ready(measure, evidence.control_id, arm, settings):
            continue
        observation = observe(measure.rates[evidence.control_id], measure.rates[arm])
        if isinstance(observation, Observation) and (
            is_last or _is_worth_a_look(state["treatments"][arm], observation.information)
        ):
            observed[arm] = (observation.information, measure.gain(observation.z))
    after, _ = look_at_family(state, observed, is_last=is_last)
    return after


def decide(
    plan: Snapshot,
    state: FamilyState,
    evidence: Evidence,
    settings: AutoStop,
    *,
    is_covered: bool,
    guardrails: tuple[GuardrailFinding, ...] = (),
) -> Evaluated | Waiting:
    """Return the evaluation: at a look with a winner, or at the end of the plan; else why not yet.

    The plan ends with its visitors, or earlier when all treatments had their last look. `state` is that after this
    look. Treatments that are significantly behind do not end the test: Guardian handles them. A treatment wins only if
    it was ahead where it crossed its boundary, is ahead now, and harms none of the `guardrails`.
    """
    if plan.get("evaluation") is not None:
        return Waiting("already_evaluated")
    measure = evidence.measures.get(plan.get("goal_id", ""))
    if measure is None:
        return Waiting("goal_not_counted")
    treatments = compared(state)
    if not any(one["looks"] for one in state["treatments"].values()):
        return Waiting("min_conversions")
    p_values = _p_values(treatments, evidence, measure)
    evaluation = evaluated(plan, evidence, settings, p_values, is_covered, guardrails)
    is_over = _is_reached(plan, evidence) or all(one.has_ended for one in treatments.values())
    if evaluation.winner or is_over:
        return evaluation
    return Waiting((blocked(evidence, measure, is_covered=is_covered) if measure.is_money else None) or "no_winner")


def _is_worth_a_look(state: State, information: float) -> bool:
    fraction, before = (
        information / state["planned_information"],
        state["looks"][-1]["fraction"] if state["looks"] else 0,
    )
    return fraction >= min(before + LOOK_STEP, 1)


def _is_reached(plan: Snapshot, evidence: Evidence) -> bool:
    required = plan.get("required_total_visitors")
    return required is not None and evidence.total_visitors >= required


def _is_ready(measure: Measure, control: str, treatment: str, settings: AutoStop) -> bool:
    arms = (measure.rates[control], measure.rates[treatment])
    return all(arm.visitors >= settings.min_visitors and arm.conversions >= settings.min_conversions for arm in arms)


def _p_values(treatments: Mapping[str, Compared], evidence: Evidence, measure: Measure) -> dict[str, float]:
    """Return repeated p-values, 1 where the evidence was for one side and the difference is now on the other."""
    control = measure.rates[evidence.control_id].rate or 0.0
    p_values = {}
    for arm, one in treatments.items():
        difference = (measure.rates[arm].rate or 0.0) - control
        p_values[arm] = one.p_value if measure.gain(difference) * one.towards > 0 else 1.0
    return p_values
