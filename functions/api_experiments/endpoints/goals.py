"""Routes of an experiment's goals and of the page rules that limit them."""

from typing import Annotated

from abtest.contract.base import ListOf
from abtest.contract.experiments import GoalPageRules
from abtest.contract.goals import Goal, GoalCreate, GoalOrder, GoalUpdate
from abtest.contract.page_rules import PageRuleList
from abtest.domain.changes.errors import NotDeletableError
from abtest.domain.experiments.goals import find
from abtest.domain.targeting.admission import UnsafeRegexError
from abtest.http.deps import IfMatch, Page, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ConflictError, LimitReachedError, NotFoundError, ValidationFailedError
from abtest.services.experiments.goals import ExperimentGoals
from abtest.services.experiments.store import ExperimentStore
from api_experiments.endpoints.vocabulary import (
    Archived,
    ExperimentId,
    GoalId,
    Reader,
    Writer,
    goal,
    goals_of,
    part_of,
    whole,
)

router = Router("/experiments/{experiment_id}", tag="Goals")

Goals = Annotated[ExperimentGoals, use(ExperimentGoals)]
Reads = Annotated[ExperimentStore, use(ExperimentStore)]

EDIT = errors(NotFoundError, ConflictError, LimitReachedError, ValidationFailedError)


@router.get("/goals", operation_id="listExperimentGoals", responses=errors(NotFoundError))
def list_goals(
    experiment_id: ExperimentId, caller: Reader, page: Page, experiments: Reads, archived: Archived = "false"
) -> ListOf[Goal]:
    """List the goals of an experiment, in their order."""
    return part_of(page, goals_of(experiments.get(caller.shop_id, experiment_id), archived))


@router.post("/goals", operation_id="createExperimentGoal", status_code=201, responses=EDIT)
def create_goal(experiment_id: ExperimentId, body: GoalCreate, caller: Writer, goals: Goals, if_match: IfMatch) -> Goal:
    """Add a goal, or a copy of a shop goal by `goal_id`.

    The first goal is primary unless `is_primary` is false. A copied goal keeps the id of the shop goal; only `role` and
    `is_primary` may be sent with `goal_id`, and later edits of either goal do not reach the other. Adding the same shop
    goal twice is 409; an unknown id is 422. An experiment has at most 50 goals.
    """
    return goal(goals.add(caller, experiment_id, body.provided(), expected_version=if_match))


@router.put("/goals/order", operation_id="orderGoals", responses=errors(NotFoundError, ValidationFailedError))
def order_goals(
    experiment_id: ExperimentId, body: GoalOrder, caller: Writer, goals: Goals, if_match: IfMatch
) -> ListOf[Goal]:
    """Set the order of the goals. The first one becomes the primary goal."""
    ordered = goals.order(caller, experiment_id, body.ids, expected_version=if_match)
    return whole(goals_of(ordered.value))


@router.get("/goals/{goal_id}", operation_id="getExperimentGoal", responses=errors(NotFoundError))
def get_goal(experiment_id: ExperimentId, goal_id: GoalId, caller: Reader, experiments: Reads) -> Goal:
    """Return one goal of an experiment."""
    experiment = experiments.get(caller.shop_id, experiment_id)
    return Goal.of(find(experiment, goal_id)).at(experiment.version)


@router.patch("/goals/{goal_id}", operation_id="updateExperimentGoal", responses=EDIT)
def update_goal(
    experiment_id: ExperimentId, goal_id: GoalId, body: GoalUpdate, caller: Writer, goals: Goals, if_match: IfMatch
) -> Goal:
    """Change a goal of an experiment. A goal that becomes primary replaces the previous primary goal."""
    return goal(goals.update(caller, experiment_id, goal_id, body.provided(), expected_version=if_match))


@router.delete(
    "/goals/{goal_id}",
    operation_id="deleteExperimentGoal",
    status_code=204,
    responses=errors(NotFoundError, NotDeletableError),
)
def delete_goal(experiment_id: ExperimentId, goal_id: GoalId, caller: Writer, goals: Goals, if_match: IfMatch) -> None:
    """Delete a goal. Once the experiment has started, the goal may have data and is archived instead."""
    goals.delete(caller, experiment_id, goal_id, expected_version=if_match)


@router.post("/goals/{goal_id}/archive", operation_id="archiveExperimentGoal", responses=EDIT)
def archive_goal(experiment_id: ExperimentId, goal_id: GoalId, caller: Writer, goals: Goals, if_match: IfMatch) -> Goal:
    """Stop measuring a goal. Its counts are kept."""
    return goal(goals.set_archived(caller, experiment_id, goal_id, True, expected_version=if_match))


@router.post("/goals/{goal_id}/unarchive", operation_id="unarchiveExperimentGoal", responses=EDIT)
def unarchive_goal(
    experiment_id: ExperimentId, goal_id: GoalId, caller: Writer, goals: Goals, if_match: IfMatch
) -> Goal:
    """Resume measuring an archived goal."""
    return goal(goals.set_archived(caller, experiment_id, goal_id, False, expected_version=if_match))


@router.get("/goal-page-rules", operation_id="getGoalPageRules", responses=errors(NotFoundError))
def get_page_rules(experiment_id: ExperimentId, caller: Reader, experiments: Reads) -> GoalPageRules:
    """Return the page rules that limit where the experiment's goals count."""
    return list(experiments.get(caller.shop_id, experiment_id).goal_page_rules)


@router.put(
    "/goal-page-rules",
    operation_id="setGoalPageRules",
    responses=errors(NotFoundError, UnsafeRegexError, ValidationFailedError),
)
def set_page_rules(
    experiment_id: ExperimentId, body: PageRuleList, caller: Writer, goals: Goals, if_match: IfMatch
) -> GoalPageRules:
    """Replace the page rules that limit where the experiment's goals count.

    A rule with `include: false` counts outside its addresses; its condition is negated only when the rule has no
    addresses.
    """
    rules = [page_rules.provided() for page_rules in body]
    scoped = goals.set_page_rules(caller, experiment_id, rules, expected_version=if_match)
    return list(scoped.value.goal_page_rules)
