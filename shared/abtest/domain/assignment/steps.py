"""Steps of decisions that settle them, for explanations: why a visitor gets nothing, and what was compared."""

from collections.abc import Sequence

from abtest.domain.assignment.allocation import Range, variation_index
from abtest.domain.assignment.explained import Detail, Draw, Settled, Step
from abtest.domain.assignment.hash import bucket
from abtest.domain.assignment.reading import Dark, Share
from abtest.domain.assignment.roster import Experiment
from abtest.domain.assignment.shapes import Restricted
from abtest.domain.assignment.situation import Situation
from abtest.domain.assignment.visitor import Visitor
from abtest.domain.targeting.excerpts import excerpt
from abtest.domain.targeting.refusals import refused_audience, refused_pages
from abtest.domain.targeting.shapes import CompiledPages

_NOTHING: Detail = {}


def settled(step: Step, detail: Detail = _NOTHING) -> Settled:
    """Return a step with what it compared."""
    return {"step": step, "detail": detail}


def refused_unit(situation: Situation, holdout: Share | None) -> Settled | None:
    """Return why a visitor without an id or of the holdout gets nothing; None for others."""
    if situation.unit is None:
        return settled("no_id")
    if holdout is None or not situation.is_within(holdout):
        return None
    return settled("holdout", draw(situation.unit, holdout.state, [(0, holdout.below)]))


def refused_membership(experiment: Experiment, situation: Situation, refused: Settled | None) -> Settled | None:
    """Return why the visitor may not be in the experiment: `refused`, or the exclusion group; None if it may."""
    group = experiment.group
    if refused or group is None or situation.unit is None:
        return refused
    drawn = draw(situation.unit, group.state, group.ranges)
    if variation_index(drawn["bucket"], group.ranges) is not None:
        return None
    return settled("exclusion_group", {"group": experiment.document["group"]["id"], **drawn})


def refused_surface(experiment: Experiment, situation: Situation) -> Settled | None:
    """Return the surfaces of an experiment and the visitor if they differ."""
    here = situation.visitor.surface
    if experiment.surface == here:
        return None
    return settled("surface", {"here": excerpt(here), "expected": experiment.surface})


def refused_day(document: Restricted, dark: Dark | None, situation: Situation) -> Settled | None:
    """Return the dark day if it is one."""
    if dark is None or not situation.is_dark(dark):
        return None
    days = excerpt(document["dark"]["days"])
    return settled("weekday", {"day": situation.day(dark.zone), "zone": dark.zone, "days": days})


def refused_visitor(document: Restricted, situation: Situation) -> Settled | None:
    """Return why the audience does not hold; None if it does."""
    detail = refused_audience(document.get("audience"), situation.view)
    return None if detail is None else settled("audience", detail)


def unreached(document: Restricted, dark: Dark | None, situation: Situation) -> Settled | None:
    """Return why day or audience keep the visitor out; None if they do not."""
    return refused_day(document, dark, situation) or refused_visitor(document, situation)


def refused_page(pages: CompiledPages | None, situation: Situation) -> Settled | None:
    """Return why the pages do not hold, or the trigger that they wait for; None if they hold."""
    detail = refused_pages(pages, situation.view)
    return None if detail is None else settled("trigger" if "trigger" in detail else "page_rule", detail)


def rollout(share: Share, situation: Situation) -> Settled:
    """Return the draw of a rollout, `assigned` or by the `traffic` outside."""
    if situation.unit is None:
        return settled("no_id")
    drawn = draw(situation.unit, share.state, [(0, share.below)])
    return settled("assigned" if situation.is_within(share) else "traffic", drawn)


def experiment_draw(experiment: Experiment, visitor: Visitor) -> Draw | None:
    """Return the draw of an experiment by the id that it hashes; None without that id."""
    ranges = [(start, end) for start, end in (each["range"] for each in experiment.document["variations"])]
    if experiment.by_customer and visitor.customer_id:
        return {**draw(visitor.customer_id, experiment.state, ranges), "identity": "customer"}
    return draw(visitor.id, experiment.state, ranges) if visitor.id else None


def draw(hashed: str, state: int, ranges: Sequence[Range]) -> Draw:
    """Return the bucket of an id, and the ranges, one of them must hold it."""
    return {"bucket": bucket(hashed, state), "ranges": [[start, end] for start, end in ranges]}
