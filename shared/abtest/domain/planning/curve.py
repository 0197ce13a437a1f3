"""Curve of detectable effects: what tests of other lengths detect, by whole days."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from abtest.domain.planning.duration import curve_days

_MDE_DIGITS = 6


class DetectableEffect(NamedTuple):
    """Visitors by the end of a day, and the smallest relative change that a test of that length detects."""

    day: int
    visitors: int
    mde: float


def detectable_effects(
    detectable: Callable[[float], float | None], *, daily_visitors: float, days: float
) -> Sequence[DetectableEffect]:
    """Return the curve for a test that takes `days`, without the first days, on which nothing is detectable.

    `detectable` returns the smallest relative change for so many visitors in the test, None for none.
    """
    points = ((day, day * daily_visitors) for day in curve_days(days))
    effects = ((day, visitors, detectable(visitors)) for day, visitors in points)
    return [
        DetectableEffect(day, int(visitors), round(mde, _MDE_DIGITS))
        for day, visitors, mde in effects
        if mde is not None
    ]
