"""What an engine says of a treatment and its control, whichever engine it is."""

from collections.abc import Mapping
from dataclasses import dataclass

from abtest.domain.stats.samples import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustedComparison:
    """Means compared once more, less what was there before exposure (CUPED)."""

    lift: float | None
    lift_interval: Interval | None
    difference: float
    difference_interval: Interval | None
    p_value: float
    adjusted_p_value: float
    is_significant: bool
    variance_reduction: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One comparison. What the engine does not tell is None; `lift` is relative, `difference` absolute.

    `is_contradicted`: what an earlier look was sure of is on the other side of what the numbers say now.
    """

    difference: float
    difference_interval: Interval | None
    lift: float | None
    lift_interval: Interval | None
    p_value: float | None = None
    adjusted_p_value: float | None = None
    always_valid_p: float | None = None
    probability: float | None = None
    expected_loss: float | None = None
    is_significant: bool | None = None
    is_contradicted: bool = False
    adjusted: AdjustedComparison | None = None


Comparisons = Mapping[str, Compared | None]
"""By the treatment's id; None where it cannot be evaluated."""
