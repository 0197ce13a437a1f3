"""P-values, estimates and intervals of a group-sequential test: valid at every look, and at its end.

At the end outcomes are put in order by stages: an upper boundary crossed at an earlier look is more extreme than one
crossed later, and at the same look a larger z is; below the same, mirrored.
Sources: Fairbanks, Madsen: Biometrika 69 (1982) 69-74; Tsiatis, Rosner, Mehta: Biometrics 40 (1984) 797-803; Jennison,
Turnbull: Group Sequential Methods with Applications to Clinical Trials (2000), sections 8.4 and 9.5.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import exp, inf, log, sqrt
from operator import itemgetter
from typing import NamedTuple

from scipy.special import ndtr

from abtest.domain.stats.group_sequential.boundaries import boundaries, crossings, regions
from abtest.domain.stats.group_sequential.design import Design, design_of
from abtest.domain.stats.group_sequential.documents import LookDocument, State
from abtest.domain.stats.group_sequential.looks import bounds_of
from abtest.domain.stats.group_sequential.recursion import Look
from abtest.domain.stats.group_sequential.roots import root
from abtest.domain.stats.samples import Interval

LARGEST_LEVEL = 0.5
"""A repeated p-value above this is given as 1."""

_SMALLEST_LEVEL = 1e-14
_EXACT = 1e-11
_MOST_DOUBLINGS = 40
_NO_BOUND = 100.0


class Final(NamedTuple):
    """Inference at the end. `estimate` is median-unbiased; both it and `interval` are of the difference.

    `p_greater` is of the treatment's being ahead; `p_value` is two-sided for a design with two sides, else the same.
    The interval leaves out as much on each side as the design spends on one.
    """

    p_value: float
    p_greater: float
    estimate: float
    interval: Interval


class Repeated(NamedTuple):
    """Repeated p-value, and the z of the look that decided it: the one furthest beyond its boundary."""

    p_value: float
    z: float


def repeated_p_value(looks: Sequence[LookDocument], design: Design) -> Repeated:
    """Return the smallest alpha at which the design had reached a boundary at some look so far; 1 without looks.

    It only falls from look to look, except where a last look takes the place of another, and is at most alpha exactly
    if a boundary of the design was reached. Futility plays no part. A value above `LARGEST_LEVEL` is 1.
    """
    if not looks:
        return Repeated(1.0, 0.0)
    fractions, places = [look["fraction"] for look in looks], [look["place"] for look in looks]

    def furthest(log_level: float) -> tuple[float, float]:
        at_level = replace(design, alpha=exp(log_level), futility=None)
        bounds = boundaries(fractions, at_level, spending_at=places)
        z_values = [look["z"] for look in looks]
        # Finite where no look has a bound, so that the search may interpolate.
        margins = [
            ((z if design.sides == 1 else abs(z)) - min(bound.upper, _NO_BOUND), z)
            for z, bound in zip(z_values, bounds, strict=True)
        ]
        return max(margins, key=itemgetter(0))

    # No boundary is below that of a single look, so no level below that look's p-value can have been reached.
    single_look = design.sides * float(ndtr(-max(look["z"] if design.sides == 1 else abs(look["z"]) for look in looks)))
    least, most = log(max(_SMALLEST_LEVEL, single_look * (1 - _EXACT))), log(LARGEST_LEVEL)
    margin, z = furthest(most)
    if margin < 0:
        return Repeated(1.0, z)
    margin, z = furthest(least)
    if margin >= 0:
        return Repeated(exp(least), z)
    log_level = root(lambda level: furthest(level)[0], least, most, tolerance=_EXACT)
    return Repeated(exp(log_level), furthest(log_level)[1])


def final(state: State) -> Final:
    """Return the inference at the last look of the state, whether it ended the test or people did.

    Looks spent at information beyond the plan count with their actual fractions. Raises ValueError without looks.
    """
    if not state["looks"]:
        raise ValueError("there must be a look")
    design, latest = design_of(state["design"]), state["looks"][-1]
    path = _Path(regions(bounds_of(state["looks"]), design), latest["z"])
    greater, less = path.tails(0.0)
    scale = sqrt(state["planned_information"])
    at = [path.drift_at(tail) / scale for tail in (design.alpha_a_side, 0.5, 1 - design.alpha_a_side)]
    return Final(
        p_value=min(1.0, 2 * min(greater, less)) if design.sides == 2 else greater,
        p_greater=greater,
        estimate=at[1],
        interval=Interval(at[0], at[2]),
    )


class Concluded(NamedTuple):
    """Inference at a level, and the place of the look that it is of, from 0."""

    final: Final
    look: int


def concluded(state: State, alpha: float) -> Concluded | None:
    """Return the inference of a test whose boundaries are those of `alpha`, at the first look that reached one.

    With Holm's correction a treatment is tested at a part of alpha, and looks go on after a boundary where that does
    not end the test, as for a treatment that is behind. The order of outcomes needs the first crossing; what came after
    it is left out. Without a crossing the inference is at the last look of the plan. Either way the p-value is at most
    `alpha` exactly if a boundary was reached. None where no boundary was reached and looks are left: a stop there was
    not planned, and only repeated p-values and intervals hold. Raises ValueError without looks.
    """
    looks = state["looks"]
    if not looks:
        raise ValueError("there must be a look")
    design = replace(design_of(state["design"]), alpha=alpha, futility=None)
    fractions, places = [look["fraction"] for look in looks], [look["place"] for look in looks]
    bounds = boundaries(fractions, design, spending_at=places)
    scores = [look["z"] if design.sides == 1 else abs(look["z"]) for look in looks]
    crossed = (n for n, (z, bound) in enumerate(zip(scores, bounds, strict=True)) if z >= bound.upper)
    last = next(crossed, len(looks) - 1 if places[-1] >= 1 else None)
    if last is None:
        return None
    cut: list[LookDocument] = [
        {**look, "upper": bound.upper if bound.upper < inf else None}
        for look, bound in zip(looks[: last + 1], bounds, strict=False)
    ]
    return Concluded(final({**state, "design": design.document(), "looks": cut}), last)


class _Path:
    """Looks of a test up to its last z, as scores."""

    def __init__(self, looks: Sequence[Look], z: float) -> None:
        last = looks[-1]
        score = z * sqrt(last.fraction)
        # At the last look all that matters is the observed score: more extreme outcomes are beyond it.
        self._looks = (*looks[:-1], Look(last.fraction, score, score))
        self._fraction, self._z = last.fraction, z

    def tails(self, drift: float) -> tuple[float, float]:
        """Return the chances of outcomes at least as high, and at least as low, as the observed one."""
        chances = crossings(self._looks, drift)
        return sum(chance.above for chance in chances), sum(chance.below for chance in chances)

    def drift_at(self, tail: float) -> float:
        """Return the drift with which an outcome at least as high has the probability `tail`."""

        def excess(drift: float) -> float:
            greater, less = self.tails(drift)
            # The smaller of both sums has the digits.
            return greater - tail if greater < less else 1 - tail - less

        centre, reach = self._z / sqrt(self._fraction), 4 / sqrt(self._fraction)
        low, high = centre - reach, centre + reach
        for _ in range(_MOST_DOUBLINGS):
            if excess(low) <= 0:
                break
            low -= reach
            reach *= 2
        for _ in range(_MOST_DOUBLINGS):
            if excess(high) >= 0:
                break
            high += reach
            reach *= 2
        return root(excess, low, high, tolerance=_EXACT)
