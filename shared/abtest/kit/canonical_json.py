"""JSON: the one strict reader and the one canonical writer.

Canonical: keys sorted by code point, no spaces, UTF-8 without escapes where JSON allows, no NaN or infinity; the same
value always has the same bytes, so hashes of documents mean something.
"""

import hashlib
import json
from typing import Any

Json = object
"""A value that JSON can express: None, bool, int, float, str, list, dict with string keys."""


# Made once: json.dumps would make an encoder at every call that asks for anything but its defaults.
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
_CANONICAL_ASCII = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)
_ORDERED = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False)
_ORDERED_ASCII = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
_OWN = json.JSONDecoder()


class InvalidJsonError(ValueError):
    """The bytes are not the JSON that we accept; the message says why."""


def dumps(value: Json) -> str:
    """Canonical JSON text. Raises ValueError for NaN and infinities."""
    return _CANONICAL.encode(value)


def ordered(value: Json) -> str:
    """The same with keys as they stand, and escapes where UTF-8 could not hold the text. For what is never compared."""
    text = _ORDERED.encode(value)
    return text if text.isascii() or _is_utf8(text) else _ORDERED_ASCII.encode(value)


def encode(value: Json) -> bytes:
    """Canonical JSON bytes; a lone surrogate is written as an escape, since UTF-8 cannot hold it."""
    try:
        return dumps(value).encode()
    except UnicodeEncodeError:
        return _CANONICAL_ASCII.encode(value).encode()


def same(left: Json, right: Json) -> bool:
    """Whether two values are the same JSON. Python takes `True` for `1`; JSON does not."""
    return bool(left == right) and encode(left) == encode(right)


def sha256(value: Json) -> str:
    """Hex SHA-256 of the canonical bytes."""
    return hashlib.sha256(encode(value)).hexdigest()


def loads(text: str | bytes, *, own: bool = False) -> Any:
    """Read JSON strictly.

    Raises InvalidJsonError for malformed text, duplicate keys, NaN and infinities (1e400 included), bytes that are
    not UTF-8 (other encodings of Unicode too), and nesting deeper than the interpreter can follow. What is our `own`,
    written by this module, has neither duplicate keys nor infinities: not to look for them takes half the time.
    """
    try:
        # Given bytes, json would guess their encoding, and let halves of surrogate pairs through.
        text = text.decode("utf-8-sig") if isinstance(text, bytes) else text
        return (_OWN if own else _STRICT).decode(text)
    except RecursionError as error:
        raise InvalidJsonError("nested too deeply") from error
    except InvalidJsonError:
        raise
    except ValueError as error:
        raise InvalidJsonError(str(error)) from error


def is_deeper(data: Json, most: int) -> bool:
    """Whether objects and lists stand in each other more than `most` levels deep."""
    level: list[Any] = [data]
    for _ in range(most):
        inside = [value.values() if isinstance(value, dict) else value for value in level]
        level = [item for values in inside for item in values if isinstance(item, dict | list)]
    return bool(level)


def _is_utf8(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _unique(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise InvalidJsonError("an object names a key twice")
    return found


def _refuse_constant(name: str) -> Json:
    raise InvalidJsonError(f"{name} is not a JSON number")


def _finite_float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise InvalidJsonError(f"{text[:20]} is out of range")
    return value


_STRICT = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse_constant, parse_float=_finite_float)
