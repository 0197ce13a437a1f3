"""Progress of an experiment towards its frozen plan, and the outcome of the planned end."""

from collections.abc import Mapping, Sequence
from typing import Literal

from abtest.contract.trust import PlanProgress
from abtest.domain.autostop.settings import AutoStop, takes_planned_looks
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.planned_test import falls, planned_goal, weights_planned
from abtest.domain.goals.model import Goal
from abtest.domain.planning.curve import DetectableEffect
from abtest.domain.planning.duration import in_words
from abtest.domain.planning.plan import curve_of_snapshot, power_at_any_look
from abtest.domain.planning.shapes import PlanEngine, Snapshot
from abtest.kit.clock import parse_timestamp

GoalState = Literal["in_use", "archived", "deleted", "ratio"]

_DAY_SECONDS = 24 * 3600
_MIN_PACE_SECONDS = 6 * 3600
"""A shorter time does not predict the days to come."""

_READ_AT_ANY_TIME = ("off", "sequential_significance")

OUTCOMES: Mapping[str, str] = {
    "significant_pause": "The planned end was reached with a significant result.",
    "inconclusive_pause": "The planned end was reached without a significant result.",
    "continue_inconclusive": "The planned end was reached without a significant result; the experiment went on.",
    "continue_not_positive": "The planned end was reached: significant, but not for the better.",
    "harm": "The planned end was reached: a guardrail is harmed, so there is no winner.",
}

ENDED_EARLY: Mapping[str | None, str] = {
    "winner": "A planned look before the end had a significant result.",
    "harm": "A guardrail was harmed before the planned end, so there is no winner.",
    "futility": "No treatment was likely to win any more, so the test was stopped before the planned end.",
}
"""By `ended_by` of planned looks, in place of the outcome's sentence."""

OTHER_SIZE = "The plan is sized for another engine than that of planned looks."
AFTER: Mapping[PlanEngine, str] = {
    "fixed": "",
    "sequential": ", by which a test that is read at any time finds the planned effect in {power:.0%} of cases",
    "group_sequential": ", by whose last look the planned effect is found in {power:.0%} of cases",
}
"""Meaning of the planned sample."""

BLOCKED: Mapping[str | None, str] = {
    "excluded_currency_residue": "Money was not decided on: too much of it is in other currencies.",
    "measurement_quality_unavailable": "Money was not decided on: not all visitors and orders can be seen.",
}


def progress_of(
    experiment: Experiment, settings: AutoStop, visitors: int, computed_at: str | None
) -> PlanProgress | None:
    """Return the progress; None without a plan. `visitors` of all variations in use, as counted at `computed_at`."""
    plan = experiment.planned_test
    if plan is None:
        return None
    goal = next((goal for goal in experiment.goals if goal.id == plan.get("goal_id")), None)
    required = plan.get("required_total_visitors")
    evaluation = plan.get("evaluation") or {}
    outcome, blocked = evaluation.get("outcome"), evaluation.get("blocked_reason")
    left = days_left(experiment, visitors, required, computed_at)
    message = ENDED_EARLY.get(evaluation.get("ended_by")) or _message(goal, plan, visitors, left, settings)
    is_ahead = outcome is None and required is not None and goal_state(goal) == "in_use"
    is_other = is_ahead and settings.mode == "group_sequential" and plan.get("engine") != "group_sequential"
    note = caution(experiment, settings) if is_ahead else None
    return PlanProgress(
        goal_id=plan.get("goal_id"),
        goal_name=goal.name if goal else None,
        goal_state=goal_state(goal),
        mode=settings.mode,
        baseline_rate=plan.get("baseline_rate"),
        mde=plan.get("mde"),
        power=plan.get("power"),
        required_total_visitors=required,
        required_sample_per_variant=plan.get("required_sample_per_variant"),
        reached_visitors=visitors,
        reached=visitors / required if required else None,
        days_left=left,
        endpoint_reached_at=plan.get("endpoint_reached_at"),
        outcome=outcome,
        blocked_reason=blocked,
        engine=plan.get("engine", "fixed"),
        message=" ".join(filter(None, (message, note, BLOCKED.get(blocked), OTHER_SIZE if is_other else None))),
    )


