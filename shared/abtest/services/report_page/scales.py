"""Scales of charts: round steps, and positions as shares of the width or pixels of the height."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

_STEPS = (1, 2, 2.5, 5, 10)
_ENDS = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)


@dataclass(frozen=True, slots=True)
class Scale:
    """Scale from `low` to `high`, with round `ticks` between them."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def share(self, value: float) -> float:
        """Return 0 at the low end, 1 at the high one; values beyond them are not limited."""
        return (value - self.low) / (self.high - self.low)

    @property
    def step(self) -> float:
        """Distance between two ticks."""
        return self.ticks[1] - self.ticks[0]


def scale(low: float, high: float, about: int = 4) -> Scale:
    """Return a scale with round ends around the values. Ends that are equal but for rounding are moved apart."""
    # Steps of values that are closer than this would be lost in the rounding of the ticks.
    if not high - low > 1e-6 * max(abs(low), abs(high)):
        room = abs(low) * 0.1 or 1.0
        low, high = low - room, high + room
    step = round_up((high - low) / about)
    # Tolerance for rounding: 0.3 / 0.1 is a little less than 3, and its floor would add a step.
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = tuple(number * step for number in range(first, last + 1))
    return Scale(ticks[0], ticks[-1], ticks)


def round_up(size: float, *, is_end: bool = False) -> float:
    """Return the next of 1, 2, 2.5, 5 at its power of ten. `is_end`: more values, for an axis without steps."""
    power = 10.0 ** math.floor(math.log10(size))
    return next(step * power for step in (_ENDS if is_end else _STEPS) if step * power >= size * (1 - 1e-9))


def spread(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return positions as near as possible to the given ones, in their order, `gap` apart where there is room."""
    order = sorted(range(len(positions)), key=lambda index: positions[index])
    gap = min(gap, (high - low) / max(1, len(positions) - 1))
    placed = [0.0] * len(positions)
    floor = low
    for index in order:
        placed[index] = floor = max(positions[index], floor)
        floor += gap
    # Back from the top, because the first pass may have pushed the last positions beyond it.
    ceiling = high
    for index in reversed(order):
        placed[index] = ceiling = min(placed[index], ceiling)
        ceiling -= gap
    return placed
