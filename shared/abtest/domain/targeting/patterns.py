"""ECMAScript matching without flags, decided in Python as a browser decides it; nothing here knows URLs.

Two peculiarities of the language are met here once. Without the `u` flag a pattern works on UTF-16 code units, and
`i` folds one code unit at a time (`ß` is not `ẞ`, the Kelvin sign is not `k`), which no Python engine does.
"""

import re
from functools import lru_cache

from regress import Regex, RegressError

LONGEST_SEARCHED = 8192
"""Addresses longer than this are searched by no customer's expression: its cost cannot be bounded."""

# Escapes and classes are tokens of their own, so that a boundary is seen only where it is one.
_TOKEN = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]?|.", re.DOTALL)
_QUANTIFIER = re.compile(r"[*+?]|\{\d+(?:,\d*)?\}")
# Without the `u` flag `\u{63}` is the letter u, 63 times; this engine takes it for a code point.
_CODE_POINT_ESCAPE = re.compile(r"((?<!\\)(?:\\\\)*)\\u(?![0-9A-Fa-f]{4})")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_FIRST_STAND_IN = 0x4E00  # CJK letters: never part of an address, yet allowed in group names as astral letters are


def search(source: str, text: str) -> bool:
    """Whether `new RegExp(source).test(text)` holds, for a text in ASCII; what does not compile matches nothing."""
    regex = _compiled(source)
    return regex is not None and len(text) <= LONGEST_SEARCHED and regex.find(text) is not None


def compiles(source: str) -> bool:
    """Whether `new RegExp(source)` is accepted."""
    return _compiled(source) is not None


def is_whole(source: str, text: str) -> bool:
    """Whether `new RegExp(`^(?:${source})$`, "i").test(text)` holds, for a source made by `abtest` itself."""
    regex = _whole(source)
    return regex is not None and regex.find(_folded(well_formed(text))) is not None


def well_formed(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD, as `String.prototype.toWellFormed` does."""
    if not _LONE_SURROGATE.search(text):
        return text
    paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _LONE_SURROGATE.sub("\ufffd", paired)


@lru_cache(maxsize=4096)
def _compiled(source: str) -> Regex | None:
    if _repeats_boundary(source):
        return None  # "nothing to repeat" in every browser, but not in this engine
    units = _ASTRAL.sub(_two_units, _CODE_POINT_ESCAPE.sub(r"\1u", source))
    return _regex(_LONE_SURROGATE.sub(lambda found: _stand_in(ord(found[0])), units))


@lru_cache(maxsize=4096)
def _whole(source: str) -> Regex | None:
    return _regex(f"^(?:{_folded(well_formed(source))})$")


def _regex(source: str) -> Regex | None:
    try:
        return Regex(source)
    except RegressError:
        return None


def _repeats_boundary(source: str) -> bool:
    """Whether a word boundary outside a class has a quantifier."""
    return any(
        token[0] in (r"\b", r"\B") and _QUANTIFIER.match(source, token.end()) for token in _TOKEN.finditer(source)
    )


def _two_units(found: re.Match[str]) -> str:
    high, low = divmod(ord(found[0]) - 0x10000, 0x400)
    return _stand_in(0xD800 + high) + _stand_in(0xDC00 + low)


def _stand_in(surrogate: int) -> str:
    return chr(_FIRST_STAND_IN + surrogate - 0xD800)


class _Canonical(dict[int, str]):
    """ECMAScript's Canonicalize without `u`: upper case, unless that needs more units or turns into ASCII."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        upper = character.upper()
        stays = code > 0xFFFF or len(upper) != 1 or ord(upper) > 0xFFFF or (code >= 128 > ord(upper))
        self[code] = found = character if stays else upper
        return found


_CANONICAL = _Canonical()


def _folded(text: str) -> str:
    return text.upper() if text.isascii() else text.translate(_CANONICAL)
