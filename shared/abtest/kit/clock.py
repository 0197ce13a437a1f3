"""Clocks, and the text form of moments."""

from datetime import UTC, datetime, timedelta
from typing import Protocol

Timestamp = str
"""A moment as ISO 8601 in UTC with milliseconds and `Z`. These strings sort by time."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Clock(Protocol):
    """Source of the current time."""

    def now(self) -> datetime:
        """Return the current moment, timezone-aware, in UTC."""
        ...


class SystemClock:
    """Clock of the operating system."""

    def now(self) -> datetime:
        return datetime.now(UTC)  # noqa: TID251 - the one place that reads the clock


class ManualClock:
    """Clock that moves only when `advance` is called, for tests and simulations."""

    def __init__(self, now: datetime) -> None:
        self._now = now

    def now(self) -> datetime:
        return self._now

    def advance(self, **duration: float) -> None:
        """Move the clock forward by `timedelta(**duration)`."""
        self._now += timedelta(**duration)


def timestamp(moment: datetime) -> Timestamp:
    """Return the text of a timezone-aware moment, truncated to the millisecond."""
    # strftime would write the year 999 with three digits, which sorts after later years; isoformat pads it.
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def later(moment: Timestamp, duration: timedelta) -> Timestamp:
    """Return the timestamp that is a duration after a moment; before it where the duration is negative."""
    return timestamp(parse_timestamp(moment) + duration)


def parse_timestamp(text: str) -> datetime:
    """Return the moment, in UTC, of an ISO 8601 text with an offset.

    Raises ValueError when the text is not a moment or has no offset.
    """
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("must have an offset from UTC, such as a final Z")
    return moment.astimezone(UTC)


def from_milliseconds(unix_ms: int) -> datetime:
    """Return the moment, in UTC, of a number of milliseconds since the Unix epoch."""
    return _EPOCH + timedelta(milliseconds=unix_ms)


def to_milliseconds(moment: datetime) -> int:
    """Return whole milliseconds since the Unix epoch, rounded down."""
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def parse_milliseconds(text: str) -> int:
    """Return Unix milliseconds of an ISO 8601 text. Raises ValueError as `parse_timestamp` does."""
    return to_milliseconds(parse_timestamp(text))
