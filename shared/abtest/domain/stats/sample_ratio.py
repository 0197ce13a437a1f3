"""Sample ratio mismatch: do the arms have the visitors that their weights promise?"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from scipy.special import chdtrc

SINGLE_LOOK_ALPHA = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRatio:
    """Pearson's chi-squared of one look; `expected` in visitors."""

    expected: tuple[float, ...]
    chi_squared: float
    degrees_of_freedom: int
    p_value: float

    @property
    def is_mismatch(self) -> bool:
        """Whether chance is no explanation at the level of a single look."""
        return self.p_value < SINGLE_LOOK_ALPHA


def sample_ratio(visitors: Sequence[int], weights: Sequence[float]) -> SampleRatio | None:
    """Test visitors against weights (any positive scale); None without visitors or with fewer than two weighted arms.

    An arm of weight zero that has visitors is a mismatch in itself: p = 0.
    Source: Pearson, Philosophical Magazine 50 (1900) 157-175.
    """
    total, scale = sum(visitors), fsum(weights)
    weighted = sum(weight > 0 for weight in weights)
    if total == 0 or weighted < 2:
        return None
    expected = tuple(total * weight / scale for weight in weights)
    if any(weight <= 0 < seen for seen, weight in zip(visitors, weights, strict=True)):
        return SampleRatio(expected=expected, chi_squared=float("inf"), degrees_of_freedom=weighted - 1, p_value=0.0)
    chi_squared = fsum((seen - due) ** 2 / due for seen, due in zip(visitors, expected, strict=True) if due)
    p_value = float(chdtrc(weighted - 1, chi_squared))
    return SampleRatio(expected=expected, chi_squared=chi_squared, degrees_of_freedom=weighted - 1, p_value=p_value)
