"""Guardrails: goals that a winner must not harm, each tested one-sided against its direction, valid at every look.

Guardrails are goals with the role `guardrail` and goals that count money. The goal that decides is not its own
guardrail. Holm's correction is over guardrails x treatments, so that any false harm in a test is at most alpha likely.
"""

from collections.abc import Sequence
from dataclasses import replace

from abtest.domain.autostop.evidence import Arms, Evidence, Measure
from abtest.domain.autostop.looks import harm_minima
from abtest.domain.autostop.money import blocked
from abtest.domain.autostop.settings import AutoStop
from abtest.domain.autostop.shapes import GoalState, LookState
from abtest.domain.autostop.verdicts import GuardrailFinding, Harm, Verdict, Waiting, Winner
from abtest.domain.planning.shapes import GuardrailStatus
from abtest.domain.stats.multiplicity import holm
from abtest.domain.stats.samples import Sample


def findings(
    state: LookState | None, evidence: Evidence, settings: AutoStop, *, is_covered: bool, deciding: str | None = None
) -> tuple[GuardrailFinding, ...]:
    """Return what each guardrail shows in each treatment, goals in their order. `state`: after this look.

    `is_covered`: see `domain.autostop.money.blocked`. `deciding`: the goal that decides, which is left out.
    """
    goals = [goal_id for goal_id in evidence.guardrails if goal_id != deciding]
    pairs = [(goal_id, treatment) for goal_id in goals for treatment in evidence.treatments]
    kept = {goal_id: _kept(state, evidence.measures.get(goal_id)) for goal_id in goals}
    # The look is included once more: a goal may have become a guardrail since it was stored.
    harm = {
        goal_id: harm_minima(goal, evidence.measures[goal_id], evidence.alpha)
        for goal_id, goal in kept.items()
        if goal is not None
    }
    minima = [harm.get(goal_id, {}).get(treatment) for goal_id, treatment in pairs]
    # 1, not left out: the family is all guardrails x treatments, also those that cannot be tested yet.
    adjusted = holm([1.0 if p is None else p for p in minima], alpha=evidence.alpha).adjusted
    reasons = {goal_id: _untested(evidence, goal_id, kept[goal_id], is_covered) for goal_id in goals}
    rows = []
    for (goal_id, treatment), lowest, p in zip(pairs, minima, adjusted, strict=True):
        row = GuardrailFinding(goal_id=goal_id, variation_id=treatment, status=reasons[goal_id] or "no_data")
        measure, goal = evidence.measures.get(goal_id), kept[goal_id]
        if reasons[goal_id] is None and measure is not None and goal is not None:
            row = _compared(row, evidence, measure, settings, None if lowest is None else p)
            row = replace(row, restarted_at=goal.get("restarted_at"))
        rows.append(row)
    return tuple(rows)


def harmed_treatments(shown: Sequence[GuardrailFinding]) -> frozenset[str]:
    """Return the treatments that harm at least one guardrail."""
    return frozenset(one.variation_id for one in shown if one.status == "harmed")


def are_pending(shown: Sequence[GuardrailFinding]) -> bool:
    """Return whether a guardrail has no numbers of its definition before the next count."""
    return any(one.status in ("not_counted", "redefined") for one in shown)


def guarded(verdict: Winner | Waiting, shown: tuple[GuardrailFinding, ...], settings: AutoStop) -> Verdict:
    """Return the verdict of the sequential rule after a look at the guardrails.

    A winner, which harms none, carries what each shows; it waits for a guardrail's next count. Without a winner a
    harmed guardrail pauses the test, or is the reason to wait, as the settings demand.
    """
    if isinstance(verdict, Winner):
        return Waiting("guardrail_not_counted") if are_pending(shown) else replace(verdict, guardrails=shown)
    if not harmed_treatments(shown):
        return verdict
    return Harm(guardrails=shown) if settings.pauses_for_harm else Waiting("guardrail_harmed")


def _kept(state: LookState | None, measure: Measure | None) -> GoalState | None:
    goal = state["goals"].get(measure.goal_id) if state and measure else None
    return goal if goal is not None and measure is not None and goal["source"] == measure.source else None


def _untested(evidence: Evidence, goal_id: str, kept: GoalState | None, is_covered: bool) -> GuardrailStatus | None:
    """Return why a goal is tested in no treatment; None when it may be."""
    measure = evidence.measures.get(goal_id)
    if measure is None:
        return "not_counted"
    if kept is None:
        return "redefined"
    return blocked(evidence, measure, is_covered=is_covered) if measure.is_money else None


def _compared(
    row: GuardrailFinding, evidence: Evidence, measure: Measure, settings: AutoStop, p: float | None
) -> GuardrailFinding:
    arms, pair = measure.comparisons[row.variation_id], (evidence.control_id, row.variation_id)
    converted = max(measure.rates[arm].conversions for arm in pair)
    if p is None or not converted:
        return replace(row, status="no_data")
    is_earlier = measure.gain(arms.difference) >= 0
    row = replace(row, p=p, difference=arms.difference, lift=_lift(arms), is_earlier=is_earlier)
    # The larger arm must have the conversions, not both: a variation that loses all of them is the worst harm.
    is_enough = converted >= settings.min_conversions and all(
        evidence.visitors[arm] >= settings.min_visitors for arm in pair
    )
    if not is_enough:
        return replace(row, status="too_little_data")
    return replace(row, status="harmed" if p <= evidence.alpha else "no_harm_shown")


def _lift(arms: Arms) -> float | None:
    level = arms.control.mean if isinstance(arms.control, Sample) else arms.control.rate
    return arms.difference / level if level else None
