"""JSON objects inside resources: their type, JSON Merge Patch (RFC 7396), and how absent values are written."""

from collections.abc import Mapping
from typing import Any

JsonObject = Mapping[str, Any]


def merged(target: Any, patch: Any) -> Any:
    """Return the target after a merge patch: objects merge by key, null removes a key, other values replace."""
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
    """Return the fields without those that are null, false or empty, since an absent field means the same.

    The result is merged into a shape with these optional keys, so it has no type of its own.
    """
    return {name: value for name, value in fields.items() if value}
