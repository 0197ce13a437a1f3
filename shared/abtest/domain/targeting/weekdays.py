"""Local time in IANA zones: days on which nothing is delivered, and the `local` attributes of conditions."""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from abtest.domain.targeting.shapes import LocalTime
from abtest.kit.time_zones import is_time_zone

# In the order of `weekday()`. Names by strftime would depend on the locale.
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class LocalTimes:
    """Local times of one moment, in Unix milliseconds; each zone is computed once."""

    __slots__ = ("_known", "_now")

    def __init__(self, now: float) -> None:
        self._now = now
        self._known: dict[str, LocalTime | None] = {}

    def at(self, zone: str) -> LocalTime | None:
        """Return day, hour and time in a zone; None for an unknown zone or a moment outside the calendar."""
        if zone not in self._known:
            self._known[zone] = local_time(zone, self._now)
        return self._known[zone]

    def is_dark(self, days: Collection[str], zone: str) -> bool:
        """Return whether it is one of these days in the zone; an unknown zone has no dark days."""
        local = self.at(zone)
        return local is not None and local["day"] in days


def local_time(zone: str, now: float) -> LocalTime | None:
    """Return the local time at a moment in Unix milliseconds, as `LocalTimes.at` does, without its cache."""
    place = zone_info(zone)
    if place is None:
        return None
    try:
        # Not fromtimestamp(), whose range depends on the platform's C library.
        moment = (_EPOCH + timedelta(milliseconds=now)).astimezone(place)
    except (OverflowError, ValueError):
        return None
    return {"day": DAYS[moment.weekday()], "hour": moment.hour, "time": f"{moment:%H:%M}"}


@lru_cache(maxsize=1024)
def zone_info(name: str) -> ZoneInfo | None:
    """Return the zone of an IANA name, or None."""
    return ZoneInfo(name) if is_time_zone(name) else None
