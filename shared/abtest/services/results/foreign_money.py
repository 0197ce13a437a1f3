"""Money that is not simply the shop's own, as rows of results and analytics tell it: the six fields of ForeignMoney."""

from collections.abc import Mapping
from typing import TypedDict

from abtest.domain.ledger.cells import Money
from abtest.kit.money import CURRENCIES, exponent, to_major

_UNKNOWN_DIGITS = 2
"""Money of an unknown currency counts hundredths."""


class ForeignFields(TypedDict):
    """The fields, major units; see the contract."""

    foreign_revenue_buckets: list[str] | None
    converted_revenue: float | None
    excluded_foreign_revenue: float | None
    unconverted_revenue: float | None
    unknown_currency_orders: float | None
    unknown_currency_revenue: float | None


NOT_TOLD = ForeignFields(
    foreign_revenue_buckets=None,
    converted_revenue=None,
    excluded_foreign_revenue=None,
    unconverted_revenue=None,
    unknown_currency_orders=None,
    unknown_currency_revenue=None,
)


def foreign_fields(money: Mapping[tuple[str, str], Money] | None, currency: str) -> ForeignFields:
    """The fields, from money by kind and currency; `currency` is the shop's, in which `converted` money is."""
    if not money:
        return NOT_TOLD
    foreign = {named: found for (kind, named), found in sorted(money.items()) if kind == "foreign" and found.orders}
    unknown = _sum(money, "unknown")
    converted = _sum(money, "converted")
    excluded = _major(*next(iter(foreign.items()))) if len(foreign) == 1 else None
    unknown_revenue = unknown.minor / 10**_UNKNOWN_DIGITS if unknown.orders else None
    return ForeignFields(
        foreign_revenue_buckets=[_bucket(named, found) for named, found in foreign.items()] or None,
        converted_revenue=to_major(converted.minor, currency) if converted.orders else None,
        excluded_foreign_revenue=excluded,
        unconverted_revenue=_one_unit(len(foreign), excluded, unknown_revenue),
        unknown_currency_orders=unknown.orders or None,
        unknown_currency_revenue=unknown_revenue,
    )


def _one_unit(currencies: int, excluded: float | None, unknown: float | None) -> float | None:
    """All that was left out: a sum only where it is in one unit, and an unknown one is a unit of its own."""
    if unknown is None:
        return excluded
    return None if currencies else unknown


def face_value(kind: str, currency: str, money: Money) -> float:
    """Major units of money that is left out, as it was told."""
    return money.minor / 10**_UNKNOWN_DIGITS if kind == "unknown" else _major(currency, money)


def _sum(money: Mapping[tuple[str, str], Money], kind: str) -> Money:
    found = [part for (named, _), part in money.items() if named == kind]
    return Money(sum(part.orders for part in found), sum(part.minor for part in found))


def _major(currency: str, money: Money) -> float:
    return float(money.minor / 10 ** _digits(currency))


def _bucket(currency: str, money: Money) -> str:
    digits = _digits(currency)
    return f"{currency}:{_major(currency, money):.{digits}f}"


def _digits(currency: str) -> int:
    return exponent(currency) if currency in CURRENCIES else _UNKNOWN_DIGITS
