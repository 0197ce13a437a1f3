"""Goals of one experiment: attached, edited, ordered; at most one goal in use is the primary one."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from abtest.domain.changes.errors import NotDeletableError
from abtest.domain.experiments.model import Experiment
from abtest.domain.goals.edits import amend
from abtest.domain.goals.model import Goal
from abtest.domain.goals.shapes import GoalFields
from abtest.kit.clock import Timestamp
from abtest.kit.errors import ConflictError, NotFoundError, refused


def initial(goals: Sequence[Goal], given: Sequence[GoalFields]) -> tuple[Goal, ...]:
    """Return the first goals of an experiment.

    Where no goal is given as primary, the first whose role is not given becomes primary.
    """
    if sum(goal.is_primary for goal in goals) > 1:
        raise refused("goals", "must have at most one primary goal")
    if any(goal.is_primary for goal in goals):
        return tuple(goals)
    for goal, fields in zip(goals, given, strict=True):
        if not {"role", "is_primary"} & set(fields):
            return _led_by(goals, goal.id)
    return tuple(goals)


def join(experiment: Experiment, goal: Goal, given: GoalFields) -> Experiment:
    """Return the experiment with one more goal.

    It becomes primary when it is given as primary, or when its role is not given and the experiment has no primary.
    """
    if any(goal.id == other.id for other in experiment.goals):
        raise ConflictError("the goal is attached already")
    is_silent = not {"role", "is_primary"} & set(given)
    leads = goal.is_primary or (is_silent and primary(experiment) is None)
    goals = (*experiment.goals, goal)
    return replace(experiment, goals=_led_by(goals, goal.id) if leads else goals)


def edit(experiment: Experiment, goal_id: str, given: GoalFields, now: Timestamp) -> Experiment:
    """Return the experiment with one goal changed; a new primary replaces the old one."""
    changed = amend(find(experiment, goal_id), given, now)
    goals = tuple(changed if goal.id == goal_id else goal for goal in experiment.goals)
    return replace(experiment, goals=_led_by(goals, goal_id) if changed.is_primary else goals)


def replace_all(
    experiment: Experiment, goals: Sequence[Goal], given: Sequence[GoalFields], now: Timestamp
) -> Experiment:
    """Return the experiment with these goals in this order, made from `given` item by item.

    Missing goals are deleted before the first start and archived afterwards. At most one item may be given as
    primary; without one the present primary stays.
    """
    named = {goal.id for goal in goals}
    if len(named) != len(goals):
        raise refused("goals", "must name each goal once")
    leaders = [
        goal.id
        for goal, fields in zip(goals, given, strict=True)
        if fields.get("is_primary") is True or fields.get("role") == "primary"
    ]
    if len(leaders) > 1:
        raise refused("goals", "must have at most one primary goal")
    rest = [goal for goal in experiment.goals if goal.id not in named] if experiment.started_at else []
    kept = [goal if goal.archived_at else _as_follower(replace(goal, archived_at=now, updated_at=now)) for goal in rest]
    after = (*goals, *kept)
    return replace(experiment, goals=_led_by(after, leaders[0]) if leaders else after)


def set_archived(experiment: Experiment, goal_id: str, at: Timestamp | None, now: Timestamp) -> Experiment:
    """Return the experiment with the goal archived, or back in use. An archived goal is no longer primary."""
    goal = find(experiment, goal_id)
    if (goal.archived_at is None) == (at is None):
        return experiment
    fields: GoalFields = {"archived_at": at}
    if at is not None and goal.is_primary:
        fields |= {"role": "secondary"}
    return edit(experiment, goal_id, fields, now)


def delete(experiment: Experiment, goal_id: str) -> Experiment:
    """Return the experiment without the goal. Raises NotDeletableError once it may have data."""
    goal = find(experiment, goal_id)
    if experiment.started_at is not None:
        raise NotDeletableError("the experiment was started, so the goal may have data: archive it instead")
    return replace(experiment, goals=tuple(item for item in experiment.goals if item.id != goal.id))


def check_type_stays(experiment: Experiment, goal: Goal, given: GoalFields) -> None:
    """Raise ConflictError when an edit gives another type to a goal that may have data."""
    if experiment.started_at is not None and given.get("type", goal.type) != goal.type:
        raise ConflictError("a goal's type cannot change once the experiment has started; add another goal instead")


def order(experiment: Experiment, ids: Sequence[str]) -> Experiment:
    """Return the experiment with its goals in this order, the first of them primary; archived ones may be left out."""
    by_id = {goal.id: goal for goal in experiment.goals}
    required = {goal.id for goal in experiment.goals if goal.archived_at is None}
    if len(set(ids)) != len(ids) or not required <= set(ids) <= set(by_id):
        raise refused("ids", "must name each goal of the experiment once")
    if not ids:
        return experiment
    if by_id[ids[0]].archived_at is not None:
        raise refused("ids[0]", "must not be an archived goal: the first goal becomes the primary one")
    rest = [goal for goal in experiment.goals if goal.id not in ids]
    return replace(experiment, goals=_led_by([*(by_id[goal_id] for goal_id in ids), *rest], ids[0]))


def primary(experiment: Experiment) -> Goal | None:
    """Return the primary goal in use, if any."""
    return next((goal for goal in experiment.goals if goal.is_primary and goal.archived_at is None), None)


def find(experiment: Experiment, goal_id: str) -> Goal:
    """Return the goal with this id. Raises NotFoundError."""
    for goal in experiment.goals:
        if goal.id == goal_id:
            return goal
    raise NotFoundError("the experiment has no goal with this id")


def _led_by(goals: Iterable[Goal], leader: str) -> tuple[Goal, ...]:
    return tuple(
        replace(goal, is_primary=True, role="primary") if goal.id == leader else _as_follower(goal) for goal in goals
    )


def _as_follower(goal: Goal) -> Goal:
    return replace(goal, is_primary=False, role="secondary") if goal.is_primary else goal
