"""DynamoDB's limits of bytes in items and transactions, checked before each write.

DynamoDB itself refuses what exceeds them, with an error that names nothing, and the local engine stores it. With the
check every engine refuses the same writes with the same error.
"""

from collections.abc import Mapping
from typing import Any

from abtest.kit.errors import ItemTooLargeError

MAX_ITEM_BYTES = 400 * 1024
MAX_TRANSACTION_BYTES = 4_000_000
"""DynamoDB's 4 MB in the smaller reading, of powers of ten."""


def item_size(item: Mapping[str, Any]) -> int:
    """Return the bytes that DynamoDB counts at most: names and texts in UTF-8, binary values, numbers."""
    return sum(len(name.encode()) + value_size(value) for name, value in item.items())


def value_size(value: str | int | bytes) -> int:
    """Return the bytes of an attribute's value."""
    if isinstance(value, str):
        return len(value.encode())
    if isinstance(value, bytes):
        return len(value)
    # At least what DynamoDB counts, which is documented as approximate: a byte, and one for two significant digits.
    return 1 + len(str(value))


def check_item(
    item: Mapping[str, Any], what: str = "this item", error: type[ItemTooLargeError] = ItemTooLargeError
) -> int:
    """Return the size of an item. Raises `error`, which names what is too large."""
    size = item_size(item)
    if size > MAX_ITEM_BYTES:
        raise error(
            f"{what} is too large to be stored: {size:,} bytes, where {MAX_ITEM_BYTES:,} are allowed; make it smaller"
        )
    return size
