"""The ephemeral table: items that say when they end.

DynamoDB deletes an item hours or days after `expires`, so every read and every condition here looks at the time itself
and treats what has ended as absent. Names come from callers and may be long or personal (addresses): keys hold their
hash, except those of leases, which are our own and which an operator wants to find.
"""

from datetime import datetime
from hashlib import sha256

from abtest.adapters.dynamo.table import Table


def ephemeral_table(name: str) -> Table:
    """The table, by its single key."""
    return Table(name, sorted_items=False)


def hashed_key(prefix: str, name: str) -> str:
    """A key for a name that anybody may have chosen."""
    return f"{prefix}#{sha256(name.encode(errors='surrogatepass')).hexdigest()}"


def expires(moment: datetime) -> int:
    """Unix seconds from which DynamoDB may delete: never before the moment itself."""
    return int(moment.timestamp()) + 1
