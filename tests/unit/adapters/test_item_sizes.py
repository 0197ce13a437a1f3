"""Sizes of items as DynamoDB counts them."""

from typing import Any

import pytest

from abtest.adapters.dynamo.sizes import MAX_ITEM_BYTES, check_item, item_size
from abtest.kit.errors import ItemTooLargeError


@pytest.mark.parametrize(
    ("item", "size"),
    [({}, 0), ({"pk": "abc"}, 5), ({"é": "é"}, 4), ({"b": b"\x00\xff"}, 3), ({"n": 5}, 3), ({"n": -12345}, 8)],
)
def test_size__of_names_and_values__is_in_bytes(item: dict[str, Any], size: int) -> None:
    assert item_size(item) == size


def test_item__of_exactly_400_kb__fits_and_one_byte_more_does_not() -> None:
    assert check_item({"pk": "x" * (MAX_ITEM_BYTES - 2)}) == MAX_ITEM_BYTES
    with pytest.raises(ItemTooLargeError, match="this item is too large to be stored: 409,601 bytes, where 409,600"):
        check_item({"pk": "x" * (MAX_ITEM_BYTES - 1)})
