"""Calendar days of a time zone as spans of quarters: ranges, days of the week, the buckets of a series."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, available_timezones

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
from abtest.kit.time_zones import is_time_zone
from abtest.services.results.curves import Span

HOUR = 4
"""Quarters."""


class CalendarSpan(NamedTuple):
    """A piece of the calendar: an hour, a day, a week. `date` is that of its start."""

    date: date
    span: Span


def zone_of(name: str) -> ZoneInfo:
    """The zone, in whatever case its name is written. Raises ValidationFailedError for one that is not in the database.

    `key` is its name as the database spells it; all names of UTC are `UTC`.
    """
    if name.lower() in _UTC:
        return ZoneInfo("UTC")
    found = name if is_time_zone(name) else _spellings().get(name.lower(), "")
    if not found:
        raise ValidationFailedError(
            "there is no such time zone", fields=[FieldError("timezone", "is no IANA time zone, such as Europe/Berlin")]
        )
    return ZoneInfo(found)


_UTC = frozenset(f"{area}{name}" for area in ("", "etc/") for name in ("utc", "uct", "universal", "zulu"))


@cache
def _spellings() -> Mapping[str, str]:
    return {name.lower(): name for name in available_timezones() if is_time_zone(name)}


def quarter_of(moment: datetime) -> int:
    """The quarter of an hour since 1970 that a moment lies in."""
    return to_milliseconds(moment) // QUARTER_MS


def moment_of(quarter: int) -> Timestamp:
    """When a quarter begins."""
    return timestamp(from_milliseconds(quarter * QUARTER_MS))


def start_of(day: date, zone: ZoneInfo) -> int:
    """The first quarter of a calendar day. Where midnight is skipped, the moment at which clocks jump over it."""
    return quarter_of(datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC))


def span_of(day: date, zone: ZoneInfo) -> Span:
    """A calendar day: 92, 96 or 100 quarters, rarely others."""
    return Span(start_of(day, zone), start_of(day + timedelta(days=1), zone))


def date_at(quarter: int, zone: ZoneInfo) -> date:
    """The calendar day that a quarter begins in."""
    return _local(quarter, zone).date()


def days_within(span: Span, zone: ZoneInfo) -> Iterator[CalendarSpan]:
    """The calendar days that a span touches, whole."""
    day = date_at(span.start, zone)
    while (found := span_of(day, zone)).start < span.end:
        yield CalendarSpan(day, found)
        day += timedelta(days=1)


def weeks_within(span: Span, zone: ZoneInfo) -> Iterator[CalendarSpan]:
    """The weeks from Monday on that a span touches, whole."""
    day = date_at(span.start, zone)
    day -= timedelta(days=day.weekday())
    while (start := start_of(day, zone)) < span.end:
        following = day + timedelta(days=7)
        yield CalendarSpan(day, Span(start, start_of(following, zone)))
        day = following


def hours_within(span: Span, zone: ZoneInfo) -> Iterator[CalendarSpan]:
    """The hours on the zone's clocks that a span touches, each of the two that a clock shows twice on its own."""
    start = span.start
    while not _begins_hour(start, zone):
        start -= 1
    while start < span.end:
        end = _end_of_hour(start, zone)
        yield CalendarSpan(date_at(start, zone), Span(start, end))
        start = end


def _end_of_hour(start: int, zone: ZoneInfo) -> int:
    """Four quarters on, but where clocks are changed before that."""
    local, later = _local(start, zone), _local(start + HOUR, zone)
    if local.minute == 0 and local.utcoffset() == later.utcoffset():
        return start + HOUR
    return next(end for end in range(start + 1, start + HOUR + 1) if _begins_hour(end, zone))


def _begins_hour(quarter: int, zone: ZoneInfo) -> bool:
    local = _local(quarter, zone)
    return local.minute == 0 or local.utcoffset() != _local(quarter - 1, zone).utcoffset()


def _local(quarter: int, zone: ZoneInfo) -> datetime:
    return from_milliseconds(quarter * QUARTER_MS).astimezone(zone)


def weekday_of(day: int) -> str:
    """The name of a UTC day since 1970."""
    return DAYS[(day + DAYS.index("thursday")) % len(DAYS)]


def on_weekdays(spans: Iterable[Span], weekdays: Sequence[str], zone: ZoneInfo) -> list[Span]:
    """What of the spans lies on these days of the week."""
    return [
        Span(max(span.start, day.span.start), min(span.end, day.span.end))
        for span in spans
        for day in days_within(span, zone)
        if DAYS[day.date.weekday()] in weekdays
    ]


def within(spans: Iterable[Span], limits: Span) -> list[Span]:
    """What of the spans lies within the limits."""
    cut = (Span(max(span.start, limits.start), min(span.end, limits.end)) for span in spans)
    return [span for span in cut if span.start < span.end]


def first_quarter(when: str, zone: ZoneInfo) -> int:
    """Where a range begins that is told by a date or a moment: the quarter that it lies in."""
    if len(when) == len("2026-01-31"):
        return start_of(date.fromisoformat(when), zone)
    return quarter_of(parse_timestamp(when))


def end_quarter(when: str, zone: ZoneInfo) -> int:
    """Where it ends: after the date, or before the moment; a quarter that has begun is in."""
    if len(when) == len("2026-01-31"):
        return start_of(date.fromisoformat(when) + timedelta(days=1), zone)
    return -(-parse_milliseconds(when) // QUARTER_MS)
