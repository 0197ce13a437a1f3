"""Planned looks at the rate of a plan's goal: when one is taken, and the state after it. Decisions are made elsewhere.

A look is taken when the information has come to the next step of the plan. The rule depends on the information alone,
so it does not matter to the error rate how often events are counted.
"""

from collections.abc import Mapping
from dataclasses import replace
from math import floor, sqrt

from abtest.domain.autostop.evidence import Evidence, Measure
from abtest.domain.autostop.observed_rates import adjusted_control, adjusts_rates, observed_rates
from abtest.domain.autostop.settings import AutoStop
from abtest.domain.autostop.shapes import LeftOut, LookedAt, PlannedLook, PlannedLooks, RepeatedP
from abtest.domain.autostop.verdicts import Waiting
from abtest.domain.planning.shapes import PlannedSpending, Snapshot
from abtest.domain.stats.formulas import pooled_variance
from abtest.domain.stats.group_sequential.boundaries import LEAST_STEP
from abtest.domain.stats.group_sequential.design import Design, Futility, design_of
from abtest.domain.stats.group_sequential.documents import FamilyState, Sides, State
from abtest.domain.stats.group_sequential.families import started_family
from abtest.domain.stats.group_sequential.inference import repeated_p_value
from abtest.domain.stats.group_sequential.looks import recorded
from abtest.domain.stats.group_sequential.observation import Observation
from abtest.domain.stats.group_sequential.spending import OBRIEN_FLEMING, Spending
from abtest.kit.clock import Timestamp

LOOKS = 100
"""Most looks, and those of a plan that names no number: one at each hundredth of the planned information.

More would cost more time and storage than they are worth: a hundred end a test nearly as early as any number.
"""

_ROUNDING = 1e-9
_LEAST_GAIN = 2 * LEAST_STEP

MESSAGES: Mapping[LeftOut, str] = {
    "min_visitors": "the control or this treatment has fewer visitors than the minimum",
    "min_conversions": "the control or this treatment has fewer conversions than the minimum",
    "no_variance": "all visitors of the control and of this treatment did the same, so nothing can be compared yet",
    "sample_ratio_mismatch": "visitors are not split by the weights: no look is taken before the cause is found",
    "step_not_reached": "the next look is taken when the information has come to the next step of the plan",
    "less_information": "there is less information than at the look before, as after refunds: nothing was tested",
    "covariate_not_counted": "the looks are at adjusted rates, and the time before exposures is not counted in this "
    "roll-up: nothing was tested",
    "ended": "the last look was taken, and later visitors do not change it",
}


def looked(
    before: PlannedLooks | None,
    plan: Snapshot,
    evidence: Evidence,
    settings: AutoStop,
    now: Timestamp,
    *,
    is_split_broken: bool = False,
) -> PlannedLooks | Waiting:
    """Return the planned looks after this count, the same for the same count; or why there are none.

    Treatments without the minimum data, without variance, or with less than a step of new information, are left out and
    spend nothing; on a broken split all are. With the planned number of visitors the look is the last one, even if the
    information is slightly below the planned one. A goal that was redefined starts over. Rates are adjusted for the
    time before exposures if the plan chose it and the first count has it; they then stay adjusted.
    """
    measure = evidence.measures.get(plan.get("goal_id", ""))
    if measure is None:
        return Waiting("goal_not_counted")
    kept = before if before is not None and is_for(before, measure) else None
    family = kept["family"] if kept else begun(plan, evidence)
    if isinstance(family, Waiting):
        return family
    after: PlannedLooks = kept or {
        "goal_id": measure.goal_id,
        "source": measure.source,
        "falls": measure.falls,
        "family": family,
        "counts": {},
        "p_values": {},
        "left_out": {},
        "adjusted": adjusts_rates(measure),
    }
    if before is not None and kept is None:
        after["restarted_at"] = now
    after = {**after, "left_out": {}, "family": {**family, "treatments": dict(family["treatments"])}}
    is_last, step = is_due(plan, evidence), 1 / min(plan.get("looks") or LOOKS, LOOKS)
    is_adjusted = are_adjusted(after)
    for arm in evidence.treatments:
        state = family["treatments"].get(arm)
        if state is None:
            continue
        seen = _observed(measure, evidence.control_id, arm, settings, is_split_broken, is_adjusted)
        if isinstance(seen, Observation):
            seen = _left_out(state, seen.information, step, is_last=is_last) or seen
        if isinstance(seen, Observation):
            after = _with_look(after, arm, measure, evidence, seen, now, is_last=is_last)
        else:
            after["left_out"][arm] = seen
    return after


def begun(plan: Snapshot, evidence: Evidence) -> FamilyState | Waiting:
    """Return the state of a measurement before its first look: the design and the planned information are frozen.

    The planned information of a treatment is that of the planned visitors, split by the weights, at the mean of both
    planned rates. Spending is O'Brien and Fleming's where the plan names none; there are futility bounds if the plan
    has their spending, at the planned effect.
    """
    measure, required = evidence.measures.get(plan.get("goal_id", "")), plan.get("required_total_visitors")
    if measure is None:
        return Waiting("goal_not_counted")
    if required is None or not {"baseline_rate", "mde"} <= plan.keys():
        return Waiting("plan_without_size")
    change = -plan["mde"] if measure.falls else plan["mde"]
    rate, effect = plan["baseline_rate"] * (1 + change / 2), plan["baseline_rate"] * plan["mde"]
    parts = {arm: required * weight / sum(evidence.weights.values()) for arm, weight in evidence.weights.items()}
    control = parts[evidence.control_id]
    variances = {
        arm: pooled_variance(rate * control, control, rate * parts[arm], parts[arm]) for arm in evidence.treatments
    }
    if not all(variance > 0 for variance in variances.values()):
        return Waiting("plan_without_size")
    sides: Sides = 1 if plan.get("tail") == "one-sided" else 2
    spending = _spending(plan.get("spending")) or OBRIEN_FLEMING
    design = Design(alpha=float(plan.get("alpha", evidence.alpha)), sides=sides, spending=spending)
    futility, beta = _spending(plan.get("futility")), 1 - float(plan.get("power", 0.8))
    own = {}
    if futility:
        # The expected z differs where arms differ in size.
        drifts = {arm: effect / sqrt(variance) for arm, variance in variances.items()}
        own = {
            arm: replace(design, futility=Futility(beta=beta, drift=drift, spending=futility))
            for arm, drift in drifts.items()
        }
    return started_family(design, {arm: 1 / variance for arm, variance in variances.items()}, own=own)


