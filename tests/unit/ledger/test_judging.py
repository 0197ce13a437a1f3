"""Judging hits: every operator, order values, line items under all their names, page scopes, values."""

from typing import Any

import pytest

from abtest.domain.ledger.events import Row
from abtest.domain.ledger.hits import MAX_VALUE, accepts, worth
from abtest.domain.ledger.plans import parts_of_ratio
from abtest.kit import canonical_json
from tests.support.ledgers import click, goal, order, row

DATA = (
    '{"plan":"Pro plan","seats":5,"price":"9.50","trial":true,"tags":["a","b"],"nothing":null,"id":90071992547409931}'
)


def meets(data: str, property_name: str, operator: str, *value: Any) -> bool:
    condition = {"property": property_name, "operator": operator} | ({"value": value[0]} if value else {})
    judged = goal("g", "custom", event_name="e", filter={"version": 1, "conditions": [condition]})
    return accepts(judged, row(type="custom", event_name="e", data=data))


@pytest.mark.parametrize(
    ("property_name", "operator", "value", "expected"),
    [
        ("plan", "equals", "Pro plan", True),
        ("plan", "equals", "pro plan", False),
        ("seats", "equals", 5, True),
        ("seats", "equals", 5.0, True),
        ("seats", "equals", "5", True),
        ("seats", "equals", "5.0", True),
        ("price", "equals", 9.5, True),
        ("price", "equals", "9.5", False),
        ("id", "equals", "90071992547409931", True),
        ("id", "equals", "90071992547409932", False),
        ("id", "equals", 90071992547409932, False),
        ("trial", "equals", "true", True),
        ("trial", "equals", 1, False),
        ("plan", "not_equals", "Free", True),
        ("plan", "not_equals", "Pro plan", False),
        ("plan", "contains", "plan", True),
        ("tags", "contains", "b", True),
        ("tags", "contains", "ab", False),
        ("tags", "not_contains", "b", False),
        ("plan", "not_contains", "b", True),
        ("plan", "starts_with", "Pro", True),
        ("plan", "ends_with", "Pro", False),
        ("plan", "ends_with", "plan", True),
        ("seats", "in", [4, 5], True),
        ("seats", "in", ["5"], True),
        ("seats", "not_in", [4, 5], False),
        ("plan", "not_in", [4, 5], True),
        ("seats", "gt", 5, False),
        ("seats", "gt", 4.9, True),
        ("seats", "gte", 5, True),
        ("price", "lt", 9.51, True),
        ("price", "lt", 9.5, False),
        ("price", "lte", "9.5", True),
        ("plan", "gt", 1, False),
        ("plan", "lt", 1, False),
        ("trial", "gte", 0, False),
        ("plan", "exists", "false", False),
        ("nothing", "exists", "false", True),
        ("gone", "exists", "true", False),
        ("gone", "equals", "x", False),
        ("gone", "lt", 5, False),
        ("gone", "not_equals", "x", True),
        ("gone", "not_contains", "x", True),
        ("gone", "not_in", ["x"], True),
    ],
)
def test_condition__on_a_property__holds_as_its_operator_says(
    property_name: str, operator: str, value: Any, expected: bool
) -> None:
    assert meets(DATA, property_name, operator, value) is expected


@pytest.mark.parametrize(("property_name", "expected"), [("plan", True), ("gone", False), ("nothing", False)])
def test_condition__that_asks_for_existence__needs_no_value(property_name: str, expected: bool) -> None:
    assert meets(DATA, property_name, "exists") is expected


@pytest.mark.parametrize("text", ["1e400", "nan", "inf", "1_0", " 10 ", "١", "0x10", "", "1e99999999999"])
def test_condition__on_a_text_that_is_no_plain_number__orders_nothing(text: str) -> None:
    data = canonical_json.dumps({"amount": text})
    answers = {operator: meets(data, "amount", operator, 5) for operator in ("gt", "lt", "equals")}
    assert answers == {"gt": text == "1e400", "lt": False, "equals": False}


def test_conditions__several__must_all_hold() -> None:
    both = [{"property": "seats", "operator": "gt", "value": 4}, {"property": "plan", "operator": "exists"}]
    judged = goal("g", filter={"version": 1, "conditions": both})
    assert accepts(judged, click("v-1", data='{"seats":5,"plan":"x"}'))
    assert not accepts(judged, click("v-1", data='{"seats":5}'))
    assert not accepts(judged, click("v-1", data='{"seats":4,"plan":"x"}'))


