"""Scale of mixtures without a plan. Uses the standard library only, so that planning can import it."""

from math import log, log1p

PLANNED_VISITORS = 5000
"""Visitors of both arms together at which a test without a plan is tightest."""


def mixture_precision(alpha: float, planned_visitors: float) -> float:
    """ρ² for which the test is tightest at so many visitors of the pair; τ² = V (n_c + n_t) ρ².

    Source: Howard, Ramdas, McAuliffe, Sekhon: Annals of Statistics 49 (2021) 1055-1080, section 3.5.
    """
    return (-2 * log(alpha) + log1p(-2 * log(alpha))) / planned_visitors
