"""Routes of an experiment's goals and of the page rules that scope them."""

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
from abtest.services.experiments.reading import Reading
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
Reads = Annotated[Reading, use(Reading)]

EDIT = errors(NotFoundError, ConflictError, LimitReachedError, ValidationFailedError)


@router.get("/goals", operation_id="listExperimentGoals", responses=errors(NotFoundError))
def list_goals(
    experiment_id: ExperimentId, caller: Reader, page: Page, reading: Reads, archived: Archived = "false"
) -> ListOf[Goal]:
    """The goals of an experiment, in their order."""
    return part_of(page, goals_of(reading.get(caller.shop_id, experiment_id), archived))


@router.post("/goals", operation_id="createExperimentGoal", status_code=201, responses=EDIT)
def create_goal(experiment_id: ExperimentId, body: GoalCreate, caller: Writer, goals: Goals, if_match: IfMatch) -> Goal:
    """A new goal, or a copy of one of the shop's by `goal_id`. The first goal is primary unless it says otherwise."""
    return goal(goals.add(caller, experiment_id, body.stated(), expected_version=if_match))


@router.put("/goals/order", operation_id="orderGoals", responses=errors(NotFoundError, ValidationFailedError))
def order_goals(
    experiment_id: ExperimentId, body: GoalOrder, caller: Writer, goals: Goals, if_match: IfMatch
) -> ListOf[Goal]:
    """Put the goals in this order; the first becomes primary."""
    ordered = goals.order(caller, experiment_id, body.ids, expected_version=if_match)
    return whole(goals_of(ordered.experiment))


@router.get("/goals/{goal_id}", operation_id="getExperimentGoal", responses=errors(NotFoundError))
def get_goal(experiment_id: ExperimentId, goal_id: GoalId, caller: Reader, reading: Reads) -> Goal:
    """One goal of an experiment."""
    experiment = reading.get(caller.shop_id, experiment_id)
    return Goal.of(find(experiment, goal_id)).at(experiment.version)


@router.patch("/goals/{goal_id}", operation_id="updateExperimentGoal", responses=EDIT)
def update_goal(
    experiment_id: ExperimentId, goal_id: GoalId, body: GoalUpdate, caller: Writer, goals: Goals, if_match: IfMatch
) -> Goal:
    """Change a goal of an experiment. Making it primary takes that from the one that was."""
    return goal(goals.update(caller, experiment_id, goal_id, body.stated(), expected_version=if_match))


@router.delete(
    "/goals/{goal_id}",
    operation_id="deleteExperimentGoal",
    status_code=204,
    responses=errors(NotFoundError, NotDeletableError),
)
def delete_goal(experiment_id: ExperimentId, goal_id: GoalId, caller: Writer, goals: Goals, if_match: IfMatch) -> None:
    """Delete a goal. Once the experiment was started it may have data and is archived instead."""
    goals.delete(caller, experiment_id, goal_id, expected_version=if_match)


@router.post("/goals/{goal_id}/archive", operation_id="archiveExperimentGoal", responses=EDIT)
def archive_goal(experiment_id: ExperimentId, goal_id: GoalId, caller: Writer, goals: Goals, if_match: IfMatch) -> Goal:
    """Stop measuring a goal; what was counted stays."""
    return goal(goals.set_archived(caller, experiment_id, goal_id, True, expected_version=if_match))


@router.post("/goals/{goal_id}/unarchive", operation_id="unarchiveExperimentGoal", responses=EDIT)
def unarchive_goal(
    experiment_id: ExperimentId, goal_id: GoalId, caller: Writer, goals: Goals, if_match: IfMatch
) -> Goal:
    """Measure an archived goal again."""
    return goal(goals.set_archived(caller, experiment_id, goal_id, False, expected_version=if_match))


@router.get("/goal-page-rules", operation_id="getGoalPageRules", responses=errors(NotFoundError))
def get_page_rules(experiment_id: ExperimentId, caller: Reader, reading: Reads) -> GoalPageRules:
    """The page rules that scope the experiment's goals."""
    return list(reading.get(caller.shop_id, experiment_id).goal_page_rules)


@router.put(
    "/goal-page-rules",
    operation_id="setGoalPageRules",
    responses=errors(NotFoundError, UnsafeRegexError, ValidationFailedError),
)
def set_page_rules(
    experiment_id: ExperimentId, body: PageRuleList, caller: Writer, goals: Goals, if_match: IfMatch
) -> GoalPageRules:
    """Replace the page rules that scope the experiment's goals."""
    rules = [page_rules.stated() for page_rules in body]
    scoped = goals.set_page_rules(caller, experiment_id, rules, expected_version=if_match)
    return list(scoped.experiment.goal_page_rules)
