"""Periods of analytics: days in a row on the calendar of a time zone."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from abtest.kit.errors import FieldError, ValidationFailedError
from abtest.services.results import calendars
from abtest.services.results.calendars import CalendarSpan
from abtest.services.results.curves import Span

DEFAULT_DAYS, MAX_DAYS = 28, 400


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodQuery:
    """Requested period: dates `YYYY-MM-DD`, both included, on the calendar of an IANA zone."""

    first: str | None = None
    last: str | None = None
    timezone: str = "UTC"


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """Days in a row, both ends included."""

    first: date
    last: date
    zone: ZoneInfo

    @property
    def dates(self) -> list[date]:
        """Each date of the period."""
        return [self.first + timedelta(days=number) for number in range((self.last - self.first).days + 1)]

    @property
    def days(self) -> Sequence[CalendarSpan]:
        """Each day with its quarters of an hour."""
        return [CalendarSpan(day, calendars.span_of(day, self.zone)) for day in self.dates]

    @property
    def span(self) -> Span:
        """All quarters of an hour of the period."""
        return Span(
            calendars.start_of(self.first, self.zone), calendars.start_of(self.last + timedelta(days=1), self.zone)
        )

    @property
    def is_utc(self) -> bool:
        """True if the days are those that roll-ups are stored by."""
        return self.zone.key == "UTC"


def period_of(query: PeriodQuery, now: datetime) -> Period:
    """Return the requested days; the last 28 by default.

    Raises ValidationFailedError for an unknown zone, an end before the beginning, more than 400 days.
    """
    zone = calendars.zone_of(query.timezone)
    first, last = (date.fromisoformat(text) if text else None for text in (query.first, query.last))
    if last is None:
        # An open end is not before a beginning in the future, which would be refused as reversed.
        last = max(now.astimezone(zone).date(), first or date.min)
    if first is None:
        first = last - timedelta(days=DEFAULT_DAYS - 1)
    if last < first:
        raise ValidationFailedError(
            "the period ends before it begins", fields=[FieldError("to", "must not be before `from`")]
        )
    if (last - first).days >= MAX_DAYS:
        fields = [FieldError("from", f"must be at most {MAX_DAYS - 1} days before `to`")]
        raise ValidationFailedError(f"a period must have at most {MAX_DAYS} days", fields=fields)
    return Period(first=first, last=last, zone=zone)
