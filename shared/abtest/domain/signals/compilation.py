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
    """The trigger as storefronts evaluate it."""
    return compiled(trigger.id, trigger.says)


def compiled(trigger_id: str, says: TriggerFields) -> CompiledTrigger:
    """What the fields of a trigger say."""
    published: CompiledTrigger = {
        "id": trigger_id,
        "event": says["eventName"],
        "layer": says.get("dataLayerName", DEFAULT_LAYER),
    }
    published |= present(
        when=says.get("when"),
        reevaluate=says.get("reEvaluate"),
        pageview=says.get("trackPageview"),
        track=says.get("trackEventName"),
        revenue=_revenue(says["trackRevenue"]) if tracks_revenue(says) else None,
        properties=[_mapping(each) for each in says.get("properties", ())],
        mappings=[_mapping(each) for each in says.get("mappings", ())],
    )
    return published


def _revenue(said: RevenueFields) -> Revenue:
    paths: Revenue = present(**{name: _listed(said[field]) for name, field in _REVENUE.items() if field in said})
    paths |= present(properties=[_mapping(each) for each in said.get("properties", ())])
    return paths


def _mapping(said: PropertyFields | MappingFields) -> Mapped:
    transform: TransformFields = said.get("transform", {})
    kind = "number" if "scale" in transform else said.get("valueType")
    mapped: Mapped = {"from": _listed(said["from"]), "to": said["to"]}
    mapped |= present(
        type=kind,
        trim=transform.get("trim"),
        lower=transform.get("lowercase"),
        map=transform.get("map"),
        scale=transform.get("scale"),
        ttl=said.get("ttlDays"),
        persist=said.get("persist"),
    )
    if "default" in transform:
        mapped["default"] = _default(transform["default"], kind)
    return mapped


def _default(value: object, kind: str | None) -> object:
    return texts(value, lambda item: item) if kind == "string_array" else value


def _listed(paths: str | list[str]) -> list[str]:
    return [paths] if isinstance(paths, str) else list(paths)
