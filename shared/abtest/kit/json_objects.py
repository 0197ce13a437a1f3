"""JSON objects inside resources: their type, how a PATCH merges into them (RFC 7396), and how absence is written."""

from collections.abc import Mapping
from typing import Any

JsonObject = Mapping[str, Any]


def merged(target: Any, patch: Any) -> Any:
    """The target after the patch: objects merge key by key, null removes a key, everything else replaces."""
    if not isinstance(patch, Mapping):
        return patch
    result = dict(target) if isinstance(target, Mapping) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


def present(**fields: Any) -> Any:
    """Absent means none: null, false, empty text and empty lists are left out.

    What is left is joined to a shape whose optional keys these are, hence no type of its own.
    """
    return {name: value for name, value in fields.items() if value}
