"""The experiments of a decision: forced, served, grouped, reached, remembered, drawn, in this order."""

import re
from collections.abc import Mapping

from abtest.domain.assignment.allocation import variation_index
from abtest.domain.assignment.decision import Assignment
from abtest.domain.assignment.lanes import buckets
from abtest.domain.assignment.roster import Roster
from abtest.domain.assignment.screen import Mask, flags_of, mask_of, places_of
from abtest.domain.assignment.situation import Situation

Force = Mapping[str, object]
"""Variation ids or decimal indices by experiment id."""

Placed = dict[int, Assignment]
"""Assignments by the place of their experiment in the roster."""

# Canonical decimals only, so that `01` is an unknown id; few digits, so that int() never gets a huge text.
_INDEX = re.compile("0|[1-9][0-9]{0,3}")


def given_assignments(roster: Roster, situation: Situation, force: Force) -> list[Assignment]:
    """Return what is not decided here: forced variations, and those that the page shows already.

    They are all that held-out visitors and visitors without any id have.
    """
    placed = given(roster, situation, force)
    return [placed[place] for place in sorted(placed)]


def assignments(roster: Roster, situation: Situation, force: Force) -> list[Assignment]:
    """Return the assignments of a visitor who is not held out and has an id, in the order of the experiments."""
    by_others = given(roster, situation, force) if force or roster.served else {}
    grouped_in = in_groups(roster, situation) & ~mask_of(by_others)
    # From the cheapest restriction to the most expensive: conditions and addresses are evaluated only for what is left.
    reached = grouped_in & ~roster.served & roster.surfaces.get(situation.visitor.surface, 0)
    for dark, members in roster.darks.items():
        if reached & members and situation.is_dark(dark):
            reached &= ~members
    reached = roster.audiences.admitted(situation.view, reached)
    # Pages do not end an assignment, they only make it inactive: goals on other pages still count for it.
    on_page = roster.pages.admitted(situation.view, reached)
    # Among `grouped_in`, not `reached`: a visitor who is in stays in where the targeting no longer holds.
    sticky = remembered(roster, situation, grouped_in, reached & on_page)
    drawn = drawn_once(roster, situation, reached & ~mask_of(sticky), on_page)
    # The usual case: `drawn` is in the config's order already, so it needs neither a merge nor a sort.
    if not sticky and not by_others:
        return list(drawn.values())
    placed = drawn | sticky | by_others
    return [placed[place] for place in sorted(placed)]


def given(roster: Roster, situation: Situation, force: Force) -> Placed:
    """Return forced assignments, and those by the mark of the page where none is forced."""
    return served(roster, situation) | forced(roster, force)


def served(roster: Roster, situation: Situation) -> Placed:
    """Return the assignments that the page was sent with; whatever else holds, this is what the visitor sees."""
    placed: Placed = {}
    sticky = situation.visitor.sticky
    for name, variation in situation.visitor.served.items():
        place = roster.by_id.get(name)
        if place is not None and roster.served >> place & 1 and isinstance(variation, str):
            experiment = roster.members[place]
            if (index := experiment.indices.get(variation)) is not None:
                is_kept = sticky.get(experiment.seed) == variation
                placed[place] = experiment.assignment(index, active=True, sticky=is_kept)
    return placed


def forced(roster: Roster, force: Force) -> Placed:
    """Return the assignments that are forced, by id or by decimal index of a variation."""
    placed: Placed = {}
    for name, variation in force.items():
        place = roster.by_id.get(name)
        if place is None:
            continue
        experiment = roster.members[place]
        index = experiment.indices.get(variation) if isinstance(variation, str) else None
        if index is None and _INDEX.fullmatch(str(variation)) and int(str(variation)) < len(experiment.indices):
            index = int(str(variation))
        if index is not None:
            placed[place] = experiment.assignment(index, active=True, forced=True)
    return placed


def in_groups(roster: Roster, situation: Situation) -> Mask:
    """Return the experiments whose part of their exclusion group the visitor is in, or that have no group."""
    among = roster.every
    for group, members in roster.groups.items():
        bucket = situation.bucket(group.state)
        if bucket is None or variation_index(bucket, group.ranges) is None:
            among &= ~members
    return among


def remembered(roster: Roster, situation: Situation, among: Mask, shown: Mask) -> Placed:
    """Return the sticky assignments; those outside `shown` are not active."""
    placed: Placed = {}
    for seed, variation in situation.visitor.sticky.items():
        place = roster.by_seed.get(seed)
        # Sticky values come from clients and may be any JSON; a list would raise in the lookup of its index.
        if place is not None and among >> place & 1 and isinstance(variation, str):
            experiment = roster.members[place]
            if (index := experiment.indices.get(variation)) is not None:
                placed[place] = experiment.assignment(index, active=bool(shown >> place & 1), sticky=True)
    return placed


def drawn_once(roster: Roster, situation: Situation, among: Mask, on_page: Mask) -> Placed:
    """Draw the variations of experiments without a sticky one, in order, by visitor id or by customer id."""
    visitor = situation.visitor
    # Without a customer id such an experiment falls back to the visitor id.
    by_customer = among & roster.by_customer if visitor.customer_id else 0
    drawn = drawn_by(visitor.id, roster, among & ~by_customer, on_page) if visitor.id else {}
    if by_customer and visitor.customer_id:
        for place, each in drawn_by(visitor.customer_id, roster, by_customer, on_page).items():
            # The outcomes built in advance are those of the visitor id; these differ in `by_customer`.
            drawn[place] = roster.members[place].assignment(each.index, active=each.active, by_customer=True)
        # Two draws were merged, and answers are in the config's order.
        return dict(sorted(drawn.items()))
    return drawn


def drawn_by(hashed: str, roster: Roster, among: Mask, on_page: Mask) -> Placed:
    """Draw the variations of these experiments for an id; assignments outside `on_page` are not active."""
    places, shown = places_of(among), flags_of(on_page, len(roster.members))
    tables, outcomes = roster.drawn, roster.outcomes
    drawn = buckets(hashed, [roster.states[place] for place in places])
    return {
        place: assignment
        for place, bucket in zip(places, drawn, strict=True)
        if (assignment := outcomes[place][shown[place]][tables[place][bucket]]) is not None
    }
