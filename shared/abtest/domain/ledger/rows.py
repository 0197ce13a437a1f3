"""Rules of single rows of the ledger: the time of the event, its money, and the precedence of copies."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from abtest.domain.ledger.events import SENDERS, Row, Sender, clock_error

OWN, CONVERTED, FOREIGN, UNKNOWN_MONEY = "own", "converted", "foreign", "unknown"

# Kinds of money in sums: it is in the currency of the plan.
IN_CURRENCY = (OWN, CONVERTED)

# Kinds of money outside sums, counted apart.
LEFT_OUT = (FOREIGN, UNKNOWN_MONEY)

PRECEDENCE: tuple[tuple[str, Any], ...] = (
    ("received_at", 0),
    ("ts", 0),
    ("sent_at", 0),
    ("type", ""),
    ("visitor_id", ""),
    ("experiment_id", ""),
    ("variation_id", ""),
    ("assignment_epoch", 0),
    ("goal_id", ""),
    ("event_name", ""),
    ("order_id", ""),
    # Null must differ from an amount of 0, or two different copies would compare as equal.
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
    ("sender", ""),
    ("data", ""),
    ("url", ""),
)
"""Order of copies; the first copy counts. Columns, each with the value that null compares as; texts by code point.

Data and address come last: only filters read them, so an engine that counts need not read these wide columns.
"""


class HitMoney(NamedTuple):
    """A hit's money: `kind` `own` and `converted` are minor units of the plan's currency, `foreign` of its own,
    `unknown` hundredths. `currency` is the one that the sender named, empty when unknown."""

    kind: str
    currency: str
    minor: int

    @property
    def is_known(self) -> bool:
        """Return whether it is money in the plan's currency."""
        return self.kind in IN_CURRENCY


def happened_at(row: Row) -> int:
    """Return the time of the event in Unix milliseconds, which is never after its receipt."""
    return min(row["ts"], row["received_at"])


Signal = tuple[str, str | None]
"""What selects rows: the type, and the name that a plan knows such rows by."""

NAMED_BY = {
    "goal": "goal_id",
    "custom": "event_name",
    "experiment_viewed": "experiment_id",
    "sdk_error": "experiment_id",
    "sdk_perf": "experiment_id",
    "pageview": "cohort",
}
"""Columns with the names in signals, by type."""


def signal_of(row: Row) -> Signal:
    """Return the row's type with the goal, custom event, experiment or cohort that it names; None for other types."""
    column = NAMED_BY.get(row["type"])
    columns: Mapping[str, Any] = row
    return row["type"], columns[column] if column else None


class SenderClock(NamedTuple):
    """Kind of clock of a sender. Only times of one kind compare with each other."""

    sender: Sender
    is_corrected: bool


class SenderTime(NamedTuple):
    """Time of an event by its sender's clock, which no delay of a request can change.

    Of older releases it is not known who sent a row: then the clock is a browser's, as most are, but not `is_known`.
    """

    clock: SenderClock
    is_known: bool
    ts: int


_CLOCKS = {
    (sender, is_corrected): SenderClock(sender, is_corrected) for sender in SENDERS for is_corrected in (False, True)
}


def sender_time(row: Row) -> SenderTime:
    """Return the time that the sender gave."""
    error = clock_error(row["received_at"], row["sent_at"])
    clock = _CLOCKS["server" if row["sender"] == "server" else "browser", error != 0]
    return SenderTime(clock, row["sender"] in SENDERS, row["ts"] - error)


def precedence(row: Row) -> tuple[Any, ...]:
    """Return the sort key of `PRECEDENCE`."""
    columns: Mapping[str, Any] = row
    return tuple(null if (value := columns.get(column)) is None else value for column, null in PRECEDENCE)


def money_of(row: Row, currency: str) -> HitMoney:
    """Return the row's money for a plan in `currency`; a row without an amount has 0 of an unknown currency."""
    minor, named = row["revenue_minor"], row["currency"]
    if minor is not None and named == currency:
        return HitMoney(OWN, currency, minor)
    shop_minor = row.get("shop_revenue_minor")
    if shop_minor is not None and row.get("shop_currency") == currency:
        return HitMoney(CONVERTED, named or "", shop_minor)
    if minor is not None and named is not None:
        return HitMoney(FOREIGN, named, minor)
    return HitMoney(UNKNOWN_MONEY, "", minor or 0)
