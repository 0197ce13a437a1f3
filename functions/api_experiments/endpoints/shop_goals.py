"""Routes of reusable goals."""

from typing import Annotated

from abtest.contract.base import ListOf
from abtest.contract.goals import Goal, GoalUpdate, ShopGoalCreate
from abtest.http.deps import IfMatch, Page, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import NotFoundError, ValidationFailedError
from abtest.services.goals import ShopGoals, Stored
from api_experiments.endpoints.vocabulary import Archived, GoalId, Reader, Writer

router = Router("/goals", tag="Goals")

Goals = Annotated[ShopGoals, use(ShopGoals)]


def answer(stored: Stored) -> Goal:
    """A stored goal on the wire."""
    found, version = stored
    return Goal.of(found).at(version)


@router.get("", operation_id="listGoals")
def list_goals(caller: Reader, page: Page, goals: Goals, archived: Archived = "false") -> ListOf[Goal]:
    """List the reusable goals of the shop, newest first."""
    found, last = goals.page(caller.shop_id, archived=archived, limit=page.limit, after=page.after)
    return page.page([answer(stored) for stored in found], last)


@router.post("", operation_id="createGoal", status_code=201, responses=errors(ValidationFailedError))
def create_goal(body: ShopGoalCreate, caller: Writer, goals: Goals) -> Goal:
    """Create a reusable goal. Experiments attach it by `goal_id`."""
    return answer(goals.create(caller, body.stated()))


@router.get("/{goal_id}", operation_id="getGoal", responses=errors(NotFoundError))
def get_goal(goal_id: GoalId, caller: Reader, goals: Goals) -> Goal:
    """Return one goal of the shop."""
    return answer(goals.get(caller.shop_id, goal_id))


@router.patch("/{goal_id}", operation_id="updateGoal", responses=errors(NotFoundError, ValidationFailedError))
def update_goal(goal_id: GoalId, body: GoalUpdate, caller: Writer, goals: Goals, if_match: IfMatch) -> Goal:
    """Change a goal of the shop. Experiments that attached it keep the definition they had."""
    return answer(goals.update(caller, goal_id, body.stated(), expected_version=if_match))


@router.delete("/{goal_id}", operation_id="deleteGoal", status_code=204, responses=errors(NotFoundError))
def delete_goal(goal_id: GoalId, caller: Writer, goals: Goals, if_match: IfMatch) -> None:
    """Delete a goal of the shop. Experiments that attached it keep their copy."""
    goals.delete(caller, goal_id, expected_version=if_match)


@router.post("/{goal_id}/archive", operation_id="archiveGoal", responses=errors(NotFoundError))
def archive_goal(goal_id: GoalId, caller: Writer, goals: Goals, if_match: IfMatch) -> Goal:
    """Archive a goal: it is no longer offered for reuse."""
    return answer(goals.set_archived(caller, goal_id, True, expected_version=if_match))


@router.post("/{goal_id}/unarchive", operation_id="unarchiveGoal", responses=errors(NotFoundError))
def unarchive_goal(goal_id: GoalId, caller: Writer, goals: Goals, if_match: IfMatch) -> Goal:
    """Offer an archived goal for reuse again."""
    return answer(goals.set_archived(caller, goal_id, False, expected_version=if_match))
