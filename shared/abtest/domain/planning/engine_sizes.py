"""Sample sizes by engine: visitors with which the chosen test finds the planned effect with the planned power."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import exp, inf, log, sqrt

from abtest.domain.planning.any_look import planned_z, z_by
from abtest.domain.planning.engine import FIXED, PlannedEngine
from abtest.domain.planning.normal import upper_quantile
from abtest.domain.planning.planned_looks import LooksDesign, inflation
from abtest.domain.planning.sample_size import (
    MAX_VISITORS,
    CannotBePlannedError,
    Demand,
    SampleSize,
    equal_size,
    expected_rate,
    size_for_mean,
    size_for_rate,
    size_for_rate_by_weights,
    unequal_size,
    variance_of_rate,
)
from abtest.domain.stats.group_sequential.roots import root
from abtest.domain.stats.mixture_scale import PLANNED_VISITORS, mixture_precision

LARGEST_MDE = 1.0
_EXACT = 1e-6


def rate_size(
    baseline_rate: float, demand: Demand, engine: PlannedEngine = FIXED, *, shares: Sequence[float] | None = None
) -> SampleSize:
    """Return the visitors for a rate. `shares` of the traffic, the control's first; None: all alike.

    A group-sequential engine needs its looks. The always-valid test is two-sided and has Holm's correction whatever the
    demand, as in auto-stop, with τ = |mde| x baseline. Raises CannotBePlannedError.
    """
    if engine.engine == "sequential":
        return _sequential_rate_size(baseline_rate, demand, shares)
    if shares is None:
        return _inflated(size_for_rate(baseline_rate, demand), demand, engine)
    if engine.engine == "fixed":
        return size_for_rate_by_weights(baseline_rate, demand, control=shares[0], treatments=shares[1:])
    other = expected_rate(baseline_rate, demand.mde)
    exact = max(_total_by_looks(baseline_rate, other, demand, shares[0], share) for share in shares[1:])
    return unequal_size(exact * over_one_look(demand, engine), min(shares))


def mean_size(mean: float, standard_deviation: float, demand: Demand, engine: PlannedEngine = FIXED) -> SampleSize:
    """Return the visitors for a mean per visitor in variations of equal weight. Raises CannotBePlannedError.

    Money is read by the always-valid test without a τ of a plan: its mixture is sized for 5,000 visitors.
    """
    fixed = size_for_mean(mean, standard_deviation, demand)
    if engine.engine != "sequential":
        return _inflated(fixed, demand, engine)
    effect = abs(demand.mde) * mean / standard_deviation

    def excess(log_visitors: float) -> float:
        return log(_least_effect(exp(log_visitors), demand)) - log(effect)

    # No test needs fewer than one look at the level of this one, so the search begins there.
    low = 2 * log(2 * (upper_quantile(_level(demand) / 2) + upper_quantile(1 - demand.power)) / effect)
    high = low + 0.5
    while excess(high) > 0:
        low, high = high, high + 0.5
        if high > log(MAX_VISITORS) + 1:
            return equal_size(inf, demand)
    return equal_size(exp(root(excess, low, high, tolerance=_EXACT)) / 2, demand)


def detectable_for_rate(
    visitors: float,
    baseline_rate: float,
    demand: Demand,
    engine: PlannedEngine = FIXED,
    *,
    shares: Sequence[float] | None = None,
) -> float | None:
    """Return the smallest relative change, up to 1, for which a test of so many visitors has the power; None: no such.

    The sign of `demand.mde` is the direction.
    """
    sign = 1.0 if demand.mde > 0 else -1.0

    def excess(log_mde: float) -> float:
        size = rate_size(baseline_rate, replace(demand, mde=sign * exp(log_mde)), engine, shares=shares)
        total = size.exact if shares is not None else size.exact * (demand.treatments + 1)
        return log(total) - log(visitors)

    most = min(LARGEST_MDE, 1 / baseline_rate - 1) if sign > 0 else LARGEST_MDE
    return _detectable(excess, most * (1 - 1e-9), visitors)


def detectable_for_mean(
    visitors: float, mean: float, standard_deviation: float, demand: Demand, engine: PlannedEngine = FIXED
) -> float | None:
    """Return what `detectable_for_rate` does, for a mean in variations of equal weight."""
    each = visitors / (demand.treatments + 1)
    if engine.engine == "sequential":
        effect = _least_effect(2 * each, demand)
    else:
        effect = (demand.critical_z + demand.power_z) * sqrt(2 * over_one_look(demand, engine) / each)
    mde = effect * standard_deviation / mean
    return mde if mde <= LARGEST_MDE else None


def _detectable(excess: Callable[[float], float], most: float, visitors: float) -> float | None:
    if visitors < 1:
        return None
    try:
        low, high = log(most) - 1, log(most)
        if excess(high) > 0:
            return None
        while excess(low) < 0:
            low, high = low - 1, low
        return exp(root(excess, low, high, tolerance=_EXACT))
    except CannotBePlannedError:
        # Sizes end at `MAX_VISITORS`, and with them the effects that are looked for.
        return None


def _inflated(fixed: SampleSize, demand: Demand, engine: PlannedEngine) -> SampleSize:
    return fixed if engine.engine == "fixed" else equal_size(fixed.exact * over_one_look(demand, engine), demand)


def over_one_look(demand: Demand, engine: PlannedEngine) -> float:
    """Return the visitors of planned looks over those of one look with the same power; 1 for other engines."""
    if engine.engine != "group_sequential" or engine.looks is None:
        return 1.0
    design = LooksDesign(
        alpha=demand.comparison_alpha,
        power=demand.power,
        sides=1 if demand.tail == "one-sided" else 2,
        looks=engine.looks,
        spending=engine.spending,
        futility=engine.futility,
    )
    return inflation(design)


def _level(demand: Demand) -> float:
    """Return the level of the always-valid test's first step: auto-stop corrects its p-values in every plan."""
    return demand.alpha / demand.treatments


