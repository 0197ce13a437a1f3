"""A stored trigger as the config delivers it (section 2.4 of docs/data-model.md)."""

from collections.abc import Mapping
from typing import Any

from abtest.domain.signals.conversion import texts
from abtest.domain.signals.model import Trigger, tracks_revenue
from abtest.kit.json_objects import present

Config = dict[str, Any]
"""A trigger in the published configuration."""

DEFAULT_LAYER = "dataLayer"

_REVENUE = {
    "revenue": "revenueFrom",
    "order_id": "orderIdFrom",
    "currency": "currencyFrom",
    "cost": "costFrom",
    "profit": "profitFrom",
}


def compile_trigger(trigger: Trigger) -> Config:
    """The trigger as storefronts evaluate it."""
    return compiled(trigger.id, trigger.says)


def compiled(trigger_id: str, says: Mapping[str, Any]) -> Config:
    """What the fields of a trigger say."""
    return {
        "id": trigger_id,
        "event": says["eventName"],
        "layer": says.get("dataLayerName", DEFAULT_LAYER),
    } | present(
        when=says.get("when"),
        reevaluate=says.get("reEvaluate"),
        pageview=says.get("trackPageview"),
        track=says.get("trackEventName"),
        revenue=_revenue(says["trackRevenue"]) if tracks_revenue(says) else None,
        properties=[_mapping(each) for each in says.get("properties", ())],
        mappings=[_mapping(each) for each in says.get("mappings", ())],
    )


def _revenue(said: Mapping[str, Any]) -> Config:
    paths = {name: _listed(said[field]) for name, field in _REVENUE.items() if field in said}
    return paths | present(properties=[_mapping(each) for each in said.get("properties", ())])


def _mapping(said: Mapping[str, Any]) -> Config:
    transform = said.get("transform", {})
    kind = "number" if "scale" in transform else said.get("valueType")
    compiled = {"from": _listed(said["from"]), "to": said["to"]} | present(
        type=kind,
        trim=transform.get("trim"),
        lower=transform.get("lowercase"),
        map=transform.get("map"),
        scale=transform.get("scale"),
        ttl=said.get("ttlDays"),
        persist=said.get("persist"),
    )
    return compiled | ({"default": _default(transform["default"], kind)} if "default" in transform else {})


def _default(value: Any, kind: str | None) -> Any:
    return texts(value, lambda item: item) if kind == "string_array" else value


def _listed(paths: str | list[str]) -> list[str]:
    return [paths] if isinstance(paths, str) else list(paths)
