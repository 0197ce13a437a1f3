"""The items of an order or a cart as shops send them, and whether they are what a goal's filter asks for.

Items are the list (or the one object) under the first of `items`, `line_items`, `lineItems`, `products` and `product`
that the data has, else under the same of its `ecommerce`; of a custom event without any the data itself, where it names
a product. Each property has the names that data layers give it (`NAMES`); dots lead inwards. An item is usable when it
has any of them. `revenue` that is not told is `price` times `quantity`, which is 1 unless told.
"""

from collections.abc import Iterator, Mapping
from math import isfinite

from abtest.domain.goals.shapes import FilterCondition, LineItems
from abtest.domain.ledger.comparisons import holds, number

LISTS = ("items", "line_items", "lineItems", "products", "product")

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
"""The first name that has a text, a number or a boolean tells."""

_NAMING_A_PRODUCT = ("productId", "product_id", "item_id", "variantId", "variant_id", "sku")

Item = Mapping[str, object]
"""A usable item by the contract's property names; what is not told is absent."""


def accepts_items(wanted: LineItems, data: Mapping[str, object], *, is_cart: bool) -> bool:
    """Whether an event's items satisfy `lineItems` of a filter: all conditions of an item are ANDed.

    `is_cart`: the event is a custom one. Without usable items `missingItems` decides, `exclude` unless told.
    """
    items = list(items_in(data, is_cart=is_cart))
    if not items:
        return bool(wanted.get("missingItems") == "include")
    met = [_meets(item, wanted["conditions"]) for item in items]
    match wanted["match"]:
        case "any":
            return any(met)
        case "none":
            return not any(met)
        case _:
            return all(met)


def items_in(data: Mapping[str, object], *, is_cart: bool) -> Iterator[Item]:
    """The usable items of an event's data."""
    for raw in _raw_items(data, is_cart):
        item = _read(raw) if isinstance(raw, dict) else {}
        if item:
            yield item


def _meets(item: Item, conditions: list[FilterCondition]) -> bool:
    return all(holds(condition, item.get(condition["property"])) for condition in conditions)


def _raw_items(data: Mapping[str, object], is_cart: bool) -> list[object]:
    ecommerce = data.get("ecommerce")
    for place in (data, ecommerce if isinstance(ecommerce, dict) else {}):
        for name in LISTS:
            if isinstance(found := place.get(name), list | dict):
                return found if isinstance(found, list) else [found]
    return [data] if is_cart and any(name in data for name in _NAMING_A_PRODUCT) else []


def _read(raw: Mapping[str, object]) -> Item:
    told = {name: _first(raw, paths) for name, paths in NAMES.items()}
    if told["revenue"] is None:
        told["revenue"] = _revenue(told["price"], told["quantity"])
    return {name: value for name, value in told.items() if value is not None}


def _first(raw: Mapping[str, object], paths: tuple[str, ...]) -> object:
    return next((value for path in paths if (value := _at(raw, path)) is not None), None)


def _at(raw: object, path: str) -> str | int | float | bool | None:
    for name in path.split("."):
        raw = raw.get(name) if isinstance(raw, dict) else None
    return raw if isinstance(raw, str | int | float) else None


def _revenue(price: object, quantity: object) -> float | None:
    amount, pieces = number(price), number(1 if quantity is None else quantity)
    if amount is None or pieces is None:
        return None
    product = float(amount * pieces)
    return product if isfinite(product) else None