@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [
        ("gt", 49.9, False),
        ("gt", 49.89, True),
        ("gte", 49.9, True),
        ("gte", 49.91, False),
        ("lt", 49.9, False),
        ("lt", 50, True),
        ("lte", 49.9, True),
        ("equals", 49.9, True),
        ("not_equals", 49.9, False),
    ],
)
def test_order_value__is_in_major_units(operator: str, value: float, expected: bool) -> None:
    judged = goal("g", "revenue", filter={"version": 1, "orderValue": [{"operator": operator, "value": value}]})
    assert accepts(judged, order("v-1", 4990)) is expected


LARGE = goal(
    "g",
    "revenue",
    filter={"version": 1, "orderValue": [{"operator": "gte", "value": 50}, {"operator": "lt", "value": 100}]},
)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"revenue_minor": 5000}, True),
        ({"revenue_minor": 10_000}, False),
        ({"revenue_minor": 5000, "currency": "JPY"}, False),
        ({"revenue_minor": 50, "currency": "JPY"}, True),
        ({"revenue_minor": 90_000, "currency": "SEK", "shop_revenue_minor": 8000, "shop_currency": "EUR"}, True),
        ({"revenue_minor": 8000, "currency": "SEK", "shop_revenue_minor": 700, "shop_currency": "EUR"}, False),
        ({"revenue_minor": 6000, "currency": None}, False),
        ({"revenue_minor": None, "currency": None}, False),
    ],
)
def test_order_value__of_another_currency__is_that_of_the_shop_where_told(
    changes: dict[str, Any], expected: bool
) -> None:
    assert accepts(LARGE, order("v-1", 0, **changes)) is expected


def items_goal(match: str, *conditions: dict[str, Any], kind: str = "revenue", **changes: Any) -> Any:
    wanted = {"match": match, "conditions": list(conditions)} | changes
    return goal("g", kind, event_name="add_to_cart", filter={"version": 1, "lineItems": wanted})


SHOES = {"property": "productType", "operator": "equals", "value": "shoes"}
CHEAP = {"property": "price", "operator": "lt", "value": 50}


def an_order(*items: Any) -> Row:
    return order("v-1", 5000, data=canonical_json.dumps({"items": list(items)}))


SHOE, BOOT, HAT = (
    {"productType": "shoes", "price": 20},
    {"productType": "shoes", "price": 80},
    {"productType": "hats", "price": 20},
)


@pytest.mark.parametrize(
    ("items", "any_of", "none_of", "only"),
    [
        ([SHOE], True, False, True),
        ([SHOE, HAT], True, False, False),
        ([BOOT, HAT], False, True, False),
        ([HAT], False, True, False),
        ([SHOE, SHOE], True, False, True),
        ([SHOE, "junk", None, {}, {"colour": "red"}], True, False, True),
    ],
)
def test_line_items__match__asks_for_items_that_meet_all_conditions_at_once(
    items: list[Any], any_of: bool, none_of: bool, only: bool
) -> None:
    answers = [accepts(items_goal(match, SHOES, CHEAP), an_order(*items)) for match in ("any", "none", "only")]
    assert answers == [any_of, none_of, only]


@pytest.mark.parametrize("match", ["any", "none", "only"])
@pytest.mark.parametrize(
    "data", ["{}", '{"items":[]}', '{"items":["a",1,null,[]]}', '{"items":[{"colour":"red"}]}', '{"items":"shoes"}']
)
def test_line_items__without_usable_items__satisfies_as_missing_items_says(match: str, data: str) -> None:
    answers = [
        accepts(items_goal(match, SHOES, **told), order("v-1", 5000, data=data))
        for told in ({}, {"missingItems": "exclude"}, {"missingItems": "include"})
    ]
    assert answers == [False, False, True]


@pytest.mark.parametrize(
    ("item", "property_name", "value"),
    [
        ({"productId": 7}, "productId", "7"),
        ({"product_id": "7"}, "productId", "7"),
        ({"item_id": "7", "id": "8"}, "productId", "7"),
        ({"id": "7"}, "productId", "7"),
        ({"variant": {"id": "9", "product": {"id": "7"}}}, "productId", "7"),
        ({"item_name": "Boot"}, "productTitle", "Boot"),
        ({"title": "Boot", "name": "other"}, "productTitle", "Boot"),
        ({"name": "Boot"}, "productTitle", "Boot"),
        ({"item_category": "shoes"}, "productType", "shoes"),
        ({"variant": {"product": {"type": "shoes"}}}, "productType", "shoes"),
        ({"brand": "Acme"}, "vendor", "Acme"),
        ({"item_brand": "Acme"}, "vendor", "Acme"),
        ({"variant": "red"}, "variantId", "red"),
        ({"variant": {"id": 9}}, "variantId", "9"),
        ({"item_variant": "red"}, "variantId", "red"),
        ({"variant": {"sku": "S-1"}}, "sku", "S-1"),
        ({"sku": "S-1"}, "sku", "S-1"),
        ({"qty": 3}, "quantity", 3),
        ({"quantity": "3"}, "quantity", 3),
        ({"price": {"amount": "9.50"}}, "price", 9.5),
        ({"variant": {"price": {"amount": 9.5}}}, "price", 9.5),
        ({"unit_price": 9.5}, "price", 9.5),
        ({"revenue": 12}, "revenue", 12),
        ({"line_total": "12.00", "price": 1}, "revenue", 12),
        ({"finalLinePrice": {"amount": 12}}, "revenue", 12),
        ({"price": 19.99, "quantity": 3}, "revenue", 59.97),
        ({"price": "6"}, "revenue", 6),
    ],
)
def test_line_items__under_the_names_of_data_layers__are_read(
    item: dict[str, Any], property_name: str, value: Any
) -> None:
    condition = {"property": property_name, "operator": "equals", "value": value}
    assert accepts(items_goal("any", condition), an_order(item))


