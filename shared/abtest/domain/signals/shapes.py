"""Shapes of data-layer triggers: as shops state them, and compiled (section 2.4 of docs/data-model.md)."""
# ruff: noqa: N815 - the contract spells these names so

from typing import Literal, NotRequired, TypedDict

Scalar = str | int | float | bool
ValueType = Literal["string", "number", "boolean", "string_array", "json"]


class TriggerCondition(TypedDict):
    """A comparison of one value of the payload."""

    path: str
    op: Literal["eq", "neq", "gt", "lt", "exists", "not_exists"]
    value: NotRequired[Scalar]


class TransformFields(TypedDict, total=False):
    """Changes to a value before it is used."""

    trim: bool
    lowercase: bool
    map: dict[str, str]
    scale: float
    default: Scalar


PropertyFields = TypedDict(
    "PropertyFields",
    {
        "from": str | list[str],
        "to": str,
        "valueType": NotRequired[ValueType],
        "transform": NotRequired[TransformFields],
    },
)
"""A value of the payload and its name as a property."""


class MappingFields(PropertyFields):
    """A value that becomes an attribute of the visitor."""

    ttlDays: NotRequired[float]
    persist: NotRequired[bool]


class RevenueFields(TypedDict, total=False):
    """Revenue in the payload."""

    enabled: bool
    revenueFrom: str | list[str]
    orderIdFrom: str | list[str]
    currencyFrom: str | list[str]
    costFrom: str | list[str]
    profitFrom: str | list[str]
    properties: list[PropertyFields]


RevenueField = Literal["revenueFrom", "orderIdFrom", "currencyFrom", "costFrom", "profitFrom"]


class TriggerFields(TypedDict):
    """A trigger under the names of the contract."""

    eventName: str
    enabled: NotRequired[bool]
    reEvaluate: NotRequired[bool]
    trackPageview: NotRequired[bool]
    dataLayerName: NotRequired[str]
    trackEventName: NotRequired[str]
    when: NotRequired[list[TriggerCondition]]
    trackRevenue: NotRequired[RevenueFields]
    properties: NotRequired[list[PropertyFields]]
    mappings: NotRequired[list[MappingFields]]


Mapped = TypedDict(
    "Mapped",
    {
        "from": list[str],
        "to": NotRequired[str],
        "type": NotRequired[str],
        "trim": NotRequired[bool],
        "lower": NotRequired[bool],
        "map": NotRequired[dict[str, str]],
        "scale": NotRequired[float],
        "default": NotRequired[object],
        "ttl": NotRequired[float],
        "persist": NotRequired[bool],
    },
)
"""A compiled property or attribute; the parts of revenue have no name of their own."""


RevenueName = Literal["revenue", "order_id", "currency", "cost", "profit"]


class Revenue(TypedDict, total=False):
    """Compiled paths of revenue, and its properties."""

    revenue: list[str]
    order_id: list[str]
    currency: list[str]
    cost: list[str]
    profit: list[str]
    properties: list[Mapped]


class ReadRevenue(TypedDict):
    """Revenue that a payload holds."""

    revenue: float
    orderId: str | None
    currency: str | None
    cost: float | None
    profit: float | None
    properties: dict[str, object]


class CompiledTrigger(TypedDict):
    """A trigger as storefronts evaluate it."""

    id: str
    event: str
    layer: str
    when: NotRequired[list[TriggerCondition]]
    reevaluate: NotRequired[bool]
    pageview: NotRequired[bool]
    track: NotRequired[str]
    revenue: NotRequired[Revenue]
    properties: NotRequired[list[Mapped]]
    mappings: NotRequired[list[Mapped]]
