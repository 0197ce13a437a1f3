"""Ephemeral table: items with an expiry.

DynamoDB deletes an item hours or days after `expires`. Therefore every read and every condition compares the time
itself and treats expired items as absent.
"""

from datetime import datetime

from abtest.adapters.dynamo.table import Table


def ephemeral_table(name: str) -> Table:
    """Return the table, whose key is `pk` alone."""
    return Table(name, sorted_items=False)


def expires(moment: datetime) -> int:
    """Return the Unix seconds from which DynamoDB may delete an item, never before the moment itself."""
    return int(moment.timestamp()) + 1