def is_for(looks: PlannedLooks, measure: Measure) -> bool:
    """Return whether the looks are at this goal as it is defined now."""
    return (looks["goal_id"], looks["source"], looks["falls"]) == (measure.goal_id, measure.source, measure.falls)


def are_adjusted(looks: PlannedLooks) -> bool:
    """Return whether the looks are at adjusted rates; those stored by older releases are not."""
    return looks.get("adjusted", False)


def has_looks(looks: PlannedLooks) -> bool:
    """Return whether any treatment was looked at."""
    return any(one["looks"] for one in looks["family"]["treatments"].values())


def is_due(plan: Snapshot, evidence: Evidence) -> bool:
    """Return whether the planned number of visitors is reached."""
    required = plan.get("required_total_visitors")
    return required is not None and evidence.total_visitors >= required


def shown_look(looks: PlannedLooks, generation: int) -> dict[str, PlannedLook]:
    """Return the treatments at the look of a generation, for the stored look."""
    shown: dict[str, PlannedLook] = {arm: {"left_out": why} for arm, why in looks["left_out"].items()}
    sides = looks["family"]["design"]["sides"]
    for arm, counts in looks["counts"].items():
        if counts[-1]["generation"] == generation:
            latest = looks["family"]["treatments"][arm]["looks"][-1]
            shown[arm] = {
                "fraction": latest["fraction"],
                "z": latest["z"],
                "upper": latest["upper"],
                "futility": latest["futility"],
                "spent": sides * latest["spent"],
                "p": looks["p_values"][arm]["p"],
            }
    return shown


def _observed(
    measure: Measure, control: str, treatment: str, settings: AutoStop, is_split_broken: bool, is_adjusted: bool
) -> Observation | LeftOut:
    arms = (measure.rates[control], measure.rates[treatment])
    if is_split_broken:
        return "sample_ratio_mismatch"
    if not all(arm.visitors >= settings.min_visitors for arm in arms):
        return "min_visitors"
    if not all(arm.conversions >= settings.min_conversions for arm in arms):
        return "min_conversions"
    if is_adjusted and not adjusts_rates(measure):
        return "covariate_not_counted"
    observation = observed_rates(measure, control, treatment, is_adjusted=is_adjusted)
    return observation if isinstance(observation, Observation) else "no_variance"


def _left_out(state: State, information: float, step: float, *, is_last: bool) -> LeftOut | None:
    """Return why an observation is not looked at; None where it is."""
    fraction, latest = information / state["planned_information"], state["looks"][-1] if state["looks"] else None
    if latest and latest["place"] >= 1:
        return "ended"
    before = latest["fraction"] if latest else 0.0
    # By the plan's date, its last look is taken with the information that there is.
    if is_last:
        return None if latest or fraction >= LEAST_STEP else "step_not_reached"
    if fraction < before - _ROUNDING:
        return "less_information"
    is_next = floor(fraction / step + _ROUNDING) > floor(before / step + _ROUNDING)
    return None if (is_next or fraction >= 1) and fraction - before >= _LEAST_GAIN else "step_not_reached"


def _with_look(
    looks: PlannedLooks,
    arm: str,
    measure: Measure,
    evidence: Evidence,
    seen: Observation,
    now: Timestamp,
    *,
    is_last: bool,
) -> PlannedLooks:
    before = looks["family"]["treatments"][arm]
    state = recorded(before, seen.information, measure.gain(seen.z), is_last=is_last)
    control, treatment = measure.rates[evidence.control_id], measure.rates[arm]
    # Without new information a last look has taken the place of the one before.
    earlier = looks["counts"].get(arm, [])[: len(state["looks"]) - 1]
    counts: LookedAt = {
        "computed_at": now,
        "generation": evidence.generation,
        "control": [control.visitors, control.conversions],
        "treatment": [treatment.visitors, treatment.conversions],
    }
    adjusted = adjusted_control(measure, arm) if are_adjusted(looks) else None
    if adjusted is not None:
        counts["adjusted"] = adjusted
    repeated = repeated_p_value(state["looks"], design_of(looks["family"]["design"]))
    p_value: RepeatedP = {"p": repeated.p_value, "towards": 1 if repeated.z >= 0 else -1}
    family: FamilyState = {**looks["family"], "treatments": {**looks["family"]["treatments"], arm: state}}
    return {
        **looks,
        "family": family,
        "counts": {**looks["counts"], arm: [*earlier, counts]},
        "p_values": {**looks["p_values"], arm: p_value},
    }


def _spending(planned: PlannedSpending | None) -> Spending | None:
    return Spending(family=planned["family"], gamma=planned["gamma"]) if planned else None
