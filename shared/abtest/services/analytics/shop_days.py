"""Days of a shop out of its roll-ups, on the calendar of any time zone."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from abtest.domain.ledger.cells import QUARTER_MS, Money
from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY, date_of
from abtest.domain.ledger.rollup_documents import shop_day_of
from abtest.domain.ledger.rows import FOREIGN, IN_CURRENCY, OWN
from abtest.domain.ledger.shop_days import MAX_GAP, OrderCell, ShopDay, distinct_visitors
from abtest.kit.errors import FieldError, ValidationFailedError
from abtest.ports.rollup_store import RollupStore
from abtest.services.analytics.periods import Period
from abtest.services.results.curves import MoneyByKind, Span
from abtest.services.results.population import days_of

LONGEST_DAY = MAX_GAP + 1
"""Quarters of an hour. A visitor's earlier activity is stored only this far back."""


class ShopDays:
    """UTC days that overlap a period, their money as `in_currency` shows it; None is for readers without money."""

    def __init__(self, store: RollupStore, shop_id: str, period: Period, currency: str | None) -> None:
        first, last = days_of([period.span])
        documents = store.shop_days(shop_id, date_of(first), date_of(last))
        by_date = {day.date: in_currency(day, currency or day.currency) for day in map(shop_day_of, documents)}
        self._days = {day: by_date[name] for day in range(first, last + 1) if (name := date_of(day)) in by_date}

    @property
    def all(self) -> Sequence[ShopDay]:
        """Days in order."""
        return list(self._days.values())

    def visitors(self, span: Span) -> int:
        """Return the distinct visitors of a calendar day, of at most 25 hours. Raises ValidationFailedError."""
        if span.end - span.start > LONGEST_DAY:
            fields = [FieldError("timezone", "must not have a day of more than 25 hours in the period")]
            raise ValidationFailedError("a day of the time zone is too long to count its visitors", fields=fields)
        days = [day for _, day in self._within(span)]
        return distinct_visitors(days, span.start * QUARTER_MS, span.end * QUARTER_MS)

    def orders(self, span: Span) -> MoneyByKind:
        """Return orders and money of a span, by kind and currency."""
        sums: defaultdict[tuple[str, str], Money] = defaultdict(Money)
        for midnight, day in self._within(span):
            for (quarter, kind, currency), money in day.orders.items():
                if span.start <= midnight + quarter < span.end:
                    sums[kind, currency] = sums[kind, currency].plus(money)
        return sums

    def _within(self, span: Span) -> list[tuple[int, ShopDay]]:
        """Return the days that overlap a span, each with its first quarter."""
        # The end is exclusive, so it is rounded up to whole days.
        days = range(span.start // QUARTERS_A_DAY, -(-span.end // QUARTERS_A_DAY))
        return [(day * QUARTERS_A_DAY, self._days[day]) for day in days if day in self._days]


def in_currency(day: ShopDay, currency: str) -> ShopDay:
    """Return the day with money as seen from the shop's present currency, until a roll-up counts the day again.

    Money of a former currency is foreign, as it will be when it is counted again. Segments have no foreign money.
    """
    if day.currency == currency:
        return day
    orders: defaultdict[OrderCell, Money] = defaultdict(Money)
    for cell, money in day.orders.items():
        if cell.kind in IN_CURRENCY:
            cell = cell._replace(kind=FOREIGN, currency=day.currency)
        elif cell.currency == currency:
            cell = cell._replace(kind=OWN)
        orders[cell] = orders[cell].plus(money)
    segments = {
        dimension: {value: count._replace(minor=0, paid=0) for value, count in values.items()}
        for dimension, values in day.segments.items()
    }
    return replace(day, currency=currency, orders=orders, segments=segments)


def number_of_orders(money: MoneyByKind) -> int:
    """Return the number of orders in any currency."""
    return sum(part.orders for part in money.values())


def shop_money(money: MoneyByKind) -> MoneyByKind:
    """Return money in the shop's currency, including converted money."""
    return {key: part for key, part in money.items() if key[0] in IN_CURRENCY}


def revenue_minor(money: MoneyByKind) -> int:
    """Return minor units of money in the shop's currency, including converted money."""
    return sum(part.minor for part in shop_money(money).values())
