"""Mutations as shoppers' browsers get them: the contract's aliases folded away, notes for people left out."""

from collections.abc import Iterable, Mapping
from typing import Any

Mutation = Mapping[str, Any]

_ALIASES = {"setText": "text", "setStyle": "style"}


def normalised(mutations: Iterable[Mutation]) -> list[dict[str, Any]]:
    """Each as `{"selector", "action"}` with `text`, `html`, `styles` or `attributes`; docs/data-model.md section 1."""
    return [_normalised(mutation) for mutation in mutations]


def _normalised(mutation: Mutation) -> dict[str, Any]:
    action: str = _ALIASES.get(mutation["action"]) or mutation["action"]
    return {"selector": mutation["selector"], "action": action} | _payload(action, mutation)


def _payload(action: str, mutation: Mutation) -> dict[str, Any]:
    if action == "text":
        return {"text": mutation.get("text") or ""}
    if action in ("html", "insertBefore", "insertAfter"):
        return {"html": mutation.get("html") or ""}
    if action == "style":
        return {"styles": dict(mutation.get("styles") or {})}
    if action == "attribute":
        return {"attributes": _attributes(mutation)}
    return {}


def _attributes(mutation: Mutation) -> dict[str, str | None]:
    single = mutation.get("attribute")
    return ({single["name"]: single["value"]} if single else {}) | dict(mutation.get("attributes") or {})
