"""Plan of an experiment: its goal, its weights, and the snapshot that is frozen when a measurement begins."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from abtest.domain.experiments.design import in_use
from abtest.domain.experiments.goals import primary
from abtest.domain.experiments.model import Experiment
from abtest.domain.goals.model import Goal
from abtest.domain.planning.plan import for_epoch
from abtest.domain.planning.shapes import Snapshot
from abtest.kit.clock import Timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospect:
    """Plan of an experiment that is about to start: a snapshot to freeze, and a line of the checklist.

    `snapshot` is None where a caller gave the plan already, or where there is none.
    """

    snapshot: Snapshot | None = None
    status: Literal["pass", "warn", "fail"] = "pass"
    message: str = ""


NO_PROSPECT = Prospect()


def weights_planned(experiment: Experiment) -> Sequence[float]:
    """Return the weights of the variations in use, the control's first."""
    # The sort is stable, so treatments stay in stored order.
    arms = sorted(in_use(experiment), key=lambda variation: not variation.is_control)
    return [variation.weight for variation in arms]


def decisive_goal(experiment: Experiment) -> Goal | None:
    """Return the goal of a plan that names none: the primary one, else the first in use."""
    return primary(experiment) or next((goal for goal in experiment.goals if goal.archived_at is None), None)


def planned_goal(experiment: Experiment) -> Goal | None:
    """Return the goal that the stored plan names; None without a plan.

    Also None if the goal was archived, deleted or made a ratio since: the planned look compares rates.
    """
    goal_id = (experiment.planned_test or {}).get("goal_id")
    in_use = (goal for goal in experiment.goals if goal.archived_at is None and not goal.is_ratio)
    return next((goal for goal in in_use if goal.id == goal_id), None)


def falls(experiment: Experiment, goal_id: str | None) -> bool:
    """Return whether the goal gets better by falling."""
    return any(goal.id == goal_id and goal.direction == "decrease" for goal in experiment.goals)


def planned_for(experiment: Experiment, epoch_started_at: Timestamp | None, now: Timestamp) -> Experiment:
    """Return the experiment with its plan computed for a measurement that begins then; one without a plan as it is."""
    plan = experiment.planned_test
    if plan is None:
        return experiment
    renewed = for_epoch(
        plan,
        weights_planned(experiment),
        falls=falls(experiment, plan.get("goal_id")),
        now=now,
        epoch_started_at=epoch_started_at,
    )
    return replace(experiment, planned_test=renewed)


def frozen_at_start(experiment: Experiment, prospect: Prospect, now: Timestamp) -> Experiment:
    """Return the experiment as its measurement begins: a given plan stays, else the prospect's replaces it."""
    if not experiment.plan_is_stated and prospect.snapshot is not None:
        experiment = replace(experiment, planned_test=prospect.snapshot)
    return planned_for(experiment, experiment.measurement_started_at, now)
