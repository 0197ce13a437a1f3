"""Several treatments against one control: Holm's correction, and the levels at which intervals agree with it."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Holm:
    """Adjusted p-values in the order given, and the alpha at which each comparison's interval is to be drawn."""

    adjusted: tuple[float, ...]
    rejected: tuple[bool, ...]
    interval_alphas: tuple[float, ...]


def holm(p_values: Sequence[float], *, alpha: float) -> Holm:
    """Step down from the smallest p: rank i is tested at alpha / (k - i + 1), and the first failure stops all.

    Intervals take each rank's own level while rejecting, and the stopping rank's level afterwards. So an interval
    excludes zero exactly when its comparison is significant.
    Source: Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.
    """
    k = len(p_values)
    order = sorted(range(k), key=lambda index: p_values[index])
    adjusted, alphas = [0.0] * k, [alpha] * k
    running, level, stopped = 0.0, alpha, False
    for rank, index in enumerate(order):
        # Never below the rank before: otherwise a later comparison could pass after an earlier one failed.
        running = max(running, min(1.0, (k - rank) * p_values[index]))
        if not stopped:
            level, stopped = alpha / (k - rank), running > alpha
        adjusted[index], alphas[index] = running, level
    return Holm(adjusted=tuple(adjusted), rejected=tuple(p <= alpha for p in adjusted), interval_alphas=tuple(alphas))
