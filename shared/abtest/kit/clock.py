"""Time: the one clock, and the one form in which moments are written."""

from datetime import UTC, datetime, timedelta
from typing import Protocol

Timestamp = str
"""A moment as ISO 8601 in UTC with milliseconds and `Z`; such strings sort as time does."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Clock(Protocol):
    """Where services learn what time it is."""

    def now(self) -> datetime:
        """The present moment, timezone-aware, UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)  # noqa: TID251 - the one place that reads the clock


class ManualClock:
    """A clock that moves only when told: for tests and simulations."""

    def __init__(self, now: datetime) -> None:
        self._now = now

    def now(self) -> datetime:
        return self._now

    def advance(self, **duration: float) -> None:
        """Move forward by `timedelta(**duration)`."""
        self._now += timedelta(**duration)


def timestamp(moment: datetime) -> Timestamp:
    """Write a timezone-aware moment in the one form, cut to the millisecond."""
    # isoformat and not strftime, which writes the year 999 in three digits.
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def parse_timestamp(text: str) -> datetime:
    """Read any ISO 8601 moment that carries an offset.

    Raises ValueError when the text is no moment or has no offset.
    """
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("a moment needs an offset, for example a final Z")
    return moment.astimezone(UTC)


def from_milliseconds(unix_ms: int) -> datetime:
    """The moment that many milliseconds after the Unix epoch."""
    return _EPOCH + timedelta(milliseconds=unix_ms)


def to_milliseconds(moment: datetime) -> int:
    """Whole milliseconds since the Unix epoch."""
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def parse_milliseconds(text: str) -> int:
    """Read a moment as `parse_timestamp` does, and count its whole milliseconds since the Unix epoch."""
    return to_milliseconds(parse_timestamp(text))
