"""SQL of a shop's day, for DuckDB and Athena, and the conversion of its result.

It reads the relation `events` as `counts_sql` does. The result must equal `domain.ledger.shop_days.shop_day`.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from abtest.adapters.warehouse.kinds_sql import IS_ORDER
from abtest.adapters.warehouse.money_sql import IS_KNOWN, MONEY_COLUMNS, Money
from abtest.adapters.warehouse.sql_texts import AMOUNT, Table, constants, literal, one_of, whole, with_tables
from abtest.adapters.warehouse.valid_rows_sql import HAPPENED_AT, Suspects, ValidRows
from abtest.domain.ledger import cells
from abtest.domain.ledger.cells import DIMENSIONS, QUARTER_MS, UNKNOWN
from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY, day_of
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.shop_days import (
    MAX_GAP,
    PASSIVE,
    SEEN,
    STEP_EVENTS,
    STEPS,
    STITCH_MS,
    Activity,
    OrderCell,
    SegmentCount,
    ShopDay,
    Stitch,
)

ACTIVITY, ORDERS, EVENTS, STEP, SEGMENTS, STITCHED = "activity", "orders", "events", "steps", "segments", "stitch"
REPEATED = "repeated"
"""Parts of the result."""

PLACE_CHARS = 12
STEP_OF_NAME = " ".join(f"WHEN '{name}' THEN {step}" for name, step in STEP_EVENTS.items())


class _Line(NamedTuple):
    """Row of the result."""

    part: str
    name: str
    value: str
    quarter: int
    gap: int
    visitors: int
    orders: int
    minor: int


def shop_day_query(
    shop_id: str, date: str, currency: str, *, events: str = "events", suspects: Suspects | None = None
) -> str:
    """Return the statement; `date` is `YYYY-MM-DD` (UTC), `suspects` are of the rows received since `rows_from`."""
    starts = day_of(date) * DAY_MS
    before_end = f"(ts < {literal(starts + DAY_MS)} OR received_at < {literal(starts + DAY_MS)})"
    order = f"{IS_ORDER} AND {before_end}"
    refund = "type = 'refund' AND order_id <> ''"
    with_id = "type = 'order' AND order_id <> ''"
    valid = ValidRows(
        events=events, shop_id=shop_id, since=rows_from(date), kinds=(before_end, refund, with_id), suspects=suspects
    )
    tables = [
        *valid.tables(),
        ("refunds", _refunds(valid, refund, currency)),
        ("orders", _orders(valid, order, starts, currency)),
        ("happened", _happened(valid, f"{_since(starts)} AND {before_end}")),
        *_visitors(),
    ]
    visited = f"NOT ({one_of('type', PASSIVE)}) AND {_since(starts - MAX_GAP * QUARTER_MS)} AND {before_end}"
    seen = f"{one_of('type', SEEN)} AND {before_end}"
    return with_tables(
        tables,
        "\nUNION ALL\n".join(
            [
                _COUNTED.strip(),
                _activity(valid, visited, starts),
                *_PARTS,
                _stitch(valid, seen),
                _repeated(valid, with_id, starts),
            ]
        ),
    )


def rows_from(date: str) -> int:
    """Return the moment (Unix ms) from which received rows matter to the day."""
    return day_of(date) * DAY_MS - STITCH_MS


def shop_day_of(shop_id: str, date: str, currency: str, rows: Iterable[Sequence[Any]]) -> ShopDay:
    """Return the day from rows of the result, whose numbers may be texts or decimals."""
    lines: defaultdict[str, list[_Line]] = defaultdict(list)
    for part, name, value, *numbers in rows:
        lines[part].append(_Line(part, name, value, *(int(number) for number in numbers)))
    segments: dict[str, dict[str, SegmentCount]] = {dimension: {} for dimension in DIMENSIONS}
    for line in lines[SEGMENTS]:
        segments[line.name][line.value] = SegmentCount(line.visitors, line.orders, line.minor, line.gap)
    return ShopDay(
        shop_id=shop_id,
        date=date,
        currency=currency,
        activity={Activity(line.quarter, line.gap): line.visitors for line in lines[ACTIVITY]},
        orders={
            OrderCell(line.quarter, line.name, line.value): cells.Money(line.orders, line.minor)
            for line in lines[ORDERS]
        },
        repeated_orders=sum(line.orders for line in lines[REPEATED]),
        events={line.name: line.visitors for line in lines[EVENTS]},
        steps={name: sum(line.visitors for line in lines[STEP] if line.gap >= step) for step, name in enumerate(STEPS)},
        segments=segments,
        stitch=Stitch(sum(line.orders for line in lines[STITCHED]), sum(line.visitors for line in lines[STITCHED])),
    )


def _refunds(valid: ValidRows, refund: str, currency: str) -> str:
    money = Money(currency)
    return f"""
