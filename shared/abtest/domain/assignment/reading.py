"""Reading parts of a published config that may be anything: each reader raises one of UNREADABLE for what it is not."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from abtest.domain.assignment.allocation import Range
from abtest.domain.assignment.shapes import PublishedShare, Restricted, RolledOut

Part = TypeVar("Part")
Item = TypeVar("Item")

UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """Who is within: `bucket(unit, state) < below`."""

    state: int
    below: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dark:
    """Days of a zone on which nothing is delivered."""

    days: frozenset[str]
    zone: str


def readable(read: Callable[[Part], Item], documents: Sequence[Part] | None) -> Iterator[Item]:
    """Those of a list that can be read; the others are left out and harm no other."""
    for document in documents if isinstance(documents, list) else ():
        try:
            yield read(document)
        except UNREADABLE:
            continue


def text_of(value: object) -> str:
    """A text."""
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def whole_of(value: object) -> int:
    """A whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("not a whole number")
    return value


def state_of(value: object) -> int:
    """A state of the hash, 32 bits."""
    if not 0 <= whole_of(value) < 2**32:
        raise ValueError("not a state of the hash")
    return whole_of(value)


def range_of(bounds: Sequence[object]) -> Range:
    """Two bounds in bucket units."""
    start, end = bounds
    return whole_of(start), whole_of(end)


def share_of(document: PublishedShare | RolledOut) -> Share:
    """A state and a bound."""
    return Share(state=state_of(document["state"]), below=whole_of(document["below"]))


def dark_of(document: Restricted) -> Dark | None:
    """The dark days of something that is delivered; None for none."""
    dark = document.get("dark")
    return None if dark is None else Dark(days=frozenset(map(text_of, dark["days"])), zone=text_of(dark["zone"]))
