"""Shapes of goals under the names of the contract: filters of events and captures of clicked elements."""

from collections.abc import Sequence
from typing import Literal, NotRequired, TypedDict

GoalType = Literal["click", "pageview", "custom", "revenue"]
GoalRole = Literal["primary", "secondary", "guardrail"]
Direction = Literal["increase", "decrease"]
Aggregation = Literal["conversion", "count", "sum", "mean", "ratio"]
Quantity = Literal["value", "items", "events"]
"""What is added up of each hit: its value or money, the quantity of its line items, or 1."""
Numerator = Literal["value", "items"]
Denominator = Literal["events", "items"]
Scalar = str | int | float
Operator = Literal[
    "equals",
    "not_equals",
    "contains",
    "not_contains",
    "starts_with",
    "ends_with",
    "in",
    "not_in",
    "gt",
    "gte",
    "lt",
    "lte",
    "exists",
]


class ValueCondition(TypedDict):
    """Comparison of the value of an order, in major units of the shop's currency."""

    operator: Literal["gt", "gte", "lt", "lte", "equals", "not_equals"]
    value: float


class FilterCondition(TypedDict):
    """Comparison of one property of an event, or of an item of an order."""

    property: str
    operator: Operator
    value: NotRequired[Scalar | list[Scalar]]


class LineItems(TypedDict):
    """Items that an order must have; `missingItems` decides about orders without usable items."""

    match: Literal["any", "none", "only"]
    missingItems: NotRequired[Literal["include", "exclude"]]
    conditions: list[FilterCondition]


class GoalFilter(TypedDict):
    """Filter of the events that a goal counts: every part must hold."""

    version: int
    conditions: NotRequired[list[FilterCondition]]
    orderValue: NotRequired[list[ValueCondition]]
    lineItems: NotRequired[LineItems]


class GoalCapture(TypedDict):
    """A value of the clicked element that is taken along with the event."""

    property: str
    source: Literal["attribute", "textContent", "dataset"]
    attribute: NotRequired[str]


class GoalFields(TypedDict, total=False):
    """Fields of a goal of a request."""

    id: str
    goal_id: str
    name: str
    type: GoalType
    is_primary: bool
    role: GoalRole
    direction: Direction
    event_name: str | None
    selector: str | None
    text_match: str | None
    url_pattern: str | None
    page_id: str | None
    count_once: bool
    aggregation: Aggregation
    numerator: Numerator | None
    denominator: Denominator | None
    winsorize_pct: float | None
    attribution_window_days: int
    currency_basis: Literal["shop_money"]
    filter: GoalFilter | None
    capture: Sequence[GoalCapture]
    archived_at: str | None
