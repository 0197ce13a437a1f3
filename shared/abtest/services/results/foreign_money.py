"""Money in other currencies than the shop's, as rows of results and analytics show it: the fields of ForeignMoney."""

from collections.abc import Mapping
from typing import TypedDict

from abtest.domain.ledger.cells import Money
from abtest.kit.money import CURRENCIES, exponent, to_major

_UNKNOWN_DIGITS = 2
"""Money of an unknown currency counts hundredths."""


class ForeignFields(TypedDict):
    """The fields, in major units; see the contract."""

    foreign_revenue_buckets: list[str] | None
    converted_revenue: float | None
    excluded_foreign_revenue: float | None
    unconverted_revenue: float | None
    unknown_currency_orders: float | None
    unknown_currency_revenue: float | None


NONE = ForeignFields(
    foreign_revenue_buckets=None,
    converted_revenue=None,
    excluded_foreign_revenue=None,
    unconverted_revenue=None,
    unknown_currency_orders=None,
    unknown_currency_revenue=None,
)


def foreign_fields(money: Mapping[tuple[str, str], Money] | None, currency: str) -> ForeignFields:
    """Return the fields, from money by kind and currency. `converted` money is in `currency`, the shop's."""
    if not money:
        return NONE
    foreign = {code: part for (kind, code), part in sorted(money.items()) if kind == "foreign" and part.orders}
    unknown, converted = _sum(money, "unknown"), _sum(money, "converted")
    excluded = None
    if len(foreign) == 1:
        ((code, part),) = foreign.items()
        excluded = face_value("foreign", code, part)
    unknown_revenue = face_value("unknown", "", unknown) if unknown.orders else None
    # Money that is left out has a sum only in one unit. An unknown currency is a unit of its own.
    unconverted = excluded if unknown_revenue is None else None if foreign else unknown_revenue
    return ForeignFields(
        foreign_revenue_buckets=[
            f"{code}:{face_value('foreign', code, part):.{_digits(code)}f}" for code, part in foreign.items()
        ]
        or None,
        converted_revenue=to_major(converted.minor, currency) if converted.orders else None,
        excluded_foreign_revenue=excluded,
        unconverted_revenue=unconverted,
        unknown_currency_orders=unknown.orders or None,
        unknown_currency_revenue=unknown_revenue,
    )


def face_value(kind: str, currency: str, money: Money) -> float:
    """Return major units of money that is left out, in the currency it was sent in."""
    digits = _UNKNOWN_DIGITS if kind == "unknown" else _digits(currency)
    return float(money.minor / 10**digits)


def _sum(money: Mapping[tuple[str, str], Money], kind: str) -> Money:
    parts = [part for (name, _), part in money.items() if name == kind]
    return Money(sum(part.orders for part in parts), sum(part.minor for part in parts))


def _digits(currency: str) -> int:
    return exponent(currency) if currency in CURRENCIES else _UNKNOWN_DIGITS
