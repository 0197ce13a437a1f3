"""Syntax tree of a regular expression: sets of UTF-16 code units, assertions, sequences, choices, repetitions."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

Ranges = tuple[tuple[int, int], ...]
"""Code units, as inclusive ranges in rising order that do not touch."""

LAST_UNIT = 0xFFFF


class NotReadableError(ValueError):
    """Expression with a piece that cannot be checked; the message names the piece for people."""


@dataclass(frozen=True, slots=True)
class Units:
    """One code unit out of a set; `source` is the set as it was written."""

    ranges: Ranges
    source: str


@dataclass(frozen=True, slots=True)
class Assertion:
    """`^`, `$`, `\\b` or `\\B`."""

    kind: Literal["^", "$", "\\b", "\\B"]


@dataclass(frozen=True, slots=True)
class Sequence:
    """Items one after the other; an empty sequence matches the empty text."""

    items: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Choice:
    """Options that are tried in order."""

    options: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True)
class Repeat:
    """Repetition from `least` to `most` times (None: without end); `source` is the whole as it was written."""

    body: "Node"
    least: int
    most: int | None
    source: str
    lazy: bool = False


Node = Units | Assertion | Sequence | Choice | Repeat


def united(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Return the ranges in order; those that overlap or touch become one."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def complement(ranges: Ranges) -> Ranges:
    """Return all other code units."""
    gaps, start = [], 0
    for low, high in ranges:
        if start < low:
            gaps.append((start, low - 1))
        start = high + 1
    if start <= LAST_UNIT:
        gaps.append((start, LAST_UNIT))
    return tuple(gaps)


def within(inner: Ranges, outer: Ranges) -> bool:
    """Return whether each unit of the inner set is in the outer one."""
    return all(any(low <= start and end <= high for low, high in outer) for start, end in inner)


def overlap(one: Ranges, other: Ranges) -> bool:
    """Return whether two sets have a unit in common."""
    return any(low <= end and start <= high for low, high in one for start, end in other)


def can_be_empty(node: Node) -> bool:
    """Return whether the node can match the empty text, with all assertions taken as true."""
    if isinstance(node, Repeat):
        return node.least == 0 or can_be_empty(node.body)
    if isinstance(node, Choice):
        return any(map(can_be_empty, node.options))
    return isinstance(node, Assertion) or (isinstance(node, Sequence) and all(map(can_be_empty, node.items)))


def repeated_nothing(node: Node, *, inside: bool = False) -> Repeat | None:
    """Return a repetition of a body that can be empty, inside another repetition.

    There the engine `regress` may loop for ever.
    """
    if isinstance(node, Repeat):
        if inside and can_be_empty(node.body):
            return node
        return repeated_nothing(node.body, inside=True)
    parts = node.items if isinstance(node, Sequence) else node.options if isinstance(node, Choice) else ()
    return next((loop for part in parts if (loop := repeated_nothing(part, inside=inside))), None)


def both_cases(node: Node) -> Node:
    """Return the tree for flag `i`: ASCII letters in both cases; any other letter may be a case of any other."""
    if isinstance(node, Units):
        return Units(in_both_cases(node.ranges), node.source)
    if isinstance(node, Repeat):
        return replace(node, body=both_cases(node.body))
    if isinstance(node, Sequence):
        return Sequence(tuple(map(both_cases, node.items)))
    return Choice(tuple(map(both_cases, node.options))) if isinstance(node, Choice) else node


def in_both_cases(ranges: Ranges) -> Ranges:
    """Return the set with the other case of each ASCII letter, and with all other letters if it has one."""
    result = list(ranges)
    for low, high in ranges:
        for first, distance in ((0x41, 0x20), (0x61, -0x20)):
            start, end = max(low, first), min(high, first + 25)
            result += [(start + distance, end + distance)] if start <= end else []
        # Wider than exact, which is safe: more common letters can only raise the cost.
        result += [(0x80, LAST_UNIT)] if high >= 0x80 else []
    return united(result)


def units_of(text: str) -> Ranges:
    """Return the set of the characters of a text."""
    return united((ord(letter), ord(letter)) for letter in text)


# What `.` does not match in ECMAScript; in Python that is `\n` alone.
LINE_ENDS = units_of("\n\r\u2028\u2029")
DIGITS: Ranges = ((0x30, 0x39),)
WORD = united([*DIGITS, (0x41, 0x5A), (0x61, 0x7A), (0x5F, 0x5F)])
# Not Python's `\s`, which has U+001C to U+001F and U+0085 and lacks U+FEFF.
SPACE = united([(0x09, 0x0D), *units_of(" \u00a0\u1680\u202f\u205f\u3000\ufeff"), (0x2000, 0x200A), *LINE_ENDS])
EVERYTHING: Ranges = ((0, LAST_UNIT),)
DOT = complement(LINE_ENDS)
CLASS_ESCAPES = {
    "d": DIGITS,
    "D": complement(DIGITS),
    "w": WORD,
    "W": complement(WORD),
    "s": SPACE,
    "S": complement(SPACE),
}
CONTROL_ESCAPES = {"f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B}
