"""How far visitors of each UTC day came on the way to an order."""

from abtest.contract import analytics as contract
from abtest.domain.ledger.shop_days import STEPS, ShopDay
from abtest.ports.rollup_store import RollupStore
from abtest.services.analytics.periods import Asked, period_of
from abtest.services.analytics.shop_days import ShopDays
from abtest.services.context import Caller, World


class FunnelReading:
    """The use case."""

    def __init__(self, world: World, store: RollupStore) -> None:
        self._world = world
        self._store = store

    def read(self, caller: Caller, asked: Asked) -> contract.Funnel:
        """Every UTC day of the period. Raises ValidationFailedError."""
        period = period_of(asked, self._world.clock.now())
        days = {day.date: day for day in ShopDays(self._store, caller.shop_id, period).all}
        return contract.Funnel(data=[_day(each.isoformat(), days.get(each.isoformat())) for each in period.dates])


def _day(date: str, found: ShopDay | None) -> contract.FunnelDay:
    steps = found.steps if found else {}
    visited, added, started, purchased = (steps.get(step, 0) for step in STEPS)
    return contract.FunnelDay(
        date=date,
        visited=visited,
        added_to_cart=added,
        started_checkout=started,
        purchased=purchased,
        cart_rate=_rate(added, visited),
        checkout_rate=_rate(started, added),
        purchase_rate=_rate(purchased, started),
        conversion_rate=_rate(purchased, visited),
    )


def _rate(some: int, all_of_them: int) -> float | None:
    return some / all_of_them if all_of_them else None
