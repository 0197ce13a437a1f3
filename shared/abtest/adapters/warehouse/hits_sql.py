"""SQL of hits for one plan: the events that may count for its goals, before they are attributed to exposures.

The result must equal `domain.ledger.reference`. Few orders are repeated or in another currency, so these are selected
first: numbering all orders, and summing all hits by currency, would take a tenth of the whole statement.
"""

from abtest.adapters.warehouse import exposures_sql
from abtest.adapters.warehouse import kinds_sql as kinds
from abtest.adapters.warehouse.money_sql import IS_KNOWN, MONEY_COLUMNS, Money
from abtest.adapters.warehouse.sql_texts import AMOUNT, Table, constants, literal, one_of
from abtest.adapters.warehouse.valid_rows_sql import HAPPENED_AT, ValidRows
from abtest.domain.ledger.events import REVENUE_GOAL_ID
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.rows import OWN

EXCLUDED = f"(SELECT * FROM paid_hits WHERE money_kind <> '{OWN}')"  # noqa: S608 - constants alone
"""Relation of the hits whose money the sums exclude, or list apart."""

_MOMENTS = "happened_at, sender_ts, clock"
_SIGNALLED = ("type", "goal_id AS named_id", "event_name", "event_id", "visitor_id", *exposures_sql.MOMENTS)
_SIGNAL = "CASE type WHEN 'goal' THEN named_id WHEN 'custom' THEN event_name ELSE '' END"
_TO_SIGNALS = f"JOIN signals ON signal_type = type AND signal_name = {_SIGNAL}"


def tables(plan: CountingPlan, valid: ValidRows, *, looks_back: bool) -> list[Table]:
    """Return tables of possible hits; of repeated orders the first, less its refunds.

    With `looks_back`, hits have `minor_before`, their worth if they happened before the exposure.
    """
    return [
        ("signals", _signals(plan)),
        ("refunds", _refunds(plan, valid)),
        ("repeated", _repeated(plan, valid)),
        ("paid_hits", _paid_hits(plan, valid, looks_back=looks_back)),
        ("hits", f"{_plain_hits(plan, valid, looks_back=looks_back)}\nUNION ALL\nSELECT * FROM paid_hits"),
    ]


def _signals(plan: CountingPlan) -> str:
    """Return the table of events that are hits of a goal: type, goal id or event name, and the goal."""
    signals: set[tuple[str, str, str]] = set()
    for goal in plan.goals:
        signals.add(("goal", goal.event_goal_id, goal.goal_id))
        if goal.counts_money:
            signals |= {("goal", REVENUE_GOAL_ID, goal.goal_id), ("order", "", goal.goal_id)}
        elif goal.type == "custom" and goal.event_name is not None:
            signals.add(("custom", goal.event_name, goal.goal_id))
    return constants(("signal_type", "signal_name", "goal_id"), sorted(signals) or [("", "", "")])


def _refunds(plan: CountingPlan, valid: ValidRows) -> str:
    """Return the refunds of each order since the measurement began, and before it."""
    money, columns = Money(plan.currency), ("order_id", f"{HAPPENED_AT} AS happened_at", *MONEY_COLUMNS)
    is_since = f"happened_at >= {literal(plan.begins_at)}"
    return f"""
SELECT order_id AS refunded_id, sum(CASE WHEN {money.is_known} AND {is_since} THEN {money.minor} END) AS refunded,
    sum(CASE WHEN {money.is_known} AND NOT {is_since} THEN {money.minor} END) AS refunded_before
FROM ({valid.rows(columns, kinds.refund(plan))}
) AS named
GROUP BY order_id"""  # noqa: S608 - columns and escaped literals alone


def _repeated(plan: CountingPlan, valid: ValidRows) -> str:
    """Return the ids of orders that several events have."""
    return f"""
SELECT order_id AS repeated_id
FROM ({valid.rows(("order_id",), *kinds.orders(plan))}
) AS named
WHERE order_id <> ''
GROUP BY order_id HAVING count(*) > 1"""  # noqa: S608 - columns and escaped literals alone


def _plain_hits(plan: CountingPlan, valid: ValidRows, *, looks_back: bool) -> str:
    before = f", CAST(1 AS {AMOUNT}) AS minor_before" if looks_back else ""
    return f"""
SELECT goal_id, event_id, visitor_id, {_MOMENTS}, '{OWN}' AS money_kind, CAST(1 AS {AMOUNT}) AS minor{before},
    '' AS money_currency, is_copy
FROM ({valid.rows(_SIGNALLED, kinds.plain_hits(plan))}
) AS source {_TO_SIGNALS}"""  # noqa: S608 - columns and escaped literals alone


def _paid_hits(plan: CountingPlan, valid: ValidRows, *, looks_back: bool) -> str:
    money = Money(plan.currency)
    paid = (f"{money.kind} AS money_kind", f"{money.minor} AS minor", f"{money.named} AS money_currency")
    source = valid.rows((*_SIGNALLED, "order_id", *paid), *kinds.orders(plan))
    columns = f"goal_id, event_id, visitor_id, {_MOMENTS}, order_id, money_kind, minor, money_currency, is_copy"
    before = f", {_net('refunded_before')} AS minor_before" if looks_back else ""
    # Orders of ratios without money count in every currency.
    unpriced = [goal.goal_id for goal in plan.goals if goal.counts_money and not goal.needs_money]
    kind, currency = "money_kind", "money_currency"
    if unpriced:
        kind = f"CASE WHEN {one_of('goal_id', unpriced)} THEN '{OWN}' ELSE money_kind END AS money_kind"
        currency = f"CASE WHEN {one_of('goal_id', unpriced)} THEN '' ELSE money_currency END AS money_currency"
    return f"""
SELECT goal_id, event_id, visitor_id, {_MOMENTS}, {kind}, {_net("refunded")} AS minor{before}, {currency}, is_copy
FROM (
    SELECT {columns}
    FROM ({source}
    ) AS source {_TO_SIGNALS}
    LEFT JOIN repeated ON repeated_id = order_id
    WHERE repeated_id IS NULL
    UNION ALL
    SELECT {columns}
    FROM (
        SELECT {columns},
            row_number() OVER (PARTITION BY goal_id, order_id ORDER BY {exposures_sql.IN_SENDERS_ORDER}) AS place
        FROM ({source}
        ) AS source {_TO_SIGNALS}
        JOIN repeated ON repeated_id = order_id
    ) AS ordered
    WHERE place = 1
) AS first_ones
LEFT JOIN refunds ON refunded_id = order_id"""  # noqa: S608 - columns and escaped literals alone


def _net(refunded: str) -> str:
    """Return the expression for the rest of an order after its refunds."""
    return (
        f"CASE WHEN NOT {IS_KNOWN} OR {refunded} IS NULL THEN minor"
        f" WHEN {refunded} >= minor THEN CAST(0 AS {AMOUNT}) ELSE CAST(minor - {refunded} AS {AMOUNT}) END"
    )
