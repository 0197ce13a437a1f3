"""Days of a shop from a relation in DuckDB: suspects of copies are found once, then each day reads its own rows.

A day depends on the rows of eight days and on a few later ones. DuckDB skips row groups by the bounds of their columns,
but not for conditions joined by OR. So the rows of a day are a union of queries whose conditions are joined by AND.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import duckdb

from abtest.adapters.warehouse.shop_day_sql import rows_from, shop_day_of, shop_day_query
from abtest.adapters.warehouse.sql_texts import literal
from abtest.adapters.warehouse.valid_rows_sql import NARROW, Suspects
from abtest.domain.ledger.daily_counts import day_of
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.shop_days import ShopDay

EVENT_HASH = "event_hash"
"""Column with `hash(event_id)`, which a relation may have."""

_SUSPECTS = Suspects("alike_events", EVENT_HASH)
_NAMES = ", ".join(("event_id", "shop_id", *NARROW))

_CREATE_SUSPECTS = """
CREATE OR REPLACE TEMP TABLE alike_events AS
SELECT tail
FROM (
    SELECT tail, lag(tail) OVER (ORDER BY tail) AS before
    FROM (SELECT {hash} AS tail FROM {relation} WHERE received_at >= {since})
)
WHERE tail = before GROUP BY tail"""
_CREATE_ALIKE = f"""
CREATE OR REPLACE TEMP TABLE alike_rows AS
SELECT {_NAMES}, {{hash}} AS {EVENT_HASH} FROM {{relation}}
WHERE {{hash}} IN (SELECT tail FROM alike_events) AND received_at >= {{since}}"""  # noqa: S608 - names of our own

# In order: rows received before the day ended; late rows; refunds and orders of any time, which reduce or repeat orders
# of the day; and later copies that may be the valid ones of late rows.
_LATER = "type IN ('refund', 'order')"
_CREATE_ROWS = f"""
CREATE OR REPLACE TEMP VIEW day_rows AS
SELECT {_NAMES}, {{hash}} AS {EVENT_HASH} FROM {{relation}} WHERE received_at >= {{since}} AND received_at < {{ends}}
UNION ALL
SELECT {_NAMES}, {{hash}} AS {EVENT_HASH} FROM {{relation}} WHERE received_at >= {{ends}} AND ts < {{ends}}
UNION ALL
SELECT {_NAMES}, {{hash}} AS {EVENT_HASH} FROM {{relation}}
WHERE received_at >= {{ends}} AND ts >= {{ends}} AND {_LATER}
UNION ALL
SELECT * FROM alike_rows WHERE received_at >= {{ends}} AND ts >= {{ends}} AND NOT ({_LATER})"""  # noqa: S608 - names of our own


@dataclass(frozen=True, slots=True)
class DuckDbDays:
    """Days of one shop. `relation` has the columns of the ledger, and may have EVENT_HASH."""

    database: duckdb.DuckDBPyConnection
    relation: str
    shop_id: str

    def days(self, dates: Sequence[str], currency: str) -> dict[str, ShopDay]:
        """Return days by date (`YYYY-MM-DD`, UTC), equal to `domain.ledger.shop_days.shop_day` of the rows."""
        if not dates:
            return {}
        columns = self.database.execute(f"SELECT * FROM {self.relation} LIMIT 0").description or ()  # noqa: S608 - a name of our own
        has_hash = EVENT_HASH in {name for name, *_ in columns}
        names = {"relation": self.relation, "hash": EVENT_HASH if has_hash else "hash(event_id)"}
        since = literal(rows_from(min(dates)))
        for text in (_CREATE_SUSPECTS, _CREATE_ALIKE):
            self.database.execute(text.format(**names, since=since))
        days: dict[str, ShopDay] = {}
        for date in dates:
            bounds = {"since": literal(rows_from(date)), "ends": literal((day_of(date) + 1) * DAY_MS)}
            self.database.execute(_CREATE_ROWS.format(**names, **bounds))
            text = shop_day_query(self.shop_id, date, currency, events="day_rows", suspects=_SUSPECTS)
            days[date] = shop_day_of(self.shop_id, date, currency, self.database.execute(text).fetchall())
        self.database.execute("DROP VIEW day_rows; DROP TABLE alike_rows; DROP TABLE alike_events")
        return days
