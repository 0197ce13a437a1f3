"""Suggestions for names that a request misspells: properties, parameters and addresses.

A wrong suggestion is worse than none. So names are compared word by word, and only slips of the hand are forgiven: a
letter too many or too few, two letters in the wrong order, and in long words a wrong letter.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from types import UnionType
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel

MAX_COMPARED = 100
"""Characters of a name that are compared; a longer one is not a misspelling."""

SHORT = 4
"""Letters up to which a word with another letter is another word, such as `date` and `data`."""
LONG = 8
"""Letters from which a word may have two slips."""
_PARAMETER = 1.5
"""Slips that a parameter of an address counts for: a literal part with one slip is nearer."""

_BEFORE_CAPITAL = re.compile("(?<=[a-z0-9])(?=[A-Z])")


def suggestion(name: str, known: Collection[str]) -> str:
    """Return `; did you mean x?` for the known name that is closest, or an empty text."""
    if len(name) > MAX_COMPARED:
        return ""
    sent = _words(name)
    ranked = [(slips, other) for other in known if (slips := _slips(sent, _words(other))) is not None]
    return f"; did you mean {min(ranked)[1]}?" if ranked else ""


def _words(name: str) -> list[str]:
    """Return the words of `event_name`, `eventName` or `event-name` in lower case."""
    return _BEFORE_CAPITAL.sub("_", name).lower().replace("-", "_").split("_")


def _slips(sent: Sequence[str], known: Sequence[str]) -> int | None:
    """Return the number of slips that make one name of the other; None when they are different names."""
    if len(sent) != len(known):
        # A separator too many or too few is one slip, so the letters may have no other but one.
        return slips if (slips := _distance("".join(sent), "".join(known))) <= 1 else None
    each = [_distance(*pair) for pair in zip(sent, known, strict=True)]
    are_alike = all(slips <= _forgiven(*pair) for slips, pair in zip(each, zip(sent, known, strict=True), strict=True))
    return sum(each) if are_alike else None


def _forgiven(left: str, right: str) -> int:
    longest = max(len(left), len(right))
    return 0 if longest < 3 else 1 if longest < LONG else 2


def _distance(left: str, right: str) -> int:
    """Return the optimal string alignment distance: insertions, deletions, replacements, swaps of neighbours.

    A replacement in a short word counts twice. Names that differ much in length have the difference as distance.
    """
    if abs(len(left) - len(right)) > 2 or left == right:
        return abs(len(left) - len(right))
    replaced = 2 if max(len(left), len(right)) <= SHORT else 1
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        before, last, row = row, before, [i]
        for j, b in enumerate(right, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (0 if a == b else replaced))
            if last and j > 1 and a == right[j - 2] and left[i - 2] == b:
                best = min(best, last[j - 2] + 1)
            row.append(best)
    return row[-1]


def is_returned(response: Any, location: Sequence[str | int]) -> bool:
    """Return whether responses have the property at this location of a body, so that it can be read but not sent."""
    places = list(_models(response))
    for step in location[:-1]:
        if isinstance(step, str):
            places = [part for model in places for field in _fields_named(model, step) for part in _models(field)]
    return any(True for model in places for _ in _fields_named(model, location[-1]))


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
    if len(path) > 2 * MAX_COMPARED:
        return None
    parts = path.strip("/").split("/")
    ranked = [(slips, known) for known in templates if (slips := _address_slips(parts, known)) is not None]
    return min(ranked)[1] if ranked else None


def _address_slips(parts: Sequence[str], template: str) -> float | None:
    expected = template.strip("/").split("/")
    if len(parts) != len(expected):
        return None
    total = 0.0
    for part, literal in zip(parts, expected, strict=True):
        if part == literal:
            continue
        slips = _PARAMETER if literal.startswith("{") else _slips(_words(part), _words(literal))
        if slips is None:
            return None
        total += slips
    return total
