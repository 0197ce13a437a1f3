"""`sequential_significance`: is a treatment significantly better by the running always-valid p-values?"""

from collections.abc import Mapping, Sequence

from abtest.domain.autostop.evidence import Evidence, Measure
from abtest.domain.autostop.money import blocked
from abtest.domain.autostop.settings import AutoStop
from abtest.domain.autostop.shapes import LookState, Minimum
from abtest.domain.autostop.verdicts import Waiting, Winner
from abtest.domain.stats.multiplicity import holm
from abtest.domain.stats.samples import Conversions, Sample


def decide(
    state: LookState, evidence: Evidence, settings: AutoStop, goal_id: str, *, is_covered: bool
) -> Winner | Waiting:
    """The best significant treatment of the goal, or why there is none. A significant loser is Guardian's.

    A treatment whose smallest p was found while it was behind has not won when it is ahead later: the smallest p must
    have been found on the side on which it stands now.
    """
    measure, found = evidence.measures.get(goal_id), state["goals"].get(goal_id)
    if measure is None:
        return Waiting("goal_not_counted")
    if found is None or found["source"] != measure.source:
        return Waiting("goal_redefined")
    if measure.is_money and (reason := blocked(evidence, measure, is_covered=is_covered)):
        return Waiting(reason)
    ready = _ready(evidence, measure, settings)
    if isinstance(ready, Waiting):
        return ready
    return _best(found["treatments"], evidence, measure, ready) or Waiting("no_winner")


def _ready(evidence: Evidence, measure: Measure, settings: AutoStop) -> Sequence[str] | Waiting:
    """The treatments that, as their control does, have the minimum data."""
    arms = (evidence.control_id, *evidence.treatments)
    seen = {arm for arm in arms if evidence.visitors[arm] >= settings.min_visitors}
    treatments = [arm for arm in evidence.treatments if arm in seen]
    if evidence.control_id not in seen or not treatments:
        return Waiting("min_visitors")
    converted = {arm for arm in seen if measure.rates[arm].conversions >= settings.min_conversions}
    treatments = [arm for arm in treatments if arm in converted]
    return treatments if evidence.control_id in converted and treatments else Waiting("min_conversions")


def _best(minima: Mapping[str, Minimum], evidence: Evidence, measure: Measure, ready: Sequence[str]) -> Winner | None:
    nothing: Minimum = {"p": 1.0, "difference": 0.0}
    found = {arm: minima.get(arm, nothing) for arm in evidence.treatments}
    adjusted = holm([minimum["p"] for minimum in found.values()], alpha=evidence.alpha).adjusted
    winners = [
        Winner(goal_id=measure.goal_id, variation_id=arm, p=p, difference=_difference(measure, arm))
        for arm, p in zip(found, adjusted, strict=True)
        if arm in ready
        and p <= evidence.alpha
        and measure.gain(_difference(measure, arm)) > 0
        and measure.gain(found[arm]["difference"]) > 0
    ]
    return max(winners, key=lambda winner: (measure.gain(winner.difference), -winner.p), default=None)


def _difference(measure: Measure, treatment_id: str) -> float:
    control, treatment = measure.comparisons[treatment_id]
    return _level(treatment) - _level(control)


def _level(arm: Conversions | Sample) -> float:
    return arm.mean if isinstance(arm, Sample) else arm.rate or 0.0
