"""Effect of a change of a flag: the states that are delivered, and the fields that the audit compares."""

from abtest.domain.changes.diff import Diff
from abtest.domain.flags.model import Flag
from abtest.kit.documents import encode

DELIVERED = frozenset({"active", "paused"})
"""States in which flags are evaluated: a paused one answers with its off value."""

_NOT_AUDITED = frozenset({"version", "updated_at"})


def is_published(flag: Flag) -> bool:
    """Return whether storefronts get the flag. Flags for servers are not published."""
    return flag.delivery_type == "visual" and flag.status in DELIVERED


def audited(flag: Flag) -> Diff:
    """Return the fields that the audit compares."""
    return {name: value for name, value in encode(flag).items() if name not in _NOT_AUDITED}
