"""Funnel of the shop: visitors of each UTC day by the steps on the way to an order."""

from collections.abc import Mapping

from abtest.contract import analytics as contract
from abtest.domain.ledger.shop_days import STEPS
from abtest.ports.rollup_store import RollupStore
from abtest.services.analytics.periods import PeriodQuery, period_of
from abtest.services.analytics.shop_days import ShopDays
from abtest.services.context import Caller, World


class FunnelReading:
    """Funnel of the caller's shop."""

    def __init__(self, world: World, store: RollupStore) -> None:
        self._world = world
        self._store = store

    def read(self, caller: Caller, query: PeriodQuery) -> contract.Funnel:
        """Return every UTC day of the period. Raises ValidationFailedError."""
        period = period_of(query, self._world.clock.now())
        steps = {day.date: day.steps for day in ShopDays(self._store, caller.shop_id, period, None).all}
        return contract.Funnel(
            data=[funnel_day(day.isoformat(), steps.get(day.isoformat(), {})) for day in period.dates]
        )


def funnel_day(date: str, steps: Mapping[str, int]) -> contract.FunnelDay:
    """Return one day with the rate of each step; a rate is None where no visitor reached the step before."""

    def rate(part: int, whole: int) -> float | None:
        return part / whole if whole else None

    visited, added, started, purchased = (steps.get(step, 0) for step in STEPS)
    return contract.FunnelDay(
        date=date,
        visited=visited,
        added_to_cart=added,
        started_checkout=started,
        purchased=purchased,
        cart_rate=rate(added, visited),
        checkout_rate=rate(started, added),
        purchase_rate=rate(purchased, started),
        conversion_rate=rate(purchased, visited),
    )
