"""Buckets of the members of a group; a change of shares moves as few visitors as possible (ADR 13)."""

from collections.abc import Iterable, Mapping, Sequence
from math import floor

from abtest.domain.assignment.allocation import Range
from abtest.domain.assignment.hash import BUCKETS
from abtest.domain.exclusion_groups.model import Member

MAX_MEMBERS = 20

Shares = Sequence[tuple[str, float]]
"""Experiment ids and their shares, 0..1, together at most 1; each id once."""


def reallocate(previous: Sequence[Member], shares: Shares) -> tuple[Member, ...]:
    """Return the members with these shares, in this order.

    A share is rounded to whole buckets. A member that shrinks gives up its highest buckets, one that is gone gives up
    all, one that grows keeps what it has and takes the lowest free ones. Rounding may ask for more buckets than there
    are; the last that grow then get fewer.
    """
    # Half up, as in assignment.allocation; round() goes to the even neighbour.
    sizes = {experiment_id: floor(BUCKETS * share + 0.5) for experiment_id, share in shares}
    # All members that shrink come first: those that grow take what became free.
    held = {
        member.experiment_id: lowest_buckets(member.ranges, sizes[member.experiment_id])
        for member in previous
        if member.experiment_id in sizes
    }
    for experiment_id, size in sizes.items():
        kept = held.get(experiment_id, [])
        missing = size - sum(end - start for start, end in kept)
        held[experiment_id] = joined_ranges([*kept, *lowest_buckets(free_buckets(held), missing)])
    return tuple(
        Member(experiment_id=experiment_id, share=share, ranges=tuple(held[experiment_id]))
        for experiment_id, share in shares
    )


def free_buckets(held: Mapping[str, Iterable[Range]]) -> list[Range]:
    """Return the buckets without a member, ascending."""
    free, position = [], 0
    for start, end in sorted(taken for ranges in held.values() for taken in ranges):
        if position < start:
            free.append((position, start))
        position = end
    return [*free, (position, BUCKETS)] if position < BUCKETS else free


def lowest_buckets(ranges: Iterable[Range], size: int) -> list[Range]:
    """Return the lowest buckets of the ranges, at most so many."""
    lowest = []
    for start, end in sorted(ranges):
        if size <= 0:
            break
        lowest.append((start, min(end, start + size)))
        size -= end - start
    return lowest


def joined_ranges(ranges: Iterable[Range]) -> list[Range]:
    """Return the same buckets, ascending, in the fewest ranges."""
    joined: list[Range] = []
    for start, end in sorted(ranges):
        if joined and joined[-1][1] == start:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined
