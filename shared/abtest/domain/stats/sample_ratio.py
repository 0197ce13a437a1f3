"""Sample ratio mismatch: tests of the arms' visitors against their weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, inf

from scipy.special import chdtrc

from abtest.domain.stats.arithmetic import FLOATS
from abtest.domain.stats.formulas import log_ratio_term, log_ratio_whole

# Strict, because a mismatch voids results: at 0.05 one healthy split in twenty would be one.
SINGLE_LOOK_ALPHA = 0.001
# Over all looks of a measurement together, not for each of them.
MONITORING_ALPHA = 0.01
# Concentration of the Dirichlet alternative: it expects splits a percent or two off.
CONCENTRATION = 2500.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRatio:
    """Pearson's chi-squared of one look; `expected` in visitors."""

    expected: tuple[float, ...]
    chi_squared: float
    degrees_of_freedom: int
    p_value: float

    @property
    def is_mismatch(self) -> bool:
        """Return whether chance is an implausible explanation at the level of a single look."""
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
    # The survival function: 1 - cdf would lose the digits of small p-values.
    p_value = float(chdtrc(weighted - 1, chi_squared))
    return SampleRatio(expected=expected, chi_squared=chi_squared, degrees_of_freedom=weighted - 1, p_value=p_value)


def is_mismatched(single: SampleRatio | None, running_p: float | None) -> bool:
    """Return whether the split is a mismatch, by this look alone or by the smallest sequential p of all looks.

    The sequential test is made for splits a percent or two off: 200 visitors against 100 hardly move it, and yet are a
    mismatch.
    """
    is_seen_now = single is not None and single.is_mismatch
    return is_seen_now or (running_p is not None and running_p <= MONITORING_ALPHA)


@dataclass(frozen=True, slots=True, kw_only=True)
class SequentialSampleRatio:
    """One look of monitoring. Decisions use the running minimum of `p_value` over looks, at 0.01.

    `log_bayes_factor` is natural and infinite where an arm of weight zero has visitors; `log_p` = min(0, its negative).
    """

    log_bayes_factor: float
    p_value: float
    log_p: float

    @property
    def is_mismatch(self) -> bool:
        """Return whether this look alone is a mismatch, however many looks came before."""
        return self.p_value <= MONITORING_ALPHA


def sequential_sample_ratio(
    visitors: Sequence[int], weights: Sequence[float], *, concentration: float = CONCENTRATION
) -> SequentialSampleRatio | None:
    """Test all visitors so far against weights (any positive scale), valid at every look; None as `sample_ratio`.

    The Bayes factor of a Dirichlet(concentration x weights) split against the weights themselves. Raises ValueError for
    a concentration that is not positive.
    Source: Lindon, Malek: Anytime-Valid Inference for Multinomial Count Data, NeurIPS 2022.
    """
    if not concentration > 0:
        raise ValueError("the concentration must be positive")
    total, scale = sum(visitors), fsum(weights)
    arms = [(float(seen), weight / scale) for seen, weight in zip(visitors, weights, strict=True) if weight > 0]
    if total == 0 or len(arms) < 2:
        return None
    if any(weight <= 0 < seen for seen, weight in zip(visitors, weights, strict=True)):
        return SequentialSampleRatio(log_bayes_factor=inf, p_value=0.0, log_p=-inf)
    terms = [log_ratio_term(FLOATS, seen, share, float(total), concentration) for seen, share in arms]
    factor = fsum([*terms, log_ratio_whole(FLOATS, float(total), concentration, concentration)])
    log_p = min(0.0, -factor)
    return SequentialSampleRatio(log_bayes_factor=factor, p_value=exp(log_p), log_p=log_p)