def goal_state(goal: Goal | None) -> GoalState:
    """Return the state of a plan's goal. The plan decides only while it is in use and no ratio."""
    if goal is None:
        return "deleted"
    return "archived" if goal.archived_at is not None else "ratio" if goal.is_ratio else "in_use"


def days_left(experiment: Experiment, visitors: int, required: int | None, computed_at: str | None) -> float | None:
    """Return the days until the planned sample at the pace so far; None while it cannot be predicted."""
    began = experiment.measurement_started_at
    if experiment.status != "running" or not began or not computed_at or not required or not visitors:
        return None
    elapsed = (parse_timestamp(computed_at) - parse_timestamp(began)).total_seconds()
    if visitors >= required:
        return 0.0
    return None if elapsed < _MIN_PACE_SECONDS else (required - visitors) * elapsed / visitors / _DAY_SECONDS


def effects_by_day(experiment: Experiment, visitors: int, computed_at: str | None) -> Sequence[DetectableEffect]:
    """Return what tests like the plan detect by day at the pace so far; empty while that cannot be predicted."""
    plan, began = experiment.planned_test, experiment.measurement_started_at
    if plan is None or planned_goal(experiment) is None or not began or not computed_at:
        return ()
    elapsed = (parse_timestamp(computed_at) - parse_timestamp(began)).total_seconds()
    if elapsed < _MIN_PACE_SECONDS:
        return ()
    return curve_of_snapshot(
        plan,
        weights_planned(experiment),
        falls=falls(experiment, plan.get("goal_id")),
        daily_visitors=visitors * _DAY_SECONDS / elapsed,
    )


def caution(experiment: Experiment, settings: AutoStop) -> str | None:
    """Return what a sample for other looks is worth to a test that is read at any time; None where the plan is for it.

    With auto-stop off, planned looks are taken for readers.
    """
    plan = experiment.planned_test
    if plan is None or "required_total_visitors" not in plan or settings.mode not in _READ_AT_ANY_TIME:
        return None
    is_by_looks = plan.get("engine") == "group_sequential"
    if is_by_looks and settings.mode == "off":
        return None
    treatments = sum(1 for weight in weights_planned(experiment)[1:] if weight > 0)
    power = power_at_any_look(plan, treatments)
    if power is None:
        return None
    looks = "planned looks" if is_by_looks else "one look"
    return f"The plan is for {looks}: read at any time, it finds the planned effect in {power:.0%} of cases."


def _message(goal: Goal | None, plan: Snapshot, visitors: int, left: float | None, settings: AutoStop) -> str:
    outcome, required = (plan.get("evaluation") or {}).get("outcome"), plan.get("required_total_visitors")
    if outcome is not None and outcome in OUTCOMES:
        return OUTCOMES[outcome]
    if goal is None:
        return "The goal of the plan was deleted: make a plan for another goal."
    if goal.archived_at is not None:
        return f"The goal of the plan, {goal.name}, was archived: make a plan for another goal, or restore it."
    if goal.is_ratio:
        return (
            f"The goal of the plan, {goal.name}, became a ratio, and plans are of rates: make a plan for another goal."
        )
    if required is None:
        return "The plan is of an older release and has no sample size."
    engine = plan.get("engine", "fixed")
    is_looked_at = engine != "group_sequential" or takes_planned_looks(plan, settings)
    meaning = AFTER[engine].format(power=plan.get("power", 0)) if is_looked_at else ""
    reached = f"{visitors:,} of {required:,} planned visitors{meaning}"
    return f"{reached}; about {in_words(left)} to go." if left else f"{reached}."
