"""Data-layer triggers on the wire: which pushes to a page's data layer they match, and what follows."""
# ruff: noqa: N815 - the contract spells these names so

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from abtest.contract.alternatives import OneOf
from abtest.contract.base import ABSENT, AsStored, DateTime, Id, Input, Output, PublicationWarning
from abtest.contract.forms import Form
from abtest.contract.json_values import JsonValue
from abtest.contract.misplaced import misplaced
from abtest.contract.names import Label, OptionalName
from abtest.domain.signals.evaluation import Evaluation
from abtest.domain.signals.model import Trigger
from abtest.domain.signals.shapes import TriggerFields
from abtest.kit.json_objects import present

MAX_CONDITIONS = 5
MAX_ALTERNATIVES = 5
MAX_MAPPED = 20
MAX_PROPERTIES = 50
MAX_TTL_DAYS = 3650

_IDENTIFIER = "[A-Za-z_$][A-Za-z0-9_$]*"
# Without leading zeros, as a path must have one spelling, and short enough for any array.
_INDEX = "(0|[1-9][0-9]{0,8})"

Path = Annotated[
    str,
    Field(max_length=255),
    Form(
        rf"{_IDENTIFIER}(\.({_IDENTIFIER}|{_INDEX}))*",
        "be names of letters A to Z, digits, _ and $, or indices, joined by dots, such as ecommerce.items.0.price",
    ),
]
Word = Annotated[str, Field(max_length=1000)]
Scalar = Annotated[Word | bool | int | float, OneOf("a text, a number or a boolean")]
Mapped = Annotated[str, Field(max_length=100)]
From = Annotated[
    Label | Annotated[list[Label], Field(min_length=1, max_length=MAX_ALTERNATIVES)],
    OneOf("a path, or a list of 1 to 5 paths"),
]
"""Paths to a value: the first that leads to one is used."""


def not_zero(number: float) -> float:
    """Return the number unchanged. Raises PydanticCustomError for 0."""
    if number == 0:
        raise PydanticCustomError("zero", "must not be 0")
    return number


Scale = Annotated[float, AfterValidator(not_zero), Field(json_schema_extra={"not": {"const": 0}})]

_PURCHASE: dict[str, Any] = {
    "eventName": "purchase",
    "when": [{"path": "ecommerce.value", "op": "gt", "value": 0}],
    "trackRevenue": {
        "enabled": True,
        "revenueFrom": "ecommerce.value",
        "orderIdFrom": ["ecommerce.transaction_id", "transactionId"],
        "currencyFrom": "ecommerce.currency",
        "properties": [{"from": "ecommerce.coupon", "to": "coupon", "transform": {"trim": True, "lowercase": True}}],
    },
}
_PAYLOAD: dict[str, Any] = {
    "event": "purchase",
    "ecommerce": {"transaction_id": "T-1001", "value": "1,299.50", "currency": "EUR"},
}