def _sequential_rate_size(baseline_rate: float, demand: Demand, shares: Sequence[float] | None) -> SampleSize:
    other = expected_rate(baseline_rate, demand.mde)
    parts = shares or [1 / (demand.treatments + 1)] * 2
    exact = max(_sequential_total(baseline_rate, other, demand, parts[0], share) for share in parts[1:])
    if shares is None:
        return equal_size(exact / (demand.treatments + 1), demand)
    return unequal_size(exact, min(shares))


def _sequential_total(baseline_rate: float, other: float, demand: Demand, control: float, share: float) -> float:
    """Return the visitors of all variations for one pair, whose shares of the traffic are given."""
    own, larger = _variances(baseline_rate, other, control, share)
    # The test divides by the larger variance; its z then varies less than a standard normal value.
    z = planned_z(_level(demand), demand.power, sqrt(own / larger))
    ratio = z / (baseline_rate * demand.mde)
    return ratio * ratio * own


def _total_by_looks(baseline_rate: float, other: float, demand: Demand, control: float, share: float) -> float:
    """Return what one look of that pair needs if it divides by the larger variance, as looks of a group do."""
    own, larger = _variances(baseline_rate, other, control, share)
    ratio = (demand.critical_z * sqrt(larger) + demand.power_z * sqrt(own)) / (baseline_rate * demand.mde)
    return ratio * ratio


def _variances(baseline_rate: float, other: float, control: float, share: float) -> tuple[float, float]:
    """Return the variance of the difference with one visitor in all variations, and the one that tests divide by.

    It is the larger one of the pooled and the unpooled variance (`domain.stats.sequential`).
    """
    own = variance_of_rate(baseline_rate) / control + variance_of_rate(other) / share
    rate = (control * baseline_rate + share * other) / (control + share)
    return own, max(own, variance_of_rate(rate) * (1 / control + 1 / share))


def _least_effect(pair: float, demand: Demand) -> float:
    """Return the difference of means, in standard deviations, that is found with the power among so many visitors."""
    ratio = pair * mixture_precision(demand.alpha, PLANNED_VISITORS)
    return 2 * z_by(ratio, _level(demand), demand.power) / sqrt(pair)
