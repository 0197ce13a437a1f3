"""The always-valid interval over time: stored looks at one goal, thinned out for a chart."""

from collections.abc import Sequence

from abtest.contract import report as contract
from abtest.domain.goals.model import Goal
from abtest.ports.rollup_store import Document
from abtest.services.results.question import Question, metric_of

POINTS = 240


def course_of(question: Question, goal: Goal, looks: Sequence[Document]) -> contract.IntervalCourse | None:
    """Return the course of a goal's interval, from looks in their order; None where no look compared the goal."""
    treatments = [variation.id for variation in question.variations if not variation.is_control]
    compared = [look for look in looks if look["goals"].get(goal.id)]
    if not compared:
        return None
    return contract.IntervalCourse(
        goal_id=goal.id,
        metric=metric_of(goal),
        currency=question.currency if goal.depends_on_money else None,
        alpha=compared[-1]["alpha"],
        looks=[
            contract.IntervalLook(
                moment=look["computed_at"],
                generation=look["generation"],
                visitors=sum(look["visitors"].values()),
                treatments=[
                    interval_point(variation_id, look["goals"][goal.id][variation_id])
                    for variation_id in treatments
                    if variation_id in look["goals"][goal.id]
                ],
            )
            for look in evenly(compared, POINTS)
        ],
    )


def evenly(looks: Sequence[Document], at_most: int) -> list[Document]:
    """Return the oldest and the newest look, and others at even steps between them."""
    if len(looks) <= at_most:
        return list(looks)
    # Whole steps between both ends, so that the newest look is always shown.
    last = len(looks) - 1
    return [looks[place * last // (at_most - 1)] for place in range(at_most)]


def interval_point(variation_id: str, stored: Document) -> contract.IntervalPoint:
    """Return one treatment's interval of a stored look."""
    lower, upper = stored["ci"] or (None, None)
    return contract.IntervalPoint(
        variation_id=variation_id,
        difference=stored["difference"],
        lower=lower,
        upper=upper,
        always_valid_p=stored["always_valid_p"],
    )
