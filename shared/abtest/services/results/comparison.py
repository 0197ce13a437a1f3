"""Comparison of a treatment with its control, in the same shape for every engine."""

from collections.abc import Mapping
from dataclasses import dataclass

from abtest.domain.stats.samples import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustedComparison:
    """Comparison adjusted for the covariate before exposure (CUPED).

    `decides`: the verdict of the treatment is this one's. `always_valid_p`: of all its looks, with engine sequential.
    """

    lift: float | None
    lift_interval: Interval | None
    difference: float
    difference_interval: Interval | None
    p_value: float
    adjusted_p_value: float
    is_significant: bool
    variance_reduction: float
    always_valid_p: float | None = None
    decides: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TreatmentComparison:
    """One comparison. Figures that the engine does not compute are None; `lift` is relative, `difference` absolute.

    `is_contradicted`: an earlier look was significant in the opposite direction of the present difference. It and
    `is_significant` are those of `adjusted` where that decides. `note`: what is known where the comparison is not
    significant, else the usual sentence. `is_adjusted`: all figures are of planned looks at adjusted rates.
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
    note: str = "no significant difference so far"
    is_adjusted: bool = False


Comparisons = Mapping[str, TreatmentComparison | None]
"""By the treatment's id; None where it cannot be evaluated."""
