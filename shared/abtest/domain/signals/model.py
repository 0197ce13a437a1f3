"""Data-layer trigger of a shop, its stored form, and the rules across its fields."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from abtest.domain.changes.errors import CodeBudgetExceededError
from abtest.domain.signals.shapes import MappingFields, PropertyFields, RevenueFields, TransformFields, TriggerFields
from abtest.kit import canonical_json
from abtest.kit.clock import Timestamp
from abtest.kit.documents import decode, encode
from abtest.kit.errors import FieldError, ValidationFailedError

MAX_TRIGGERS = 100
"""Triggers that a shop may have."""

MAX_BYTES = 16_000
"""A trigger as canonical JSON: a hundred of them still fit into a config."""

Document = dict[str, Any]

_DEFAULT_TYPES: Mapping[str, tuple[type, ...]] = {"string": (str,), "number": (int, float), "boolean": (bool,)}
"""Types of the default of a property; `string_array` and `json` allow any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """The aggregate. `says` has the given fields under the names of the contract.

    `seat` is the trigger's place among the shop's, 0 to 99: no two have the same, so there are never more.
    """

    id: str
    shop_id: str
    version: int = 0
    seat: int
    says: TriggerFields
    created_at: Timestamp
    updated_at: Timestamp

    @property
    def name(self) -> str:
        """Name for people: the event that it listens for."""
        return str(self.says["eventName"])

    @property
    def is_enabled(self) -> bool:
        """Return whether storefronts listen for it."""
        return self.says.get("enabled", True) is True


def replaced(trigger: Trigger, says: TriggerFields, now: Timestamp) -> Trigger:
    """Return the trigger with exactly these fields; the same one when nothing differs."""
    return trigger if says == trigger.says else replace(trigger, says=says, updated_at=now)


def check(says: TriggerFields, place: str = "") -> None:
    """Raise ValidationFailedError for fields that do not go together, CodeBudgetExceededError for too many bytes.

    `place` is the path of the trigger in the request with a dot, or empty where it is the whole request.
    """
    problems = [FieldError(f"{place}{path}", message) for path, message in problems_of(says)]
    if problems:
        raise ValidationFailedError(f"{problems[0].path}: {problems[0].message}", fields=problems)
    if len(canonical_json.encode(says)) > MAX_BYTES:
        raise CodeBudgetExceededError(place.removesuffix("."), f"more than {MAX_BYTES} bytes as JSON")


def trigger_document(trigger: Trigger) -> Document:
    """Return the trigger as JSON."""
    return encode(trigger)


def trigger_from(document: Mapping[str, object]) -> Trigger:
    """Return the trigger of a document. Raises KeyError or TypeError for a document without one."""
    says = document["says"]
    if not isinstance(says, Mapping):
        raise TypeError("a trigger must have its fields")
    return decode(Trigger, document)


def tracks_revenue(says: TriggerFields) -> bool:
    """Return whether revenue is tracked: as `enabled` is, or by default where an amount is mapped."""
    revenue: RevenueFields = says.get("trackRevenue", {})
    return bool(revenue.get("enabled", "revenueFrom" in revenue))


def problems_of(says: TriggerFields) -> Iterator[tuple[str, str]]:
    """Yield the path and message of each field that does not go with the others."""
    revenue: RevenueFields = says.get("trackRevenue", {})
    if tracks_revenue(says) and "revenueFrom" not in revenue:
        yield "trackRevenue.revenueFrom", "is required where revenue is tracked"
    yield from property_problems("trackRevenue.properties", revenue.get("properties", ()))
    yield from property_problems("properties", says.get("properties", ()))
    yield from property_problems("mappings", says.get("mappings", ()))


def property_problems(place: str, properties: Sequence[PropertyFields | MappingFields]) -> Iterator[tuple[str, str]]:
    """Yield the problems of transforms that do not go with their type."""
    for index, each in enumerate(properties):
        transform: TransformFields = each.get("transform", {})
        kind = each.get("valueType")
        if "scale" in transform and kind not in (None, "number"):
            yield f"{place}[{index}].transform.scale", f"is not allowed with the type {kind}"
        if "default" in transform and not is_default(transform["default"], "number" if "scale" in transform else kind):
            yield f"{place}[{index}].transform.default", f"must be a {kind or 'number'}"


def is_default(value: object, kind: str | None) -> bool:
    """Return whether a value can be the default of a property of this type."""
    types = _DEFAULT_TYPES.get(kind or "")
    # bool is a subclass of int: `true` must not pass as a number.
    return types is None or (isinstance(value, types) and (kind == "boolean" or not isinstance(value, bool)))
