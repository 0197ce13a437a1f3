"""SQL of several days of a shop in one statement, over kept rows (`kept_rows_sql`) in DuckDB and Athena.

Each row is joined with the days that it matters to, which are a small relation. The result must equal
`domain.ledger.shop_days.shop_day` for each day.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from abtest.adapters.warehouse import shop_day_sql as parts
from abtest.adapters.warehouse.kept_rows_sql import counts_since
from abtest.adapters.warehouse.money_sql import IS_KNOWN, MONEY_COLUMNS, Money
from abtest.adapters.warehouse.sql_texts import AMOUNT, literal, one_of, values, whole, with_tables
from abtest.domain.ledger.cells import DIMENSIONS, QUARTER_MS, UNKNOWN
from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY, day_of
from abtest.domain.ledger.events import DAY_MS, REVENUE_GOAL_ID
from abtest.domain.ledger.shop_days import MAX_GAP, PASSIVE, SEEN, STEPS, STITCH_MS, ShopDay

_REACH = STITCH_MS // DAY_MS
_DAY = whole("happened_at", DAY_MS)
_IS_ORDER = f"(type = 'order' OR (type = 'goal' AND name = '{REVENUE_GOAL_ID}'))"
_IS_ACTIVE = f"NOT ({one_of('type', PASSIVE)})"
_QUARTER = f"{whole('happened_at', QUARTER_MS)} - day * {QUARTERS_A_DAY}"
_COUNTS = counts_since(f"(day * {DAY_MS} - {STITCH_MS})")
_NOTHING = f"CAST(0 AS {AMOUNT})"
_LAST_STEP = len(STEPS) - 1

# Rows with the days that they matter to: those of the day and of the seven before it, and refunds and repetitions of
# any later time.
_OF_DAYS = f"kept JOIN reaches ON happened_day = {_DAY} WHERE {_COUNTS}"
_OF_THE_DAY = f"kept JOIN reaches ON happened_day = {_DAY} WHERE {_COUNTS} AND day = happened_day"
_EVER_SINCE = f"kept CROSS JOIN days WHERE {_COUNTS}"


def shop_days_query(dates: Sequence[str], currency: str, *, kept: str) -> str:
    """Return the statement for these dates (`YYYY-MM-DD`, UTC). Each row of the result begins with its day."""
    days = sorted(day_of(date) for date in dates)
    reaches = ((day, day - before) for day in days for before in range(_REACH + 1))
    since = literal((days[0] - _REACH) * DAY_MS)
    recent = f"SELECT * FROM {kept} WHERE type IS NOT NULL AND happened_at >= {since}"  # noqa: S608 - a relation of our own
    tables = [
        ("kept", recent),
        ("days", values({"day": 0}, ((day,) for day in days))),
        ("reaches", values({"day": 0, "happened_day": 0}, reaches)),
        ("orders", _ORDERS),
        ("paid", _paid(currency)),
        ("visitors", _VISITORS),
        ("reached", _REACHED),
    ]
    return with_tables(tables, "\nUNION ALL\n".join(_PARTS))


def shop_days_of(
    shop_id: str, dates: Iterable[str], currency: str, rows: Iterable[Sequence[Any]]
) -> dict[str, ShopDay]:
    """Return the days by date from rows of the result, whose numbers may be texts or decimals."""
    lines: defaultdict[int, list[Sequence[Any]]] = defaultdict(list)
    for day, *line in rows:
        lines[int(day)].append(line)
    return {date: parts.shop_day_of(shop_id, date, currency, lines[day_of(date)]) for date in dates}


# The orders of each day, each once, before refunds.
_ORDERS = f"""
SELECT * FROM (
    SELECT day, event_id, visitor_id, order_id, happened_at, {", ".join(MONEY_COLUMNS)},
        row_number() OVER (
            PARTITION BY day, coalesce(nullif(order_id, ''), event_id),
                CASE WHEN order_id <> '' THEN 'order' ELSE 'event' END
            ORDER BY happened_at, event_id
        ) AS place
    FROM {_OF_DAYS} AND {_IS_ORDER}
) AS ordered
WHERE place = 1 AND happened_at >= day * {DAY_MS}"""  # noqa: S608 - constants alone


def _paid(currency: str) -> str:
    """Return the money of orders less refunds: by quarter, kind and currency, and by visitor where `is_money` is 0."""
    money = Money(currency)
    return f"""
SELECT day, visitor_id, quarter_of_day, money_kind, money_currency, grouping(visitor_id) AS is_money,
    count(*) AS orders, sum(minor) AS minor, count(CASE WHEN {IS_KNOWN} THEN 1 END) AS paid_orders,
    coalesce(sum(CASE WHEN {IS_KNOWN} THEN minor END), {_NOTHING}) AS known_minor
