"""Suggestions for names that a request misspells: properties, parameters and addresses."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import SequenceMatcher, get_close_matches
from types import UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel

MAX_COMPARED = 100
"""Characters of a name that are compared; a longer one is not a misspelling."""

CLOSE = 0.7
_PARAMETER = 0.8


def suggestion(name: str, known: Collection[str]) -> str:
    """Return `; did you mean x?` for the known name that is closest, or an empty text."""
    if len(name) > MAX_COMPARED:
        return ""
    spelled = {other.lower().replace("_", ""): other for other in known}
    matches = get_close_matches(name.lower().replace("_", ""), spelled, n=1, cutoff=CLOSE)
    return f"; did you mean {spelled[matches[0]]}?" if matches else ""


def properties_at(annotation: Any, location: Sequence[str | int]) -> set[str]:
    """Return the properties that the object at a location of a body may have. The last step is the unknown one."""
    places = list(_models(annotation))
    for step in location[:-1]:
        # Other steps than fields are positions in lists, or names of a union's members; both keep the place.
        inner = [field for model in places for field in _fields_named(model, step)]
        places = [model for annotated in inner for model in _models(annotated)] if inner else places
    return {field.alias or name for model in places for name, field in model.model_fields.items()}


def _fields_named(model: type[BaseModel], step: str | int) -> Iterator[Any]:
    for name, field in model.model_fields.items():
        if step in (name, field.alias):
            yield field.annotation


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models of a type: itself, the members of a union, the items of a list or an object."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    elif get_origin(annotation) in (list, tuple, dict, Union, UnionType) or hasattr(annotation, "__metadata__"):
        for part in get_args(annotation):
            yield from _models(part)


def nearest_address(path: str, templates: Iterable[str]) -> str | None:
    """Return the template that an address misspells: as many parts, and each literal part alike."""
    parts = path.strip("/").split("/")
    if len(path) > 2 * MAX_COMPARED:
        return None
    ranked = ((_likeness(parts, template.strip("/").split("/")), template) for template in templates)
    likeness, nearest = max(ranked, default=(0.0, ""))
    return nearest if likeness else None


def _likeness(parts: Sequence[str], template: Sequence[str]) -> float:
    """Return the mean likeness of the parts, or 0 when one is too different. A parameter is like every part."""
    if len(parts) != len(template):
        return 0.0
    likeness = [
        _PARAMETER if expected.startswith("{") else SequenceMatcher(None, part.lower(), expected).ratio()
        for part, expected in zip(parts, template, strict=True)
    ]
    return sum(likeness) / len(parts) if min(likeness) >= CLOSE else 0.0
