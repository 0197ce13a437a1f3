"""Who gets which variation: cut points as integers, computed once; comparing them is all that is left to browsers."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import floor

from abtest.domain.assignment.hash import BUCKETS

Range = tuple[int, int]
"""`from <= bucket < to`, in units of 1/10,000 of the traffic."""


def equal_weights(variations: int) -> list[float]:
    """The same share for each of so many variations."""
    return [1 / variations] * variations if variations > 0 else []


def ranges(weights: Sequence[float], coverage: float) -> list[Range]:
    """Each variation's buckets; its start depends on weights only, so raising coverage moves nobody who is in.

    `coverage` outside 0..1 counts as the nearer border.
    """
    share = min(1.0, max(0.0, coverage))
    starts = [_rounded(BUCKETS * total) for total in accumulate(weights, initial=0.0)]
    return [(start, start + _rounded(share * (end - start))) for start, end in pairwise(starts)]


def variation_index(bucket: int, of: Sequence[Range]) -> int | None:
    """The position of the range that holds the bucket; None outside the experiment's traffic."""
    return next((index for index, (start, end) in enumerate(of) if start <= bucket < end), None)


def _rounded(value: float) -> int:
    return floor(value + 0.5)
