"""Moments at which local time is about to change its mind: midnights, clock changes, skipped days.

They lie in the past, and zones here have no plans: what a government decides is known to one database before the next.
"""

from datetime import UTC, datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

ZONES = [
    "Europe/Berlin",
    "Europe/London",
    "America/New_York",
    "America/St_Johns",
    "America/Sao_Paulo",
    "America/Los_Angeles",
    "Asia/Kathmandu",
    "Asia/Kolkata",
    "Asia/Tehran",
    "Asia/Tokyo",
    "Australia/Lord_Howe",
    "Australia/Adelaide",
    "Pacific/Apia",
    "Pacific/Chatham",
    "Pacific/Kiritimati",
    "Pacific/Marquesas",
    "Africa/Johannesburg",
    "Antarctica/Troll",
    "Etc/GMT+12",
    "UTC",
]
UNKNOWN_ZONES = [
    "Mars/Olympus",
    "",
    "Europe",
    "../etc/passwd",
    "Europe/Berlin\u0000",
    "localtime",
    "right/UTC",
    "posixrules",
]
CHANGES = [
    "2025-03-30T01:00:00+00:00",
    "2025-10-26T01:00:00+00:00",
    "2025-03-09T07:00:00+00:00",
    "2025-11-02T06:00:00+00:00",
    "2025-03-09T10:00:00+00:00",
    "2025-11-02T09:00:00+00:00",
    "2025-04-05T15:00:00+00:00",
    "2025-10-04T15:30:00+00:00",
    "2025-04-05T14:00:00+00:00",
    "2024-02-29T12:00:00+00:00",
    "2011-12-30T10:00:00+00:00",
    "2018-11-04T03:00:00+00:00",
    "2022-03-20T20:30:00+00:00",
    "1970-01-01T00:00:00+00:00",
    "1999-12-31T23:59:59+00:00",
    "2038-01-19T03:14:08+00:00",
    "2099-06-15T00:00:00+00:00",
]


def moment(random: Random) -> int:
    """Unix milliseconds, mostly within a few seconds of a border."""
    kind = random.random()
    if kind < 0.35:
        return milliseconds(datetime.fromisoformat(random.choice(CHANGES))) + _jitter(random)
    if kind < 0.8:
        return _midnight(random) + _jitter(random)
    return random.randrange(1_000_000_000_000, 1_760_000_000_000)


def milliseconds(when: datetime) -> int:
    """The moment since 1970."""
    return (when - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)


def _midnight(random: Random) -> int:
    day = datetime(2007, 1, 1) + timedelta(days=random.randrange(6800))  # noqa: DTZ001 - the zone follows
    return milliseconds(day.replace(tzinfo=ZoneInfo(random.choice(ZONES))))


def _jitter(random: Random) -> int:
    return random.choice([-1, 0, 1, -1000, 999, 59_999, -3_600_000, 3_599_999, random.randrange(-(10**8), 10**8)])
