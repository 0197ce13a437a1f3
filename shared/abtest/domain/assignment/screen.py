"""Screen of many rules at once: bit i of a mask is the i-th rule."""

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import TypeVar

from abtest.domain.targeting.combining import parts_of
from abtest.domain.targeting.pages import PageView, Rule, everywhere

Mask = int
Key = TypeVar("Key")

_FLAGS = bytes.maketrans(b"01", b"\0\1")


class Screen:
    """Rules of many things. A part that several share is evaluated once, and not at all when none of them is left."""

    __slots__ = ("_parts",)

    def __init__(self, rules: Sequence[Rule]) -> None:
        parts = masks((part, place) for place, rule in enumerate(rules) for part in set(parts_of(rule)))
        # It always holds; evaluating it for every visitor would be wasted.
        parts.pop(everywhere, None)
        # The most shared parts come first, because each that fails makes others unnecessary.
        self._parts = sorted(parts.items(), key=lambda item: -item[1].bit_count())

    def admitted(self, view: PageView, among: Mask) -> Mask:
        """Return those of a mask whose rule holds."""
        for part, sharers in self._parts:
            if among & sharers and not part(view):
                among &= ~sharers
        return among


def masks(placed: Iterable[tuple[Key, int]]) -> dict[Key, Mask]:
    """Return the mask of the places of each key."""
    by_key: dict[Key, Mask] = {}
    for key, place in placed:
        by_key[key] = by_key.get(key, 0) | 1 << place
    return by_key


def mask_of(places: Iterable[int]) -> Mask:
    """Return the mask of places."""
    # A sum is the union only while no place repeats, hence the set.
    return sum(1 << place for place in set(places))


def places_of(mask: Mask) -> list[int]:
    """Return the places in a mask, in order."""
    flags = flags_of(mask)
    return list(compress(range(len(flags)), flags))


def flags_of(mask: Mask, length: int = 1) -> bytes:
    """Return a byte for each place, at least `length`: 1 for those in the mask, else 0."""
    # One format, reversed to begin with place 0. Shifting place by place would copy a long integer each time.
    return f"{mask:0{length}b}"[::-1].encode().translate(_FLAGS)
