"""Athena's tables of the ledger in SQL, and the partitions that contain a shop's objects.

The tables are defined in template.yaml. A partition is an hour of raw objects, or a shop's day of Parquet files. Whole
partitions may have more objects than were listed, which is harmless, because rows of all objects are merged.
"""

from collections.abc import Iterable, Mapping

from abtest.adapters.warehouse.kept_rows_sql import KEPT
from abtest.adapters.warehouse.sql_texts import Literal, any_of, literal, one_of
from abtest.domain.ledger.columns import ABSENT, COLUMNS, ESSENTIAL
from abtest.domain.ledger.margins import RECEIVED_MS
from abtest.domain.ledger.objects import Hour, ShopFiles, events_file, hour_of, hour_of_key
from abtest.kit.clock import from_milliseconds

LEDGER, KEPT_ROWS, ACCEPTED = "shop_rows", "kept_rows", "accepted_hits"
"""Names of relations in statements, different from the tables of Glue."""

MAX_DAYS_LISTED = 62
"""With more days than this, all their hours are read, because a query's text is limited."""
HOURS_A_DAY = 24


def with_relations(statement: str, relations: Mapping[str, str]) -> str:
    """Return the statement with these relations defined before its own."""
    defined = ",\n".join(f"{name} AS (\n{text}\n)" for name, text in relations.items())
    rest = statement.lstrip()
    return f"WITH {defined},\n{rest[5:]}" if rest.startswith("WITH ") else f"WITH {defined}\n{rest}"


def shop_rows(shop_id: str, files: ShopFiles, since: int) -> str:
    """Return the query for the shop's rows, with copies, that were received at or after `since` (Unix ms).

    Besides the ledger's columns they have `written`, the UTC day of their object.
    """
    days = {_day(hour) for key in files.parquet if _may_hold(hour := events_file(key).hour, since)}
    # The shop's partition is injected, which Athena only allows with a constant.
    parquet = _rows("events", shop_id, since, f"shop = {literal(shop_id)} AND {_between(days)}")
    keys = {*files.raw, *(section.key for section in files.sections)}
    hours = {hour for key in keys if _may_hold(hour := hour_of_key(key), since)}
    return "\nUNION ALL\n".join([parquet, _rows("raw", shop_id, since, _hours(hours))])


def kept_rows(run: str) -> str:
    """Return the query for the kept rows of a run."""
    return f"SELECT {', '.join(KEPT)} FROM staged_rows WHERE run = {literal(run)}"  # noqa: S608 - escaped literals


def accepted_hits(run: str) -> str:
    """Return the query for the hits of judged goals that a run accepted."""
    columns = "judgement, event_id, received_at, worth"
    return f"SELECT {columns} FROM accepted WHERE run = {literal(run)}"  # noqa: S608 - escaped literals


def _rows(table: str, shop_id: str, since: int, partitions: str) -> str:
    # Columns that older releases did not write are null in their files, and have a defined value then.
    absent: Mapping[str, Literal | None] = ABSENT
    columns = ", ".join(
        name if (value := absent[name]) is None else f"coalesce({name}, {literal(value)}) AS {name}" for name in COLUMNS
    )
    present = " AND ".join(f"{name} IS NOT NULL" for name in sorted(ESSENTIAL - {"shop_id", "received_at"}))
    mine = f"shop_id = {literal(shop_id)} AND received_at >= {literal(since)}"
    return f"SELECT {columns}, dt AS written FROM {table} WHERE {partitions} AND {mine} AND {present}"  # noqa: S608 - escaped literals


def _may_hold(hour: Hour, since: int) -> bool:
    """Return whether rows written in the hour may have been received since the moment."""
    return hour >= hour_of(since - RECEIVED_MS)


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
    dates = sorted(days)
    return f"dt >= {literal(dates[0])} AND dt <= {literal(dates[-1])}" if dates else "FALSE"


def _day(hour: Hour) -> str:
    return f"{from_milliseconds(hour):%Y-%m-%d}"
