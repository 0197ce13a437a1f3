"""Decisions for a visitor, in the order of section 2.1 of docs/data-model.md, equal to `storefront/src/decide.js`.

A config is prepared once with `prepare`, then used for any number of visitors.
"""

from abtest.domain.assignment.decision import Assignment, Decision, FlagValue, Personalized
from abtest.domain.assignment.experiments import Force, assignments, given_assignments
from abtest.domain.assignment.prepared import Prepared, prepare, prepare_served
from abtest.domain.assignment.rollouts import flag_values, personalized
from abtest.domain.assignment.situation import Situation
from abtest.domain.assignment.visitor import Visitor, visitor_of

__all__ = [
    "Assignment",
    "Decision",
    "FlagValue",
    "Force",
    "Personalized",
    "Prepared",
    "Visitor",
    "decide",
    "decide_flags",
    "prepare",
    "prepare_served",
    "visitor_of",
]

_NONE_FORCED: Force = {}


def decide(prepared: Prepared, visitor: Visitor, url: str | None, now: float, force: Force = _NONE_FORCED) -> Decision:
    """Decide everything about one visitor on one page view. Never raises, whatever its arguments are.

    `url` may be relative, `now` is Unix milliseconds, `force` as in section 2.1.
    """
    situation = Situation(visitor, url, now, prepared.zones)
    # Decided before anything is drawn: a visitor of the holdout who sees one experiment is lost for its comparison.
    held = prepared.holdout is not None and situation.is_within(prepared.holdout)
    if held or situation.unit is None:
        assigned, shown = given_assignments(prepared.experiments, situation, force), []
    else:
        assigned = assignments(prepared.experiments, situation, force)
        shown = list(personalized(prepared.personalizations, situation))
    return Decision(
        # A visit with forced variations belongs to no cohort, because its variations were not drawn.
        cohort=None if prepared.holdout is None or force else "holdout" if held else "active",
        assignments=tuple(assigned),
        personalizations=tuple(shown),
        flags=flag_values(prepared.flags, situation),
    )


def decide_flags(prepared: Prepared, visitor: Visitor, url: str | None, now: float) -> dict[str, FlagValue]:
    """Return only the flags of `decide`, by key."""
    return flag_values(prepared.flags, Situation(visitor, url, now, prepared.zones))
