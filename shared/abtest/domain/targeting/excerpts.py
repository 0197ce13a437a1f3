"""Excerpts of values for explanations: JSON of a bounded size, equal to `storefront/src/excerpts.js`."""

from collections.abc import Mapping, Sequence
from math import isfinite

from abtest.domain.targeting.ecmascript import double, units

MOST = 200
"""UTF-16 code units of all texts and names together, with 1 for every other value."""

MOST_NAMES = 20
MOST_SORTED = 1000
"""Objects with more names show none of them, because sorting takes too long."""

MORE = "…"
"""In place of what was cut off."""

_UTF16 = "utf-16-be"


def excerpt(value: object) -> object:
    """Return a copy of a JSON value as far as the limit allows."""
    # Most are short; a character has at most two code units.
    if isinstance(value, str) and len(value) <= MOST // 2:
        return value
    return Excerpt().copy(value)


class Excerpt:
    """Copy of one value, and what is left of its limit."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = MOST

    def copy(self, value: object) -> object:
        """Return a copy of a value, within what is left."""
        if isinstance(value, str):
            return self._text(value)
        self._left -= 1
        if isinstance(value, bool):
            return value
        if isinstance(value, int | float):
            number = double(value)
            return number if isfinite(number) else None
        if isinstance(value, list | tuple):
            return self._items(value)
        return self._names(value) if isinstance(value, Mapping) else None

    def _text(self, text: str) -> str:
        limit, length = max(0, self._left), length_of(text)
        self._left -= length or 1
        return beginning_of(text, limit) if length > limit else text

    def _items(self, items: Sequence[object]) -> list[object]:
        copied: list[object] = []
        for item in items:
            if self._left <= 0:
                return [*copied, MORE]
            copied.append(self.copy(item))
        return copied

    def _names(self, value: Mapping[str, object]) -> dict[str, object]:
        copied: dict[str, object] = {}
        if len(value) > MOST_SORTED:
            return {MORE: MORE}
        # Sorted, because the order of an object's own names differs between languages.
        for name in sorted(value, key=units):
            length = length_of(name)
            if length > self._left or len(copied) == MOST_NAMES:
                return {**copied, MORE: MORE}
            self._left -= length or 1
            copied[name] = self.copy(value[name])
        return copied


def length_of(text: str) -> int:
    """Return the number of UTF-16 code units."""
    return len(text) if text.isascii() else len(units(text)) // 2


def beginning_of(text: str, length: int) -> str:
    """Return so many code units of a text, without half of a surrogate pair at the end, and a sign that it goes on."""
    beginning = units(text)[: 2 * length].decode(_UTF16, "surrogatepass")
    return (beginning[:-1] if "\ud800" <= beginning[-1:] <= "\udbff" else beginning) + MORE
