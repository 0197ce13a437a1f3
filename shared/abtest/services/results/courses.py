"""The always-valid interval over time: stored looks at one goal, as many as a chart can show."""

from collections.abc import Sequence

from abtest.contract import report as contract
from abtest.domain.goals.model import Goal
from abtest.ports.rollup_store import Document
from abtest.services.results.comparing import Question, is_rate

POINTS = 240


def course_of(question: Question, goal: Goal, looks: Sequence[Document]) -> contract.IntervalCourse | None:
    """None where no look compared anything. `looks` in their order."""
    treatments = [variation.id for variation in question.variations if not variation.is_control]
    compared = [look for look in looks if look["goals"].get(goal.id)]
    told = [_look(look, look["goals"][goal.id], treatments) for look in evenly(compared, POINTS)]
    if not told:
        return None
    return contract.IntervalCourse(
        goal_id=goal.id,
        metric="rate" if is_rate(goal) else "mean",
        currency=question.currency if goal.type == "revenue" else None,
        alpha=compared[-1]["alpha"],
        looks=told,
    )


def evenly(looks: Sequence[Document], at_most: int) -> list[Document]:
    """The newest, and others at even steps from it."""
    if len(looks) <= at_most:
        return list(looks)
    last = len(looks) - 1
    return [looks[place * last // (at_most - 1)] for place in range(at_most)]


def _look(look: Document, found: Document, treatments: Sequence[str]) -> contract.IntervalLook:
    return contract.IntervalLook(
        moment=look["computed_at"],
        generation=look["generation"],
        visitors=sum(look["visitors"].values()),
        treatments=[_point(variation_id, found[variation_id]) for variation_id in treatments if variation_id in found],
    )


def _point(variation_id: str, found: Document) -> contract.IntervalPoint:
    lower, upper = found["ci"] or (None, None)
    return contract.IntervalPoint(
        variation_id=variation_id,
        difference=found["difference"],
        lower=lower,
        upper=upper,
        always_valid_p=found["always_valid_p"],
    )
