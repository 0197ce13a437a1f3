"""ECMAScript sources and texts rewritten so that an engine that knows code points sees UTF-16 code units.

Each half of a surrogate pair becomes a stand-in: a letter outside the basic plane, which no rewritten text holds
otherwise. Without the `u` flag `i` compares what `toUpperCase` makes of single code units (`ß` is not `ẞ`, the Kelvin
sign is not `k`); such a source is rewritten to search in capitals, because no Python engine folds that way.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
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
    """Class with a range that runs backwards, which no engine compiles."""


def rewritten(source: str, ignore_case: bool = False) -> str:
    """Return the source that finds in a rewritten text what `source` finds in the text. Raises NotASourceError."""
    return "".join(rewritten_token(token, ignore_case) for token in _TOKEN.finditer(source))


def split(text: str) -> str:
    """Return the text with each half of a surrogate pair as a letter of its own; its length counts code units."""
    # isascii() only reads a flag of the string, so that usual texts are not scanned.
    if text.isascii() or not _BEYOND_BASIC.search(text):
        return text
    return _BEYOND_BASIC.sub(stand_ins, text)


def capitals(text: str) -> str:
    """Return every code unit in the case that is compared without case; stand-ins stay the same."""
    return text.upper() if text.isascii() else text.translate(_CANONICAL)


def stand_ins(astral: re.Match[str]) -> str:
    """Return the stand-in of half a pair, or the two of a letter outside the basic plane."""
    code = ord(astral[0])
    if code <= _LOW_END:
        return chr(code - _HIGH + _FIRST_STAND_IN)
    high, low = divmod(code - 0x10000, 0x400)
    return chr(_FIRST_STAND_IN + high) + chr(_FIRST_STAND_IN + 0x400 + low)


def rewritten_token(match: re.Match[str], ignore_case: bool) -> str:
    """Return one token of a source as `rewritten` writes it."""
    token = match[0]
    if match["kept"]:
        return token
    if match["unit"]:
        return literal(in_plane(int(token[2:], 16)), ignore_case)
    if match["set"]:
        return rewritten_class(split(token), ignore_case)
    if match["backslash"]:
        return r"\\"  # `\c` without a letter after it means these two characters
    if token[-1] in _SYNTAX:
        return token
    # An escape of a letter without a meaning is that letter; so are `\u` and `\x` without their digits.
    return "".join(literal(ord(unit), ignore_case) for unit in split(token.removeprefix("\\")))


def literal(code: int, ignore_case: bool) -> str:
    """Return a source that matches one code unit or its stand-in, in capitals where case is ignored."""
    character = _CANONICAL[code] if ignore_case else chr(code)
    if character in _SYNTAX:
        return f"\\{character}"
    is_plain = ord(character) > 0x7F or character.isalnum() or character == "_"
    return character if is_plain else f"\\x{ord(character):02x}"


def in_plane(unit: int) -> int:
    """Return the unit, or the stand-in of one that is half a pair."""
    return unit - _HIGH + _FIRST_STAND_IN if _HIGH <= unit <= _LOW_END else unit


def rewritten_class(token: str, ignore_case: bool) -> str:
    """Return a class as `rewritten` writes it. Raises NotASourceError."""
    if len(token) < 2 or not token.endswith("]"):
        return token  # without an end: left to the engine to refuse
    negated = token.startswith("[^")
    members = [class_member(match[0]) for match in _MEMBER.finditer(token, 1 + negated, len(token) - 1)]
    pieces = [each if isinstance(each, str) else rewritten_range(*each, ignore_case) for each in class_ranges(members)]
    return f"[{'^' if negated else ''}{''.join(pieces)}]"


def class_member(token: str) -> int | str:
    """Return the code of a member, stand-ins as they are, or the escape of a set such as `\\d`."""
    if len(token) == 1:
        return ord(token)
    kind, rest = token[1], token[2:]
    if kind in "dDsSwW":
        return token
    if kind in "ux" and rest:
        return in_plane(int(rest, 16))
    if kind == "c" and rest:
        return ord(rest) % 32
    if kind in "01234567":
        return int(token[1:], 8)
    return _CONTROLS.get(kind, ord(kind))


def class_ranges(members: list[int | str]) -> Iterator[Interval | str]:
    """Yield ranges of code units and escapes of sets.

    A hyphen between two characters makes a range; next to a set it is a member itself. Raises NotASourceError.
    """
    at = 0
    while at < len(members):
        first = members[at]
        last = members[at + 2] if members[at + 1 : at + 2] == [ord("-")] and at + 2 < len(members) else None
        if isinstance(first, int) and isinstance(last, int):
            # As code units: stand-ins come behind the whole basic plane, surrogates do not.
            if code_unit(first) > code_unit(last):
                raise NotASourceError("a range runs backwards")
            yield code_unit(first), code_unit(last)
            at += 3
        else:
            yield first if isinstance(first, str) else (code_unit(first), code_unit(first))
            at += 1


def code_unit(code: int) -> int:
    """Return the code unit of a stand-in; other codes are their own."""
    return code - _FIRST_STAND_IN + _HIGH if code >= _FIRST_STAND_IN else code


def rewritten_range(first: int, last: int, ignore_case: bool) -> str:
    """Return a range of code units as members of a class: below, within and above the surrogates."""
    parts = [(first, min(last, _HIGH - 1)), (max(first, _LOW_END + 1), last)]
    pieces = [f"\\u{low:04x}-\\u{high:04x}" for low, high in parts if low <= high]
    low, high = max(first, _HIGH), min(last, _LOW_END)
    if low <= high:
        pieces.append(f"{chr(in_plane(low))}-{chr(in_plane(high))}")
    if ignore_case:  # the letters themselves may stay, because no text in capitals has them
        changed = changed_by_case()
        within = changed[bisect_left(changed, first) : bisect_right(changed, last)]
        pieces += [f"\\u{ord(_CANONICAL[code]):04x}" for code in within]
    return "".join(pieces)


@cache
def changed_by_case() -> list[int]:
    """Return the code units that are not their own capitals, in order."""
    # Up to U+FFFF: the end of the range is 0x10000.
    return [
        code for code in range(_LOW_END + 0x2001) if not _HIGH <= code <= _LOW_END and _CANONICAL[code] != chr(code)
    ]


class _Canonical(dict[int, str]):
    """ECMAScript's Canonicalize without `u`: upper case, unless that needs more units or turns into ASCII."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        upper = character.upper()
        stays = code > 0xFFFF or len(upper) != 1 or ord(upper) > 0xFFFF or (code >= 128 > ord(upper))
        self[code] = canonical = character if stays else upper
        return canonical


_CANONICAL = _Canonical()
