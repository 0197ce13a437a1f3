"""The group-sequential engine: repeated p-values and intervals at the latest planned look, and inference at the end.

Everything is of the looks that auto-stop has stored: a reader takes none, however often results are read. Goals that
the plan has no looks at, and goals that compare means, are compared by the sequential engine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, sqrt
from typing import NamedTuple

from abtest.contract import results as contract
from abtest.domain.autostop.planned_looks import MESSAGES as LEFT_OUT
from abtest.domain.autostop.planned_looks import are_adjusted, has_looks
from abtest.domain.autostop.shapes import LookedAt
from abtest.domain.stats.group_sequential.boundaries import boundaries
from abtest.domain.stats.group_sequential.design import design_of
from abtest.domain.stats.group_sequential.documents import State
from abtest.domain.stats.group_sequential.inference import Concluded, concluded
from abtest.domain.stats.multiplicity import holm
from abtest.domain.stats.relative_lift import fieller_interval
from abtest.domain.stats.samples import Conversions, Interval
from abtest.kit import canonical_json
from abtest.services.results import adjusted_decisions, sequential
from abtest.services.results.comparison import TreatmentComparison
from abtest.services.results.question import Question, Reading
from abtest.services.results.stored_looks import looks_of

_KEPT = 512


@dataclass(frozen=True, slots=True)
class Arm:
    """One treatment's stored looks. `is_over`: no look follows. `is_adjusted`: they are at adjusted rates."""

    state: State
    counts: Sequence[LookedAt]
    p: float
    towards: int
    falls: bool
    is_over: bool
    is_adjusted: bool = False


class Estimate(NamedTuple):
    """A difference with its interval in the goal's own sign, and the look that it is of."""

    difference: float
    interval: Interval | None
    look: int


def compare(readings: Sequence[Reading]) -> list[TreatmentComparison | None]:
    """Compare each pair of each reading of one goal, Holm over the repeated p-values."""
    if readings[0].engine != "group_sequential":
        return adjusted_decisions.compare(readings)
    question, treatments = readings[0].question, [treatment.id for _, treatment in readings[0].pairs()]
    if not treatments:
        return []
    arms = arms_of(question)
    p_values = [arms[treatment].p if treatment in arms else 1.0 for treatment in treatments]
    if question.correction == "none":
        levels, rejected = [question.alpha] * len(p_values), [p <= question.alpha for p in p_values]
    else:
        verdict = holm(p_values, alpha=question.alpha)
        levels, rejected = list(verdict.interval_alphas), list(verdict.rejected)
    shown = {
        treatment: p_value_of(arms[treatment], level)
        for treatment, level in zip(treatments, levels, strict=True)
        if treatment in arms
    }
    adjusted = adjusted_in_order(treatments, p_values, shown, question.correction)
    return [
        compared(arms[treatment], level, is_rejected, shown[treatment], adjusted[treatment])
        if treatment in arms
        else None
        for treatment, level, is_rejected in zip(treatments, levels, rejected, strict=True)
    ]


def arms_of(question: Question) -> Mapping[str, Arm]:
    """Return the treatments with at least one planned look."""
    looks = looks_of(question)
    if looks is None:
        return {}
    evaluation = (question.experiment.planned_test or {}).get("evaluation") or {}
    is_evaluated = evaluation.get("engine") == "group_sequential"
    return {
        treatment: Arm(
            state=state,
            counts=looks["counts"][treatment],
            p=looks["p_values"][treatment]["p"],
            towards=looks["p_values"][treatment]["towards"],
            falls=looks["falls"],
            is_over=is_evaluated or state["looks"][-1]["place"] >= 1,
            is_adjusted=are_adjusted(looks),
        )
        for treatment, state in looks["family"]["treatments"].items()
        if state["looks"]
    }


def p_value_of(arm: Arm, level: float) -> float:
    """Return the p-value of a treatment by itself: in stage-wise order at the end, the repeated one before."""
    end = end_of(arm, level)
    return end.final.p_value if end else arm.p


def end_of(arm: Arm, level: float) -> Concluded | None:
    """Return the inference in stage-wise order; None while looks follow, and for a treatment that others have ended."""
    return _concluded(canonical_json.encode(arm.state), level) if arm.is_over else None


def adjusted_in_order(
    treatments: Sequence[str], repeated: Sequence[float], shown: Mapping[str, float], correction: contract.Correction
) -> Mapping[str, float]:
    """Return Holm's adjusted p-values in the order of the repeated ones, which is the order of rejection.

    A p-value in stage-wise order depends on its level, so their own order may be another.
    """
    if correction == "none":
        return shown
    adjusted, running, number = {}, 0.0, len(treatments)
    for rank, (p, treatment) in enumerate(sorted(zip(repeated, treatments, strict=True))):
        running = max(running, min(1.0, (number - rank) * shown.get(treatment, p)))
        adjusted[treatment] = running
    return adjusted


