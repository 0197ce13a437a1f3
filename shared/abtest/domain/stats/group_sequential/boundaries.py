"""Boundaries of z at each look, from what the spending functions allow, and the chances to cross them."""

from collections.abc import Iterator, Sequence
from math import inf, isfinite, sqrt
from typing import NamedTuple

from abtest.domain.stats.group_sequential.design import Design, Futility
from abtest.domain.stats.group_sequential.recursion import Look, Step, first_step

MOST_LOOKS = 1000
"""More looks than any plan has: hourly ones for six weeks."""

LEAST_STEP = 1e-6
"""Smallest step between looks, as a part of the planned information; less is not a new look."""


class Boundary(NamedTuple):
    """One look: the test ends for z at or above `upper`, with two sides also at or below `-upper`.

    `upper` is infinite where too little may be spent (less than sf(8)). `spent` is what one side has spent so far.
    z at or below `futility` gives the test up if people want that; -infinite without it.
    """

    fraction: float
    upper: float
    spent: float
    futility: float = -inf


class Crossing(NamedTuple):
    """Probabilities to end at one look, above and below."""

    above: float
    below: float


def boundaries(
    fractions: Sequence[float], design: Design, *, spending_at: Sequence[float] | None = None
) -> tuple[Boundary, ...]:
    """Return the boundaries at looks with these fractions of the planned information.

    Each look spends what the spending function allows at its fraction, less what was spent before; from fraction 1 on
    all is spent. `spending_at` are other places in the spending function than the fractions themselves, such as 1 for
    a last look that came early. Raises ValueError for fractions that are not increasing by at least `LEAST_STEP`, are
    not finite, or are more than `MOST_LOOKS`, and for places that are not as many, or are falling.
    Source: Lan, DeMets: Biometrika 70 (1983) 659-663.
    """
    places = fractions if spending_at is None else spending_at
    _check(fractions, places)
    return tuple(_boundaries(fractions, places, design))


def _check(fractions: Sequence[float], places: Sequence[float]) -> None:
    if len(fractions) > MOST_LOOKS:
        raise ValueError(f"there must be at most {MOST_LOOKS} looks")
    if len(places) != len(fractions):
        raise ValueError("spending_at must have one place for each fraction")
    before, place_before = 0.0, 0.0
    for fraction, place in zip(fractions, places, strict=True):
        if not (isfinite(fraction) and fraction - before >= LEAST_STEP * (1 - 1e-9)):
            raise ValueError(f"fractions must be numbers above 0 that increase by at least {LEAST_STEP:g}")
        if not place >= place_before:
            raise ValueError("places in the spending function must not fall")
        before, place_before = fraction, place


def _boundaries(fractions: Sequence[float], places: Sequence[float], design: Design) -> Iterator[Boundary]:
    spent, step = 0.0, first_step(fractions[0]) if fractions else None
    futility = design.futility and _FutilityPass(design.futility)
    for number, (fraction, place) in enumerate(zip(fractions, places, strict=True)):
        assert step is not None
        allowed = design.spending.spent(place, design.alpha_a_side) - spent
        score = step.upper_bound(allowed)
        spent += allowed if score < inf else 0.0
        upper = score / sqrt(fraction)
        yield Boundary(fraction, upper, spent, futility.bound(fraction, place, upper) if futility else -inf)
        if number + 1 < len(fractions):
            step = step.stopped(-score if design.sides == 2 else -inf, score, fractions[number + 1])


class _FutilityPass:
    """Looks so far at the planned drift, with the test given up at each futility bound."""

    def __init__(self, futility: Futility) -> None:
        self._futility = futility
        self._step: Step | None = None
        self._bounds: tuple[float, float] = (0.0, 0.0)
        self._spent = 0.0

    def bound(self, fraction: float, place: float, upper: float) -> float:
        """Return the bound of z at the next look; at most `upper`, where the test ends as won."""
        step = self._step.stopped(*self._bounds, fraction) if self._step else first_step(fraction)
        expected = self._futility.drift * fraction
        allowed = self._futility.spending.spent(place, self._futility.beta) - self._spent
        score = step.lower_bound(allowed)
        self._spent += allowed if score > -inf else 0.0
        top = upper * sqrt(fraction) - expected
        score = min(score, top)
        self._step, self._bounds = step, (score, top)
        return (score + expected) / sqrt(fraction)


def crossings(looks: Sequence[Look], drift: float = 0.0) -> tuple[Crossing, ...]:
    """Return the chances to end at each look, above and below, where the expected z at fraction 1 is `drift`.

    The bounds of `looks` are scores, z·√fraction. Raises ValueError for fractions as `boundaries` does.
    """
    _check([look.fraction for look in looks], [look.fraction for look in looks])
    chances = []
    step: Step | None = None
    for number, look in enumerate(looks):
        step = step or first_step(look.fraction)
        # Around its expected value a score with a drift is one without.
        lower, upper = (bound - drift * look.fraction for bound in (look.lower, look.upper))
        chances.append(Crossing(step.above(upper), step.below(lower)))
        if number + 1 < len(looks):
            step = step.stopped(lower, upper, looks[number + 1].fraction)
    return tuple(chances)


def regions(bounds: Sequence[Boundary], design: Design, *, gives_up: bool = False) -> tuple[Look, ...]:
    """Return the scores that go on at each look. `gives_up`: futility bounds end the test too."""
    return tuple(_region(bound, design, gives_up=gives_up) for bound in bounds)


def _region(bound: Boundary, design: Design, *, gives_up: bool) -> Look:
    root = sqrt(bound.fraction)
    lower = -bound.upper if design.sides == 2 else -inf
    if gives_up:
        lower = max(lower, min(bound.futility, bound.upper))
    return Look(bound.fraction, lower * root, bound.upper * root)