SELECT order_id AS refunded_id, sum(CASE WHEN {money.is_known} THEN {money.minor} END) AS refunded
FROM ({valid.rows(("order_id", *MONEY_COLUMNS), refund)}
) AS named
GROUP BY order_id"""  # noqa: S608 - columns and escaped literals alone


def _orders(valid: ValidRows, order: str, starts: int, currency: str) -> str:
    """Return the day's orders, each once, with their money less refunds."""
    money = Money(currency)
    columns = ("event_id", "visitor_id", "order_id", f"{HAPPENED_AT} AS happened_at")
    paid = (f"{money.kind} AS money_kind", f"{money.minor} AS minor", f"{money.named} AS money_currency")
    return f"""
SELECT event_id, visitor_id, happened_at, {_quarter(starts)} AS quarter_of_day, money_kind, money_currency,
    CASE WHEN NOT {IS_KNOWN} OR refunded IS NULL THEN minor
        WHEN refunded >= minor THEN CAST(0 AS {AMOUNT}) ELSE CAST(minor - refunded AS {AMOUNT}) END AS minor
FROM (
    SELECT *, row_number() OVER (
        PARTITION BY coalesce(nullif(order_id, ''), event_id), CASE WHEN order_id <> '' THEN 'order' ELSE 'event' END
        ORDER BY happened_at, event_id
    ) AS place
    FROM ({valid.rows((*columns, *paid), order)}
    ) AS source
) AS ordered
LEFT JOIN refunds ON refunded_id = order_id
WHERE place = 1 AND happened_at >= {literal(starts)}"""  # noqa: S608 - columns and escaped literals alone


def _since(moment: int) -> str:
    """Return the condition that a row happened at or after a moment."""
    # Each column by itself, because engines skip row groups by bounds of columns, not of expressions.
    return f"ts >= {literal(moment)} AND received_at >= {literal(moment)}"


def _happened(valid: ValidRows, of_the_day: str) -> str:
    """Return the events of the day; `is_active` is false for those that do not belong to a visit."""
    columns = ("event_id", "visitor_id", "type", "event_name", f"{HAPPENED_AT} AS happened_at", *DIMENSIONS)
    dimensions = ", ".join(f"coalesce(nullif({name}, ''), '{UNKNOWN}') AS {name}" for name in DIMENSIONS)
    return f"""
SELECT event_id, visitor_id, type, happened_at, {dimensions}, NOT ({one_of("type", PASSIVE)}) AS is_active,
    CASE WHEN type = 'custom' THEN CASE event_name {STEP_OF_NAME} ELSE 0 END ELSE 0 END AS step
FROM ({valid.rows(columns, of_the_day)}
) AS source"""  # noqa: S608 - columns and escaped literals alone


def _activity(valid: ValidRows, visited: str, starts: int) -> str:
    """Return the quarters in which visitors were active, by the gap since their activity before."""
    return f"""
SELECT '{ACTIVITY}', '', '', quarter_of_day, gap, count(*), 0, CAST(0 AS {AMOUNT})
FROM (
    SELECT quarter_of_day, CASE WHEN quarter_of_day - before <= {MAX_GAP} THEN quarter_of_day - before ELSE 0 END AS gap
    FROM (
        SELECT quarter_of_day, lag(quarter_of_day) OVER (PARTITION BY visitor_id ORDER BY quarter_of_day) AS before
        FROM (
            SELECT DISTINCT visitor_id, {_quarter(starts)} AS quarter_of_day
            FROM ({valid.rows(("visitor_id", f"{HAPPENED_AT} AS happened_at"), visited)}
            ) AS source
        ) AS visited
    ) AS stepped
    WHERE quarter_of_day >= 0 AND quarter_of_day < {QUARTERS_A_DAY}
) AS gaps
GROUP BY quarter_of_day, gap"""  # noqa: S608 - columns and escaped literals alone


