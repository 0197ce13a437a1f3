"""`sequential_significance`: the winner by running always-valid p-values, at any look."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from abtest.domain.autostop.evidence import Arms, Evidence, Measure
from abtest.domain.autostop.money import blocked
from abtest.domain.autostop.settings import AutoStop
from abtest.domain.autostop.shapes import LookState, Minimum
from abtest.domain.autostop.verdicts import Waiting, Winner
from abtest.domain.stats.multiplicity import holm


def decide(
    state: LookState,
    evidence: Evidence,
    settings: AutoStop,
    goal_id: str,
    *,
    is_covered: bool,
    harmed: frozenset[str] = frozenset(),
) -> Winner | Waiting:
    """Return the best significant treatment of the goal, or why there is none. Guardian handles significant losers.

    A treatment wins only if it was ahead at the look with its smallest p, is ahead now, and is not one of `harmed`,
    which harm a guardrail. The adjusted estimate decides where the first look froze it.
    """
    measure, goal = evidence.measures.get(goal_id), state["goals"].get(goal_id)
    if measure is None:
        return Waiting("goal_not_counted")
    if goal is None or goal["source"] != measure.source:
        return Waiting("goal_redefined")
    if measure.is_money and (reason := blocked(evidence, measure, is_covered=is_covered)):
        return Waiting(reason)
    ready = _ready(evidence, measure, settings)
    if isinstance(ready, Waiting):
        return ready
    is_adjusted = "adjusted" in goal
    if is_adjusted and not measure.adjusts:
        return Waiting("covariate_not_counted")
    candidates = [arm for arm in ready if arm not in harmed]
    minima = goal["adjusted"] if is_adjusted else goal["treatments"]
    best = _best(minima, measure.adjusted if is_adjusted else measure.comparisons, evidence, measure, candidates)
    return replace(best, is_adjusted=is_adjusted) if best else Waiting("no_winner")


def _ready(evidence: Evidence, measure: Measure, settings: AutoStop) -> Sequence[str] | Waiting:
    """Return the treatments with the minimum data, if the control has it too."""
    arms = (evidence.control_id, *evidence.treatments)
    seen = {arm for arm in arms if evidence.visitors[arm] >= settings.min_visitors}
    treatments = [arm for arm in evidence.treatments if arm in seen]
    if evidence.control_id not in seen or not treatments:
        return Waiting("min_visitors")
    converted = {arm for arm in seen if measure.rates[arm].conversions >= settings.min_conversions}
    treatments = [arm for arm in treatments if arm in converted]
    return treatments if evidence.control_id in converted and treatments else Waiting("min_conversions")


def _best(
    minima: Mapping[str, Minimum],
    comparisons: Mapping[str, Arms],
    evidence: Evidence,
    measure: Measure,
    ready: Sequence[str],
) -> Winner | None:
    nothing: Minimum = {"p": 1.0, "difference": 0.0}
    # Holm's correction is over all treatments, also those without the minimum data.
    lowest = {arm: minima.get(arm, nothing) for arm in evidence.treatments}
    adjusted = holm([minimum["p"] for minimum in lowest.values()], alpha=evidence.alpha).adjusted
    winners = [
        Winner(goal_id=measure.goal_id, variation_id=arm, p=p, difference=comparisons[arm].difference)
        for arm, p in zip(lowest, adjusted, strict=True)
        if arm in ready
        and arm in comparisons
        and p <= evidence.alpha
        and measure.gain(comparisons[arm].difference) > 0
        and measure.gain(lowest[arm]["difference"]) > 0
    ]
    return max(winners, key=lambda winner: (measure.gain(winner.difference), -winner.p), default=None)