class DataLayerCondition(Input):
    """`eq` and `neq` compare value and type. `gt` and `lt` match numbers only, never text that looks like one. `exists`
    matches any value except null, `not_exists` the absence of one."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"properties": {"op": {"enum": ["eq", "neq"]}}, "required": ["value"]},
                {
                    "properties": {"op": {"enum": ["gt", "lt"]}, "value": {"type": "number"}},
                    "required": ["value"],
                },
                {"properties": {"op": {"enum": ["exists", "not_exists"]}}, "not": {"required": ["value"]}},
            ]
        }
    )

    path: Path
    op: Literal["eq", "neq", "gt", "lt", "exists", "not_exists"]
    value: Scalar = ABSENT

    @model_validator(mode="after")
    def _has_a_value_that_fits(self) -> Self:
        has_value = "value" in self.model_fields_set
        if self.op in ("exists", "not_exists"):
            problem = f"is not allowed with {self.op}" if has_value else ""
        elif not has_value:
            problem = "is required"
        else:
            # In Python `bool` is a subclass of `int`.
            is_number = isinstance(self.value, int | float) and not isinstance(self.value, bool)
            problem = "must be a number" if self.op in ("gt", "lt") and not is_number else ""
        if problem:
            raise misplaced([("value", problem)])
        return self


class Transform(Input):
    """Steps applied to a value in this order: `trim` and `lowercase` (text), `map` (numbers and booleans by their
    text), conversion to the value's type, `scale`. `default` replaces an unusable value.

    `scale` requires the type `number`, and implies it; `default` must have the value's type (else 422).
    """

    trim: bool = ABSENT
    lowercase: bool = ABSENT
    map: Annotated[dict[Mapped, Mapped], Field(max_length=MAX_MAPPED)] = ABSENT
    scale: Scale = ABSENT
    default: Scalar = ABSENT


class Property(Input):
    """A value of the payload, and its name as a property. Without `valueType` text, numbers and booleans are kept as
    they are."""

    from_: Annotated[From, Field(alias="from")]
    to: Label
    valueType: Literal["string", "number", "boolean", "string_array", "json"] = ABSENT
    transform: Transform = ABSENT


class Mapping(Property):
    """A value stored as a visitor attribute. Dots in `to` address nested attributes, as in `cart.value`.

    With `persist` it is kept for `ttlDays` (default 30), otherwise only for this page. `ttlDays` without `persist` has
    no effect.
    """

    ttlDays: Annotated[float, Field(gt=0, le=MAX_TTL_DAYS)] = ABSENT
    persist: bool = ABSENT


Properties = Annotated[list[Property], Field(max_length=MAX_PROPERTIES)]
Mappings = Annotated[list[Mapping], Field(max_length=MAX_PROPERTIES)]


class TrackRevenue(Input):
    """An order, or revenue without an order when there is no order id. `enabled` defaults to true when `revenueFrom` is
    given.

    Without an order id, the event is a `goal` event with `__revenue__`, and a page reload counts it again. A missing
    currency is the shop's.
    """

    enabled: bool = ABSENT
    revenueFrom: From = ABSENT
    orderIdFrom: From = ABSENT
    currencyFrom: From = ABSENT
    costFrom: From = ABSENT
    profitFrom: From = ABSENT
    properties: Properties = ABSENT


class DataLayerTriggerInput(Input):
    """A trigger: the pushes it matches, and their effects. `enabled` defaults to true, `dataLayerName` to `dataLayer`.

    Paths are identifiers of ASCII letters, digits, `_` and `$` with optional indices, at most 255 characters. At most
    50 `properties` and 50 `mappings`.
    """

    model_config = ConfigDict(json_schema_extra={"examples": [_PURCHASE]})

    eventName: Label
    enabled: bool = ABSENT
    reEvaluate: bool = ABSENT
    trackPageview: bool = ABSENT
    dataLayerName: Annotated[
        str,
        Field(max_length=100),
        Form(_IDENTIFIER, "be a name of letters A to Z, digits, _ and $ that does not begin with a digit"),
    ] = ABSENT
    trackEventName: OptionalName = ABSENT
    when: Annotated[list[DataLayerCondition], Field(min_length=1, max_length=MAX_CONDITIONS)] = ABSENT
    trackRevenue: TrackRevenue = ABSENT
    properties: Properties = ABSENT
    mappings: Mappings = ABSENT

    def provided(self) -> TriggerFields:
        """Return the fields of the request under the names of the contract."""
        # By alias, because `from` is a keyword of Python and the domain uses the contract's name.
        fields: Any = self.model_dump(exclude_unset=True, by_alias=True)
        result: TriggerFields = fields
        return result


class DataLayerTrigger(Output):
    """A trigger of the shop's data layers. Fields that were not given are absent."""

    id: Id
    eventName: str
    enabled: bool
    reEvaluate: bool = ABSENT
    trackPageview: bool = ABSENT
    dataLayerName: str = ABSENT
    trackEventName: str = ABSENT
    when: Annotated[Any, AsStored(list[DataLayerCondition])] = ABSENT
    trackRevenue: Annotated[Any, AsStored(TrackRevenue)] = ABSENT
    properties: Annotated[Any, AsStored(list[Property])] = ABSENT
    mappings: Annotated[Any, AsStored(list[Mapping])] = ABSENT
    created_at: DateTime
    updated_at: DateTime
    publication_warning: PublicationWarning = ABSENT

    @classmethod
    def of(cls, trigger: Trigger, warning: PublicationWarning | None = None) -> Self:
        """Return the response of a trigger."""
        # Stored as sent, without defaults; the response always shows whether it is enabled.
        fields: dict[str, Any] = {"enabled": True, **trigger.says}
        return cls(
            id=trigger.id,
            **fields,
            created_at=trigger.created_at,
            updated_at=trigger.updated_at,
            **present(publication_warning=warning),
        ).at(trigger.version)


class TriggerTestInput(Input):
    """A trigger, stored or not, and a payload that a page could push."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"trigger": _PURCHASE, "payload": _PAYLOAD}]})

    trigger: DataLayerTriggerInput
    payload: JsonValue


class ReadRevenue(Output):
    """Revenue in a payload. Null fields are missing from the payload, or not read by the trigger."""

    revenue: float
    orderId: str | None
    currency: str | None
    cost: float | None
    profit: float | None
    properties: dict[str, Any]


class ReadingProblem(Output):
    """A path into the payload whose value is missing or unusable, and the reason."""

    path: str
    message: str


class TriggerTest(Output):
    """The trigger's reading of the payload; empty unless it matches."""

    matched: bool
    revenue: ReadRevenue | None
    properties: dict[str, Any]
    errors: list[ReadingProblem]

    @classmethod
    def of(cls, evaluation: Evaluation) -> Self:
        """Return the response of an evaluation."""
        return cls(
            matched=evaluation.matched,
            revenue=None if evaluation.revenue is None else ReadRevenue(**evaluation.revenue),
            properties=dict(evaluation.properties),
            errors=[ReadingProblem(path=each.path, message=each.message) for each in evaluation.errors],
        )
