"""Several comparisons at once: corrections of their p-values, and the levels at which intervals agree with them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Correction = Literal["none", "holm", "bh"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """Adjusted p-values in the order given, and the alpha at which each comparison's interval is to be drawn."""

    adjusted: tuple[float, ...]
    rejected: tuple[bool, ...]
    interval_alphas: tuple[float, ...]


def corrected(correction: Correction, p_values: Sequence[float], *, alpha: float) -> Corrected:
    """Return the p-values of one family of comparisons, corrected by the named method."""
    return _METHODS[correction](p_values, alpha)


def uncorrected(p_values: Sequence[float], *, alpha: float) -> Corrected:
    """Return each p-value as it is, tested at alpha."""
    rejected = tuple(p <= alpha for p in p_values)
    return Corrected(adjusted=tuple(p_values), rejected=rejected, interval_alphas=(alpha,) * len(p_values))


def holm(p_values: Sequence[float], *, alpha: float) -> Corrected:
    """Step down from the smallest p: rank i is tested at alpha / (k - i + 1), and the first failure stops all.

    The chance of any false rejection is at most alpha, however the comparisons depend on each other. Intervals take
    each rank's own level while rejecting, and the stopping rank's level afterwards. So an interval excludes zero
    exactly when its comparison is significant.
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
    return Corrected(
        adjusted=tuple(adjusted), rejected=tuple(p <= alpha for p in adjusted), interval_alphas=tuple(alphas)
    )


def benjamini_hochberg(p_values: Sequence[float], *, alpha: float) -> Corrected:
    """Step up from the largest p: the R smallest are rejected, R the last rank i with p <= i alpha / k.

    The expected share of false ones among the rejected is at most alpha for comparisons that are independent or
    positively dependent (Benjamini and Yekutieli, Annals of Statistics 29 (2001) 1165-1188). For inverted e-values this
    is the e-BH procedure, which holds for any dependence (Wang and Ramdas, JRSS B 84 (2022) 822-852).

    Intervals of the rejected have the level R alpha / k: of the intervals of significant comparisons, at most alpha are
    expected to miss the truth (Benjamini and Yekutieli, JASA 100 (2005) 71-81). The others have the level at which one
    more would have been selected, (R + 1) alpha / k. So an interval excludes zero exactly when its comparison is
    significant.
    Source: Benjamini and Hochberg, JRSS B 57 (1995) 289-300.
    """
    k = len(p_values)
    order = sorted(range(k), key=lambda index: p_values[index])
    adjusted, running = [0.0] * k, 1.0
    for rank in range(k, 0, -1):
        index = order[rank - 1]
        running = min(running, k * p_values[index] / rank)
        adjusted[index] = running
    rejected = tuple(p <= alpha for p in adjusted)
    # Verdicts come from the adjusted p-values alone: k p / i <= alpha and p <= i alpha / k differ in the last digit.
    selected = sum(rejected)
    levels = {True: selected * alpha / max(k, 1), False: (selected + 1) * alpha / max(k, 1)}
    return Corrected(
        adjusted=tuple(adjusted), rejected=rejected, interval_alphas=tuple(levels[one] for one in rejected)
    )


_METHODS: Mapping[Correction, Callable[[Sequence[float], float], Corrected]] = {
    "none": lambda p_values, alpha: uncorrected(p_values, alpha=alpha),
    "holm": lambda p_values, alpha: holm(p_values, alpha=alpha),
    "bh": lambda p_values, alpha: benjamini_hochberg(p_values, alpha=alpha),
}
