"""Lenient parser of a body that strict JSON refuses. It marks each flaw in place, so that only the events with a flaw
are set aside. A body that is not JSON by this parser either stays refused.
"""

import json
import re
from collections.abc import Iterator
from math import isfinite

from abtest.domain.ledger.events import MAX_DATA_DEPTH, Reason
from abtest.kit.canonical_json import InvalidJsonError, Json, integral

MAX_DIGITS = 400
# Deeper than any accepted event, and far below the limit of parsers.
_LEVELS = 2 * MAX_DATA_DEPTH

# A string to its end, or to the end of the text; or a run of brackets. No character is read twice.
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)', re.S)
_TOKEN = re.compile(rf"{_STRING.pattern}|[\[{{]+|[\]}}]+", re.S)
_TOO_DEEP = "[" * (MAX_DATA_DEPTH + 1) + "]" * (MAX_DATA_DEPTH + 1)

_CONTROL = re.compile("[\0-\x1f]")
# As the decoder marks bytes that are not UTF-8: with the lone surrogate of 0xdc00 plus the byte.
_MARKED_CONTROL = {code: 0xDC00 + code for code in range(0x20)}
# The first range is of control characters, the second of bytes; bytes below 0x80 always decode.
_MARK = re.compile("[\udc00-\udc1f\udc80-\udcff]")


# A text, so that the sample in the quarantine can be written as JSON, which has no NaN.
class NoNumber(str):
    """An invalid value in the place of a number: NaN, an infinity, or a number out of range."""

    __slots__ = ()


class Ambiguous(dict[str, Json]):
    """An object that names a key twice; the last value counts."""

    __slots__ = ()


def loads(body: bytes) -> Json:
    """Parse a body, with `NoNumber`, `Ambiguous`, depth cut off, and lone surrogates for forbidden characters.

    These are bytes that are not UTF-8, and control characters that are not escaped. Raises InvalidJsonError.
    """
    # Some senders begin with a byte order mark, which JSON does not allow.
    text = body.decode("utf-8-sig", errors="surrogateescape")
    # JSON forbids control characters only inside strings; line breaks between values stay as they are.
    if _CONTROL.search(text) is not None:
        text = _STRING.sub(lambda string: string[0].translate(_MARKED_CONTROL), text)
    try:
        return _parsed(text)
    except RecursionError:
        pass
    try:
        return _parsed(_cut(text))
    except RecursionError as error:
        raise InvalidJsonError("nested too deeply") from error


def flaw_in(event: Json) -> Reason | None:
    """Return why an event that `loads` read must be set aside; None when the flaw is outside it."""
    for value in _walk(event):
        if isinstance(value, NoNumber):
            return "invalid_number"
        if isinstance(value, Ambiguous):
            return "duplicate_key"
    return None


def is_marked(value: Json) -> bool:
    """Return whether a value that `loads` read has a mark of what strict JSON refuses, except cut depth."""
    if flaw_in(value) is not None:
        return True
    for part in _walk(value):
        texts = [part] if isinstance(part, str) else part if isinstance(part, dict) else ()
        if any(map(_MARK.search, texts)):
            return True
    return False


def _walk(event: Json) -> Iterator[Json]:
    # Without recursion: the value may be nested deeper than Python's stack.
    waiting = [event]
    while waiting:
        value = waiting.pop()
        yield value
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _parsed(text: str) -> Json:
    try:
        return json.loads(
            text,
            object_pairs_hook=lambda pairs: (
                document if len(document := dict(pairs)) == len(pairs) else Ambiguous(document)
            ),
            parse_constant=NoNumber,
            parse_float=lambda text: integral(text) if isfinite(float(text)) else NoNumber(text[:MAX_DIGITS]),
            # Python refuses to convert texts of thousands of digits.
            parse_int=lambda text: int(text) if len(text) <= MAX_DIGITS else NoNumber(text[:MAX_DIGITS]),
        )
    except ValueError as error:
        raise InvalidJsonError(str(error)) from error


def _cut(text: str) -> str:
    """Replace everything below `_LEVELS` levels by brackets that are just too deep for an event."""
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
