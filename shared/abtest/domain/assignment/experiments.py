"""The experiments of a decision: forced, grouped, reached, remembered, drawn, in this order."""

from collections.abc import Mapping
from typing import Any

from abtest.domain.assignment.allocation import variation_index
from abtest.domain.assignment.decision import Assignment
from abtest.domain.assignment.lanes import buckets
from abtest.domain.assignment.prepared import Experiment, Group
from abtest.domain.assignment.situation import Situation

Force = Mapping[str, Any]
"""Variation ids, or decimal indices, by experiment id."""

Undrawn = tuple[int, Experiment]
"""An experiment whose variation is still to be drawn, and its place among those found."""


def forced_assignments(experiments: tuple[Experiment, ...], force: Force) -> list[Assignment]:
    """Those that are forced, and no others: what is left for the held out, and for visitors without any id."""
    return [found for each in experiments if (found := _forced(each, force)) is not None]


def assignments(experiments: tuple[Experiment, ...], situation: Situation, force: Force) -> list[Assignment]:
    """The assignments of a visitor who is not held out and has an id, in the order of the experiments."""
    found: list[Assignment | None] = []
    undrawn: list[Undrawn] = []
    for experiment in experiments:
        settled = _forced(experiment, force) if force else None
        if settled is None and _is_grouped_in(experiment.group, situation):
            reached = _is_reached(experiment, situation)
            settled = _remembered(experiment, situation, reached)
            if settled is None and reached:
                undrawn.append((len(found), experiment))
                found.append(None)
        if settled is not None:
            found.append(settled)
    _draw(undrawn, found, situation)
    return [each for each in found if each is not None]


def _forced(experiment: Experiment, force: Force) -> Assignment | None:
    index = experiment.forced_index(force.get(experiment.document["id"]))
    return None if index is None else experiment.assignment(index, active=True, forced=True)


def _is_grouped_in(group: Group | None, situation: Situation) -> bool:
    if group is None:
        return True
    bucket = situation.bucket(group.state)
    return bucket is not None and variation_index(bucket, group.ranges) is not None


def _is_reached(experiment: Experiment, situation: Situation) -> bool:
    return (
        experiment.surface == situation.visitor.surface
        and not situation.is_dark(experiment.reach)
        and experiment.reach.audience(situation.view)
    )


def _remembered(experiment: Experiment, situation: Situation, reached: bool) -> Assignment | None:
    remembered = situation.visitor.sticky.get(experiment.seed)
    index = experiment.indices.get(remembered) if isinstance(remembered, str) else None
    if index is None:
        return None
    return experiment.assignment(index, active=reached and experiment.reach.pages(situation.view), sticky=True)


def _draw(undrawn: list[Undrawn], found: list[Assignment | None], situation: Situation) -> None:
    """Draw every variation that is still to be drawn; the id's hashes are computed together."""
    customer = situation.visitor.customer_id
    by_customer = [each for each in undrawn if each[1].by_customer] if customer else []
    by_visitor = [each for each in undrawn if not each[1].by_customer] if by_customer else undrawn
    for hashed, each_of in ((customer, by_customer), (situation.visitor.id, by_visitor)):
        if hashed:
            drawn = buckets(hashed, [experiment.state for _, experiment in each_of])
            for (place, experiment), bucket in zip(each_of, drawn, strict=True):
                found[place] = _drawn(experiment, bucket, situation, by_customer=each_of is by_customer)


def _drawn(experiment: Experiment, bucket: int, situation: Situation, *, by_customer: bool) -> Assignment | None:
    index = variation_index(bucket, experiment.ranges)
    if index is None:
        return None
    active = experiment.reach.pages(situation.view)
    if active and not by_customer:
        return experiment.drawn[index]
    return experiment.assignment(index, active=active, by_customer=by_customer)
