"""What a payload means to a trigger: whether it matches, and the revenue, properties and attributes in it.

Pure, and the same as `storefront/src/signals.js` to the bit; the trigger is a compiled one (section 2.4 of
docs/data-model.md), the payload any JSON value. Nothing of either raises.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import cast

from abtest.domain.signals.conversion import converted, known
from abtest.domain.signals.shapes import CompiledTrigger, Mapped, ReadRevenue, Revenue, RevenueName, TriggerCondition
from abtest.domain.targeting.conditions import step
from abtest.domain.targeting.ecmascript import double, equal

_OF_REVENUE: Mapping[RevenueName, tuple[str, str]] = {
    "revenue": ("revenue", "amount"),
    "order_id": ("orderId", "string"),
    "currency": ("currency", "string"),
    "cost": ("cost", "number"),
    "profit": ("profit", "number"),
}
"""Field of a compiled trigger → how it is told, and what it must be."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A path into the payload whose value is missing or of no use, and why."""

    path: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What came of a payload. `revenue` is None unless the payload says how much."""

    matched: bool
    revenue: ReadRevenue | None = None
    properties: Mapping[str, object] = field(default_factory=dict)
    mapped: Mapping[str, object] = field(default_factory=dict)
    errors: Sequence[Problem] = ()

    def document(self) -> dict[str, object]:
        """As JSON."""
        return asdict(self) | {"errors": [asdict(error) for error in self.errors]}


def evaluate(trigger: CompiledTrigger, payload: object) -> Evaluation:
    """What the payload means to the trigger; one that does not match means nothing."""
    if not _matches(trigger, payload):
        return Evaluation(matched=False)
    reader = _Reader(payload)
    return Evaluation(
        matched=True,
        revenue=reader.revenue(trigger["revenue"]) if "revenue" in trigger else None,
        properties=reader.values(trigger.get("properties", ())),
        mapped=reader.values(trigger.get("mappings", ())),
        errors=reader.errors,
    )


class _Reader:
    """Reads one payload and notes what it could not read."""

    def __init__(self, payload: object) -> None:
        self._payload = payload
        self.errors: list[Problem] = []

    def revenue(self, fields: Revenue) -> ReadRevenue | None:
        told = {
            name: self._value({"from": fields[stored], "type": kind}) if stored in fields else None
            for stored, (name, kind) in _OF_REVENUE.items()
        }
        told["properties"] = self.values(fields.get("properties", ()))
        # Each was converted to the type that _OF_REVENUE names.
        return cast(ReadRevenue, told) if told["revenue"] is not None else None

    def values(self, mappings: Sequence[Mapped]) -> dict[str, object]:
        """What the mappings find, by its name; the later of two wins."""
        found = ((mapped["to"], self._value(mapped)) for mapped in mappings)
        return {name: value for name, value in found if value is not None}

    def _value(self, mapped: Mapped) -> object:
        """The first that exists, converted; else the default, and an error where it is of no use."""
        path, value = next(_existing(self._payload, mapped["from"]), (mapped["from"][0], None))
        made = None if value is None else converted(value, mapped)
        if made is None and (value is not None or "default" not in mapped):
            problem = "is missing" if value is None else f"is no {mapped.get('type', 'scalar')}"
            self.errors.append(Problem(path, problem))
        return mapped.get("default") if made is None else made


def _existing(payload: object, paths: Sequence[str]) -> Iterator[tuple[str, object]]:
    return ((path, value) for path in paths if (value := value_at(payload, path)) is not None)


def value_at(payload: object, path: str) -> object:
    """What a dotted path leads to, None where it leads nowhere."""
    for part in path.split("."):
        payload = step(payload, part)
    return known(payload)


def _matches(trigger: CompiledTrigger, payload: object) -> bool:
    return equal(value_at(payload, "event"), trigger["event"]) and all(
        _holds(condition, payload) for condition in trigger.get("when", ())
    )


def _holds(condition: TriggerCondition, payload: object) -> bool:
    value, operator = value_at(payload, condition["path"]), condition["op"]
    if operator in ("exists", "not_exists"):
        return bool((value is not None) == (operator == "exists"))
    expected = condition["value"]
    if operator in ("eq", "neq"):
        return bool(equal(value, expected) == (operator == "eq"))
    if not isinstance(value, int | float) or isinstance(value, bool) or isinstance(expected, str):
        return False
    return bool(value > double(expected) if operator == "gt" else value < double(expected))
