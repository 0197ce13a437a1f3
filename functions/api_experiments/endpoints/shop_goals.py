"""Routes of reusable goals."""

from typing import Annotated

from fastapi import Query

from abtest.contract.base import ListOf
from abtest.contract.goals import Goal, GoalUpdate, ShopGoalCreate
from abtest.domain.goals.model import GoalType
from abtest.http.deps import IfMatch, Page, use
from abtest.http.listing import NarrowedOrArchived
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import LimitReachedError, NotFoundError, ValidationFailedError
from abtest.services.goals import ShopGoal, ShopGoals
from api_experiments.endpoints.vocabulary import GoalId, Reader, Writer

router = Router("/goals", tag="Goals")

Goals = Annotated[ShopGoals, use(ShopGoals)]


def answer(kept: ShopGoal) -> Goal:
    """Response of a goal."""
    return Goal.of(kept.goal).at(kept.version)


@router.get("", operation_id="listGoals", responses=errors(LimitReachedError))
def list_goals(
    caller: Reader,
    page: Page,
    goals: Goals,
    filters: NarrowedOrArchived,
    type: Annotated[GoalType | None, Query(description="Only goals of this type.")] = None,  # noqa: A002 - the field's name
) -> ListOf[Goal]:
    """List the reusable goals of the shop, newest first."""
    items, last = goals.page(caller.shop_id, filters.where(type=type), limit=page.limit, after=page.after)
    return page.page([answer(stored) for stored in items], last)


@router.post("", operation_id="createGoal", status_code=201, responses=errors(ValidationFailedError))
def create_goal(body: ShopGoalCreate, caller: Writer, goals: Goals) -> Goal:
    """Create a reusable goal. Experiments attach it by `goal_id`."""
    return answer(goals.create(caller, body.provided()).value)


@router.get("/{goal_id}", operation_id="getGoal", responses=errors(NotFoundError))
def get_goal(goal_id: GoalId, caller: Reader, goals: Goals) -> Goal:
    """Return one goal of the shop."""
    return answer(goals.get(caller.shop_id, goal_id))


@router.patch("/{goal_id}", operation_id="updateGoal", responses=errors(NotFoundError, ValidationFailedError))
def update_goal(goal_id: GoalId, body: GoalUpdate, caller: Writer, goals: Goals, if_match: IfMatch) -> Goal:
    """Change a goal of the shop. Experiments that attached it keep the definition they had."""
    return answer(goals.update(caller, goal_id, body.provided(), expected_version=if_match).value)


@router.delete("/{goal_id}", operation_id="deleteGoal", status_code=204, responses=errors(NotFoundError))
def delete_goal(goal_id: GoalId, caller: Writer, goals: Goals, if_match: IfMatch) -> None:
    """Delete a goal of the shop. Experiments that attached it keep their copy."""
    goals.remove(caller, goal_id, expected_version=if_match)


@router.post("/{goal_id}/archive", operation_id="archiveGoal", responses=errors(NotFoundError))
def archive_goal(goal_id: GoalId, caller: Writer, goals: Goals, if_match: IfMatch) -> Goal:
    """Archive a goal: it is no longer offered for reuse."""
    return answer(goals.set_archived(caller, goal_id, True, expected_version=if_match).value)


@router.post("/{goal_id}/unarchive", operation_id="unarchiveGoal", responses=errors(NotFoundError))
def unarchive_goal(goal_id: GoalId, caller: Writer, goals: Goals, if_match: IfMatch) -> Goal:
    """Offer an archived goal for reuse again."""
    return answer(goals.set_archived(caller, goal_id, False, expected_version=if_match).value)
