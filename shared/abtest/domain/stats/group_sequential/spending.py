"""Spending functions: the part of an error rate that may be used up by a fraction of the planned information."""

from dataclasses import dataclass
from math import e, erfc, expm1, isfinite, log1p, sqrt
from statistics import NormalDist

from abtest.domain.stats.group_sequential.documents import Family

STEEPEST = 40.0
"""Largest |gamma| of Hwang, Shih and DeCani's family; beyond it all is spent at one end, to the last digit."""

_NEARLY_LINEAR = 1e-9
_QUANTILE = NormalDist().inv_cdf


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """A function of the fraction, increasing from 0 to the whole error rate at fraction 1.

    `obrien_fleming` spends little early, `pocock` about evenly; `hwang_shih_decani` is steered by `gamma`: -4 is close
    to the former, 1 to the latter. Raises ValueError for an unknown family, and for a gamma that is missing, not
    finite, beyond `STEEPEST`, or given to a family without one.
    Sources: Lan, DeMets: Biometrika 70 (1983) 659-663; Hwang, Shih, DeCani: Statistics in Medicine 9 (1990) 1439-1445.
    """

    family: Family = "obrien_fleming"
    gamma: float | None = None

    def __post_init__(self) -> None:
        if self.family not in ("obrien_fleming", "pocock", "hwang_shih_decani"):
            raise ValueError("family must be obrien_fleming, pocock or hwang_shih_decani")
        if (self.gamma is not None) != (self.family == "hwang_shih_decani"):
            raise ValueError("gamma must be given with hwang_shih_decani, and only with it")
        if self.gamma is not None and not (isfinite(self.gamma) and abs(self.gamma) <= STEEPEST):
            raise ValueError(f"gamma must be between {-STEEPEST:g} and {STEEPEST:g}")

    def spent(self, fraction: float, error: float) -> float:
        """Return the part of a one-sided error rate that is spent up to the fraction; all of it from 1 on.

        Raises ValueError for a fraction that is negative or not a number, or an error that is not between 0 and 1.
        """
        if not fraction >= 0:
            raise ValueError("fraction must be a number of at least 0")
        if not 0 < error < 1:
            raise ValueError("error must be between 0 and 1")
        if fraction >= 1 or fraction == 0:
            return error if fraction else 0.0
        match self.family:
            case "obrien_fleming":
                # Twice the normal tail; planning uses this module where scipy is not loaded.
                return erfc(-_QUANTILE(error / 2) / sqrt(2 * fraction))
            case "pocock":
                return error * log1p((e - 1) * fraction)
            case "hwang_shih_decani":
                gamma = self.gamma or 0.0
                share = fraction if abs(gamma) < _NEARLY_LINEAR else expm1(-gamma * fraction) / expm1(-gamma)
                return error * share


OBRIEN_FLEMING = Spending()
POCOCK = Spending(family="pocock")