def compared(arm: Arm, level: float, is_rejected: bool, p: float, adjusted: float) -> TreatmentComparison:
    """Return the comparison of a treatment at its corrected level."""
    estimate = at_end(arm, level) or at_look(arm, level)
    gain = -estimate.difference if arm.falls else estimate.difference
    is_contradicted = is_rejected and gain * arm.towards <= 0
    is_sure = is_rejected and not is_contradicted
    lift, lift_interval = lift_of(arm, estimate)
    return TreatmentComparison(
        difference=estimate.difference,
        difference_interval=sequential.agreeing(estimate.interval, estimate.difference, is_sure),
        lift=lift,
        lift_interval=sequential.agreeing(lift_interval, estimate.difference, is_sure),
        p_value=p,
        adjusted_p_value=adjusted,
        is_significant=is_sure,
        is_contradicted=is_contradicted,
        note=note_of(arm),
        is_adjusted=arm.is_adjusted,
    )


def at_look(arm: Arm, level: float) -> Estimate:
    """Return the difference at the latest look with its repeated interval, which holds at all looks together."""
    looks = arm.state["looks"]
    information = looks[-1]["fraction"] * arm.state["planned_information"]
    upper = _upper(canonical_json.encode(arm.state), level)
    z, root = looks[-1]["z"], sqrt(information)
    interval = Interval((z - upper) / root, (z + upper) / root) if upper < inf else None
    return in_goals_sign(arm, z / root, interval, len(looks) - 1)


def at_end(arm: Arm, level: float) -> Estimate | None:
    """Return the median-unbiased estimate and its interval in stage-wise order; None as `end_of`."""
    end = end_of(arm, level)
    return end and in_goals_sign(arm, end.final.estimate, end.final.interval, end.look)


def in_goals_sign(arm: Arm, gain: float, interval: Interval | None, look: int) -> Estimate:
    """Return a difference as the goal counts it; looks are stored so that better is positive."""
    if not arm.falls:
        return Estimate(gain, interval, look)
    return Estimate(-gain, Interval(-interval.upper, -interval.lower) if interval else None, look)


def lift_of(arm: Arm, estimate: Estimate) -> tuple[float | None, Interval | None]:
    """Return the relative lift at the estimate's look; None for a control of zero.

    Fieller's interval, each end at the number of standard errors to that end of the difference's interval. So a lift of
    zero is excluded exactly when a difference of zero is. Of adjusted looks it is relative to the control's adjusted
    rate.
    """
    rate, share = control_at(arm.counts[estimate.look])
    if not rate:
        return None, None
    lift = estimate.difference / rate
    if estimate.interval is None or share is None:
        return lift, None
    information = arm.state["looks"][estimate.look]["fraction"] * arm.state["planned_information"]
    of_control, of_treatment = share / information, (1 - share) / information
    root = sqrt(information)
    ends = [
        fieller_interval(lift, rate, of_control, of_treatment, distance * root)
        for distance in (
            max(0.0, estimate.difference - estimate.interval.lower),
            max(0.0, estimate.interval.upper - estimate.difference),
        )
    ]
    lower, upper = ends
    return lift, Interval(lower.lower, upper.upper) if lower and upper else None


def control_at(counts: LookedAt) -> tuple[float, float | None]:
    """Return the control's rate at a look, and its share of the difference's variance; None where no arm varies."""
    if adjusted := counts.get("adjusted"):
        return adjusted["rate"], adjusted["share"]
    control, treatment = (
        Conversions(visitors=visitors, conversions=converters).as_sample()
        for visitors, converters in (counts["control"], counts["treatment"])
    )
    of_control, of_treatment = control.variance / control.n, treatment.variance / treatment.n
    noise = of_control + of_treatment
    return control.mean, of_control / noise if noise > 0 else None


def note_of(arm: Arm) -> str:
    """Return what the looks show of a treatment without a significant difference."""
    latest, number = arm.state["looks"][-1], len(arm.state["looks"])
    if latest["place"] >= 1:
        return "no significant difference at the last planned look"
    if arm.is_over:
        return "no significant difference when the planned looks ended"
    at = f"the latest of {number} planned looks" if number > 1 else "the first planned look"
    if latest["futility"] is not None and latest["z"] <= latest["futility"]:
        return f"not likely to win: below the futility bound of {at}"
    return f"no significant difference at {at}, with {latest['fraction']:.0%} of the planned information"


def no_look_message(reading: Reading, treatment_id: str) -> str:
    """Return why a treatment has no planned look yet."""
    question = reading.question
    stored = question.looks.get("planned_looks") if question.looks else None
    if stored is None:
        return "no planned look yet: the first one is taken with the next count that can be compared"
    if has_looks(stored) and looks_of(question) is None:
        return "the goal was redefined: its planned looks start over with the next count"
    reason = stored["left_out"].get(treatment_id)
    return f"no planned look yet: {LEFT_OUT[reason]}" if reason else "no planned look yet"


@lru_cache(maxsize=_KEPT)
def _concluded(state: bytes, level: float) -> Concluded | None:
    # A tenth of a second for a hundred looks; the looks of an ended test do not change.
    return concluded(canonical_json.loads(state), level)


@lru_cache(maxsize=_KEPT)
def _upper(state: bytes, level: float) -> float:
    document: State = canonical_json.loads(state)
    design = replace(design_of(document["design"]), alpha=level, futility=None)
    fractions, places = ([look[name] for look in document["looks"]] for name in ("fraction", "place"))
    return boundaries(fractions, design, spending_at=places)[-1].upper
