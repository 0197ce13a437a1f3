"""Lines and columns of values in a JSON text. Read only where there is an error to report."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from json import JSONDecodeError
from typing import Any, NamedTuple

from abtest.kit.canonical_json import InvalidJsonError, advice

Pointer = tuple[str | int, ...]
"""Names and indices that lead to a value."""


class Position(NamedTuple):
    """Line and column, both from 1; columns count characters."""

    line: int
    column: int


class Spot(NamedTuple):
    """One value of a text: its pointer, the offset of its name or, in a list, of the value itself."""

    pointer: Pointer
    offset: int
    is_repeated: bool


@dataclass(slots=True)
class _Open:
    """An object or a list whose end was not read yet."""

    pointer: Pointer
    is_object: bool
    names: set[str] = field(default_factory=set)
    count: int = 0


_MAX_OPEN = 200
"""Levels that are read: pointers would otherwise grow with every level of a hostile text."""

_SPACE = re.compile(r"[ \t\n\r]*")
_TEXT = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_ATOM = re.compile(r"[^\s,\]}]*")


def position_at(text: str, offset: int) -> Position:
    """Return the line and column of an offset."""
    return Position(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def positions_of(text: str, pointers: Collection[Pointer]) -> Mapping[Pointer, Position]:
    """Return the position of each value, or of the nearest that contains its place. The text is read once."""
    requested = {pointer[:length] for pointer in pointers for length in range(len(pointer) + 1)}
    offsets: dict[Pointer, int] = {}
    for spot in _safely(text):
        if spot.pointer in requested:
            offsets.setdefault(spot.pointer, spot.offset)
    return {pointer: position_at(text, _nearest(pointer, offsets)) for pointer in pointers}


def _nearest(pointer: Pointer, offsets: Mapping[Pointer, int]) -> int:
    lengths = range(len(pointer), -1, -1)
    return next((offsets[pointer[:length]] for length in lengths if pointer[:length] in offsets), 0)


def problem_of_json(text: str, error: InvalidJsonError) -> tuple[Position, str]:
    """Return the position and the message for a text that could not be read."""
    cause = error.__cause__
    if isinstance(cause, JSONDecodeError):
        return Position(cause.lineno, cause.colno), advice(cause.msg)
    is_readable = not isinstance(cause, RecursionError)
    repeated = next((spot for spot in _safely(text) if spot.is_repeated), None) if is_readable else None
    offset = repeated.offset if repeated else 0
    return position_at(text, offset), "an object has this name twice" if repeated else str(error)


def _safely(text: str) -> Iterator[Spot]:
    try:
        yield from _spots(text)
    except (IndexError, ValueError):  # the rest of the text has another form than JSON
        return


def _spots(text: str) -> Iterator[Spot]:
    """Yield every value of a text in its order. Without recursion, because nesting may be deep."""
    opened: list[_Open] = []
    at = _after_space(text, 0)
    yield Spot((), at, False)
    at = _begun(text, at, (), opened)
    while opened:
        at = _after_space(text, at)
        inside = opened[-1]
        if text[at] in "]}":
            opened.pop()
            at += 1
        elif text[at] == ",":
            at += 1
        else:
            name: Any = inside.count
            start, value = at, at
            if inside.is_object:
                end = _behind(_TEXT, text, at)
                name = json.loads(text[at:end], strict=False)
                value = _after_space(text, _after_space(text, end) + 1)  # the colon
            pointer = (*inside.pointer, name)
            yield Spot(pointer, start, name in inside.names)
            inside.count += 1
            inside.names.add(name)
            at = _begun(text, value, pointer, opened)


def _begun(text: str, at: int, pointer: Pointer, opened: list[_Open]) -> int:
    """Return the offset behind a scalar, or behind the bracket that opens an object or a list."""
    if len(opened) > _MAX_OPEN:
        raise ValueError("nested too deeply")
    if text[at] in "{[":
        opened.append(_Open(pointer, text[at] == "{"))
        return at + 1
    return _behind(_TEXT if text[at] == '"' else _ATOM, text, at)


def _behind(token: re.Pattern[str], text: str, at: int) -> int:
    match = token.match(text, at)
    if match is None or match.end() == at:
        raise ValueError("not the beginning of a value")
    return match.end()


def _after_space(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at
