"""Allocation of buckets to variations: integer cut points, computed once, so that browsers only compare them."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import floor

from abtest.domain.assignment.hash import BUCKETS

Range = tuple[int, int]
"""`from <= bucket < to`, in units of 1/10,000 of the traffic."""


def equal_weights(variations: int) -> list[float]:
    """Return the same share for each of so many variations."""
    return [1 / variations] * variations if variations > 0 else []


def ranges(weights: Sequence[float], coverage: float) -> list[Range]:
    """Return each variation's buckets. `coverage` outside 0..1 counts as the nearer bound.

    A start depends on the weights only, so more coverage never moves a visitor who is already in.
    """
    share = min(1.0, max(0.0, coverage))
    # Running totals are rounded, not single weights: rounding errors do not add up, and ranges never overlap.
    starts = [rounded(BUCKETS * total) for total in accumulate(weights, initial=0.0)]
    return [(start, start + rounded(share * (end - start))) for start, end in pairwise(starts)]


def variation_index(bucket: int, of: Sequence[Range]) -> int | None:
    """Return the position of the range that holds the bucket; None outside the experiment's traffic."""
    return next((index for index, (start, end) in enumerate(of) if start <= bucket < end), None)


def rounded(value: float) -> int:
    """Round half up, as `Math.round` does; Python's `round` goes to the even neighbour."""
    return floor(value + 0.5)
