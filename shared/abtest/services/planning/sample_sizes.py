"""Sample size calculator: visitors and days of a test that does not exist yet, and what it could detect by day."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from abtest.domain.planning.curve import DetectableEffect, detectable_effects
from abtest.domain.planning.duration import estimated_days
from abtest.domain.planning.engine import FIXED, PlannedEngine, requested_engine
from abtest.domain.planning.engine_sizes import detectable_for_mean, detectable_for_rate, mean_size, rate_size
from abtest.domain.planning.sample_size import CannotBePlannedError, Demand, SampleSize
from abtest.kit.errors import refused
from abtest.services.context import Caller, World
from abtest.services.shops import shop_defaults

_DEMANDED = ("mde", "alpha", "power", "tail", "treatments")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculation:
    """A sized test. `days` is None and the curve is empty where the traffic is not known."""

    engine: PlannedEngine
    size: SampleSize
    days: float | None
    detectable_effects: Sequence[DetectableEffect] = ()


class SampleSizes:
    """Sample sizes with the shop's defaults."""

    def __init__(self, world: World) -> None:
        self._world = world

    def of(self, caller: Caller, given: Mapping[str, Any]) -> Calculation:
        """Return the size for the engine, and days and curve if `daily_visitors` is given.

        Fields that are not given are the shop's defaults. Raises ValidationFailedError naming the field.
        """
        defaults = shop_defaults(self._world.catalog, caller.shop_id)
        values = {**{name: defaults[name] for name in ("alpha", "power")}, **given}
        demand = Demand(
            **{name: values[name] for name in _DEMANDED if name in values},
            correction_method=defaults["correction_method"],
        )
        check_quantity(given)
        try:
            return calculated(given, demand, requested_engine(given))
        except CannotBePlannedError as error:
            raise refused(error.field, error.message) from error


def check_quantity(given: Mapping[str, Any]) -> None:
    """Raise ValidationFailedError unless either a rate or a mean with its deviation is given."""
    if "baseline_rate" in given:
        for name in ("mean", "sd"):
            if name in given:
                raise refused(name, "must not be sent with baseline_rate: plan for a rate or for a mean")
        return
    if "mean" not in given and "sd" not in given:
        raise refused("baseline_rate", "must be sent, or mean and sd for money")
    for name in ("mean", "sd"):
        if name not in given:
            raise refused(name, "must be sent: a mean is planned with both mean and sd")


def calculated(given: Mapping[str, Any], demand: Demand, requested: PlannedEngine) -> Calculation:
    """Return the sized test. Raises CannotBePlannedError."""
    daily = given.get("daily_visitors")
    one_look = size_of(given, demand, FIXED).required_total_visitors
    engine = requested.with_looks(None if daily is None else estimated_days(one_look, daily))
    size = size_of(given, demand, engine)
    if daily is None:
        return Calculation(engine=engine, size=size, days=None)
    days = estimated_days(size.required_total_visitors, daily)
    if days is None:
        raise CannotBePlannedError("daily_visitors", "must be more than 0: without traffic no test ends")
    if requested.looks is not None:
        engine.check_days(days)
    curve = detectable_effects(partial(detectable_of, given, demand, engine), daily_visitors=daily, days=days)
    return Calculation(engine=engine, size=size, days=days, detectable_effects=curve)


def size_of(given: Mapping[str, Any], demand: Demand, engine: PlannedEngine) -> SampleSize:
    """Return the sample size for a rate or a mean, whichever is given. Raises CannotBePlannedError."""
    if "baseline_rate" in given:
        return rate_size(given["baseline_rate"], demand, engine)
    return mean_size(given["mean"], given["sd"], demand, engine)


def detectable_of(given: Mapping[str, Any], demand: Demand, engine: PlannedEngine, visitors: float) -> float | None:
    """Return the smallest relative change that is detected among so many visitors, up to 1; None for none."""
    if "baseline_rate" in given:
        return detectable_for_rate(visitors, given["baseline_rate"], demand, engine)
    return detectable_for_mean(visitors, given["mean"], given["sd"], demand, engine)
