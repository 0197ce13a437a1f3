"""One look at the evidence, and the state of all looks after it: running always-valid p-values, as documents."""

from abtest.domain.autostop.evidence import Evidence, Measure
from abtest.domain.autostop.shapes import FrozenMixture, GoalState, Look, LookState, Ratio, ShownTreatment, Stamp
from abtest.domain.stats.sample_ratio import is_mismatched, sample_ratio, sequential_sample_ratio
from abtest.domain.stats.sequential import PLANNED_VISITORS, Mixture, mixture_test
from abtest.kit.clock import Timestamp


def is_new(state: LookState | None, evidence: Evidence) -> bool:
    """Whether nobody looked at this generation yet."""
    return state is None or evidence.generation > state["generation"]


def look_at(state: LookState | None, evidence: Evidence, now: Timestamp) -> tuple[LookState, Look]:
    """The state after this look, and the look itself.

    A goal that is defined anew begins anew; one that cannot be compared now keeps what was found.
    """
    goals: dict[str, GoalState] = {}
    shown: dict[str, dict[str, ShownTreatment]] = {}
    srm_p = state["srm_p"] if state else None
    for goal_id, measure in evidence.measures.items():
        goals[goal_id], shown[goal_id] = _goal(kept(state, goal_id, measure.source), measure, evidence)
    ratio = _ratio(srm_p, evidence)
    stamp: Stamp = {
        "experiment_id": evidence.experiment_id,
        "measurement_epoch": evidence.measurement_epoch,
        "generation": evidence.generation,
        "computed_at": now,
    }
    after: LookState = {
        **stamp,
        "looks": (state["looks"] if state else 0) + 1,
        # Of goals out of use: should they come back, what was found still counts.
        "goals": {**(state["goals"] if state else {}), **goals},
        "minima": {goal_id: _minima(goal) for goal_id, goal in goals.items()},
        "srm_p": ratio["running_p"] if ratio else srm_p,
    }
    look: Look = {**stamp, "alpha": evidence.alpha, "visitors": dict(evidence.visitors), "goals": shown, "srm": ratio}
    return after, look


def is_split_broken(state: LookState, evidence: Evidence) -> bool:
    """Whether visitors are not split as the weights say, by what results call a mismatch. `state`: after this look."""
    now = sample_ratio(list(evidence.visitors.values()), list(evidence.weights.values()))
    return is_mismatched(now, state["srm_p"])


def kept(state: LookState | None, goal_id: str, source: str) -> GoalState | None:
    """What looks found of a goal, as long as it is the goal that they looked at; None where they found nothing."""
    found = state["goals"].get(goal_id) if state else None
    return found if found is not None and found["source"] == source else None


def first_mixture(tau: float | None, alpha: float) -> FrozenMixture:
    """What the first look of a measurement freezes for a goal: the plan's tau, else where the test is tightest."""
    return {"planned_visitors": PLANNED_VISITORS, "alpha": alpha} if tau is None else {"tau": tau}


def mixture_of(frozen: FrozenMixture, alpha: float) -> tuple[Mixture, float]:
    """The mixture that was frozen, and the level to form it at: without a plan that of the first look, not `alpha`."""
    if "tau" in frozen:
        return Mixture(tau=frozen["tau"]), alpha
    return Mixture(planned_visitors=frozen["planned_visitors"]), frozen["alpha"]


def _minima(goal: GoalState) -> dict[str, float]:
    return {treatment: found["p"] for treatment, found in goal["treatments"].items()}


def _goal(
    before: GoalState | None, measure: Measure, evidence: Evidence
) -> tuple[GoalState, dict[str, ShownTreatment]]:
    frozen = before["mixture"] if before else first_mixture(measure.tau, evidence.alpha)
    treatments = dict(before["treatments"]) if before else {}
    shown: dict[str, ShownTreatment] = {}
    mixture, alpha = mixture_of(frozen, evidence.alpha)
    for treatment_id, arms in measure.comparisons.items():
        found = mixture_test(arms.control, arms.treatment, alpha=alpha, mixture=mixture)
        if found is None:
            continue
        lowest = treatments.get(treatment_id)
        if lowest is None or found.always_valid_p < lowest["p"]:
            lowest = {"p": found.always_valid_p, "difference": found.difference}
        treatments[treatment_id] = lowest
        interval = found.interval_at(evidence.alpha)
        shown[treatment_id] = {
            "difference": found.difference,
            "ci": [interval.lower, interval.upper] if interval else None,
            "p": found.always_valid_p,
            "always_valid_p": lowest["p"],
        }
    return {"source": measure.source, "mixture": frozen, "treatments": treatments}, shown


def _ratio(before: float | None, evidence: Evidence) -> Ratio | None:
    found = sequential_sample_ratio(list(evidence.visitors.values()), list(evidence.weights.values()))
    if found is None:
        return None
    return {"p": found.p_value, "running_p": found.p_value if before is None else min(before, found.p_value)}
