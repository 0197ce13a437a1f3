"""Objects with alternative sets of required properties, in the form that generators of clients understand."""

from typing import Any

Json = dict[str, Any]


def with_plain_objects(part: Any) -> Any:
    """Return a part of the document in which `anyOf` next to properties is under `allOf`.

    Next to properties, generators read `anyOf` as the types of the value, and drop the properties. The meaning is the
    same under `allOf`, where they only skip the condition.
    """
    if isinstance(part, list):
        return [with_plain_objects(item) for item in part]
    if not isinstance(part, dict):
        return part
    inner = {key: with_plain_objects(value) for key, value in part.items()}
    if isinstance(inner.get("anyOf"), list) and isinstance(inner.get("properties"), dict):
        ways = inner.pop("anyOf")
        inner["allOf"] = [{"anyOf": ways}]
    return inner
