"""Families of comparisons that are corrected together: the treatments of a goal, or goals and treatments."""

from collections.abc import Mapping, Sequence

from abtest.contract.results import Correction, CorrectionFamily
from abtest.domain.experiments.planned_test import decisive_goal, planned_goal
from abtest.domain.goals.model import Goal
from abtest.services.results.comparison import Comparisons
from abtest.services.results.counts import Counts
from abtest.services.results.engines import compare
from abtest.services.results.question import Question, Reading, reading_of

CORRECTIONS: Mapping[Correction, str] = {
    "none": "none",
    "holm": "Holm",
    "bh": "Benjamini and Hochberg",
}
FAMILIES: Mapping[CorrectionFamily, str] = {
    "treatments": "across the treatments of a goal",
    "goals": "across all goals and treatments",
    "goals_primary_apart": "across the treatments of the primary goal, and across all other goals and treatments",
}

Compared = tuple[Reading, Comparisons]
"""A goal's numbers, and the comparisons of its treatments."""


def correction_message(correction: Correction, family: CorrectionFamily) -> str:
    """Return correction and family in words."""
    return CORRECTIONS[correction] if correction == "none" else f"{CORRECTIONS[correction]}, {FAMILIES[family]}"


def members_of(question: Question, goals: Sequence[Goal]) -> Sequence[Goal]:
    """Return the goals to compare: the shown ones, and those in use that are corrected with them."""
    if question.family == "treatments":
        return goals
    # All goals in use, also when one is requested by id: to ask for it alone must not make it more significant.
    others = [goal for goal in question.experiment.goals if goal.archived_at is None and goal not in goals]
    return [*goals, *others]


def families_of(question: Question, goals: Sequence[Goal]) -> list[list[Goal]]:
    """Return the goals by families.

    An archived goal is corrected over its own treatments, and so is one with planned looks, which share its error.
    """
    if question.family == "treatments":
        return [[goal] for goal in goals]
    experiment = question.experiment
    first = decisive_goal(experiment) if question.family == "goals_primary_apart" else None
    looked_at = planned_goal(experiment) if question.engine == "group_sequential" else None
    together = [goal for goal in goals if goal.archived_at is None and goal not in (first, looked_at)]
    apart = [goal for goal in goals if goal not in together]
    return [*([goal] for goal in apart), together]


def compare_goals(question: Question, goals: Sequence[Goal], counts: Sequence[Counts]) -> list[list[Compared]]:
    """Return for each goal its reading and comparisons in each of the counts, corrected by families.

    Several counts are segments, which belong to one family.
    """
    members = members_of(question, goals)
    readings = {goal.id: [reading_of(question, goal, each) for each in counts] for goal in members}
    compared: dict[str, list[Compared]] = {}
    for family in families_of(question, members):
        comparisons = iter(compare([reading for goal in family for reading in readings[goal.id]]))
        for goal in family:
            compared[goal.id] = [(reading, next(comparisons)) for reading in readings[goal.id]]
    return [compared[goal.id] for goal in goals]
