"""Local time in IANA zones: days on which nothing is delivered, and the `local` attributes of conditions."""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from abtest.domain.targeting.shapes import LocalTime
from abtest.kit.time_zones import is_time_zone

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class LocalTimes:
    """One moment, given in Unix milliseconds, as clocks show it in many zones; each is looked up once."""

    __slots__ = ("_known", "_now")

    def __init__(self, now: float) -> None:
        self._now = now
        self._known: dict[str, LocalTime | None] = {}

    def at(self, zone: str) -> LocalTime | None:
        """Day, hour and time in a zone; None when there is no such zone, or the moment is beyond all calendars."""
        if zone not in self._known:
            self._known[zone] = _local(zone, self._now)
        return self._known[zone]

    def is_dark(self, days: Collection[str], zone: str) -> bool:
        """Whether it is one of these days in the zone; of a zone that does not exist no day is dark."""
        local = self.at(zone)
        return local is not None and local["day"] in days


def _local(zone: str, now: float) -> LocalTime | None:
    place = _zone(zone)
    if place is None:
        return None
    try:
        moment = (_EPOCH + timedelta(milliseconds=now)).astimezone(place)
    except (OverflowError, ValueError):
        return None
    return {"day": DAYS[moment.weekday()], "hour": moment.hour, "time": f"{moment:%H:%M}"}


@lru_cache(maxsize=1024)
def _zone(name: str) -> ZoneInfo | None:
    return ZoneInfo(name) if is_time_zone(name) else None
