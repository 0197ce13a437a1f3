"""Evaluation of a payload by a trigger: the match, and the revenue, properties and attributes.

It equals `storefront/src/signals.js` to the bit. The trigger is a compiled one (section 2.4 of docs/data-model.md), the
payload any JSON value; neither can make it raise.
"""

from collections.abc import Mapping, Sequence
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
"""Field of a compiled trigger → name in the result, and type."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Path into the payload whose value is missing or unusable, and the reason."""

    path: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Result for a payload. `revenue` is None unless the payload has an amount."""

    matched: bool
    revenue: ReadRevenue | None = None
    properties: Mapping[str, object] = field(default_factory=dict)
    mapped: Mapping[str, object] = field(default_factory=dict)
    errors: Sequence[Problem] = ()

    def document(self) -> dict[str, object]:
        """Return the result as JSON."""
        return asdict(self) | {"errors": [asdict(error) for error in self.errors]}


def evaluate(trigger: CompiledTrigger, payload: object) -> Evaluation:
    """Evaluate a payload; one that does not match has no values."""
    # The event first, because most pushes to a data layer are other events.
    matched = equal(value_at(payload, "event"), trigger["event"]) and all(
        holds(condition, payload) for condition in trigger.get("when", ())
    )
    if not matched:
        return Evaluation(matched=False)
    reader = PayloadReader(payload)
    return Evaluation(
        matched=True,
        revenue=reader.revenue(trigger["revenue"]) if "revenue" in trigger else None,
        properties=reader.values(trigger.get("properties", ())),
        mapped=reader.values(trigger.get("mappings", ())),
        errors=reader.errors,
    )


class PayloadReader:
    """Reader of one payload that collects the values it could not read."""

    def __init__(self, payload: object) -> None:
        self._payload = payload
        self.errors: list[Problem] = []

    def revenue(self, fields: Revenue) -> ReadRevenue | None:
        """Read the revenue; None without an amount."""
        revenue = {
            name: self.value({"from": fields[stored], "type": kind}) if stored in fields else None
            for stored, (name, kind) in _OF_REVENUE.items()
        }
        revenue["properties"] = self.values(fields.get("properties", ()))
        # Each was converted to the type that _OF_REVENUE names.
        return cast(ReadRevenue, revenue) if revenue["revenue"] is not None else None

    def values(self, mappings: Sequence[Mapped]) -> dict[str, object]:
        """Read the values of mappings by name; the later of two with the same name wins."""
        pairs = ((mapped["to"], self.value(mapped)) for mapped in mappings)
        return {name: value for name, value in pairs if value is not None}

    def value(self, mapped: Mapped) -> object:
        """Convert the first value that exists; else return the default, with an error where a value is unusable."""
        existing = ((path, value_at(self._payload, path)) for path in mapped["from"])
        path, value = next((pair for pair in existing if pair[1] is not None), (mapped["from"][0], None))
        made = None if value is None else converted(value, mapped)
        if made is None and (value is not None or "default" not in mapped):
            problem = "is missing" if value is None else f"is no {mapped.get('type', 'scalar')}"
            self.errors.append(Problem(path, problem))
        return mapped.get("default") if made is None else made


def value_at(payload: object, path: str) -> object:
    """Return the value at a dotted path; None where there is none."""
    for part in path.split("."):
        payload = step(payload, part)
    return known(payload)


def holds(condition: TriggerCondition, payload: object) -> bool:
    """Return whether a condition of a trigger holds on a payload."""
    value, operator = value_at(payload, condition["path"]), condition["op"]
    if operator in ("exists", "not_exists"):
        return bool((value is not None) == (operator == "exists"))
    expected = condition["value"]
    if operator in ("eq", "neq"):
        return bool(equal(value, expected) == (operator == "eq"))
    if not isinstance(value, int | float) or isinstance(value, bool) or isinstance(expected, str):
        return False
    return bool(value > double(expected) if operator == "gt" else value < double(expected))