def _stitch(valid: ValidRows, seen: str) -> str:
    """Return the number of orders, and of those whose visitor was seen in the week before."""
    return f"""
SELECT '{STITCHED}', '', '', 0, 0, count(DISTINCT seen_order), count(DISTINCT event_id), CAST(0 AS {AMOUNT})
FROM (
    SELECT orders.event_id,
        CASE WHEN seen.happened_at >= orders.happened_at - {STITCH_MS}
            AND seen.happened_at <= orders.happened_at THEN orders.event_id END AS seen_order
    FROM orders
    LEFT JOIN ({valid.rows(("visitor_id", f"{HAPPENED_AT} AS happened_at"), seen)}
    ) AS seen ON seen.visitor_id = orders.visitor_id
) AS looked"""  # noqa: S608 - columns and escaped literals alone


def _repeated(valid: ValidRows, with_id: str, starts: int) -> str:
    """Return the number of order ids with several events, the first of them on the day."""
    return f"""
SELECT '{REPEATED}', '', '', 0, 0, 0, count(*), CAST(0 AS {AMOUNT})
FROM (
    SELECT order_id
    FROM ({valid.rows(("order_id", f"{HAPPENED_AT} AS happened_at"), with_id)}
    ) AS source
    GROUP BY order_id
    HAVING count(*) > 1 AND min(happened_at) >= {literal(starts)} AND min(happened_at) < {literal(starts + DAY_MS)}
) AS repeated"""  # noqa: S608 - columns and escaped literals alone


def _quarter(starts: int) -> str:
    """Quarters of an hour since the day began; negative before."""
    return f"{whole('happened_at', QUARTER_MS)} - {literal(starts // QUARTER_MS)}"


def _visitors() -> list[Table]:
    """Return tables of the day's visitors: their last step, their orders, and their first known dimensions.

    Rows are numbered by time once. The first known value is the lowest text of number and value.
    """
    first = ", ".join(
        f"coalesce(substr(min(CASE WHEN {name} <> '{UNKNOWN}' THEN place || {name} END), {PLACE_CHARS + 1}),"
        f" '{UNKNOWN}') AS {name}"
        for name in DIMENSIONS
    )
    visitors = f"""
SELECT visitor_id, max(step) AS step, {first}
FROM (
    SELECT visitor_id, step, {", ".join(DIMENSIONS)}, lpad(CAST(row_number() OVER (
        PARTITION BY visitor_id ORDER BY happened_at, event_id
    ) AS VARCHAR), {PLACE_CHARS}, '0') AS place
    FROM happened WHERE is_active
) AS placed
GROUP BY visitor_id"""  # noqa: S608 - constants alone
    return [("visitors", visitors), ("buyers", _BUYERS), ("dimensions", constants(("dimension",), zip(DIMENSIONS)))]


_BUYERS = f"""
SELECT visitor_id, count(*) AS orders, sum(CASE WHEN {IS_KNOWN} THEN minor ELSE CAST(0 AS {AMOUNT}) END) AS minor,
    sum(CASE WHEN {IS_KNOWN} THEN 1 ELSE 0 END) AS paid
FROM orders
GROUP BY visitor_id"""  # noqa: S608 - constants alone

_OF_DIMENSION = "CASE dimension " + " ".join(f"WHEN '{name}' THEN {name}" for name in DIMENSIONS) + " END"

_COUNTED = f"""
SELECT '{EVENTS}', type, '', 0, 0, count(*), 0, CAST(0 AS {AMOUNT})
FROM happened GROUP BY type"""  # noqa: S608 - constants alone

_PARTS = [
    f"""
SELECT '{ORDERS}', money_kind, money_currency, quarter_of_day, 0, 0, count(*), sum(minor)
FROM orders GROUP BY money_kind, money_currency, quarter_of_day""",  # noqa: S608 - constants alone
    f"""
SELECT '{STEP}', '', '', 0, CASE WHEN buyers.visitor_id IS NULL THEN step ELSE {len(STEPS) - 1} END, count(*), 0,
    CAST(0 AS {AMOUNT})
FROM visitors LEFT JOIN buyers ON buyers.visitor_id = visitors.visitor_id
GROUP BY 5""",  # noqa: S608 - constants alone
    f"""
SELECT '{SEGMENTS}', dimension, {_OF_DIMENSION}, 0, coalesce(sum(paid), 0), count(*), coalesce(sum(orders), 0),
    coalesce(sum(minor), CAST(0 AS {AMOUNT}))
FROM visitors CROSS JOIN dimensions LEFT JOIN buyers ON buyers.visitor_id = visitors.visitor_id
GROUP BY 2, 3""",  # noqa: S608 - constants alone
]
