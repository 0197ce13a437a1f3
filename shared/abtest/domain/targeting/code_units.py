"""ECMAScript sources and texts rewritten so that an engine that knows code points sees UTF-16 code units.

Each half of a surrogate pair becomes a stand-in: a letter outside the basic plane, which no rewritten text holds
otherwise. Without the `u` flag `i` compares what `toUpperCase` makes of single code units (`ß` is not `ẞ`, the Kelvin
sign is not `k`); such a source is rewritten to search in capitals, because no Python engine folds that way.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from functools import cache

_FIRST_STAND_IN = 0x20000  # ideographs: letters without case, allowed in group names as all astral letters are
_HIGH, _LOW_END = 0xD800, 0xDFFF

_BEYOND_BASIC = re.compile("[\ud800-\udfff\U00010000-\U0010ffff]")
_GROUP_NAME = r"\(\?<(?![=!])[^>]*>?|\\k<[^>]*>"
_COUNT = r"\{[0-9]+(?:,[0-9]*)?\}"
_HEXADECIMAL = r"\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}"
_TOKEN = re.compile(
    rf"(?P<kept>{_GROUP_NAME}|{_COUNT}|\(\?(?:[:=!]|<[=!])?|\\[0-9]+|\\c[A-Za-z]|\\[bBdDsSwWfnrtv])"
    rf"|(?P<unit>{_HEXADECIMAL})|(?P<set>\[(?:\\.|[^\]\\])*\]?)|(?P<backslash>\\(?=c))|(?P<letter>\\.|.)",
    re.DOTALL,
)
_MEMBER = re.compile(rf"{_HEXADECIMAL}|\\c[A-Za-z0-9_]|\\[0-3]?[0-7]{{1,2}}|\\(?=c)|\\.|.", re.DOTALL)
_SYNTAX = frozenset("\\^$.*+?()[]{}|/-")
_CONTROLS = {"b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13}

Interval = tuple[int, int]


class NotASourceError(ValueError):
    """A class with a range that runs backwards, which no engine compiles."""


def rewritten(source: str, ignore_case: bool = False) -> str:
    """The source that finds in a rewritten text what `source` finds in the text. Raises NotASourceError."""
    letter = _capital_source if ignore_case else _literal
    return "".join(_token(found, letter, ignore_case) for found in _TOKEN.finditer(source))


def split(text: str) -> str:
    """The text with each half of a surrogate pair as a letter of its own; its length counts code units."""
    if text.isascii() or not _BEYOND_BASIC.search(text):
        return text
    return _BEYOND_BASIC.sub(_stand_ins, text)


def capitals(text: str) -> str:
    """Every code unit as the one that ignoring case compares; stand-ins stay what they are."""
    return text.upper() if text.isascii() else text.translate(_CANONICAL)


def _stand_ins(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code <= _LOW_END:
        return chr(code - _HIGH + _FIRST_STAND_IN)
    high, low = divmod(code - 0x10000, 0x400)
    return chr(_FIRST_STAND_IN + high) + chr(_FIRST_STAND_IN + 0x400 + low)


def _token(found: re.Match[str], letter: Callable[[int], str], ignore_case: bool) -> str:
    token = found[0]
    if found["kept"]:
        return token
    if found["unit"]:
        return letter(_in_plane(int(token[2:], 16)))
    if found["set"]:
        return _class(split(token), ignore_case)
    if found["backslash"]:
        return r"\\"  # `\c` without a letter after it means these two characters
    # An escape of a letter that means nothing in particular is that letter; `\u` and `\x` without their digits, too.
    return token if token[-1] in _SYNTAX else "".join(letter(ord(unit)) for unit in split(token.removeprefix("\\")))


def _literal(code: int) -> str:
    """A source that matches one code unit, or its stand-in."""
    character = chr(code)
    if character in _SYNTAX:
        return f"\\{character}"
    return character if code > 0x7F or character.isalnum() or character == "_" else f"\\x{code:02x}"


def _capital_source(code: int) -> str:
    return _literal(ord(_CANONICAL[code]))


def _in_plane(unit: int) -> int:
    """The unit, or the stand-in of one that is half a pair."""
    return unit - _HIGH + _FIRST_STAND_IN if _HIGH <= unit <= _LOW_END else unit


def _class(token: str, ignore_case: bool) -> str:
    if len(token) < 2 or not token.endswith("]"):
        return token  # without an end: left to the engine to refuse
    negated = token.startswith("[^")
    members = [_member(found[0]) for found in _MEMBER.finditer(token, 1 + negated, len(token) - 1)]
    pieces = [piece if isinstance(piece, str) else _interval(piece, ignore_case) for piece in _ranges(members)]
    return f"[{'^' if negated else ''}{''.join(pieces)}]"


def _member(token: str) -> int | str:
    """A code, stand-ins as they are, or the escape of a set such as `\\d`."""
    if len(token) == 1:
        return ord(token)
    kind, rest = token[1], token[2:]
    if kind in "dDsSwW":
        return token
    if kind in "ux" and rest:
        return _in_plane(int(rest, 16))
    if kind == "c" and rest:
        return ord(rest) % 32
    if kind in "01234567":
        return int(token[1:], 8)
    return _CONTROLS.get(kind, ord(kind))


def _ranges(members: list[int | str]) -> Iterator[Interval | str]:
    """Members joined to ranges where a hyphen stands between two characters; beside a set it is one of them."""
    at = 0
    while at < len(members):
        first = members[at]
        last = members[at + 2] if members[at + 1 : at + 2] == [ord("-")] and at + 2 < len(members) else None
        if isinstance(first, int) and isinstance(last, int):
            yield _forward(first, last)
            at += 3
        else:
            yield first if isinstance(first, str) else (first, first)
            at += 1


def _forward(first: int, last: int) -> Interval:
    if _unit(first) > _unit(last):
        raise NotASourceError("a range runs backwards")
    return _unit(first), _unit(last)


def _unit(code: int) -> int:
    return code - _FIRST_STAND_IN + _HIGH if code >= _FIRST_STAND_IN else code


def _interval(interval: Interval, ignore_case: bool) -> str:
    first, last = map(_unit, interval)
    parts = [(first, min(last, _HIGH - 1)), (max(first, _HIGH), min(last, _LOW_END)), (max(first, _LOW_END + 1), last)]
    found = [f"{_hexadecimal(low)}-{_hexadecimal(high)}" for low, high in parts if low <= high]
    return "".join(found) + (_capitals_within(first, last) if ignore_case else "")


def _hexadecimal(unit: int) -> str:
    return chr(_in_plane(unit)) if _HIGH <= unit <= _LOW_END else f"\\u{unit:04x}"


def _capitals_within(first: int, last: int) -> str:
    """The capitals of letters in a range. The letters themselves may stay: no text in capitals has them."""
    changed = _changed()
    within = changed[bisect_left(changed, first) : bisect_right(changed, last)]
    return "".join(f"\\u{ord(_CANONICAL[code]):04x}" for code in within)


@cache
def _changed() -> list[int]:
    """The code units that are not their own capitals."""
    return [
        code for code in range(_LOW_END + 0x2001) if not _HIGH <= code <= _LOW_END and _CANONICAL[code] != chr(code)
    ]


class _Canonical(dict[int, str]):
    """ECMAScript's Canonicalize without `u`: upper case, unless that needs more units or turns into ASCII."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        upper = character.upper()
        stays = code > 0xFFFF or len(upper) != 1 or ord(upper) > 0xFFFF or (code >= 128 > ord(upper))
        self[code] = found = character if stays else upper
        return found


_CANONICAL = _Canonical()