@pytest.mark.parametrize("item", [{"price": "much", "sku": "s"}, {"price": 1e308, "quantity": 10}, {"quantity": 3}])
def test_line_item__whose_price_is_none__has_no_revenue(item: dict[str, Any]) -> None:
    assert not accepts(items_goal("any", {"property": "revenue", "operator": "exists"}), an_order(item))


@pytest.mark.parametrize(
    "data",
    [
        {"items": [SHOE]},
        {"line_items": [SHOE]},
        {"lineItems": [SHOE]},
        {"products": [SHOE]},
        {"product": SHOE},
        {"items": SHOE},
        {"ecommerce": {"items": [SHOE]}},
        {"items": None, "ecommerce": {"products": [SHOE]}},
    ],
)
def test_line_items__under_each_of_their_places__are_found(data: dict[str, Any]) -> None:
    assert accepts(items_goal("only", SHOES), order("v-1", 5000, data=canonical_json.dumps(data)))


def test_line_items__of_a_cart_event_that_is_about_one_product__are_the_event_itself() -> None:
    data = canonical_json.dumps({"event_name": "add_to_cart", "product_id": 7, "product_type": "shoes"})
    judged = items_goal("any", SHOES, kind="custom")
    assert accepts(judged, row(type="custom", event_name="add_to_cart", data=data))
    assert not accepts(judged, row(type="custom", event_name="add_to_cart", data='{"product_type":"shoes"}'))
    assert not accepts(items_goal("any", SHOES), order("v-1", 5000, data=data))


def test_filter__with_several_parts__asks_for_all_of_them() -> None:
    judged = goal(
        "g",
        "revenue",
        filter={
            "version": 1,
            "conditions": [{"property": "channel", "operator": "equals", "value": "web"}],
            "orderValue": [{"operator": "gt", "value": 10}],
            "lineItems": {"match": "any", "conditions": [SHOES]},
        },
    )
    told = {"channel": "web", "items": [SHOE]}
    assert accepts(judged, order("v-1", 1001, data=canonical_json.dumps(told)))
    assert not accepts(judged, order("v-1", 1000, data=canonical_json.dumps(told)))
    assert not accepts(judged, order("v-1", 1001, data=canonical_json.dumps(told | {"channel": "pos"})))
    assert not accepts(judged, order("v-1", 1001, data=canonical_json.dumps(told | {"items": [HAT]})))


CHECKOUT = {"path": r"\/?checkout\/.*\/?"}
THANKS = "https://shop.example/checkout/thanks?id=1"


@pytest.mark.parametrize(
    ("scope", "url", "expected"),
    [
        ({"url": CHECKOUT}, THANKS, True),
        ({"url": CHECKOUT}, "https://shop.example/cart", False),
        ({"url": CHECKOUT}, None, False),
        ({"url": CHECKOUT}, "", False),
        ({"url": CHECKOUT}, "http://[", False),
        ({"pages": {"include": [CHECKOUT], "exclude": [{"re": "thanks"}]}}, THANKS, False),
        ({"pages": {"include": [CHECKOUT], "exclude": [{"re": "thanks"}]}}, THANKS.replace("thanks", "pay"), True),
        ({"pages": {"exclude": [CHECKOUT]}}, "https://shop.example/", True),
        ({"pages": {"exclude": [CHECKOUT]}}, None, False),
        ({"pages": {"include": [{"re": "thanks"}]}, "url": CHECKOUT}, THANKS, True),
        ({"pages": {"include": [{"re": "cart"}]}, "url": CHECKOUT}, THANKS, False),
    ],
)
def test_scope__of_pages__counts_orders_where_the_address_matches(
    scope: dict[str, Any], url: str | None, expected: bool
) -> None:
    assert accepts(goal("g", "revenue", scope=scope), order("v-1", 1, url=url)) is expected


