"""SQL of a shop's copy: its tables, and the queries of a run about new rows.

In these texts, `{name}` is the name of the copy's database, and `{rows}` is the relation of rows to append.
"""

from abtest.adapters.warehouse.kinds_sql import IS_ORDER
from abtest.adapters.warehouse.raw_rows import SQL_TYPES
from abtest.domain.ledger.columns import COLUMNS
from abtest.domain.ledger.partitions import Unit

KEPT = tuple(name for name in COLUMNS if name != "shop_id")
"""Columns of a copy; the shop is the same for all rows."""

PIECE_ROWS = 2048
"""Number of rows that DuckDB reads or skips together."""

PIECE = f"rowid // {PIECE_ROWS}"
HASHES = "visitor_hash UBIGINT, event_hash UBIGINT, order_hash UBIGINT, event_mark USMALLINT"
COPY_COLUMNS = f"{', '.join(f'{name} {SQL_TYPES[COLUMNS[name]]}' for name in KEPT)}, {HASHES}"
HASHED = f"""{", ".join(KEPT)}, hash(visitor_id) AS visitor_hash, hash(event_id) AS event_hash,
    CASE WHEN order_id <> '' THEN hash(order_id) END AS order_hash,
    CAST(hash(event_id) & 65535 AS USMALLINT) AS event_mark"""
"""Columns of a copy, selected from a relation with the columns of the ledger."""
CREATE_INBOX = f"CREATE OR REPLACE TABLE inbox (shop_id VARCHAR, {COPY_COLUMNS}, is_new BOOLEAN)"

# Besides the rows in history: the pieces with rows of each visitor, the visitors of each order, and the visitors that
# share an order or an event id.
TABLES = {
    "history": COPY_COLUMNS,
    "visits": "visitor_hash UBIGINT, piece BIGINT",
    "orders": "order_hash UBIGINT, visitor_hash UBIGINT",
    "ties": "shared UBIGINT, visitor_hash UBIGINT",
}

IDS_TABLES = {"pairs": "shared UBIGINT, visitor_hash UBIGINT", "tied": "visitor_hash UBIGINT"}
"""Tables of a copy of ids: the visitors of each event and order id, and those who share an id with another visitor."""

VISITOR_OF = "hash(visitor_id) % {of} = {number}"


def rows_of(unit: Unit | None) -> str:
    """Return the condition of the rows that a unit reads, in a relation with the ledger's columns."""
    # A unit of ids selects ids, not rows.
    if unit is None or unit.kind == "ids":
        return "true"
    return VISITOR_OF.format(of=unit.of, number=unit.number)


APPEND_VISITS = f"INSERT INTO {{name}}.visits SELECT DISTINCT visitor_hash, {PIECE} FROM {{name}}.history"  # noqa: S608 - names of our own
APPEND_ORDERS = """INSERT INTO {name}.orders
SELECT DISTINCT order_hash, visitor_hash FROM {rows} WHERE order_hash IS NOT NULL"""
TIE_ORDERS = """INSERT INTO {name}.ties
SELECT order_hash, visitor_hash FROM {name}.orders
WHERE order_hash IN (SELECT order_hash FROM {name}.orders GROUP BY order_hash HAVING count(*) > 1)"""
TIE_EVENTS = """INSERT INTO {name}.ties
WITH alike AS (
    SELECT DISTINCT event_hash, visitor_hash FROM {name}.history
    WHERE event_hash IN (
        SELECT event_hash FROM (
            SELECT event_hash, lag(event_hash) OVER (ORDER BY event_hash) AS before FROM {name}.history
        ) WHERE event_hash = before))
SELECT event_hash, visitor_hash FROM alike
WHERE event_hash IN (SELECT event_hash FROM alike GROUP BY event_hash HAVING count(*) > 1)"""

# A run reads marks of all rows. Small integers are looked up by position, in a third of the time of looking up hashes.
MET_EVENTS = f"""CREATE OR REPLACE TEMP TABLE met_events AS
SELECT event_hash AS shared, visitor_hash, history.{PIECE} AS piece
FROM {{name}}.history AS history JOIN (SELECT DISTINCT event_mark FROM news) AS marks USING (event_mark)
WHERE event_hash IN (SELECT event_hash FROM news)"""  # noqa: S608 - names of our own
MET = """CREATE OR REPLACE TEMP TABLE met AS
SELECT shared, visitor_hash FROM met_events WHERE shared IN (SELECT event_hash FROM news)
UNION ALL SELECT event_hash, visitor_hash FROM news
UNION ALL SELECT order_hash, visitor_hash FROM {name}.orders WHERE order_hash IN (SELECT order_hash FROM news)
UNION ALL SELECT order_hash, visitor_hash FROM news WHERE order_hash IS NOT NULL"""

SHARED = """
SELECT DISTINCT shared, visitor_hash FROM met
WHERE shared IN (SELECT shared FROM met GROUP BY shared HAVING min(visitor_hash) <> max(visitor_hash))"""

GROW = """
INSERT INTO touched
SELECT DISTINCT visitor_hash FROM bonds
WHERE shared IN (SELECT shared FROM bonds SEMI JOIN touched USING (visitor_hash))
    AND visitor_hash NOT IN (SELECT visitor_hash FROM touched)"""

_TIMES = ("received_at", "sent_at")
SAME = " AND ".join(f"old.{name} IS NOT DISTINCT FROM news.{name}" for name in KEPT if name not in _TIMES)

# The remaining copy was received first and happened at the same moment, so counts are equal from any start of counting.
DROP_ECHOES = f"""
DELETE FROM news WHERE rowid IN (
    SELECT news.rowid FROM news JOIN known AS old ON old.event_hash = news.event_hash
    WHERE {SAME} AND news.ts <= old.received_at
        AND (old.received_at, coalesce(old.sent_at, 0)) <= (news.received_at, coalesce(news.sent_at, 0)))"""  # noqa: S608 - names of columns alone

CHANGING = """
SELECT type, qa_mode, visitor_id, order_id, ts, received_at FROM closure
WHERE event_hash IN (SELECT event_hash FROM news)"""

ORDER_MOMENTS = f"""
SELECT order_id, visitor_id, least(ts, received_at) FROM closure WHERE {IS_ORDER}"""  # noqa: S608 - a text of our own

RELEASE = "".join(
    f"DROP {kind} IF EXISTS temp.{name};"
    for kind, name in [
        *(("VIEW", name) for name in ("closure_before", "bonds", "shop_rows")),
        *(("TABLE", name) for name in ("closure", "touched", "new_ties", "met", "known", "met_events", "news")),
        *(("TABLE", name) for name in ("needed_rows", "suspects_of_all")),
    ]
)
"""Statements that drop what a run leaves in the temporary database."""
