"""Engine that an experiment's numbers are shown by, unless a request names one: the one whose error rate is kept.

A test of a single look keeps its error rate only if the moment of the look was fixed beforehand. Results can be read at
any time, and looks by people are not recorded, so any other end counts as one that a look may have caused.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from abtest.domain.autostop.settings import AutoStop, takes_planned_looks
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.planned_test import planned_goal
from abtest.domain.planning.shapes import PlanEvaluation

Engine = Literal["frequentist", "sequential", "bayesian", "group_sequential"]
EngineReason = Literal[
    "requested",
    "not_started",
    "running",
    "paused",
    "sequential_testing_enabled",
    "planned_end_reached",
    "past_planned_end",
    "ended_without_planned_end",
    "planned_look_taken",
    "planned_looks_ended",
    "part_of_visitors",
]
EngineWarningCode = Literal[
    "before_planned_end", "no_planned_end", "after_planned_look", "no_error_rate", "error_is_shared"
]
PlannedLooksSoFar = Literal["none", "taken", "ended"]
"""Looks of a group-sequential plan at its goal as it is defined now."""

REASONS: Mapping[EngineReason, str] = {
    "requested": "The engine was requested.",
    "not_started": "Nothing is measured yet; from the start on, the numbers may be read at any time.",
    "running": "The experiment is running, so the numbers are shown by a test that holds at every look.",
    "paused": "The experiment is paused before a planned end, so the numbers are shown by a test that holds at every "
    "look.",
    "sequential_testing_enabled": "Sequential testing is enabled for this experiment, and no planned look was reached.",
    "planned_end_reached": "The planned end is reached, so the numbers are shown by the test of one look.",
    "past_planned_end": "The planned look was taken and more visitors came since, so the numbers are shown by a test "
    "that holds at every look. The planned look keeps its stored verdict.",
    "ended_without_planned_end": "The experiment ended before a planned end or had none, so a look may have ended it: "
    "the numbers are shown by a test that holds at every look.",
    "planned_look_taken": "Planned looks are taken, so the plan's goal is shown as it was at the latest one, by a test "
    "whose error is shared among the looks; other goals are shown by a test that holds at every look.",
    "planned_looks_ended": "The planned looks have ended, so the plan's goal is shown by the test of them all; later "
    "visitors do not change it. Other goals are shown by a test that holds at every look.",
    "part_of_visitors": "Planned looks are of all visitors, so a part of them is shown by a test that holds at every "
    "look.",
}

WARNINGS: Mapping[EngineWarningCode, str] = {
    "before_planned_end": "This engine is valid for one planned look, which is not due or was not taken: a difference "
    "that looks significant now is chance more often than alpha.",
    "no_planned_end": "This engine is valid for one look at a planned end, and this experiment has none: when looks "
    "decide the moment, a significant difference is chance more often than alpha.",
    "after_planned_look": "The one planned look was taken, and more visitors came since: its stored verdict counts, "
    "and a second look at growing numbers is wrong more often than alpha.",
    "no_error_rate": "Probabilities of this engine promise no error rate to readers who look repeatedly and stop when "
    "they like what they see.",
    "error_is_shared": "This engine is valid for one look, and the error of this test is shared among planned looks: a "
    "difference that looks significant is chance more often than alpha.",
}

LATE_SHARE = 0.1
"""Visitors after the planned look or while it is due, as a share of those planned or counted at the look."""


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """Engine of an answer, its reason, and a caution where a requested engine does not keep its error rate."""

    engine: Engine
    reason: EngineReason
    warning: EngineWarningCode | None = None

    @property
    def message(self) -> str:
        """Reason as a sentence."""
        return REASONS[self.reason]


class Extent(NamedTuple):
    """Size of the measurement as counted: visitors of all variations in use, and whole minutes since its start.

    `is_whole`: the answer is of all visitors, not of a segment or a range.
    """

    visitors: int
    minutes: int
    planned_looks: PlannedLooksSoFar = "none"
    is_whole: bool = True


def engine_choice(
    experiment: Experiment, settings: AutoStop, extent: Extent, requested: Engine | None = None
) -> EngineChoice:
    """Return the engine for numbers of this extent: the requested one, else that of `default_engine`.

    A requested engine without a promise for looks at any time carries a warning, unless the planned end is reached or
    nothing was measured yet.
    """
    default = default_engine(experiment, settings, extent)
    if requested is None:
        return default
    is_harmless = requested in ("sequential", "group_sequential") or default.reason in (
        "planned_end_reached",
        "not_started",
    )
    if is_harmless:
        return EngineChoice(requested, "requested")
    if requested == "bayesian":
        return EngineChoice(requested, "requested", "no_error_rate")
    if uses_planned_looks(experiment, settings):
        return EngineChoice(requested, "requested", "error_is_shared")
    if default.reason == "past_planned_end":
        return EngineChoice(requested, "requested", "after_planned_look")
    return EngineChoice(
        requested, "requested", "before_planned_end" if has_fixed_look(experiment, settings) else "no_planned_end"
    )


def default_engine(experiment: Experiment, settings: AutoStop, extent: Extent) -> EngineChoice:
    """Return the engine with the reason: that of planned looks once they are taken, `frequentist` at the planned end of
    a fixed look, else `sequential`.
    """
    # Personalizations are measured without a status of their own.
    if experiment.measurement_started_at is None:
        return EngineChoice("sequential", "not_started")
    if uses_planned_looks(experiment, settings):
        if not extent.is_whole:
            return EngineChoice("sequential", "part_of_visitors")
        if extent.planned_looks != "none":
            is_over = extent.planned_looks == "ended"
            return EngineChoice("group_sequential", "planned_looks_ended" if is_over else "planned_look_taken")
    end = _planned_end(experiment, settings, extent)
    if end is not None:
        return EngineChoice("frequentist" if end == "planned_end_reached" else "sequential", end)
    if experiment.sequential_testing_enabled:
        return EngineChoice("sequential", "sequential_testing_enabled")
    if experiment.status == "completed":
        return EngineChoice("sequential", "ended_without_planned_end")
    return EngineChoice("sequential", "paused" if experiment.status == "paused" else "running")


def uses_planned_looks(experiment: Experiment, settings: AutoStop) -> bool:
    """Return whether planned looks decide the experiment, or have decided it, whatever the settings became since."""
    plan = experiment.planned_test
    evaluation = (plan or {}).get("evaluation")
    if evaluation is not None:
        return evaluation.get("engine") == "group_sequential"
    return plan is not None and planned_goal(experiment) is not None and takes_planned_looks(plan, settings)


def has_fixed_look(experiment: Experiment, settings: AutoStop) -> bool:
    """Return whether auto-stop takes one look at a planned sample of a goal in use."""
    required = (experiment.planned_test or {}).get("required_total_visitors")
    is_fixed = settings.mode == "fixed_horizon_planned_end"
    return is_fixed and required is not None and planned_goal(experiment) is not None


def _planned_end(
    experiment: Experiment, settings: AutoStop, extent: Extent
) -> Literal["planned_end_reached", "past_planned_end"] | None:
    plan = experiment.planned_test or {}
    evaluation = plan.get("evaluation")
    if evaluation is not None and evaluation.get("engine") != "group_sequential":
        taken_at = evaluation.get("total_visitors_at_evaluation")
        has_stopped = experiment.status != "running" and _has_paused(evaluation, settings)
        # Late events of a test that its look stopped are not a reader's second chance; visitors after it are.
        slack = LATE_SHARE if has_stopped else 0.0
        is_past = not has_stopped if taken_at is None else extent.visitors > taken_at * (1 + slack)
        return "past_planned_end" if is_past else "planned_end_reached"
    required = plan.get("required_total_visitors")
    if required is None or evaluation is not None or not has_fixed_look(experiment, settings):
        return None
    # Planned looks have spent a part of the error, so auto-stop takes no single look in this measurement.
    if extent.planned_looks != "none":
        return None
    # Without an evaluation no look has fixed the end. More visitors, or a person's pause, may be those of a later look.
    is_due = (
        experiment.status == "running"
        and required <= extent.visitors <= required * (1 + LATE_SHARE)
        and extent.minutes >= settings.min_runtime_minutes
    )
    return "planned_end_reached" if is_due else None


def _has_paused(evaluation: PlanEvaluation, settings: AutoStop) -> bool:
    if "paused" in evaluation:
        return evaluation["paused"]
    outcome = evaluation.get("outcome")
    # Evaluations of older releases do not have it; with harm only the settings show it, if they were not changed since.
    return outcome in ("significant_pause", "inconclusive_pause") or (outcome == "harm" and settings.pauses_for_harm)