def test_scope__on_events_that_the_browser_judged__is_not_asked_again() -> None:
    scoped = goal("g", "custom", event_name="e", scope={"url": CHECKOUT})
    assert accepts(scoped, click("v-1", goal_id="g", url="https://shop.example/"))
    assert not accepts(scoped, row(type="custom", event_name="e", url="https://shop.example/"))
    assert not accepts(goal("g", "revenue", scope={"url": CHECKOUT}), click("v-1", goal_id="__revenue__"))


VALUED = goal("g", "custom", event_name="e", sums_value=True)


@pytest.mark.parametrize(
    ("data", "money", "expected"),
    [
        ('{"value":12.34}', {}, 1234),
        ('{"value":"12.34"}', {}, 1234),
        ('{"value":0.125}', {}, 12),
        ('{"value":0.135}', {}, 14),
        ('{"value":7}', {"revenue_minor": 100, "currency": "EUR"}, 700),
        ('{"value":0}', {"revenue_minor": 100, "currency": "EUR"}, 0),
        ('{"value":-1}', {}, 0),
        ('{"value":true}', {}, 0),
        ('{"value":"many"}', {"revenue_minor": 100, "currency": "EUR"}, 100),
        ("{}", {"revenue_minor": 100, "currency": "EUR"}, 100),
        ("{}", {"revenue_minor": 100, "currency": "USD"}, 0),
        ("{}", {"revenue_minor": 9, "currency": "USD", "shop_revenue_minor": 8, "shop_currency": "EUR"}, 8),
        ("{}", {"revenue_minor": 100, "currency": None}, 0),
        ("{}", {}, 0),
        (f'{{"value":{MAX_VALUE // 100}}}', {}, MAX_VALUE),
        (f'{{"value":{MAX_VALUE // 100}.01}}', {}, 0),
        ('{"value":1e300}', {}, 0),
        (f'{{"value":{"9" * 400}}}', {}, 0),
    ],
)
def test_worth__of_a_goal_that_sums_values__is_the_value_in_hundredths_else_its_money(
    data: str, money: dict[str, Any], expected: int
) -> None:
    assert worth(VALUED, row(type="custom", event_name="e", data=data, **money), "EUR") == expected


@pytest.mark.parametrize(("currency", "minor", "expected"), [("JPY", 12, 1200), ("KWD", 12_345, 1234), ("EUR", 12, 12)])
def test_worth__that_is_money__counts_hundredths_in_every_currency(currency: str, minor: int, expected: int) -> None:
    assert worth(VALUED, row(type="custom", revenue_minor=minor, currency=currency), currency) == expected


def test_worth__of_a_goal_that_counts__is_one() -> None:
    assert worth(goal("g"), click("v-1", data='{"value":5}'), "EUR") == 1


@pytest.mark.parametrize(
    ("data", "items"),
    [
        ('{"items":[{"sku":"a","quantity":2},{"sku":"b"}]}', 300),
        ('{"items":[{"sku":"a","quantity":"1.5"}]}', 150),
        ('{"ecommerce":{"items":[{"item_id":"a","quantity":4}]}}', 400),
        ('{"items":[{"sku":"a","quantity":0}]}', 0),
        ('{"items":[{"sku":"a"},{"note":"unusable"}]}', 100),
        ('{"items":[{"sku":"a","quantity":"some"}]}', None),
        ('{"items":[{"sku":"a"},{"sku":"b","quantity":-1}]}', None),
        ('{"items":[{"sku":"a","quantity":1e20}]}', None),
        ('{"items":[]}', None),
        ("{}", None),
    ],
)
def test_worth__of_items__is_their_quantity_or_the_hit_does_not_count(data: str, items: int | None) -> None:
    (numerator, denominator, both) = parts_of_ratio(goal("g", "revenue"), "items", "events")
    hit = order("v-1", 500, data=data)
    assert {accepts(part, hit) for part in (numerator, denominator, both)} == {items is not None}
    if items is not None:
        assert [worth(part, hit, "EUR") for part in (numerator, denominator, both)] == [items, 1, items + 1]


def test_worth__of_a_ratio_of_money__leaves_the_money_to_the_counter() -> None:
    parts = parts_of_ratio(goal("g", "revenue"), "value", "events")
    assert [part.takes_minor for part in parts] == [True, False, True]
    assert [worth(part, order("v-1", 500), "EUR") for part in parts if part.takes_worth] == [1, 1]


def test_worth__of_a_ratio_of_values__is_the_value_in_hundredths() -> None:
    parts = parts_of_ratio(goal("g", "custom", event_name="e"), "value", "events")
    hit = row(type="custom", event_name="e", data='{"value":"12.50"}')
    assert [worth(part, hit, "EUR") for part in parts] == [1250, 1, 1251]
