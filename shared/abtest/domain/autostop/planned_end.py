"""`fixed_horizon_planned_end`: the one look, taken when the planned sample is reached."""

from collections.abc import Mapping

from abtest.domain.autostop.evidence import Evidence, Measure
from abtest.domain.autostop.money import blocked, losers, money_measure, revenue_evaluation
from abtest.domain.autostop.settings import AutoStop
from abtest.domain.autostop.verdicts import Evaluated, PlanOutcome, Waiting, Winner
from abtest.domain.planning.shapes import Snapshot
from abtest.domain.stats.comparisons import Correction
from abtest.domain.stats.multiplicity import holm
from abtest.domain.stats.proportions import two_proportions
from abtest.domain.stats.samples import Conversions


def decide(plan: Snapshot, evidence: Evidence, settings: AutoStop, *, is_covered: bool) -> Evaluated | Waiting:
    """The evaluation, or why it is not time for it.

    A plan is one of rates, so it is the rate of visitors who reached its goal that is compared, also where the goal
    counts money; money has its own verdict beside it.
    """
    if plan.get("evaluation") is not None:
        return Waiting("already_evaluated")
    measure, required = evidence.measures.get(plan.get("goal_id", "")), plan.get("required_total_visitors")
    if measure is None:
        return Waiting("goal_not_counted")
    if required is None:
        return Waiting("plan_without_size")
    if evidence.total_visitors < required:
        return Waiting("planned_sample")
    p_values = _p_values(plan, evidence, measure)
    return _evaluated(plan, evidence, settings, p_values, is_covered) if p_values else Waiting("arm_without_visitors")


def _evaluated(
    plan: Snapshot, evidence: Evidence, settings: AutoStop, p_values: Mapping[str, float], is_covered: bool
) -> Evaluated:
    measure, money = evidence.measures[plan["goal_id"]], money_measure(evidence, plan["goal_id"])
    alpha, correction = _alpha(plan, evidence), _correction(plan)
    reason = blocked(evidence, money, is_covered=is_covered) if money else None
    revenue = revenue_evaluation(evidence, money, alpha=alpha, correction=correction) if money and not reason else None
    adjusted = _adjusted(p_values, alpha, correction)
    gains = {arm: measure.gain(_difference(evidence, measure, arm)) for arm in adjusted}
    significant = [arm for arm, p in adjusted.items() if p <= alpha]
    if measure.is_money and reason:
        significant = []
    worse_off = losers(revenue) if measure.is_money else frozenset()
    winners = [arm for arm in significant if gains[arm] > 0 and arm not in worse_off]
    best = max(winners, key=lambda arm: (gains[arm], -adjusted[arm]), default=None)
    return Evaluated(
        goal_id=measure.goal_id,
        outcome=_outcome(best, significant, settings),
        winner=None if best is None else _winner(evidence, measure, best, adjusted[best]),
        total_visitors=evidence.total_visitors,
        blocked=reason,
        revenue=revenue,
        adjusted=adjusted,
    )


def _winner(evidence: Evidence, measure: Measure, variation_id: str, p: float) -> Winner:
    difference = _difference(evidence, measure, variation_id)
    return Winner(goal_id=measure.goal_id, variation_id=variation_id, p=p, difference=difference)


def _outcome(best: str | None, significant: list[str], settings: AutoStop) -> PlanOutcome:
    if best is not None:
        return "significant_pause"
    if significant:
        return "continue_not_positive"
    return "inconclusive_pause" if settings.pauses_inconclusive else "continue_inconclusive"


def _p_values(plan: Snapshot, evidence: Evidence, measure: Measure) -> Mapping[str, float]:
    """By treatment; one without visitors cannot win. Empty when none can be compared."""
    control = measure.rates[evidence.control_id]
    found = {arm: _p_value(plan, control, measure.rates[arm], measure.falls) for arm in evidence.treatments}
    if all(p is None for p in found.values()):
        return {}
    return {arm: 1.0 if p is None else p for arm, p in found.items()}


def _p_value(plan: Snapshot, control: Conversions, treatment: Conversions, falls: bool) -> float | None:
    """One-sided: of a change in the goal's direction."""
    arms = (treatment, control) if falls else (control, treatment)
    found = two_proportions(*arms, alpha=0.05)
    if found is None:
        return None
    return found.p_greater if plan.get("tail") == "one-sided" else found.p_value


def _adjusted(p_values: Mapping[str, float], alpha: float, correction: Correction) -> Mapping[str, float]:
    if correction == "none":
        return p_values
    return dict(zip(p_values, holm(list(p_values.values()), alpha=alpha).adjusted, strict=True))


def _difference(evidence: Evidence, measure: Measure, treatment_id: str) -> float:
    control, treatment = measure.rates[evidence.control_id], measure.rates[treatment_id]
    return (treatment.rate or 0.0) - (control.rate or 0.0)


def _alpha(plan: Snapshot, evidence: Evidence) -> float:
    return float(plan.get("alpha", evidence.alpha))


def _correction(plan: Snapshot) -> Correction:
    """Plans from before the correction say nothing, and were sized without one."""
    return "holm" if plan.get("correction_method") == "holm" else "none"
