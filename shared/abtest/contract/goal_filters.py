"""Filters of a goal's events: by their data, the order's value, its line items."""
# ruff: noqa: N815 - the contract spells these names so

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from abtest.contract.alternatives import OneOf
from abtest.contract.base import ABSENT, Input
from abtest.contract.forms import Form
from abtest.contract.names import READABLE, Label
from abtest.domain.goals.shapes import Operator

Word = Annotated[str, Field(max_length=1000)]
Scalar = Annotated[Word | int | float, OneOf("a text or a number")]
Value = Annotated[
    Word | int | float | Annotated[list[Scalar], Field(min_length=1, max_length=50)],
    OneOf("a text, a number, or a list of these"),
]


class GoalFilterCondition(Input):
    """Comparison of one property of an event's data.

    `in` and `not_in` take a list, the others one value; `exists` ignores it unless it is `"false"`. On a missing
    property only `not_equals`, `not_contains`, `not_in` and `exists` with `"false"` match. Text is compared
    case-sensitively; a number equals text that spells it (`5`, `"5.0"`).
    """

    property: Annotated[str, Form("[A-Za-z0-9_]{1,64}", "have 1 to 64 letters A to Z, digits and underscores")]
    operator: Operator
    value: Value = ABSENT


class LineItemCondition(Input):
    """Comparison of one property of a line item."""

    property: Literal[
        "productId", "productTitle", "productType", "vendor", "variantId", "sku", "quantity", "price", "revenue"
    ]
    operator: Operator
    value: Value = ABSENT


class OrderValue(Input):
    """Comparison of the order's value before refunds, in major units of the shop's currency.

    An order in another currency is compared in its own unless the sender gave both amounts. An order of unknown
    currency has no value.
    """

    operator: Literal["gt", "gte", "lt", "lte", "equals", "not_equals"]
    value: Annotated[float, Field(ge=0)]


class LineItems(Input):
    """Line items that an order must have: `any` one item meets all conditions, `none` does, or `only` such items.

    Items without any of the nine properties are ignored. Without usable items `missingItems` decides (default exclude).
    """

    match: Literal["any", "none", "only"]
    missingItems: Literal["include", "exclude"] = ABSENT
    conditions: Annotated[list[LineItemCondition], Field(min_length=1, max_length=10)]


def known_version(number: int) -> int:
    """Return the version unchanged. Raises PydanticCustomError."""
    # Not Literal[1]: that takes true for 1.
    if number != 1:
        raise PydanticCustomError("filter_version", "must be 1, the only version of filters")
    return number


class GoalFilter(Input):
    """A filter with at least one part; all parts must match."""

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": [part]} for part in ("conditions", "orderValue", "lineItems")]}
    )

    version: Annotated[int, AfterValidator(known_version), WithJsonSchema({"type": "integer", "const": 1})]
    conditions: Annotated[list[GoalFilterCondition], Field(min_length=1, max_length=10)] = ABSENT
    orderValue: Annotated[list[OrderValue], Field(min_length=1, max_length=4)] = ABSENT
    lineItems: LineItems = ABSENT

    @model_validator(mode="after")
    def _has_parts(self) -> Self:
        if self.model_fields_set <= {"version"}:
            raise PydanticCustomError("empty_filter", "must have conditions, orderValue or lineItems")
        return self


class GoalCapture(Input):
    """A value of the clicked element that is sent with the event, as `property`."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [{"properties": {"source": {"const": "textContent"}}}, {"required": ["attribute"]}],
        }
    )

    property: Annotated[str, Field(min_length=1, max_length=64), READABLE]
    source: Literal["attribute", "textContent", "dataset"]
    attribute: Label = ABSENT

    @model_validator(mode="after")
    def _has_attribute_of_source(self) -> Self:
        if self.source != "textContent" and "attribute" not in self.model_fields_set:
            raise PydanticCustomError("missing_attribute", "attribute is required unless source is textContent")
        return self
