"""Readers for parts of a published config, which may be any JSON; each raises one of UNREADABLE for another form."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from abtest.domain.assignment.allocation import Range
from abtest.domain.assignment.shapes import PublishedShare, Restricted, RolledOut

Part = TypeVar("Part")
Item = TypeVar("Item")

# RecursionError is among them, so that one deeply nested condition does not take the whole config down.
UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """Share of visitors: those with `bucket(unit, state) < below`."""

    state: int
    below: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dark:
    """Days of a zone on which nothing is delivered."""

    days: frozenset[str]
    zone: str


def readable(read: Callable[[Part], Item], documents: Sequence[Part] | None) -> Iterator[Item]:
    """Yield the items of a list that can be read; the others are left out."""
    for document in documents if isinstance(documents, list) else ():
        try:
            yield read(document)
        except UNREADABLE:
            continue


def text_of(value: object) -> str:
    """Return a text."""
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def whole_of(value: object) -> int:
    """Return an integer."""
    # bool is a subclass of int, and `true` is neither an epoch nor a bound.
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("not a whole number")
    return value


def state_of(value: object) -> int:
    """Return a state of the hash, 32 bits."""
    # A larger state would spill into the next lane and change the draws of another experiment.
    if not 0 <= whole_of(value) < 2**32:
        raise ValueError("not a state of the hash")
    return whole_of(value)


def range_of(bounds: Sequence[object]) -> Range:
    """Return two bounds in bucket units."""
    start, end = bounds
    return whole_of(start), whole_of(end)


def share_of(document: PublishedShare | RolledOut) -> Share:
    """Return the share of a holdout or a rollout."""
    return Share(state=state_of(document["state"]), below=whole_of(document["below"]))


def dark_of(document: Restricted) -> Dark | None:
    """Return the dark days of something that is delivered, or None."""
    dark = document.get("dark")
    return None if dark is None else Dark(days=frozenset(map(text_of, dark["days"])), zone=text_of(dark["zone"]))
