"""Rules of messages in the inbox."""

from datetime import datetime, timedelta
from typing import Literal

from abtest.kit.clock import Timestamp, parse_timestamp

InboxRole = Literal["client", "operator", "system"]
"""Author of an inbox message: the shop, the operators of the service, the service itself."""

SYSTEM_MESSAGES_KEPT = timedelta(days=90)
"""How long messages of the service are kept; those of people are kept permanently."""

MAX_BODY = 10_000
"""Characters of a message."""


def is_kept(role: InboxRole, created_at: Timestamp, now: datetime) -> bool:
    """Return whether a message is shown. The store removes others, some days later."""
    return role != "system" or parse_timestamp(created_at) + SYSTEM_MESSAGES_KEPT > now
