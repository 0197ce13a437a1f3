"""One look at the evidence, and the state after it with running always-valid p-values, as documents."""

from collections.abc import Mapping
from typing import Any

from abtest.domain.autostop.evidence import Arms, Evidence, Measure
from abtest.domain.autostop.shapes import (
    FrozenMixture,
    GoalState,
    Look,
    LookState,
    Minimum,
    Ratio,
    ShownTest,
    ShownTreatment,
)
from abtest.domain.stats.mixture_scale import PLANNED_VISITORS
from abtest.domain.stats.sample_ratio import is_mismatched, sample_ratio, sequential_sample_ratio
from abtest.domain.stats.sequential import Direction, Mixture, mixture_test, one_sided_mixture_test
from abtest.kit.clock import Timestamp


def is_new(state: LookState | None, evidence: Evidence) -> bool:
    """Return whether this generation has no look yet."""
    return state is None or evidence.generation > state["generation"]


def is_newer(totals: Mapping[str, Any], state: LookState | None) -> bool:
    """Return whether the totals of a roll-up are of a generation that has no look yet."""
    return state is None or totals["generation"] > state["generation"]


def look_at(state: LookState | None, evidence: Evidence, now: Timestamp) -> tuple[LookState, Look]:
    """Return the state after this look, and the look itself.

    A goal that was redefined starts over; one that cannot be compared now keeps its state.
    """
    goals: dict[str, GoalState] = {}
    shown: dict[str, dict[str, ShownTreatment]] = {}
    srm_p = state["srm_p"] if state else None
    for goal_id, measure in evidence.measures.items():
        before = kept(state, goal_id, measure.source)
        goals[goal_id], shown[goal_id] = _goal(before, measure, evidence)
        if before is None and state is not None and goal_id in state["goals"]:
            goals[goal_id]["restarted_at"] = now
    ratio: Ratio | None = None
    if test := sequential_sample_ratio(list(evidence.visitors.values()), list(evidence.weights.values())):
        ratio = {"p": test.p_value, "running_p": test.p_value if srm_p is None else min(srm_p, test.p_value)}
    after: LookState = {
        "experiment_id": evidence.experiment_id,
        "measurement_epoch": evidence.measurement_epoch,
        "generation": evidence.generation,
        "computed_at": now,
        "looks": (state["looks"] if state else 0) + 1,
        # Goals out of use stay: should they come back, their earlier looks still count.
        "goals": {**(state["goals"] if state else {}), **goals},
        "minima": {
            goal_id: {treatment_id: minimum["p"] for treatment_id, minimum in goal["treatments"].items()}
            for goal_id, goal in goals.items()
        },
        "srm_p": ratio["running_p"] if ratio else srm_p,
    }
    if state and "planned_looks" in state:
        after["planned_looks"] = state["planned_looks"]
    look: Look = {
        "experiment_id": evidence.experiment_id,
        "measurement_epoch": evidence.measurement_epoch,
        "generation": evidence.generation,
        "computed_at": now,
        "alpha": evidence.alpha,
        "visitors": dict(evidence.visitors),
        "goals": shown,
        "srm": ratio,
    }
    return after, look


def is_split_broken(state: LookState, evidence: Evidence) -> bool:
    """Return whether the split of visitors is a mismatch, by the rule of results. `state`: after this look."""
    now = sample_ratio(list(evidence.visitors.values()), list(evidence.weights.values()))
    return is_mismatched(now, state["srm_p"])


def kept(state: LookState | None, goal_id: str, source: str) -> GoalState | None:
    """Return a goal's state after earlier looks; None without one, or when the goal was redefined since."""
    goal = state["goals"].get(goal_id) if state else None
    return goal if goal is not None and goal["source"] == source else None


def first_mixture(tau: float | None, alpha: float) -> FrozenMixture:
    """Return the mixture that a goal's first look freezes: the plan's tau, else where the test is tightest."""
    return {"planned_visitors": PLANNED_VISITORS, "alpha": alpha} if tau is None else {"tau": tau}


