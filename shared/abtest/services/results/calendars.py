"""Calendar days of a time zone as spans of quarters: ranges, days of the week, the buckets of a series."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from abtest.domain.ledger.cells import QUARTER_MS
from abtest.domain.targeting.weekdays import DAYS
from abtest.kit.clock import (
    Timestamp,
    from_milliseconds,
    parse_milliseconds,
    parse_timestamp,
    timestamp,
    to_milliseconds,
)
from abtest.kit.errors import FieldError, ValidationFailedError
from abtest.kit.time_zones import database_spelling
from abtest.services.results.curves import Span

HOUR = 4
"""Quarters of an hour."""


class CalendarSpan(NamedTuple):
    """Hour, day or week of the calendar. `date` is the date of its start."""

    date: date
    span: Span


def zone_of(name: str) -> ZoneInfo:
    """Return the zone of a name in any case. Raises ValidationFailedError for one that is not in the database.

    `key` is the name as the database spells it; all names of UTC are `UTC`.
    """
    if name.lower() in _UTC:
        return ZoneInfo("UTC")
    spelling = database_spelling(name)
    if spelling is None:
        fields = [FieldError("timezone", "must be an IANA time zone, such as Europe/Berlin")]
        raise ValidationFailedError("there is no such time zone", fields=fields)
    return ZoneInfo(spelling)


_UTC = frozenset(f"{area}{name}" for area in ("", "etc/") for name in ("utc", "uct", "universal", "zulu"))


def quarter_of(moment: datetime) -> int:
    """Return the quarter of an hour since 1970 of a moment."""
    return to_milliseconds(moment) // QUARTER_MS


def moment_of(quarter: int) -> Timestamp:
    """Return the beginning of a quarter."""
    return timestamp(from_milliseconds(quarter * QUARTER_MS))


def start_of(day: date, zone: ZoneInfo) -> int:
    """Return the first quarter of a calendar day. Where midnight is skipped, the day begins when clocks jump."""
    return quarter_of(datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC))


def span_of(day: date, zone: ZoneInfo) -> Span:
    """Return the span of a calendar day: 92, 96 or 100 quarters, rarely others."""
    return Span(start_of(day, zone), start_of(day + timedelta(days=1), zone))


def date_at(quarter: int, zone: ZoneInfo) -> date:
    """Return the calendar day of a quarter's beginning."""
    return _local(quarter, zone).date()


def days_within(span: Span, zone: ZoneInfo) -> Iterator[CalendarSpan]:
    """Yield the calendar days that overlap a span, each of them whole."""
    day = date_at(span.start, zone)
    while (whole := span_of(day, zone)).start < span.end:
        yield CalendarSpan(day, whole)
        # A date is added, not 24 hours: days on which clocks change are shorter or longer.
        day += timedelta(days=1)


def weeks_within(span: Span, zone: ZoneInfo) -> Iterator[CalendarSpan]:
    """Yield the weeks that overlap a span, whole and from Monday on."""
    day = date_at(span.start, zone)
    day -= timedelta(days=day.weekday())
    while (start := start_of(day, zone)) < span.end:
        following = day + timedelta(days=7)
        yield CalendarSpan(day, Span(start, start_of(following, zone)))
        day = following


def hours_within(span: Span, zone: ZoneInfo) -> Iterator[CalendarSpan]:
    """Yield the hours on the zone's clocks that overlap a span. An hour that a clock shows twice is two hours."""
    start = span.start
    # The span may begin within an hour of the zone, as each UTC hour does in UTC+05:30.
    while not _begins_hour(start, zone):
        start -= 1
    while start < span.end:
        end = start + HOUR
        local, later = _local(start, zone), _local(end, zone)
        # Where clocks are changed by a part of an hour, the hour has fewer than four quarters.
        if local.minute or local.utcoffset() != later.utcoffset():
            end = next(quarter for quarter in range(start + 1, end + 1) if _begins_hour(quarter, zone))
        yield CalendarSpan(date_at(start, zone), Span(start, end))
        start = end


def _begins_hour(quarter: int, zone: ZoneInfo) -> bool:
    local = _local(quarter, zone)
    return local.minute == 0 or local.utcoffset() != _local(quarter - 1, zone).utcoffset()


def _local(quarter: int, zone: ZoneInfo) -> datetime:
    return from_milliseconds(quarter * QUARTER_MS).astimezone(zone)


def weekday_of(day: int) -> str:
    """Return the day of the week of a UTC day since 1970."""
    # Day 0, 1970-01-01, was a Thursday.
    return DAYS[(day + DAYS.index("thursday")) % len(DAYS)]


def on_weekdays(spans: Iterable[Span], weekdays: Sequence[str], zone: ZoneInfo) -> list[Span]:
    """Return the parts of the spans on these days of the week."""
    return [
        Span(max(span.start, day.span.start), min(span.end, day.span.end))
        for span in spans
        for day in days_within(span, zone)
        if DAYS[day.date.weekday()] in weekdays
    ]


def within(spans: Iterable[Span], limits: Span) -> list[Span]:
    """Return the parts of the spans within the limits."""
    cut = (Span(max(span.start, limits.start), min(span.end, limits.end)) for span in spans)
    return [span for span in cut if span.start < span.end]


def first_quarter(when: str, zone: ZoneInfo) -> int:
    """Return the first quarter of a range that begins at a date or a moment."""
    if len(when) == len("2026-01-31"):
        return start_of(date.fromisoformat(when), zone)
    return quarter_of(parse_timestamp(when))


def end_quarter(when: str, zone: ZoneInfo) -> int:
    """Return the quarter after a range that ends with a date or at a moment; a quarter that has begun is included."""
    if len(when) == len("2026-01-31"):
        return start_of(date.fromisoformat(when) + timedelta(days=1), zone)
    return -(-parse_milliseconds(when) // QUARTER_MS)
