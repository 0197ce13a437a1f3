"""Calendar days that analytics are asked of."""

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
class Asked:
    """What a request says: dates `YYYY-MM-DD`, both included, on the calendar of an IANA zone."""

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
        """Each of them."""
        return [self.first + timedelta(days=number) for number in range((self.last - self.first).days + 1)]

    @property
    def days(self) -> Sequence[CalendarSpan]:
        """Each of them with its quarters."""
        return [CalendarSpan(day, calendars.span_of(day, self.zone)) for day in self.dates]

    @property
    def span(self) -> Span:
        """All of their quarters."""
        return Span(
            calendars.start_of(self.first, self.zone), calendars.start_of(self.last + timedelta(days=1), self.zone)
        )

    @property
    def is_utc(self) -> bool:
        """Whether its days are those that roll-ups are kept by."""
        return self.zone.key == "UTC"


def period_of(asked: Asked, now: datetime) -> Period:
    """The days; the last 28 where nothing else is said.

    Raises ValidationFailedError for an unknown zone, an end before the beginning, more than 400 days.
    """
    zone = calendars.zone_of(asked.timezone)
    first, last = (date.fromisoformat(text) if text else None for text in (asked.first, asked.last))
    if last is None:
        last = max(now.astimezone(zone).date(), first or date.min)
    if first is None:
        first = last - timedelta(days=DEFAULT_DAYS - 1)
    if last < first:
        raise ValidationFailedError("the period ends before it begins", fields=[FieldError("to", "is before `from`")])
    if (last - first).days >= MAX_DAYS:
        fields = [FieldError("from", f"is more than {MAX_DAYS - 1} days before `to`")]
        raise ValidationFailedError(f"a period has at most {MAX_DAYS} days", fields=fields)
    return Period(first=first, last=last, zone=zone)
