"""Names of IANA time zones."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from zoneinfo import ZoneInfo, available_timezones

_LOCAL_FILES = re.compile("(?:posix|right)/|(?:posixrules|localtime|Factory)$")
"""Files in the database's directory that are not time zones to every browser."""


@lru_cache(maxsize=1024)
def is_time_zone(name: str) -> bool:
    """Return whether the name is in the IANA database. Never raises, for any text."""
    if _LOCAL_FILES.match(name):
        return False
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown name, path outside the database, name of a directory
        return False
    return True


def database_spelling(name: str) -> str | None:
    """Return a name in any case as the database spells it, or None. Never raises, for any text."""
    return name if is_time_zone(name) else _spellings().get(name.lower())


# Cached, because `available_timezones` opens every file of the database at each call.
@cache
def _spellings() -> Mapping[str, str]:
    return {name.lower(): name for name in available_timezones() if is_time_zone(name)}
