"""Sample size calculator: visitors and days of a test that does not exist yet."""

from collections.abc import Mapping
from typing import Any

from abtest.domain.planning.duration import estimated_days
from abtest.domain.planning.sample_size import (
    CannotBePlannedError,
    Demand,
    SampleSize,
    size_for_mean,
    size_for_rate,
)
from abtest.kit.errors import refused
from abtest.services.context import Caller, World
from abtest.services.shops import shop_defaults

_DEMANDED = ("mde", "alpha", "power", "tail", "treatments")


class SampleSizes:
    """Sample sizes with the shop's defaults."""

    def __init__(self, world: World) -> None:
        self._world = world

    def of(self, caller: Caller, given: Mapping[str, Any]) -> tuple[SampleSize, float | None]:
        """Return the sample size, and the days it takes if `daily_visitors` is given.

        Fields that are not given are the shop's defaults. Raises ValidationFailedError naming the field.
        """
        defaults = shop_defaults(self._world.catalog, caller.shop_id)
        values = {**{name: defaults[name] for name in ("alpha", "power")}, **given}
        demand = Demand(
            **{name: values[name] for name in _DEMANDED if name in values},
            correction_method=defaults["correction_method"],
        )
        try:
            size = size_of(given, demand)
        except CannotBePlannedError as error:
            raise refused(error.field, error.message) from error
        if given.get("daily_visitors") is None:
            return size, None
        days = estimated_days(size.required_total_visitors, given["daily_visitors"])
        if days is None:
            raise refused("daily_visitors", "must be more than 0: without traffic no test ends")
        return size, days


def size_of(given: Mapping[str, Any], demand: Demand) -> SampleSize:
    """Return the sample size for a rate or a mean, whichever is given. Raises ValidationFailedError for both."""
    if "baseline_rate" in given:
        for name in ("mean", "sd"):
            if name in given:
                raise refused(name, "must not be sent with baseline_rate: plan for a rate or for a mean")
        return size_for_rate(given["baseline_rate"], demand)
    if "mean" not in given and "sd" not in given:
        raise refused("baseline_rate", "must be sent, or mean and sd for money")
    for name in ("mean", "sd"):
        if name not in given:
            raise refused(name, "must be sent: a mean is planned with both mean and sd")
    return size_for_mean(given["mean"], given["sd"], demand)
