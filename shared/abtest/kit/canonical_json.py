"""Strict reader and canonical writer of JSON.

Canonical JSON has keys sorted by code point, no spaces, UTF-8 without escapes where JSON allows, no NaN, no infinity.
Equal values always have equal bytes, so hashes of documents can be compared.
"""

import hashlib
import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

Json = object
"""A value that JSON can express: None, bool, int, float, str, list, dict with string keys."""

MAX_INTEGRAL = 10**22
"""Largest power of ten that a float holds exactly. Larger floats of requests stay floats: 1e300 has 301 digits."""

# Made once: with options other than its defaults, json.dumps makes a new encoder at every call.
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
_CANONICAL_ASCII = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)
_ORDERED = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False)
_ORDERED_ASCII = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


class InvalidJsonError(ValueError):
    """Text that is not JSON, or not JSON that is accepted here; the message gives the reason."""


def dumps(value: Json) -> str:
    """Return canonical JSON text. Raises ValueError for NaN and infinities."""
    return _CANONICAL.encode(value)


def ordered(value: Json) -> str:
    """Return JSON text with keys in their own order, for values that are never compared or hashed.

    Text that UTF-8 cannot encode is escaped. Raises ValueError for NaN and infinities.
    """
    text = _ORDERED.encode(value)
    # Halves of surrogate pairs are the only characters of a string that UTF-8 cannot encode.
    has_surrogate = not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)
    return _ORDERED_ASCII.encode(value) if has_surrogate else text


def encode(value: Json) -> bytes:
    """Return canonical JSON bytes. With a lone surrogate, which UTF-8 cannot encode, all text is escaped to ASCII."""
    try:
        return dumps(value).encode()
    except UnicodeEncodeError:
        return _CANONICAL_ASCII.encode(value).encode()


def same(left: Json, right: Json) -> bool:
    """Return whether two values are the same JSON. In Python `True` equals `1`; in JSON it does not."""
    return bool(left == right) and encode(left) == encode(right)


def sha256(value: Json) -> str:
    """Return the SHA-256 of the canonical bytes, in hexadecimal."""
    return hashlib.sha256(encode(value)).hexdigest()


def loads(text: str | bytes, *, own: bool = False) -> Any:
    """Return the value of a JSON text.

    Raises InvalidJsonError for malformed text, duplicate keys, NaN, infinities (1e400 included), bytes that are not
    UTF-8, and deeper nesting or longer numbers than the interpreter allows. `own` is for text that this module wrote:
    it skips the check for duplicate keys, which halves the time.
    """
    return _decoded(_OWN if own else _STRICT, text)


def loads_request(body: str | bytes) -> Any:
    """Return the value of a body or a file that a client sent, as `loads` does. Integral numbers such as 7.0 are ints.

    JSON has one kind of number, and its schema language calls 7.0 an integer; many languages write integers so.
    """
    return _decoded(_OF_REQUESTS, body)


def _decoded(decoder: json.JSONDecoder, text: str | bytes) -> Any:
    try:
        # Given bytes, json would guess their encoding and accept halves of surrogate pairs.
        text = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        return decoder.decode(text)
    except RecursionError as error:
        raise InvalidJsonError("nested too deeply") from error
    except UnicodeDecodeError as error:
        raise InvalidJsonError(f"byte {error.start} is not UTF-8") from error
    except InvalidJsonError:
        raise
    except json.JSONDecodeError as error:
        raise InvalidJsonError(f"line {error.lineno}, column {error.colno}: {advice(error.msg)}") from error
    except ValueError as error:
        # The decoder raises no other: Python refuses to convert thousands of digits, and names a function of its own.
        raise InvalidJsonError("a number has too many digits") from error


def advice(problem: str) -> str:
    """Return what is wrong and what to do, for a problem in the words of Python's parser."""
    return next((words for start, words in _ADVICE.items() if problem.startswith(start)), "this is not JSON")


_ADVICE: Mapping[str, str] = {
    "Expecting value": (
        "a value is missing or misspelt; texts need double quotes, true, false and null small letters, and no comma "
        "follows the last item"
    ),
    "Expecting property name": "write a name in double quotes here; no comma follows the last member of an object",
    "Illegal trailing comma": "remove this comma; none follows the last item",
    "Expecting ':'": "write a colon between name and value",
    "Expecting ','": "write a comma before the next item, or close the object or list",
    "Extra data": "remove what follows the end of the value; a text has one value",
    "Unterminated string": "the text that begins here has no closing double quote",
    "Invalid control character": "escape control characters in texts, such as a line break as \\n",
    "Invalid \\escape": "write a backslash in a text as two backslashes",
    "Invalid \\uXXXX escape": "write four hexadecimal digits after \\u",
    "Unexpected UTF-8 BOM": "remove the second byte order mark",
}
"""Beginnings of the problems that `json` reports, which differ between its versions in what follows."""


def integral(text: str) -> float | int:
    """Return the number of a text with a fraction or an exponent: an int if it is integral, up to MAX_INTEGRAL.

    Raises InvalidJsonError for a number that no float can hold.
    """
    value = _finite_float(text)
    if not value:
        return 0  # Decimal refuses exponents of more than 18 digits, which only zeros can have here
    if not value.is_integer() or abs(value) > MAX_INTEGRAL:
        return value
    # By the text: beyond 2^53 a float stands for several integers, and for numbers between them.
    exact = Decimal(text)
    return int(exact) if exact == exact.to_integral_value() else value


def is_deeper(data: Json, most: int) -> bool:
    """Return whether objects and lists are nested more than `most` levels deep."""
    level: list[Any] = [data]
    for _ in range(most):
        inside = [value.values() if isinstance(value, dict) else value for value in level]
        level = [item for values in inside for item in values if isinstance(item, dict | list)]
    return bool(level)


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise InvalidJsonError("an object has the same key twice")
    return members


def _refuse_constant(name: str) -> Json:
    raise InvalidJsonError(f"{name} is not a JSON number")


def _finite_float(text: str) -> float:
    value = float(text)
    # Python's decoder reports the words NaN and Infinity, but turns a number such as 1e400 into infinity silently.
    if value in (float("inf"), float("-inf")):
        raise InvalidJsonError(f"{text[:20]} is out of range")
    return value


_STRICT = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant, parse_float=_finite_float)
_OF_REQUESTS = json.JSONDecoder(
    object_pairs_hook=_unique,
    parse_constant=_refuse_constant,
    parse_float=integral,
)
_OWN = json.JSONDecoder(parse_constant=_refuse_constant, parse_float=_finite_float)
