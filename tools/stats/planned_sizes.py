"""Sizes of group-sequential tests: the power of a design, and the information that it needs at most and on average.

For notebooks and tests. Plans take `domain.planning.planned_looks`, which needs no numpy and is compared with this.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from abtest.domain.stats.group_sequential.boundaries import Boundary, boundaries, crossings, regions
from abtest.domain.stats.group_sequential.design import Design, Futility
from abtest.domain.stats.group_sequential.roots import root
from abtest.domain.stats.group_sequential.spending import Spending
from abtest.domain.stats.quantiles import upper_normal

_LARGEST_INFLATION = 100.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """A sized design. `drift` is the expected z at the last look at which the power is reached.

    `inflation` is the maximum information over that of a test with one look at the same alpha and power; multiply the
    sample of `planning.sample_size` by it. `expected_null` and `expected_effect` are average information over that of
    the one look: without an effect, and with the planned one. `design` has the futility of the size, if requested.
    """

    design: Design
    bounds: tuple[Boundary, ...]
    drift: float
    inflation: float
    power: float
    expected_null: float
    expected_effect: float


def power(design: Design, fractions: Sequence[float], drift: float, *, gives_up: bool = False) -> float:
    """Return the chance to end above at some look, if the expected z at fraction 1 is `drift`.

    `gives_up`: the test also ends at futility bounds. Raises ValueError as `boundaries` does.
    """
    return _power(boundaries(fractions, design), design, drift, gives_up=gives_up)


def size(
    fractions: Sequence[float],
    design: Design,
    *,
    power: float = 0.8,
    futility_spending: Spending | None = None,
) -> Size:
    """Return the size at which a test with these looks has the power; the last fraction must be 1.

    With `futility_spending` 1 - power is spent on futility bounds, and the size makes up for the power they cost when
    they are followed. Raises ValueError for a power that is not between alpha and 1, for a last fraction that is not 1,
    for a design that has futility already, and as `boundaries` does.
    """
    if not design.alpha < power < 1:
        raise ValueError("power must be between alpha and 1")
    if not fractions or fractions[-1] != 1:
        raise ValueError("the last fraction must be 1")
    if design.futility:
        raise ValueError("futility follows from the size: give futility_spending")
    one_look = upper_normal(design.alpha_a_side) + upper_normal(1 - power)
    plain = boundaries(fractions, design)

    def missing(drift: float) -> float:
        sized = _with_futility(design, futility_spending, power, drift)
        bounds = boundaries(fractions, sized) if futility_spending else plain
        return _power(bounds, sized, drift, gives_up=True) - power

    drift = root(missing, one_look * 0.999, one_look * _LARGEST_INFLATION**0.5, tolerance=1e-10)
    sized = _with_futility(design, futility_spending, power, drift)
    bounds = boundaries(fractions, sized)
    inflation = (drift / one_look) ** 2
    return Size(
        design=sized,
        bounds=bounds,
        drift=drift,
        inflation=inflation,
        power=_power(bounds, sized, drift, gives_up=True),
        expected_null=inflation * expected_fraction(bounds, sized, 0.0),
        expected_effect=inflation * expected_fraction(bounds, sized, drift),
    )


def expected_fraction(bounds: Sequence[Boundary], design: Design, drift: float) -> float:
    """Return the average fraction at which a test ends, with its last look at the latest, futility followed."""
    chances = crossings(regions(bounds, design, gives_up=True), drift)
    last = bounds[-1].fraction
    return last - sum(
        (chance.above + chance.below) * (last - bound.fraction) for chance, bound in zip(chances, bounds, strict=True)
    )


def _power(bounds: Sequence[Boundary], design: Design, drift: float, *, gives_up: bool) -> float:
    return sum(chance.above for chance in crossings(regions(bounds, design, gives_up=gives_up), drift))


def _with_futility(design: Design, spending: Spending | None, power: float, drift: float) -> Design:
    return replace(design, futility=Futility(beta=1 - power, drift=drift, spending=spending)) if spending else design