FROM (
    SELECT day, visitor_id, quarter_of_day, money_kind, money_currency,
        CASE WHEN NOT {IS_KNOWN} OR refunded IS NULL THEN minor
            WHEN refunded >= minor THEN {_NOTHING} ELSE CAST(minor - refunded AS {AMOUNT}) END AS minor
    FROM (
        SELECT day, visitor_id, order_id, {_QUARTER} AS quarter_of_day, {money.kind} AS money_kind,
            {money.minor} AS minor, {money.named} AS money_currency
        FROM orders
    ) AS named
    LEFT JOIN (
        SELECT day AS refund_day, order_id AS refunded_id,
            sum(CASE WHEN {money.is_known} THEN {money.minor} END) AS refunded
        FROM {_EVER_SINCE} AND type = 'refund' AND order_id <> ''
        GROUP BY day, order_id
    ) AS refunds ON refunded_id = order_id AND refund_day = day
) AS netted
GROUP BY GROUPING SETS ((day, visitor_id), (day, quarter_of_day, money_kind, money_currency))"""  # noqa: S608 - escaped literals


_FIRST_KNOWN = ", ".join(
    f"coalesce(substr(min(CASE WHEN {name} NOT IN ('', '{UNKNOWN}') THEN place || {name} END),"
    f" {parts.PLACE_CHARS + 1}), '{UNKNOWN}') AS {name}"
    for name in DIMENSIONS
)
_STEP = f"CASE WHEN type = 'custom' THEN CASE name {parts.STEP_OF_NAME} ELSE 0 END ELSE 0 END"

# The visitors of each day: their last step, and their first known dimensions, found as the lowest text of number and
# value.
_VISITORS = f"""
SELECT day, visitor_id, max(step) AS step, {_FIRST_KNOWN}
FROM (
    SELECT day, visitor_id, {_STEP} AS step, {", ".join(DIMENSIONS)},
        lpad(CAST(day_place AS VARCHAR), {parts.PLACE_CHARS}, '0') AS place
    FROM {_OF_THE_DAY} AND {_IS_ACTIVE}
) AS placed
GROUP BY day, visitor_id"""  # noqa: S608 - constants alone

_SETS = ", ".join(f"(day, {name})" for name in ("reached_step", *DIMENSIONS))

# Visitors and their orders, by last step and by each dimension.
_REACHED = f"""
SELECT day, reached_step, {", ".join(DIMENSIONS)}, grouping(reached_step) AS is_segment,
    {", ".join(f"grouping({name}) AS without_{name}" for name in DIMENSIONS)},
    count(*) AS visitors, sum(orders) AS orders, sum(paid_orders) AS paid_orders, sum(known_minor) AS minor
FROM (
    SELECT visitors.day, {", ".join(DIMENSIONS)},
        CASE WHEN paid.visitor_id IS NULL THEN step ELSE {_LAST_STEP} END AS reached_step,
        coalesce(orders, 0) AS orders, coalesce(paid_orders, 0) AS paid_orders,
        coalesce(known_minor, {_NOTHING}) AS known_minor
    FROM visitors
    LEFT JOIN paid ON is_money = 0 AND paid.day = visitors.day AND paid.visitor_id = visitors.visitor_id
) AS visited
GROUP BY GROUPING SETS ({_SETS})"""  # noqa: S608 - constants alone

_NAMED = " ".join(f"WHEN without_{name} = 0 THEN '{name}'" for name in DIMENSIONS)
_VALUED = " ".join(f"WHEN without_{name} = 0 THEN {name}" for name in DIMENSIONS)

_PARTS = [
    f"""
SELECT day, '{parts.EVENTS}', type, '', 0, 0, count(*), 0, {_NOTHING}
FROM {_OF_THE_DAY} GROUP BY day, type""",  # noqa: S608 - constants alone
    f"""
SELECT day, '{parts.ORDERS}', money_kind, money_currency, quarter_of_day, 0, 0, orders, minor
FROM paid WHERE is_money = 1""",  # noqa: S608 - constants alone
    f"""
SELECT day, CASE is_segment WHEN 0 THEN '{parts.STEP}' ELSE '{parts.SEGMENTS}' END,
    CASE {_NAMED} ELSE '' END, CASE {_VALUED} ELSE '' END, 0,
    CASE is_segment WHEN 0 THEN reached_step ELSE paid_orders END, visitors, orders, minor
FROM reached""",  # noqa: S608 - constants alone
    f"""
SELECT day, '{parts.ACTIVITY}', '', '', quarter_of_day, gap, count(*), 0, {_NOTHING}
FROM (
    SELECT day, quarter_of_day,
        CASE WHEN quarter_of_day - before <= {MAX_GAP} THEN quarter_of_day - before ELSE 0 END AS gap
    FROM (
        SELECT day, quarter_of_day,
            lag(quarter_of_day) OVER (PARTITION BY day, visitor_id ORDER BY quarter_of_day) AS before
        FROM (
            SELECT DISTINCT day, visitor_id, {_QUARTER} AS quarter_of_day
            FROM {_OF_DAYS} AND {_IS_ACTIVE} AND happened_at >= day * {DAY_MS} - {MAX_GAP * QUARTER_MS}
        ) AS visited
    ) AS stepped
    WHERE quarter_of_day >= 0
) AS gaps
GROUP BY day, quarter_of_day, gap""",  # noqa: S608 - constants alone
    f"""
SELECT day, '{parts.STITCHED}', '', '', 0, 0, count(DISTINCT seen_order), count(DISTINCT event_id), {_NOTHING}
FROM (
    SELECT orders.day, orders.event_id,
        CASE WHEN seen_at >= orders.happened_at - {STITCH_MS} AND seen_at <= orders.happened_at
            THEN orders.event_id END AS seen_order
    FROM orders
    LEFT JOIN (
        SELECT day AS seen_day, visitor_id AS seen_visitor, happened_at AS seen_at
        FROM {_OF_DAYS} AND {one_of("type", SEEN)}
    ) AS seen ON seen_visitor = orders.visitor_id AND seen_day = orders.day
) AS looked
GROUP BY day""",  # noqa: S608 - constants alone
    f"""
SELECT day, '{parts.REPEATED}', '', '', 0, 0, 0, count(*), {_NOTHING}
FROM (
    SELECT day, order_id
    FROM {_EVER_SINCE} AND type = 'order' AND order_id <> ''
    GROUP BY day, order_id
    HAVING count(*) > 1 AND min(happened_at) >= day * {DAY_MS} AND min(happened_at) < day * {DAY_MS} + {DAY_MS}
) AS repeated
GROUP BY day""",  # noqa: S608 - constants alone
]