def mixture_of(frozen: FrozenMixture, alpha: float) -> tuple[Mixture, float]:
    """Return the frozen mixture and its level: without a plan the level of the first look, not `alpha`."""
    if "tau" in frozen:
        return Mixture(tau=frozen["tau"]), alpha
    return Mixture(planned_visitors=frozen["planned_visitors"]), frozen["alpha"]


def _goal(
    before: GoalState | None, measure: Measure, evidence: Evidence
) -> tuple[GoalState, dict[str, ShownTreatment]]:
    # Frozen at the first look: a mixture chosen after seeing data would void the guarantee at every look.
    frozen = before["mixture"] if before else first_mixture(measure.tau, evidence.alpha)
    treatments, tests = looked_at(before["treatments"] if before else {}, measure.comparisons, frozen, evidence.alpha)
    shown = {
        treatment_id: ShownTreatment(
            difference=test["difference"], ci=test["ci"], p=test["p"], always_valid_p=test["always_valid_p"]
        )
        for treatment_id, test in tests.items()
    }
    after: GoalState = {"source": measure.source, "mixture": frozen, "treatments": treatments}
    # Frozen as well: the smallest p of all looks is one of one estimate.
    if "adjusted" in before if before else measure.adjusts:
        earlier = before["adjusted"] if before else {}
        after["adjusted"], tests = looked_at(earlier, measure.adjusted, frozen, evidence.alpha)
        for treatment_id, test in tests.items():
            shown[treatment_id]["adjusted"] = test
    if before and "restarted_at" in before:
        after["restarted_at"] = before["restarted_at"]
    if measure.is_guardrail or (before and "harm" in before):
        after["harm"] = harm_minima(after if before is None else before, measure, evidence.alpha)
        for treatment_id, treatment in shown.items():
            treatment["harm_p"] = after["harm"].get(treatment_id, 1.0)
    return after, shown


def looked_at(
    before: Mapping[str, Minimum], comparisons: Mapping[str, Arms], frozen: FrozenMixture, alpha: float
) -> tuple[dict[str, Minimum], dict[str, ShownTest]]:
    """Return the minima after a test of each treatment, and the tests; one that cannot be tested keeps its minimum."""
    minima, shown = dict(before), {}
    mixture, level = mixture_of(frozen, alpha)
    for treatment_id, arms in comparisons.items():
        test = mixture_test(arms.control, arms.treatment, alpha=level, mixture=mixture)
        if test is None:
            continue
        lowest = minima.get(treatment_id)
        # The difference is kept with its p: only its sign shows whether that evidence was for or against the treatment.
        if lowest is None or test.always_valid_p < lowest["p"]:
            lowest = {"p": test.always_valid_p, "difference": test.difference}
        minima[treatment_id] = lowest
        # The mixture keeps its first level; the interval has the level of today's plan or settings.
        interval = test.interval_at(alpha)
        shown[treatment_id] = ShownTest(
            difference=test.difference,
            ci=[interval.lower, interval.upper] if interval else None,
            p=test.always_valid_p,
            always_valid_p=lowest["p"],
        )
    return minima, shown


def harm_minima(goal: GoalState, measure: Measure, alpha: float) -> dict[str, float]:
    """Return the smallest one-sided p against the goal's direction, by treatment: of earlier looks and of this one.

    `goal`: its state, before or after this look. `alpha`: the level of the experiment, see `mixture_of`.
    """
    mixture, level = mixture_of(goal["mixture"], alpha)
    lowest = dict(goal.get("harm", {}))
    for treatment_id, arms in measure.comparisons.items():
        direction: Direction = "increase" if measure.falls else "decrease"
        test = one_sided_mixture_test(arms.control, arms.treatment, direction=direction, alpha=level, mixture=mixture)
        if test is not None:
            lowest[treatment_id] = min(test.always_valid_p, lowest.get(treatment_id, 1.0))
    return lowest
