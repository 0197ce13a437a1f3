"""A second reading of a body that strict JSON refuses: what is wrong is marked where it stands, so that only the events
that hold it are set aside. What is no JSON under any reading stays refused.
"""

import json
import re
from collections.abc import Iterator

from abtest.domain.ledger.events import MAX_DATA_DEPTH, Reason
from abtest.kit.canonical_json import InvalidJsonError, Json

MAX_DIGITS = 400
_LEVELS = 2 * MAX_DATA_DEPTH
"""Deeper than any event that is taken in, and far from what a parser can follow."""

# A string to its end, or to the end of the text; or a run of brackets. No character is looked at twice.
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.S)
_TOKEN = re.compile(rf"{_STRING.pattern}|[\[{{]+|[\]}}]+", re.S)
_TOO_DEEP = "[" * (MAX_DATA_DEPTH + 1) + "]" * (MAX_DATA_DEPTH + 1)

_CONTROL = re.compile("[\0-\x1f]")
_MARKED_CONTROL = {code: 0xDC00 + code for code in range(0x20)}
"""As the decoder marks bytes that are not UTF-8: with the lone surrogate of 0xdc00 and the byte."""
_MARK = re.compile("[\udc00-\udc1f\udc80-\udcff]")


class NoNumber(str):
    """What stood where a number should: NaN, an infinity, one out of range."""

    __slots__ = ()


class Ambiguous(dict[str, Json]):
    """An object that names a key twice; the last value stands."""

    __slots__ = ()


def loads(body: bytes) -> Json:
    """The body with `NoNumber`, `Ambiguous`, depth cut off, and lone surrogates for what no text may hold: bytes that
    are not UTF-8, and control characters that are not escaped.

    Raises InvalidJsonError.
    """
    text = _without_controls(body.decode("utf-8-sig", errors="surrogateescape"))
    try:
        return _parsed(text)
    except RecursionError:
        pass
    try:
        return _parsed(_cut(text))
    except RecursionError as error:
        raise InvalidJsonError("nested too deeply") from error


def flaw_in(event: Json) -> Reason | None:
    """Why an event that was read so cannot stand; None when the flaw is not in it."""
    for value in _walk(event):
        if isinstance(value, NoNumber):
            return "invalid_number"
        if isinstance(value, Ambiguous):
            return "duplicate_key"
    return None


def is_marked(value: Json) -> bool:
    """Whether anything in what was read so is the mark of what strict JSON refuses; depth that was cut off is none."""
    return flaw_in(value) is not None or any(map(_MARK.search, _texts(value)))


def _texts(value: Json) -> Iterator[str]:
    for found in _walk(value):
        if isinstance(found, str):
            yield found
        elif isinstance(found, dict):
            yield from found


def _walk(event: Json) -> Iterator[Json]:
    waiting = [event]
    while waiting:
        value = waiting.pop()
        yield value
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _without_controls(text: str) -> str:
    """The text with lone surrogates for control characters that stand in strings as they are, which JSON forbids."""
    if _CONTROL.search(text) is None:
        return text
    return _STRING.sub(lambda string: string[0].translate(_MARKED_CONTROL), text)


def _parsed(text: str) -> Json:
    try:
        return json.loads(
            text, object_pairs_hook=_object, parse_constant=NoNumber, parse_float=_float, parse_int=_integer
        )
    except ValueError as error:
        raise InvalidJsonError(str(error)) from error


def _object(pairs: list[tuple[str, Json]]) -> dict[str, object]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else Ambiguous(found)


def _float(text: str) -> float | NoNumber:
    value = float(text)
    return NoNumber(text[:MAX_DIGITS]) if value in (float("inf"), float("-inf")) else value


def _integer(text: str) -> int | NoNumber:
    return int(text) if len(text) <= MAX_DIGITS else NoNumber(text[:MAX_DIGITS])


def _cut(text: str) -> str:
    """The text with something that is just too deep for an event in place of whatever lies beneath `_LEVELS` levels."""
    kept: list[str] = []
    depth = begin = cut_at = 0
    for token in _TOKEN.finditer(text):
        length = token.end() - token.start()
        if text[token.start()] in "[{":
            if depth <= _LEVELS < depth + length:
                cut_at = token.start() + _LEVELS - depth
            depth += length
        elif text[token.start()] in "]}":
            if depth > _LEVELS >= depth - length:
                kept += (text[begin:cut_at], _TOO_DEEP)
                begin = token.start() + depth - _LEVELS
            depth -= length
    return "".join(kept) + text[begin:]
