"""SQL of the rows that count, which a question about a whole shop reads from the ledger once and keeps for its parts.

Which copy of an event counts depends on the plan: it is the first one by precedence among those received since the plan
began. So a kept row has `replaced_at`, when the copy before it was received. The row counts for what began after that
moment and up to its own; `counts_since` is that condition. Rows of no such time are dropped.

What is read often is small: rows are stored visitor by visitor, so that ids compress; places in a visitor's order stand
for event ids, which few rows have; and the sender's time is stored as its difference to ours.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abtest.adapters.warehouse.money_sql import MONEY_COLUMNS
from abtest.adapters.warehouse.sql_texts import any_of, literal, one_of
from abtest.adapters.warehouse.valid_rows_sql import (
    CLOCK,
    HAPPENED_AT,
    IS_CORRECTED,
    NARROW,
    SENDER_TS,
    WIDE,
    precedence,
)
from abtest.domain.ledger.cells import DIMENSIONS
from abtest.domain.ledger.columns import COLUMNS, ColumnType
from abtest.domain.ledger.events import REVENUE_GOAL_ID
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.reference import EXPOSED, FAILED, GIVEN_UP

HIT_TYPES = ("goal", "custom", "order")
_PLAN_TYPES = (EXPOSED, FAILED, GIVEN_UP, *HIT_TYPES, "refund")
_COHORT = "type = 'pageview'"
_HIT = one_of("type", HIT_TYPES)

# Page views name a cohort of the shop where other events name a variation of an experiment.
_EXPRESSIONS: Mapping[str, str] = {
    "visitor_id": "visitor_id",
    "type": "type",
    "name": "CASE type WHEN 'goal' THEN goal_id ELSE event_name END",
    "subject": f"CASE WHEN {_COHORT} THEN shop_id ELSE experiment_id END",
    "variation": f"CASE WHEN {_COHORT} THEN cohort ELSE variation_id END",
    "epoch": f"CASE WHEN {_COHORT} THEN holdout_config_epoch ELSE assignment_epoch END",
    "session_id": "session_id",
    "order_id": "order_id",
    **{name: name for name in (*MONEY_COLUMNS, *DIMENSIONS)},
    "happened_at": HAPPENED_AT,
    "sender_lead": f"{SENDER_TS} - {HAPPENED_AT}",
    "clock": f"CAST({CLOCK} AS BIGINT)",
}
_NO_TEXT = "CAST(NULL AS VARCHAR)"
_IN_SENDERS_ORDER = f"CASE WHEN {IS_CORRECTED} THEN 1 ELSE 0 END, {SENDER_TS}, event_id"
_INTEGERS = ("epoch", "happened_at", "sender_lead", "clock", "received_at", "replaced_at", "place", "day_place")

KEPT: Mapping[str, ColumnType] = {
    name: "integer" if name in _INTEGERS else COLUMNS.get(name, "text")
    for name in ("event_id", *_EXPRESSIONS, *WIDE, "place", "day_place", "received_at", "replaced_at", "written")
}
"""Columns of kept rows. `place` is among the visitor's rows in their sender's order, `day_place` by our clock. Only
rows that may be orders or are judged have `event_id`. `sender_lead` is the sender's time less ours, `written` the UTC
day of the row's object, `YYYY-MM-DD`. Rows without a type are not needed: they only tell when the shop's newest row was
received."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """Subject of a question: plans of one shop, and its days whose rows are those since `days_from` (Unix ms)."""

    plans: Sequence[CountingPlan]
    days_from: int | None = None

    @property
    def since(self) -> int:
        """Return the moment from which received rows are needed."""
        return max(
            0, min([*(plan.since for plan in self.plans), *([] if self.days_from is None else [self.days_from])])
        )

    @property
    def condition(self) -> str:
        """Return the condition of a row that counts for any of it."""
        conditions = []
        if self.plans:
            conditions.append(one_of("type", _PLAN_TYPES))
        if any(plan.exposure == "cohort" for plan in self.plans):
            conditions.append(f"{_COHORT} AND cohort IS NOT NULL")
        if self.days_from is not None:
            conditions.append(f"{HAPPENED_AT} >= {literal(self.days_from)}")
        return f"NOT qa_mode AND {any_of(conditions)}"

    @property
    def identified(self) -> str:
        """Return the condition of the rows whose event ids are needed: possible orders, and hits to judge."""
        goals = {goal.event_goal_id for plan in self.plans for goal in plan.goals if goal.counts_money}
        is_order = f"type = 'order' OR (type = 'goal' AND {one_of('goal_id', {*goals, REVENUE_GOAL_ID})})"
        return _HIT if self.is_judged else is_order

    @property
    def is_judged(self) -> bool:
        """Return whether hits must be read by `domain.ledger.hits`."""
        return any(goal.is_judged for plan in self.plans for goal in plan.goals)


def kept_statement(needed: Needed, *, events: str) -> str:
    """Return the statement for the kept rows, with the columns KEPT.

    `events` is a relation with a shop's rows received since `needed.since`, their copies, and the column `written`.
    """
    # The wide columns decide between copies only where filters read them.
    order = precedence((*NARROW, *WIDE) if needed.is_judged else NARROW)
    columns = {
        "event_id": f"CASE WHEN {needed.identified} THEN event_id END",
        **_EXPRESSIONS,
        **{name: f"CASE WHEN {_HIT} THEN {name} END" if needed.is_judged else _NO_TEXT for name in WIDE},
        "place": "place",
        "day_place": "day_place",
    }
    # The windows by visitor also have the effect that Athena writes the rows of each visitor together.
    return f"""
SELECT {", ".join(f"CASE WHEN is_needed THEN {text} END AS {name}" for name, text in columns.items())},
    received_at, replaced_at, written
FROM (
    SELECT *, row_number() OVER (PARTITION BY visitor_id ORDER BY {_IN_SENDERS_ORDER}) AS place,
        row_number() OVER (PARTITION BY visitor_id ORDER BY {HAPPENED_AT}, event_id) AS day_place
    FROM (
        SELECT *, {needed.condition} AS is_needed,
            lag(received_at) OVER (PARTITION BY event_id ORDER BY {order}) AS replaced_at
        FROM {events}
    ) AS ordered
    WHERE replaced_at IS NULL OR replaced_at < received_at
) AS placed"""  # noqa: S608 - columns and escaped literals alone


def counts_since(moment: str) -> str:
    """Return the condition that a kept row counts for what began at a moment, an expression."""
    return f"happened_at >= {moment} AND (replaced_at IS NULL OR replaced_at < {moment})"
