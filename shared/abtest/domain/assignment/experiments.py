"""The experiments of a decision: forced, grouped, reached, remembered, drawn, in this order."""

import re
from collections.abc import Mapping

from abtest.domain.assignment.allocation import variation_index
from abtest.domain.assignment.decision import Assignment
from abtest.domain.assignment.lanes import buckets
from abtest.domain.assignment.roster import Experiment, Roster
from abtest.domain.assignment.screen import Mask, flags_of, mask_of, places_of
from abtest.domain.assignment.situation import Situation

Force = Mapping[str, object]
"""Variation ids, or decimal indices, by experiment id."""

Placed = dict[int, Assignment]
"""Assignments by the place of their experiment."""

_INDEX = re.compile("0|[1-9][0-9]{0,3}")


def forced_assignments(roster: Roster, force: Force) -> list[Assignment]:
    """Those that are forced, and no others: what is left for the held out, and for visitors without any id."""
    return _in_order(_forced(roster, force))


def assignments(roster: Roster, situation: Situation, force: Force) -> list[Assignment]:
    """The assignments of a visitor who is not held out and has an id, in the order of the experiments."""
    found = _forced(roster, force) if force else {}
    grouped_in = _grouped_in(roster, situation) & ~mask_of(found)
    reached = _reached(roster, situation, grouped_in)
    on_page = roster.pages.admitted(situation.view, reached)
    sticky = _remembered(roster, situation, grouped_in, reached & on_page)
    drawn = _drawn(roster, situation, reached & ~mask_of(sticky), on_page)
    return _in_order(drawn | sticky | found) if sticky or found else list(drawn.values())


def _in_order(placed: Placed) -> list[Assignment]:
    return [placed[place] for place in sorted(placed)]


def _forced(roster: Roster, force: Force) -> Placed:
    wishes = [(place, wish) for name, wish in force.items() if (place := roster.by_id.get(name)) is not None]
    indices = [(place, _index(roster.members[place], wish)) for place, wish in wishes]
    return {
        place: roster.members[place].assignment(index, active=True, forced=True)
        for place, index in indices
        if index is not None
    }


def _index(experiment: Experiment, wish: object) -> int | None:
    """The variation that is wished for, by id or by decimal index."""
    found = experiment.indices.get(wish) if isinstance(wish, str) else None
    if found is None and _INDEX.fullmatch(str(wish)) and int(str(wish)) < len(experiment.indices):
        return int(str(wish))
    return found


def _grouped_in(roster: Roster, situation: Situation) -> Mask:
    among = roster.everybody
    for group, members in roster.groups.items():
        bucket = situation.bucket(group.state)
        if bucket is None or variation_index(bucket, group.ranges) is None:
            among &= ~members
    return among


def _reached(roster: Roster, situation: Situation, among: Mask) -> Mask:
    among &= roster.surfaces.get(situation.visitor.surface, 0)
    for dark, members in roster.darks.items():
        if among & members and situation.is_dark(dark):
            among &= ~members
    return roster.audiences.admitted(situation.view, among)


def _remembered(roster: Roster, situation: Situation, among: Mask, shown: Mask) -> Placed:
    found: Placed = {}
    for seed, variation in situation.visitor.sticky.items():
        place = roster.by_seed.get(seed)
        if place is not None and among >> place & 1 and isinstance(variation, str):
            experiment = roster.members[place]
            if (index := experiment.indices.get(variation)) is not None:
                found[place] = experiment.assignment(index, active=bool(shown >> place & 1), sticky=True)
    return found


def _drawn(roster: Roster, situation: Situation, among: Mask, on_page: Mask) -> Placed:
    """Draw every variation that is still to be drawn."""
    visitor = situation.visitor
    by_customer = among & roster.by_customer if visitor.customer_id else 0
    found = _drawn_by(visitor.id, roster, among & ~by_customer, on_page) if visitor.id else {}
    if by_customer and visitor.customer_id:
        drawn = _drawn_by(visitor.customer_id, roster, by_customer, on_page)
        named = {place: _as_customer(roster.members[place], each) for place, each in drawn.items()}
        return dict(sorted((found | named).items()))
    return found


def _drawn_by(hashed: str, roster: Roster, among: Mask, on_page: Mask) -> Placed:
    places, shown = places_of(among), flags_of(on_page, len(roster.members))
    tables, outcomes = roster.drawn, roster.outcomes
    drawn = buckets(hashed, [roster.states[place] for place in places])
    return {
        place: found
        for place, bucket in zip(places, drawn, strict=True)
        if (found := outcomes[place][shown[place]][tables[place][bucket]]) is not None
    }


def _as_customer(experiment: Experiment, assignment: Assignment) -> Assignment:
    return experiment.assignment(assignment.index, active=assignment.active, by_customer=True)
