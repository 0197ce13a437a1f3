"""`group_sequential`: a winner at one of the looks of a plan, or its end, with the error spent over the looks.

Looks are taken by `domain.autostop.planned_looks`; a decision is a function of what they stored.
"""

from collections.abc import Mapping
from dataclasses import replace

from abtest.domain.autostop.evidence import Evidence, Measure
from abtest.domain.autostop.money import blocked
from abtest.domain.autostop.observed_rates import adjusts_rates, rate_differences
from abtest.domain.autostop.planned_end import evaluated
from abtest.domain.autostop.planned_looks import are_adjusted, has_looks, is_due, is_for
from abtest.domain.autostop.settings import AutoStop
from abtest.domain.autostop.shapes import LeftOut, PlannedLooks
from abtest.domain.autostop.verdicts import Evaluated, GuardrailFinding, Waiting, WaitingFor
from abtest.domain.planning.shapes import Snapshot

_NO_LOOK: Mapping[LeftOut, WaitingFor] = {
    "min_visitors": "min_visitors",
    "min_conversions": "min_conversions",
    "no_variance": "no_variance",
    "sample_ratio_mismatch": "sample_ratio_mismatch",
    "covariate_not_counted": "covariate_not_counted",
}


def decide(
    plan: Snapshot,
    looks: PlannedLooks | None,
    evidence: Evidence,
    settings: AutoStop,
    *,
    is_covered: bool,
    guardrails: tuple[GuardrailFinding, ...] = (),
) -> Evaluated | Waiting:
    """Return the evaluation: with a winner, harm, or futility on the way, or at the end of the plan; else why not yet.

    The plan ends with its visitors, or earlier when all treatments had their last look. `looks`: after this count.
    Treatments that are significantly behind do not end the test: Guardian handles them. A treatment wins only if it was
    ahead at the look with its smallest p, is ahead now, and harms no guardrail. Where the looks are at adjusted rates,
    these decide; a count without them ends the test for harm alone.
    """
    measure = evidence.measures.get(plan.get("goal_id", ""))
    reason = _not_yet(plan, measure, looks)
    if reason or looks is None or measure is None:
        return Waiting(reason or "no_planned_look")
    p_values = _p_values(looks, evidence, measure)
    is_adjusted = are_adjusted(looks)
    evaluation = evaluated(plan, evidence, settings, p_values, is_covered, guardrails, is_adjusted=is_adjusted)
    if is_adjusted and not adjusts_rates(measure):
        is_pause = evaluation.outcome == "harm" and settings.pauses_for_harm
        return replace(evaluation, ended_by="harm") if is_pause else Waiting("covariate_not_counted")
    if is_due(plan, evidence) or has_ended(looks):
        return replace(evaluation, ended_by="planned_end")
    if evaluation.winner:
        return replace(evaluation, ended_by="winner")
    return _on_the_way(evaluation, looks, evidence, measure, settings, is_covered=is_covered)


def has_ended(looks: PlannedLooks) -> bool:
    """Return whether all treatments had their last look."""
    treatments = looks["family"]["treatments"].values()
    return all(one["looks"] and one["looks"][-1]["place"] >= 1 for one in treatments)


def is_futile(looks: PlannedLooks, treatment: str) -> bool:
    """Return whether a treatment's latest look was at or below its futility bound. False without one."""
    latest = looks["family"]["treatments"][treatment]["looks"][-1:]
    return any(look["futility"] is not None and look["z"] <= look["futility"] for look in latest)


def _not_yet(plan: Snapshot, measure: Measure | None, looks: PlannedLooks | None) -> WaitingFor | None:
    """Return why there is nothing to decide by; None where treatments were looked at."""
    if plan.get("evaluation") is not None:
        return "already_evaluated"
    if measure is None:
        return "goal_not_counted"
    if plan.get("required_total_visitors") is None or not {"baseline_rate", "mde"} <= plan.keys():
        return "plan_without_size"
    if looks is None:
        return "no_planned_look"
    if not is_for(looks, measure):
        return "goal_redefined"
    if has_looks(looks):
        return None
    return next((_NO_LOOK[why] for why in looks["left_out"].values() if why in _NO_LOOK), "no_planned_look")


def _on_the_way(
    evaluation: Evaluated,
    looks: PlannedLooks,
    evidence: Evidence,
    measure: Measure,
    settings: AutoStop,
    *,
    is_covered: bool,
) -> Evaluated | Waiting:
    """Return harm or futility before the plan's end, or why the test goes on without a winner."""
    if evaluation.outcome == "harm":
        is_pause = settings.pauses_for_harm
        return replace(evaluation, ended_by="harm", pauses_for_harm=True) if is_pause else Waiting("guardrail_harmed")
    reason = blocked(evidence, measure, is_covered=is_covered) if measure.is_money else None
    if reason:
        return Waiting(reason)
    if not all(is_futile(looks, arm) for arm in looks["family"]["treatments"]):
        return Waiting("no_winner")
    if not settings.pauses_for_futility:
        return Waiting("futility")
    return replace(evaluation, outcome="inconclusive_pause", ended_by="futility")


def _p_values(looks: PlannedLooks, evidence: Evidence, measure: Measure) -> dict[str, float]:
    """Return repeated p-values, 1 where the evidence was for one side and the difference is now on the other.

    They are of all treatments that get traffic, also of those without a look.
    """
    is_adjusted = are_adjusted(looks)
    differences = rate_differences(measure, evidence.control_id, evidence.treatments, is_adjusted=is_adjusted)
    p_values = {}
    for arm, difference in differences.items():
        one = looks["p_values"].get(arm)
        p_values[arm] = one["p"] if one and measure.gain(difference) * one["towards"] > 0 else 1.0
    return p_values
