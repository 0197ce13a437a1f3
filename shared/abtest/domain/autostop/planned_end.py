"""`fixed_horizon_planned_end`: the one look, taken when the planned sample is reached."""

from collections.abc import Mapping

from abtest.domain.autostop.evidence import Evidence, Measure
from abtest.domain.autostop.guardrails import harmed_treatments
from abtest.domain.autostop.money import blocked, losers, money_measure, revenue_evaluation
from abtest.domain.autostop.observed_rates import rate_differences
from abtest.domain.autostop.settings import AutoStop
from abtest.domain.autostop.verdicts import Evaluated, GuardrailFinding, Waiting, Winner
from abtest.domain.planning.sample_size import Correction
from abtest.domain.planning.shapes import PlanOutcome, Snapshot
from abtest.domain.stats.multiplicity import holm
from abtest.domain.stats.proportions import two_proportions


def decide(
    plan: Snapshot,
    evidence: Evidence,
    settings: AutoStop,
    *,
    is_covered: bool,
    guardrails: tuple[GuardrailFinding, ...] = (),
) -> Evaluated | Waiting:
    """Return the evaluation, or why it is not due. A treatment that harms one of the `guardrails` cannot win.

    Plans are sized for rates, so the rate of visitors who reached the goal is compared, even where the goal counts
    money. Money has its own evaluation, next to it.
    """
    # A test with a fixed horizon is valid for one look; a second one would raise its error rate.
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
    if not p_values:
        return Waiting("arm_without_visitors")
    return evaluated(plan, evidence, settings, p_values, is_covered, guardrails)


def evaluated(
    plan: Snapshot,
    evidence: Evidence,
    settings: AutoStop,
    p_values: Mapping[str, float],
    is_covered: bool,
    guardrails: tuple[GuardrailFinding, ...],
    *,
    is_adjusted: bool = False,
) -> Evaluated:
    """Return the evaluation of the planned goal's rates by these p-values, before their correction.

    `is_adjusted`: the p-values are of adjusted rates, so the present differences are, too.
    """
    measure, money = evidence.measures[plan["goal_id"]], money_measure(evidence, plan["goal_id"])
    alpha = float(plan.get("alpha", evidence.alpha))
    # Plans from before the correction do not name one, and were sized without it.
    correction: Correction = "holm" if plan.get("correction_method") == "holm" else "none"
    reason = blocked(evidence, money, is_covered=is_covered) if money else None
    revenue = revenue_evaluation(evidence, money, alpha=alpha, correction=correction) if money and not reason else None
    adjusted = p_values
    if correction == "holm":
        adjusted = dict(zip(p_values, holm(list(p_values.values()), alpha=alpha).adjusted, strict=True))
    differences = rate_differences(measure, evidence.control_id, adjusted, is_adjusted=is_adjusted)
    gains = {arm: measure.gain(difference) for arm, difference in differences.items()}
    significant = [arm for arm, p in adjusted.items() if p <= alpha]
    # The goal counts money that is incomplete; its rate alone must not make a winner.
    if measure.is_money and reason:
        significant = []
    worse_off = losers(revenue) if measure.is_money else frozenset()
    harmed = harmed_treatments(guardrails)
    winners = [arm for arm in significant if gains[arm] > 0 and arm not in worse_off | harmed]
    # Equal gains go to the smaller p, so that the winner does not depend on the order of the arms.
    best = max(winners, key=lambda arm: (gains[arm], -adjusted[arm]), default=None)
    ordinary = _outcome(best, significant, settings)
    return Evaluated(
        goal_id=measure.goal_id,
        outcome="harm" if harmed and best is None else ordinary,
        winner=None
        if best is None
        else Winner(
            goal_id=measure.goal_id,
            variation_id=best,
            p=adjusted[best],
            difference=differences[best],
            guardrails=guardrails,
            is_adjusted=is_adjusted,
        ),
        total_visitors=evidence.total_visitors,
        blocked=reason,
        revenue=revenue,
        adjusted=adjusted,
        guardrails=guardrails,
        # Harm that lets a test go on does not undo another setting that pauses it.
        pauses_for_harm=settings.pauses_for_harm or ordinary == "inconclusive_pause",
    )


def _outcome(best: str | None, significant: list[str], settings: AutoStop) -> PlanOutcome:
    if best is not None:
        return "significant_pause"
    if significant:
        return "continue_not_positive"
    return "inconclusive_pause" if settings.pauses_inconclusive else "continue_inconclusive"


def _p_values(plan: Snapshot, evidence: Evidence, measure: Measure) -> Mapping[str, float]:
    """Return the p-value of each treatment, 1 for one without visitors; empty when none can be compared."""
    control, is_one_sided = measure.rates[evidence.control_id], plan.get("tail") == "one-sided"
    p_values: dict[str, float | None] = {}
    for arm in evidence.treatments:
        # `p_greater` is of an increase, so the arms change places where the goal is to fall.
        arms = (measure.rates[arm], control) if measure.falls else (control, measure.rates[arm])
        # The level only shapes the interval, which is not used here.
        test = two_proportions(*arms, alpha=0.05)
        p_values[arm] = test and (test.p_greater if is_one_sided else test.p_value)
    if all(p is None for p in p_values.values()):
        return {}
    # 1, not left out: Holm's correction is over all treatments, with visitors or without.
    return {arm: 1.0 if p is None else p for arm, p in p_values.items()}
