"""The catalogue of events: types, limits, the reasons for quarantine, and the row that the ledger keeps."""

import re
from typing import Literal, TypedDict, get_args

EVENT_TYPES = frozenset(
    {
        "pageview",
        "experiment_viewed",
        "goal",
        "custom",
        "order",
        "refund",
        "identify",
        "consent",
        "sdk_error",
        "sdk_perf",
        "edge_perf",
    }
)

# The reserved goal id of revenue without a goal of its own.
REVENUE_GOAL_ID = "__revenue__"


# The event name of an exposure that a server sent without `is_sticky`: new weights may move its visitor.
WITHOUT_STICKY = "without_sticky"

# The event name of an `sdk_error` that only warns: selectors of the variation have matched nothing on a page.
SELECTOR_MISSING = "selector_missing"

# Characters that queues (XML only) or databases cannot hold, besides NUL: lone surrogates and non-characters.
UNSTORABLE = "\ud800-\udfff\ufffe\uffff"
_UNSTORABLE = re.compile(f"[\0{UNSTORABLE}]")


def is_storable(text: str) -> bool:
    """Return whether the ledger can hold a text; events with any other are set aside as `invalid_text`."""
    return _UNSTORABLE.search(text) is None


def goal_claim(goal_id: str) -> str:
    """Return the unique name that a shop claims in the catalog for each of its goals, and never releases."""
    return f"GOAL#{goal_id}"


MAX_EVENTS = 200
MAX_BODY_BYTES = 1024 * 1024
MAX_DATA_BYTES = 32 * 1024
# Far below the limit of every reader of the ledger: the roll-up must be able to read all that the edge accepts.
MAX_DATA_DEPTH = 64
MAX_ID_CHARS = 256
MAX_URL_CHARS = 4096
MAX_SAMPLE_CHARS = 2048
# More than any order is worth in any currency; sums over a ledger stay far below the largest integers of engines.
MAX_MONEY_MINOR = 10**12

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
MAX_AHEAD_MS = DAY_MS
MAX_AGE_MS = 7 * DAY_MS

# A sender's clock is corrected only where it is wrong beyond doubt. Nothing arrives before it was sent, so a clock that
# is ahead shows it; one that is behind looks like a request that was under way for as long.
SKEW_AHEAD_MS = 60_000
SKEW_BEHIND_MS = 15 * 60_000
MAX_SKEW_MS = 366 * DAY_MS


def clock_error(received_at: int, sent_at: int | None) -> int:
    """Return the milliseconds to add to a sender's times: 0 unless its clock is wrong beyond doubt.

    `sent_at` is by the sender's clock, `received_at` by ours. Larger errors than a year are not corrected.
    """
    if sent_at is None:
        return 0
    skew = received_at - sent_at
    is_wrong = skew < -SKEW_AHEAD_MS or skew > SKEW_BEHIND_MS
    return skew if is_wrong and abs(skew) <= MAX_SKEW_MS else 0


Reason = Literal[
    "not_an_object",
    "unknown_type",
    "foreign_shop",
    "missing_visitor_id",
    "missing_ts",
    "ts_in_future",
    "ts_too_old",
    "data_too_large",
    "data_too_deep",
    "invalid_text",
    "invalid_field",
    "invalid_revenue",
    "missing_experiment_id",
    "missing_variation_id",
    "missing_goal_id",
    "missing_event_name",
    "missing_revenue",
    "duplicate_key",
    "invalid_number",
    "unknown_goal",
    "unreadable_row",
]
"""Reasons to set an event aside: `unknown_goal` by the ingest worker, `unreadable_row` by compaction, all others at
the edge."""


Device = Literal["desktop", "mobile", "tablet"]
VisitorKind = Literal["new", "returning"]
Source = Literal["direct", "search", "social", "email", "paid", "referral", "internal"]
Cohort = Literal["holdout", "active"]
Sender = Literal["browser", "server"]
SENDERS = frozenset(get_args(Sender))


class Row(TypedDict):
    """One line of the ledger. Times are Unix milliseconds, `revenue_minor` counts the currency's minor unit.

    Money of an unknown currency has `currency` null and counts hundredths. `shop_revenue_minor` is the same money in
    `shop_currency`, where the sender named both. `country` is two capital letters. `sender` is null in rows of older
    releases.
    """

    event_id: str
    shop_id: str
    type: str
    visitor_id: str
    session_id: str | None
    ts: int
    received_at: int
    sent_at: int | None
    experiment_id: str | None
    variation_id: str | None
    assignment_epoch: int | None
    goal_id: str | None
    event_name: str | None
    order_id: str | None
    revenue_minor: int | None
    currency: str | None
    shop_revenue_minor: int | None
    shop_currency: str | None
    cohort: Cohort | None
    holdout_config_epoch: int | None
    device: Device | None
    country: str | None
    visitor_kind: VisitorKind | None
    source: Source | None
    sender: Sender | None
    url: str | None
    qa_mode: bool
    data: str
