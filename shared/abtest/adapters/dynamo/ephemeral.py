"""Ephemeral table: items with an expiry.

DynamoDB deletes an item hours or days after `expires`. Therefore every read and every condition compares the time
itself and treats expired items as absent. Names come from callers and may be long or personal, such as IP addresses, so
keys contain their hash. Leases are the exception: their names are ours, and operators look them up.
"""

from datetime import datetime
from hashlib import sha256

from abtest.adapters.dynamo.table import Table


def ephemeral_table(name: str) -> Table:
    """Return the table, whose key is `pk` alone."""
    return Table(name, sorted_items=False)


def hashed_key(prefix: str, name: str) -> str:
    """Return the key for a name that any caller may have chosen."""
    return f"{prefix}#{sha256(name.encode(errors='surrogatepass')).hexdigest()}"


def expires(moment: datetime) -> int:
    """Return the Unix seconds from which DynamoDB may delete an item, never before the moment itself."""
    return int(moment.timestamp()) + 1
