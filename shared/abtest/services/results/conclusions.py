"""Facts that a verdict follows from, out of results and the history: the same for a report and for an overview."""

from collections.abc import Sequence

from abtest.contract import results as contract
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.planned_test import decisive_goal, planned_goal
from abtest.domain.goals.model import Goal
from abtest.domain.guardian.messages import Names
from abtest.ports.catalog import AuditRow
from abtest.services.results.counts import Counts
from abtest.services.results.question import Question
from abtest.services.results.timeline import guardian_pause, is_stopped_for_harm, pause_reason
from abtest.services.results.verdicts import Facts


def goals_in_order(experiment: Experiment, engine: contract.Engine) -> list[Goal]:
    """Return the goals in use, the deciding one first: at a planned look it is the plan's."""
    first = decisive_goal(experiment)
    if engine in ("frequentist", "group_sequential"):
        first = planned_goal(experiment) or first
    goals = [goal for goal in experiment.goals if goal.archived_at is None]
    return sorted(goals, key=lambda goal: goal is not first)


def facts_of(question: Question, counts: Counts, results: contract.Results, history: Sequence[AuditRow]) -> Facts:
    """Return the facts of a verdict. The first goal of the results decides; `history` has the last pause, if any."""
    experiment, names = question.experiment, Names.of(question.experiment, question.currency)
    pause = guardian_pause(history, names) if experiment.status != "running" else None
    return Facts(
        experiment=experiment,
        visitors=question.visitors(counts),
        goal=results.goals[0] if results.goals else None,
        plan=results.plan,
        srm=results.srm,
        health=results.health,
        coverage=results.coverage,
        harm=pause_reason(pause) if pause else None,
        guardrails=results.guardrails,
        is_stopped_for_harm=is_stopped_for_harm(experiment, history, names),
    )
