"""Names of IANA time zones."""

import re
from functools import lru_cache
from zoneinfo import ZoneInfo

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
