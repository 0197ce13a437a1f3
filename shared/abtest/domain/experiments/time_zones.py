"""Which time zones there are."""

from functools import lru_cache
from zoneinfo import ZoneInfo


@lru_cache(maxsize=1024)
def is_time_zone(name: str) -> bool:
    """Whether the name is in the IANA database. Never raises, whatever the name is."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown names, names that leave the database, names of its folders
        return False
    return True
