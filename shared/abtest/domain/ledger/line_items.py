"""The items of an order or a cart as shops send them, and the part of a goal's filter that tests them.

Items are the list (or the one object) under the first of `LISTS` in the data, else under the first in its `ecommerce`.
A custom event without either is an item itself, if it names a product. Each property has the names that data layers
give it (`NAMES`), with dots as paths. An item is usable when it has any of them.

Missing `revenue` is `price` times `quantity`, and missing `quantity` is 1.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from math import isfinite

from abtest.domain.goals.shapes import LineItems
from abtest.domain.ledger.comparisons import holds, number

LISTS = ("items", "line_items", "lineItems", "products", "product")

# Specific names come first: a bare `id` or `title` may be that of the line or of the variant.
# The first name with a text, a number or a boolean gives the property.
NAMES: Mapping[str, tuple[str, ...]] = {
    "productId": ("productId", "product_id", "item_id", "variant.product.id", "id"),
    "productTitle": ("productTitle", "product_title", "item_name", "variant.product.title", "title", "name"),
    "productType": (
        "productType",
        "product_type",
        "item_category",
        "variant.product.type",
        "variant.product.productType",
        "category",
        "type",
    ),
    "vendor": ("vendor", "item_brand", "variant.product.vendor", "brand"),
    "variantId": ("variantId", "variant_id", "item_variant", "variant.id", "variant"),
    "sku": ("sku", "item_sku", "variant.sku"),
    "quantity": ("quantity", "qty"),
    "price": ("price.amount", "price", "unit_price", "unitPrice", "variant.price.amount"),
    "revenue": ("revenue", "line_total", "lineTotal", "line_price", "finalLinePrice.amount"),
}

_NAMING_A_PRODUCT = ("productId", "product_id", "item_id", "variantId", "variant_id", "sku")

Item = Mapping[str, object]
"""A usable item by the contract's property names; missing values are absent."""


def accepts_items(line_items: LineItems, data: Mapping[str, object], *, is_cart: bool) -> bool:
    """Return whether an event's items satisfy `lineItems` of a filter: all conditions of an item are ANDed.

    `is_cart`: the event is a custom one. Without usable items `missingItems` decides, by default `exclude`.
    """
    items = list(items_in(data, is_cart=is_cart))
    if not items:
        return bool(line_items.get("missingItems") == "include")
    conditions = line_items["conditions"]
    met = [all(holds(condition, item.get(condition["property"])) for condition in conditions) for item in items]
    match line_items["match"]:
        case "any":
            return any(met)
        case "none":
            return not any(met)
        case _:
            return all(met)


def quantity_in(data: Mapping[str, object], *, is_cart: bool) -> Decimal | None:
    """Return the quantity of an event's usable items together; None without any.

    Also None where a quantity is not a number, or below 0. `is_cart`: the event is a custom one.
    """
    # A missing quantity is 1, as in the filter's `revenue`; one that cannot be read is not guessed.
    quantities = [number(item.get("quantity", 1)) for item in items_in(data, is_cart=is_cart)]
    if not quantities or any(quantity is None or quantity < 0 for quantity in quantities):
        return None
    return sum((quantity for quantity in quantities if quantity is not None), Decimal(0))


def items_in(data: Mapping[str, object], *, is_cart: bool) -> Iterator[Item]:
    """Yield the usable items of an event's data."""
    for raw in _raw_items(data, is_cart):
        if isinstance(raw, dict) and (item := item_of(raw)):
            yield item


def item_of(raw: Mapping[str, object]) -> Item:
    """Return the item in one entry of a list, `revenue` computed where it is missing; empty when unusable."""
    item: dict[str, object] = {}
    for name, paths in NAMES.items():
        value = _first_value(raw, paths)
        if value is not None:
            item[name] = value
    if "revenue" not in item:
        price, quantity = number(item.get("price")), number(item.get("quantity", 1))
        # Decimals have a larger range than floats: float() may return an infinity, which is not a number of JSON.
        if price is not None and quantity is not None and isfinite(product := float(price * quantity)):
            item["revenue"] = product
    return item


def _raw_items(data: Mapping[str, object], is_cart: bool) -> list[object]:
    ecommerce = data.get("ecommerce")
    for place in (data, ecommerce if isinstance(ecommerce, dict) else {}):
        for name in LISTS:
            if isinstance(items := place.get(name), list | dict):
                return items if isinstance(items, list) else [items]
    return [data] if is_cart and any(name in data for name in _NAMING_A_PRODUCT) else []


def _first_value(raw: Mapping[str, object], paths: tuple[str, ...]) -> str | int | float | bool | None:
    for path in paths:
        value: object = raw
        for name in path.split("."):
            value = value.get(name) if isinstance(value, dict) else None
        if isinstance(value, str | int | float):
            return value
    return None
