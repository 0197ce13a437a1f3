"""JSON values as ECMAScript coerces and orders them (section 2.2 of docs/data-model.md); conditions are not here."""

import re
from collections.abc import Mapping
from math import inf, nan

# Integers up to here are exact as doubles.
_EXACT = 2**53
# Written out: Python's strip() also removes U+001C to U+001F and U+0085, and keeps U+FEFF.
WHITE_SPACE = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029"
WHITE_SPACE += "\u202f\u205f\u3000\ufeff"
"""Characters that `trim` removes."""

# Python's float() also reads `1_000`, `nan` and `inf`, which Number() does not.
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_INTEGER = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)")
_BASES = {"x": 16, "o": 8, "b": 2}
_INFINITIES = {"Infinity": inf, "+Infinity": inf, "-Infinity": -inf}


def text_of(value: object) -> str | None:
    """`String(value)` of a text, number or boolean; None for everything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return number_text(double(value)) if isinstance(value, int | float) else None


def number_of(value: object) -> float:
    """`Number(value)` of a text, number, boolean or null; NaN for everything else. Whole numbers may come as int."""
    if value is None:
        return 0
    if isinstance(value, str):
        return parsed_number(value.strip(WHITE_SPACE))
    return double(value) if isinstance(value, int | float) else nan


def truth_of(value: object) -> bool:
    """`Boolean(value)`: lists and objects are true even when they are empty."""
    return isinstance(value, list | Mapping) or bool(value)


def equal(one: object, other: object) -> bool:
    """Strict equality, of lists item by item, of objects whatever the order of their keys."""
    # In Python `True == 1`; in JSON they differ.
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float):
        return isinstance(other, int | float) and double(one) == double(other)
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(equal, one, other))
    if isinstance(one, Mapping):
        return isinstance(other, Mapping) and one.keys() == other.keys() and all(equal(one[k], other[k]) for k in one)
    return bool(one == other)


def units(text: str) -> bytes:
    """Return a key that orders texts as ECMAScript does, by UTF-16 code units."""
    # Big-endian, so that the order of bytes is the order of units.
    return text.encode("utf-16-be", "surrogatepass")


def double(value: int | float) -> int | float:
    """Return the number as an IEEE 754 double; integers that are exact as a double stay integers."""
    if isinstance(value, float) or -_EXACT <= value <= _EXACT:
        return value
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def parsed_number(text: str) -> float:
    """Return the number that a trimmed text is; 0 for an empty text, NaN for any other."""
    if not text:
        return 0
    if _DECIMAL.fullmatch(text):
        return float(text)
    if _INTEGER.fullmatch(text):
        return double(int(text[2:], _BASES[text[1].lower()]))
    return _INFINITIES.get(text, nan)


def number_text(value: int | float) -> str:
    """`Number::toString`: the shortest digits, as in Python, in the layout of ECMAScript."""
    if isinstance(value, int):
        return str(value)
    if value in (inf, -inf) or value != value:
        return {inf: "Infinity", -inf: "-Infinity"}.get(value, "NaN")
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    return ("-" if value < 0 else "") + (with_point(digits, point) if digits else "0")


def with_point(digits: str, point: int) -> str:
    """Return the digits with the decimal point after the `point`-th, or with an exponent where that would be long."""
    # 21 and -6 are the limits of Number::toString in ECMA-262.
    if len(digits) <= point <= 21:
        return digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"
