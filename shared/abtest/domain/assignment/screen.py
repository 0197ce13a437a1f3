"""Which of many things their rules admit, asked of all at once: bit i of a mask stands for the i-th thing."""

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import TypeVar

from abtest.domain.targeting.combining import parts_of
from abtest.domain.targeting.pages import PageView, Rule, everywhere

Mask = int
Key = TypeVar("Key")

_FLAGS = bytes.maketrans(b"01", b"\0\1")


class Screen:
    """The rules of many things. What several of them ask is asked once, and not at all when nobody is left to care."""

    __slots__ = ("_asked",)

    def __init__(self, rules: Sequence[Rule]) -> None:
        asked = masks((question, place) for place, rule in enumerate(rules) for question in set(parts_of(rule)))
        asked.pop(everywhere, None)
        self._asked = sorted(asked.items(), key=lambda item: -item[1].bit_count())

    def admitted(self, view: PageView, among: Mask) -> Mask:
        """Those among the given whose rule holds."""
        for question, askers in self._asked:
            if among & askers and not question(view):
                among &= ~askers
        return among


def masks(placed: Iterable[tuple[Key, int]]) -> dict[Key, Mask]:
    """The mask of the places that come with each key."""
    found: dict[Key, Mask] = {}
    for key, place in placed:
        found[key] = found.get(key, 0) | 1 << place
    return found


def mask_of(places: Iterable[int]) -> Mask:
    """The mask of these places."""
    return sum(1 << place for place in set(places))


def places_of(mask: Mask) -> list[int]:
    """The places in a mask, in order."""
    flags = flags_of(mask)
    return list(compress(range(len(flags)), flags))


def flags_of(mask: Mask, length: int = 1) -> bytes:
    """A byte for each place, at least so many: 1 for those in the mask, else 0."""
    return f"{mask:0{length}b}"[::-1].encode().translate(_FLAGS)
