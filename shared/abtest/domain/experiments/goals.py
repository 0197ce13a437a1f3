"""The goals of one experiment: joined, edited, ordered; at most one of them in use is the primary one."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from abtest.domain.changes.errors import NotDeletableError
from abtest.domain.experiments.model import Experiment
from abtest.domain.goals.edits import amend
from abtest.domain.goals.model import Goal
from abtest.domain.goals.shapes import GoalFields
from abtest.kit.clock import Timestamp
from abtest.kit.errors import ConflictError, NotFoundError, refused


def initial(goals: Sequence[Goal], stated: Sequence[GoalFields]) -> tuple[Goal, ...]:
    """The first goals of an experiment. Without a stated primary the first goal that states no role becomes it."""
    if sum(goal.is_primary for goal in goals) > 1:
        raise refused("goals", "at most one goal is primary")
    if any(goal.is_primary for goal in goals):
        return tuple(goals)
    for goal, fields in zip(goals, stated, strict=True):
        if not {"role", "is_primary"} & set(fields):
            return _led_by(goals, goal.id)
    return tuple(goals)


def join(experiment: Experiment, goal: Goal, stated: GoalFields) -> Experiment:
    """The experiment with one more goal, primary when it says so, or says nothing and none is yet."""
    if any(goal.id == other.id for other in experiment.goals):
        raise ConflictError("the goal is attached already")
    silent = not {"role", "is_primary"} & set(stated)
    leads = goal.is_primary or (silent and primary(experiment) is None)
    goals = (*experiment.goals, goal)
    return replace(experiment, goals=_led_by(goals, goal.id) if leads else goals)


def edit(experiment: Experiment, goal_id: str, stated: GoalFields, now: Timestamp) -> Experiment:
    """The experiment with one goal changed; a new primary takes the place of the old one."""
    changed = amend(find(experiment, goal_id), stated, now)
    goals = tuple(changed if goal.id == goal_id else goal for goal in experiment.goals)
    return replace(experiment, goals=_led_by(goals, goal_id) if changed.is_primary else goals)


def replace_all(
    experiment: Experiment, goals: Sequence[Goal], stated: Sequence[GoalFields], now: Timestamp
) -> Experiment:
    """The experiment with these goals in this order, made from `stated` item by item.

    What is not among them is deleted before the first start and archived afterwards. At most one item may state that
    it is primary; without one the present primary stays.
    """
    named = {goal.id for goal in goals}
    if len(named) != len(goals):
        raise refused("goals", "name a goal twice")
    leaders = [goal.id for goal, fields in zip(goals, stated, strict=True) if _claims_lead(fields)]
    if len(leaders) > 1:
        raise refused("goals", "at most one goal is primary")
    rest = [goal for goal in experiment.goals if goal.id not in named] if experiment.started_at else []
    kept = [goal if goal.archived_at else _as_follower(replace(goal, archived_at=now, updated_at=now)) for goal in rest]
    after = (*goals, *kept)
    return replace(experiment, goals=_led_by(after, leaders[0]) if leaders else after)


def _claims_lead(stated: GoalFields) -> bool:
    return stated.get("is_primary") is True or stated.get("role") == "primary"


def set_archived(experiment: Experiment, goal_id: str, at: Timestamp | None, now: Timestamp) -> Experiment:
    """The experiment with the goal out of use, or back. An archived goal is no longer primary."""
    goal = find(experiment, goal_id)
    if (goal.archived_at is None) == (at is None):
        return experiment
    stated: GoalFields = {"archived_at": at}
    if at is not None and goal.is_primary:
        stated |= {"role": "secondary"}
    return edit(experiment, goal_id, stated, now)


def delete(experiment: Experiment, goal_id: str) -> Experiment:
    """The experiment without the goal. Raises NotDeletableError once it may have data."""
    goal = find(experiment, goal_id)
    if experiment.started_at is not None:
        raise NotDeletableError("the experiment was started, so the goal may have data: archive it instead")
    return replace(experiment, goals=tuple(item for item in experiment.goals if item.id != goal.id))


def check_type_stays(experiment: Experiment, goal: Goal, stated: GoalFields) -> None:
    """Raises ConflictError when a goal that may have data is to become one of another type."""
    if experiment.started_at is not None and stated.get("type", goal.type) != goal.type:
        raise ConflictError("a goal's type is settled once the experiment has started")


def order(experiment: Experiment, ids: Sequence[str]) -> Experiment:
    """The experiment with its goals in this order, the first of them primary; archived ones may be left out."""
    by_id = {goal.id: goal for goal in experiment.goals}
    must = {goal.id for goal in experiment.goals if goal.archived_at is None}
    if len(set(ids)) != len(ids) or not must <= set(ids) <= set(by_id):
        raise refused("ids", "must name each goal of the experiment once")
    if not ids:
        return experiment
    if by_id[ids[0]].archived_at is not None:
        raise refused("ids[0]", "an archived goal cannot be primary")
    rest = [goal for goal in experiment.goals if goal.id not in ids]
    return replace(experiment, goals=_led_by([*(by_id[goal_id] for goal_id in ids), *rest], ids[0]))


def primary(experiment: Experiment) -> Goal | None:
    """The primary goal in use, if any."""
    return next((goal for goal in experiment.goals if goal.is_primary and goal.archived_at is None), None)


def find(experiment: Experiment, goal_id: str) -> Goal:
    """The goal with this id. Raises NotFoundError."""
    for goal in experiment.goals:
        if goal.id == goal_id:
            return goal
    raise NotFoundError("no such goal")


def _led_by(goals: Iterable[Goal], leader: str) -> tuple[Goal, ...]:
    return tuple(_as_primary(goal) if goal.id == leader else _as_follower(goal) for goal in goals)


def _as_primary(goal: Goal) -> Goal:
    return replace(goal, is_primary=True, role="primary")


def _as_follower(goal: Goal) -> Goal:
    return replace(goal, is_primary=False, role="secondary") if goal.is_primary else goal
