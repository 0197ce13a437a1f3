"""Inputs of questions about statistics, checked; ValueError for an invalid question."""

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from abtest.domain.planning.sample_size import Demand
from abtest.domain.stats.group_sequential.spending import Spending
from abtest.domain.stats.samples import Conversions, Sample
from abtest.domain.stats.sequential import Mixture

Inputs = Mapping[str, Any]

MOST_VISITORS = 10**15
TINY = 1e-300


def json_value(value: Any) -> Any:
    """Convert to JSON values: intervals as lists, no NaN, no infinities."""
    if isinstance(value, tuple | list):
        return [json_value(one) for one in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def checked(value: Any) -> float:
    """A finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise ValueError("a number is expected")
    return float(value)


def number(inputs: Inputs, name: str) -> float:
    """A finite number by its name."""
    return checked(inputs[name])


def positive(inputs: Inputs, name: str) -> float:
    """Above zero."""
    value = number(inputs, name)
    if not TINY < value < 1 / TINY:
        raise ValueError(f"{name} must be positive")
    return value


def level(inputs: Inputs) -> float:
    """alpha, between 0 and 1."""
    alpha = number(inputs, "alpha")
    if not TINY < alpha < 1:
        raise ValueError("alpha must lie between 0 and 1")
    return alpha


def whole(value: Any) -> int:
    """A count."""
    number = checked(value)
    if not 0 <= number <= MOST_VISITORS or number != int(number):
        raise ValueError("a whole number from 0 to 10^15 is expected")
    return int(number)


def count(inputs: Inputs, name: str) -> int:
    """A count by its name."""
    return whole(inputs[name])


def listed(value: Any) -> Sequence[Any]:
    """A list."""
    if not isinstance(value, list):
        raise ValueError("a list is expected")
    return value


def counts(values: Any) -> list[int]:
    """A list of counts."""
    return [whole(value) for value in listed(values)]


def numbers(values: Any) -> list[float]:
    """A list of numbers."""
    return [checked(value) for value in listed(values)]


def weights_of(inputs: Inputs) -> list[float]:
    """`weights`."""
    weights = numbers(inputs["weights"])
    if min(weights, default=-1.0) < 0 or not 0 < sum(weights) < 1 / TINY:
        raise ValueError("weights must not be negative, and not all zero")
    return weights


def conversions(inputs: Inputs, arm: str) -> Conversions:
    """An arm of a rate."""
    visitors, conversions = count(inputs, f"{arm}_visitors"), count(inputs, f"{arm}_conversions")
    if conversions > visitors:
        raise ValueError(f"{arm}_conversions must not be more than its visitors")
    return Conversions(visitors=visitors, conversions=conversions)


def sample(arm: Inputs) -> Sample:
    """An arm of a mean."""
    statistics = Sample(n=count(arm, "n"), mean=number(arm, "mean"), variance=number(arm, "variance"))
    if statistics.variance < 0:
        raise ValueError("variance must not be negative")
    return statistics


def mixture(inputs: Inputs) -> Mixture:
    """The mixture of a sequential test."""
    if "tau_absolute" in inputs:
        return Mixture(tau=positive(inputs, "tau_absolute"))
    return Mixture(planned_visitors=positive(inputs, "N_star_pair_total"))


def demand(inputs: Inputs) -> Demand:
    """Return the demands of a plan."""
    tail, correction, power = inputs["tail"], inputs.get("correction_method", "none"), inputs.get("power", 0.8)
    if tail not in ("two-sided", "one-sided") or correction not in ("none", "holm") or not 0 < checked(power) < 1:
        raise ValueError("tail, correction_method or power is not one that there is")
    return Demand(
        mde=number(inputs, "mde_relative"),
        alpha=level(inputs),
        power=float(power),
        tail=tail,
        treatments=max(1, whole(inputs.get("treatments", 1))),
        correction_method=correction,
    )


def spending(inputs: Inputs) -> Spending:
    """Return the spending function; `gamma` is read for the family that has one."""
    family = inputs["spending"]
    return Spending(family=family, gamma=number(inputs, "gamma") if family == "hwang_shih_decani" else None)
