"""Days of a shop out of its roll-ups, put together on the calendar of any time zone."""

from collections import defaultdict
from collections.abc import Sequence

from abtest.domain.ledger.cells import QUARTER_MS, Money
from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY, date_of
from abtest.domain.ledger.rollup_documents import shop_day_of
from abtest.domain.ledger.rows import IN_CURRENCY
from abtest.domain.ledger.shop_days import MAX_GAP, ShopDay, distinct_visitors
from abtest.kit.errors import FieldError, ValidationFailedError
from abtest.ports.rollup_store import RollupStore
from abtest.services.analytics.periods import Period
from abtest.services.results.curves import Span
from abtest.services.results.narrowing import days_of
from abtest.services.results.tallies import MoneyByKind

LONGEST_DAY = MAX_GAP + 1
"""Quarters: further back it is not known when a visitor was active before."""


class ShopDays:
    """The UTC days that a period touches, by day since 1970."""

    def __init__(self, store: RollupStore, shop_id: str, period: Period) -> None:
        first, last = days_of([period.span])
        found = map(shop_day_of, store.shop_days(shop_id, date_of(first), date_of(last)))
        by_date = {day.date: day for day in found}
        self._days = {day: by_date[name] for day in range(first, last + 1) if (name := date_of(day)) in by_date}

    @property
    def all(self) -> Sequence[ShopDay]:
        """In order."""
        return list(self._days.values())

    def visitors(self, span: Span) -> int:
        """Distinct visitors of a calendar day. Raises ValidationFailedError for one of more than 25 hours."""
        if span.end - span.start > LONGEST_DAY:
            fields = [FieldError("timezone", "has a day of more than 25 hours in the period")]
            raise ValidationFailedError("a day of the time zone is too long to be counted", fields=fields)
        return distinct_visitors(self._touched(span), span.start * QUARTER_MS, span.end * QUARTER_MS)

    def orders(self, span: Span) -> MoneyByKind:
        """Orders and money of a span, by kind and currency."""
        found: defaultdict[tuple[str, str], Money] = defaultdict(Money)
        for midnight, day in self._with_midnights(span):
            for (quarter, kind, currency), money in day.orders.items():
                if span.start <= midnight + quarter < span.end:
                    found[kind, currency] = found[kind, currency].plus(money)
        return found

    def _touched(self, span: Span) -> list[ShopDay]:
        return [day for _, day in self._with_midnights(span)]

    def _with_midnights(self, span: Span) -> list[tuple[int, ShopDay]]:
        days = range(span.start // QUARTERS_A_DAY, -(-span.end // QUARTERS_A_DAY))
        return [(day * QUARTERS_A_DAY, self._days[day]) for day in days if day in self._days]


def number_of_orders(money: MoneyByKind) -> int:
    """Orders in whatever currency."""
    return sum(found.orders for found in money.values())


def shop_money(money: MoneyByKind) -> MoneyByKind:
    """The shop's own, converted included."""
    return {key: found for key, found in money.items() if key[0] in IN_CURRENCY}


def revenue_minor(money: MoneyByKind) -> int:
    """The shop's own money, converted included."""
    return sum(found.minor for found in shop_money(money).values())
