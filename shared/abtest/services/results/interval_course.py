"""The always-valid interval over time: stored looks at one goal, thinned out for a chart."""

from collections.abc import Sequence

from abtest.contract import report as contract
from abtest.domain.goals.model import Goal
from abtest.ports.rollup_store import Document
from abtest.services.results.question import Question, metric_of

POINTS = 240


def course_of(question: Question, goal: Goal, looks: Sequence[Document]) -> contract.IntervalCourse | None:
    """Return the course of a goal's interval, from looks in their order; None where no look compared the goal.

    It is that of the adjusted estimate where this decides: looks store both then.
    """
    treatments = [variation.id for variation in question.variations if not variation.is_control]
    compared = [look for look in looks if look["goals"].get(goal.id)]
    adjusted = [look for look in compared if any("adjusted" in one for one in look["goals"][goal.id].values())]
    compared = adjusted or compared
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
                    interval_point(variation_id, one)
                    for variation_id in treatments
                    if (one := figures_of(look["goals"][goal.id].get(variation_id), is_adjusted=bool(adjusted)))
                ],
            )
            for look in evenly(compared, POINTS)
        ],
    )


def figures_of(stored: Document | None, *, is_adjusted: bool) -> Document | None:
    """Return the figures of a treatment's stored look that decide; None where it has none."""
    return stored.get("adjusted") if stored and is_adjusted else stored


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
