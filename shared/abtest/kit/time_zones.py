"""Which time zones there are."""

import re
from functools import lru_cache
from zoneinfo import ZoneInfo

_OF_THIS_MACHINE_ALONE = re.compile("(?:posix|right)/|(?:posixrules|localtime|Factory)$")
"""Files beside the database, of which browsers know none, or not all of them do."""


@lru_cache(maxsize=1024)
def is_time_zone(name: str) -> bool:
    """Whether the name is in the IANA database. Never raises, whatever the name is."""
    if _OF_THIS_MACHINE_ALONE.match(name):
        return False
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown names, names that leave the database, names of its folders
        return False
    return True
