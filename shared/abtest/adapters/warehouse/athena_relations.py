"""What Athena's tables of the ledger are called in SQL, and which of their partitions a shop's objects lie in.

The tables are those of template.yaml. A partition is an hour of raw objects, or a shop's day of Parquet files: who
reads whole partitions meets more objects than were listed, which is no harm, since reading is union.
"""

from collections.abc import Iterable, Mapping

from abtest.adapters.warehouse.sql_texts import Literal, any_of, literal, one_of
from abtest.domain.ledger.columns import ABSENT, COLUMNS, ESSENTIAL
from abtest.domain.ledger.events import HOUR_MS
from abtest.domain.ledger.objects import Hour, ShopFiles, events_file, hour_of, hour_of_key
from abtest.kit.clock import from_milliseconds

LEDGER, FRESH, ACCEPTED = "shop_rows", "fresh_rows", "accepted_hits"
"""The relations that statements name; no table of Glue has such a name."""

MAX_DAYS_LISTED = 62
"""More days of single hours than this are read whole: a query's text has a limit."""
HOURS_A_DAY = 24


def with_relations(statement: str, relations: Mapping[str, str]) -> str:
    """The statement with these relations defined before its own."""
    defined = ",\n".join(f"{name} AS (\n{text}\n)" for name, text in relations.items())
    rest = statement.lstrip()
    return f"WITH {defined},\n{rest[5:]}" if rest.startswith("WITH ") else f"WITH {defined}\n{rest}"


def shop_rows(shop_id: str, files: ShopFiles, since: int) -> str:
    """The shop's rows received at or after `since` (Unix ms), in the form that statements expect, copies included."""
    return "\nUNION ALL\n".join([_parquet(shop_id, files.parquet, since), raw_rows(shop_id, files.raw, since)])


def raw_rows(shop_id: str, keys: Iterable[str], since: int) -> str:
    """Those rows alone that the hours of these raw objects hold."""
    hours = {hour for key in keys if _may_hold(hour := hour_of_key(key), since)}
    return _rows("raw", shop_id, since, _hours(hours))


def accepted_hits(run: str) -> str:
    """The hits of judged goals that one run accepted."""
    return f"SELECT goal_id, event_id, worth FROM accepted WHERE run = {literal(run)}"  # noqa: S608 - escaped literals


def _parquet(shop_id: str, keys: Iterable[str], since: int) -> str:
    days = {_day(hour) for key in keys if _may_hold(hour := events_file(key).hour, since)}
    shop = f"shop = {literal(shop_id)}"  # an injected partition must be named by a constant, whatever else holds
    return _rows("events", shop_id, since, f"{shop} AND {_between(days)}")


def _rows(table: str, shop_id: str, since: int, partitions: str) -> str:
    columns = ", ".join(map(_column, COLUMNS))
    present = " AND ".join(f"{name} IS NOT NULL" for name in sorted(ESSENTIAL - {"shop_id", "received_at"}))
    mine = f"shop_id = {literal(shop_id)} AND received_at >= {literal(since)}"
    return f"SELECT {columns} FROM {table} WHERE {partitions} AND {mine} AND {present}"  # noqa: S608 - escaped literals


def _column(name: str) -> str:
    """What an older release did not write yet has a form of its own."""
    absent: Literal | None = ABSENT[name]
    return name if absent is None else f"coalesce({name}, {literal(absent)}) AS {name}"


def _may_hold(hour: Hour, since: int) -> bool:
    """Whether what was written in the hour may have been received since the moment: no clock is off by an hour."""
    return hour >= hour_of(since - HOUR_MS)


def _hours(hours: Iterable[Hour]) -> str:
    by_day: dict[str, set[str]] = {}
    for hour in hours:
        by_day.setdefault(_day(hour), set()).add(f"{from_milliseconds(hour):%H}")
    if len(by_day) > MAX_DAYS_LISTED:
        return _between(by_day)
    return any_of(
        f"dt = {literal(day)}" + ("" if len(of_day) == HOURS_A_DAY else f" AND {one_of('hh', of_day)}")
        for day, of_day in sorted(by_day.items())
    )


def _between(days: Iterable[str]) -> str:
    found = sorted(days)
    return f"dt >= {literal(found[0])} AND dt <= {literal(found[-1])}" if found else "FALSE"


def _day(hour: Hour) -> str:
    return f"{from_milliseconds(hour):%Y-%m-%d}"
