"""What one row of the ledger says by itself: when it happened, its money, and which of several copies stands."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from abtest.domain.ledger.events import Row

OWN, CONVERTED, FOREIGN, UNKNOWN_MONEY = "own", "converted", "foreign", "unknown"

IN_CURRENCY = (OWN, CONVERTED)
"""Kinds of money that sums have: it is in the currency that is asked for."""

LEFT_OUT = (FOREIGN, UNKNOWN_MONEY)
"""Kinds of money that sums leave out, and that are told apart."""

PRECEDENCE: tuple[tuple[str, Any], ...] = (
    ("received_at", 0),
    ("ts", 0),
    ("type", ""),
    ("visitor_id", ""),
    ("experiment_id", ""),
    ("variation_id", ""),
    ("assignment_epoch", 0),
    ("goal_id", ""),
    ("event_name", ""),
    ("order_id", ""),
    ("revenue_minor", -1),
    ("currency", ""),
    ("shop_revenue_minor", -1),
    ("shop_currency", ""),
    ("cohort", ""),
    ("holdout_config_epoch", 0),
    ("qa_mode", False),
    ("session_id", ""),
    ("device", ""),
    ("country", ""),
    ("visitor_kind", ""),
    ("source", ""),
    ("data", ""),
    ("url", ""),
)
"""Of copies the first in this order stands: columns, each with what null compares as; texts by code point.

Data and address come last: only judges look at them, so an engine that counts need not read these wide columns.
"""


class HitMoney(NamedTuple):
    """A hit's money: `kind` `own` and `converted` are minor units of the plan's currency, `foreign` of its own,
    `unknown` hundredths. `currency` is what the sender named, empty when unknown."""

    kind: str
    currency: str
    minor: int

    @property
    def is_known(self) -> bool:
        """Whether it is money in the plan's currency."""
        return self.kind in IN_CURRENCY


def happened_at(row: Row) -> int:
    """When the event happened: nothing happens after it was received."""
    return min(row["ts"], row["received_at"])


def without_copies(rows: Iterable[Row]) -> list[Row]:
    """Of rows with the same event id, all of one shop, the one that `PRECEDENCE` puts first."""
    kept: dict[str, Row] = {}
    for row in rows:
        present = kept.setdefault(row["event_id"], row)
        if present is not row and _precedes(row, present):
            kept[row["event_id"]] = row
    return list(kept.values())


def money_of(row: Row, currency: str) -> HitMoney:
    """The row's money as a plan in `currency` sees it; a row without an amount has 0 of an unknown currency."""
    minor, named = row["revenue_minor"], row["currency"]
    if minor is not None and named == currency:
        return HitMoney(OWN, currency, minor)
    shop_minor = row.get("shop_revenue_minor")
    if shop_minor is not None and row.get("shop_currency") == currency:
        return HitMoney(CONVERTED, named or "", shop_minor)
    if minor is not None and named is not None:
        return HitMoney(FOREIGN, named, minor)
    return HitMoney(UNKNOWN_MONEY, "", minor or 0)


def in_time(row: Row) -> tuple[int, str]:
    """What "first" means of events: by time, then by event id."""
    return happened_at(row), row["event_id"]


def _precedes(row: Row, other: Row) -> bool:
    left: Callable[[str], Any] = row.get
    right: Callable[[str], Any] = other.get
    for column, null in PRECEDENCE:
        mine, theirs = (null if found is None else found for found in (left(column), right(column)))
        if mine != theirs:
            return bool(mine < theirs)
    return False
