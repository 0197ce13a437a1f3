"""A data-layer trigger that a shop keeps, its stored form, and what its fields must say together."""

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
"""What the default of a property must be; of `string_array` and `json` it may be anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trigger:
    """The aggregate. `says` is what was stated, under the names of the contract.

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
        """What people know it by: the event that it listens for."""
        return str(self.says["eventName"])

    @property
    def is_enabled(self) -> bool:
        """Whether storefronts listen for it."""
        return self.says.get("enabled", True) is True


def replaced(trigger: Trigger, says: TriggerFields, now: Timestamp) -> Trigger:
    """The trigger saying this and nothing else; the same one when that is what it said."""
    return trigger if says == trigger.says else replace(trigger, says=says, updated_at=now)


def check(says: TriggerFields, place: str = "") -> None:
    """Raises ValidationFailedError for fields that do not go together, CodeBudgetExceededError for too many of them.

    `place` is where the trigger stands in the request: `trigger.`, or nothing where it is the whole of it.
    """
    problems = [FieldError(f"{place}{path}", message) for path, message in _problems(says)]
    if problems:
        raise ValidationFailedError(f"{problems[0].path}: {problems[0].message}", fields=problems)
    if len(canonical_json.encode(says)) > MAX_BYTES:
        raise CodeBudgetExceededError(place.removesuffix("."), f"more than {MAX_BYTES} bytes as JSON")


def trigger_document(trigger: Trigger) -> Document:
    """The trigger as JSON."""
    return encode(trigger)


def trigger_from(document: Mapping[str, object]) -> Trigger:
    """The trigger that a document holds. Raises KeyError or TypeError for one that holds none."""
    says = document["says"]
    if not isinstance(says, Mapping):
        raise TypeError("a trigger says nothing")
    return decode(Trigger, document)


def tracks_revenue(says: TriggerFields) -> bool:
    """Whether revenue is told: as stated, otherwise where it is said how much."""
    revenue: RevenueFields = says.get("trackRevenue", {})
    return bool(revenue.get("enabled", "revenueFrom" in revenue))


def _problems(says: TriggerFields) -> Iterator[tuple[str, str]]:
    revenue: RevenueFields = says.get("trackRevenue", {})
    if tracks_revenue(says) and "revenueFrom" not in revenue:
        yield "trackRevenue.revenueFrom", "is required where revenue is tracked"
    yield from _of_properties("trackRevenue.properties", revenue.get("properties", ()))
    yield from _of_properties("properties", says.get("properties", ()))
    yield from _of_properties("mappings", says.get("mappings", ()))


def _of_properties(place: str, properties: Sequence[PropertyFields | MappingFields]) -> Iterator[tuple[str, str]]:
    for index, each in enumerate(properties):
        transform: TransformFields = each.get("transform", {})
        kind = each.get("valueType")
        if "scale" in transform and kind not in (None, "number"):
            yield f"{place}[{index}].transform.scale", f"does not go with {kind}"
        if "default" in transform and not _fits(transform["default"], "number" if "scale" in transform else kind):
            yield f"{place}[{index}].transform.default", f"must be a {kind or 'number'}"


def _fits(value: object, kind: str | None) -> bool:
    wanted = _DEFAULT_TYPES.get(kind or "")
    return wanted is None or (isinstance(value, wanted) and (kind == "boolean" or not isinstance(value, bool)))
