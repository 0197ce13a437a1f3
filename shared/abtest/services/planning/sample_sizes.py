"""Sample sizes by request: what a test would take, without any experiment."""

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
    """Use case of the calculator."""

    def __init__(self, world: World) -> None:
        self._world = world

    def of(self, caller: Caller, stated: Mapping[str, Any]) -> tuple[SampleSize, float | None]:
        """Visitors, and days where `daily_visitors` was stated. What is not stated is the shop's default.

        Raises ValidationFailedError naming the field.
        """
        defaults = shop_defaults(self._world.catalog, caller.shop_id)
        asked = {**{name: defaults[name] for name in ("alpha", "power")}, **stated}
        demand = Demand(
            **{name: asked[name] for name in _DEMANDED if name in asked},
            correction_method=defaults["correction_method"],
        )
        try:
            size = _size(stated, demand)
        except CannotBePlannedError as error:
            raise refused(error.field, error.message) from error
        return size, _days(size, stated.get("daily_visitors"))


def _size(stated: Mapping[str, Any], demand: Demand) -> SampleSize:
    if "baseline_rate" in stated:
        for name in ("mean", "sd"):
            if name in stated:
                raise refused(name, "does not go with baseline_rate: plan for a rate or for a mean")
        return size_for_rate(stated["baseline_rate"], demand)
    if "mean" not in stated and "sd" not in stated:
        raise refused("baseline_rate", "state it, or mean and sd for money")
    for name in ("mean", "sd"):
        if name not in stated:
            raise refused(name, "a mean is planned with both mean and sd")
    return size_for_mean(stated["mean"], stated["sd"], demand)


def _days(size: SampleSize, daily_visitors: float | None) -> float | None:
    if daily_visitors is None:
        return None
    days = estimated_days(size.required_total_visitors, daily_visitors)
    if days is None:
        raise refused("daily_visitors", "without traffic no test ends")
    return days
