"""Days of a shop out of a relation in DuckDB: what all of them need is found once, then each reads rows of its own.

A day depends on the rows of eight days and on a few later ones. DuckDB knows bounds of the columns of each piece of a
table, but makes no use of them where conditions are joined by OR: so the rows of a day are told as pieces, by AND.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import duckdb

from abtest.adapters.warehouse.shop_day_sql import rows_from, shop_day_of, shop_day_query
from abtest.adapters.warehouse.sql_texts import literal
from abtest.adapters.warehouse.standing_sql import NARROW, Suspects
from abtest.domain.ledger.daily_counts import day_of
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.shop_days import ShopDay

EVENT_HASH = "event_hash"
"""A column that a relation may have: `hash(event_id)`."""

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

# In turn: what was received before the day ended, what was late, refunds and orders of any time (they take back and
# repeat what the day has), and what may stand in the place of something late.
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
    """Days of one shop; `relation` has the columns of the ledger, and may have EVENT_HASH."""

    database: duckdb.DuckDBPyConnection
    relation: str
    shop_id: str

    def days(self, dates: Sequence[str], currency: str) -> dict[str, ShopDay]:
        """By date (`YYYY-MM-DD`, UTC) what `domain.ledger.shop_days.shop_day` says of the rows."""
        if not dates:
            return {}
        found = {"relation": self.relation, "hash": self._hash()}
        since = literal(rows_from(min(dates)))
        for text in (_CREATE_SUSPECTS, _CREATE_ALIKE):
            self.database.execute(text.format(**found, since=since))
        days = {date: self._day(date, currency, found) for date in dates}
        self.database.execute("DROP VIEW day_rows; DROP TABLE alike_rows; DROP TABLE alike_events")
        return days

    def _hash(self) -> str:
        columns = self.database.execute(f"SELECT * FROM {self.relation} LIMIT 0").description or ()  # noqa: S608 - a name of our own
        return EVENT_HASH if EVENT_HASH in {name for name, *_ in columns} else "hash(event_id)"

    def _day(self, date: str, currency: str, found: Mapping[str, str]) -> ShopDay:
        since, ends = rows_from(date), (day_of(date) + 1) * DAY_MS
        self.database.execute(_CREATE_ROWS.format(**found, since=literal(since), ends=literal(ends)))
        text = shop_day_query(self.shop_id, date, currency, events="day_rows", suspects=_SUSPECTS)
        return shop_day_of(self.shop_id, date, currency, self.database.execute(text).fetchall())
