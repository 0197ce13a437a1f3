"""A stored trigger as the config delivers it (section 2.4 of docs/data-model.md)."""

from collections.abc import Mapping

from abtest.domain.signals.conversion import texts
from abtest.domain.signals.model import Trigger, tracks_revenue
from abtest.domain.signals.shapes import (
    CompiledTrigger,
    Mapped,
    MappingFields,
    PropertyFields,
    Revenue,
    RevenueField,
    RevenueFields,
    TransformFields,
    TriggerFields,
)
from abtest.kit.json_objects import present

DEFAULT_LAYER = "dataLayer"

_REVENUE: Mapping[str, RevenueField] = {
    "revenue": "revenueFrom",
    "order_id": "orderIdFrom",
    "currency": "currencyFrom",
    "cost": "costFrom",
    "profit": "profitFrom",
}


def compile_trigger(trigger: Trigger) -> CompiledTrigger:
    """Return the trigger as storefronts evaluate it."""
    return compiled(trigger.id, trigger.says)


def compiled(trigger_id: str, fields: TriggerFields) -> CompiledTrigger:
    """Compile the fields of a trigger."""
    published: CompiledTrigger = {
        "id": trigger_id,
        "event": fields["eventName"],
        "layer": fields.get("dataLayerName", DEFAULT_LAYER),
    }
    published |= present(
        when=fields.get("when"),
        reevaluate=fields.get("reEvaluate"),
        pageview=fields.get("trackPageview"),
        track=fields.get("trackEventName"),
        revenue=compile_revenue(fields["trackRevenue"]) if tracks_revenue(fields) else None,
        properties=[compile_mapping(each) for each in fields.get("properties", ())],
        mappings=[compile_mapping(each) for each in fields.get("mappings", ())],
    )
    return published


def compile_revenue(fields: RevenueFields) -> Revenue:
    """Compile the paths of amounts, order id and currency, and the properties of an order."""
    paths: Revenue = present(**{name: listed(fields[field]) for name, field in _REVENUE.items() if field in fields})
    paths |= present(properties=[compile_mapping(each) for each in fields.get("properties", ())])
    return paths


def compile_mapping(fields: PropertyFields | MappingFields) -> Mapped:
    """Compile a property or a mapping; a scale makes it a number."""
    transform: TransformFields = fields.get("transform", {})
    kind = "number" if "scale" in transform else fields.get("valueType")
    mapped: Mapped = {"from": listed(fields["from"]), "to": fields["to"]}
    mapped |= present(
        type=kind,
        trim=transform.get("trim"),
        lower=transform.get("lowercase"),
        map=transform.get("map"),
        scale=transform.get("scale"),
        ttl=fields.get("ttlDays"),
        persist=fields.get("persist"),
    )
    if "default" in transform:
        default = transform["default"]
        mapped["default"] = texts(default, lambda item: item) if kind == "string_array" else default
    return mapped


def listed(paths: str | list[str]) -> list[str]:
    """Return paths as a list; one alone is a list of one."""
    return [paths] if isinstance(paths, str) else list(paths)
