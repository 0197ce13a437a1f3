"""Planned looks that auto-stop has stored."""

from abtest.domain.autostop.planned_looks import has_looks
from abtest.domain.autostop.shapes import PlannedLooks
from abtest.domain.goals.definition import definition_digest
from abtest.services.results.question import Question


def looks_of(question: Question) -> PlannedLooks | None:
    """Return the planned looks at the plan's goal as it is defined now; None without any."""
    looks = begun_looks(question)
    return looks if looks is not None and has_looks(looks) else None


def begun_looks(question: Question) -> PlannedLooks | None:
    """Return the looks as `looks_of` does, also before the first one; None where nothing is frozen yet."""
    looks = question.looks.get("planned_looks") if question.looks else None
    goal = next((goal for goal in question.experiment.goals if looks and goal.id == looks["goal_id"]), None)
    if looks is None or goal is None:
        return None
    source = definition_digest(goal, question.currency, question.experiment.results_weekdays)
    is_same = (looks["source"], looks["falls"]) == (source, goal.direction == "decrease")
    return looks if is_same else None
