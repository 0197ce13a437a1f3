"""Values of a payload as a property wants them: cleaned, of its type, scaled. Section 2.4 of docs/data-model.md."""

import re
from collections.abc import Callable, Mapping
from math import isfinite

from abtest.domain.signals.shapes import Mapped
from abtest.domain.targeting.ecmascript import WHITE_SPACE, double, text_of

MAX_DEPTH = 8
"""Objects and lists inside each other that a json value keeps; what lies deeper is null."""

MAX_VALUES = 1000
"""Values that a json value may hold, its lists and objects counted."""

MAX_AMOUNT = 10**13
"""In major units: what events may tell of."""

_SPACES = re.compile("[ \t\r\n\u00a0\u2009\u202f'\u2019]")
_COMMAS_BETWEEN_THOUSANDS = re.compile(r"-?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?")
_DECIMAL_COMMA = re.compile(r"-?([1-9][0-9]{0,2}(\.[0-9]{3})+|[0-9]+),[0-9]+")
_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_TRUTHS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def known(value: object) -> object:
    """The value; None for numbers that JSON has no form for."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return double(value) if isfinite(double(value)) else None
    return value


def number(value: object) -> int | float | None:
    """A number, or a text that is one: `1299.5`, `1,299.50`, `1.299,50`, `1 299,50`, `12,5`. A comma before exactly
    three digits stands between thousands, a single dot never does."""
    if isinstance(value, str):
        return _parsed(_SPACES.sub("", value))
    return _finite(double(value)) if isinstance(value, int | float) and not isinstance(value, bool) else None


def amount(value: object) -> int | float | None:
    """A number that events may tell of as money received."""
    found = number(value)
    return found if found is not None and 0 <= found <= MAX_AMOUNT else None


def text(value: object) -> str | None:
    """`String(value)` of a text, number or boolean."""
    return text_of(known(value))


def boolean(value: object) -> bool | None:
    """True of `true`, `1` and `yes`, false of `false`, `0` and `no`, in any case."""
    said = text(value)
    return None if said is None else _TRUTHS.get(said.lower())


def scalar(value: object) -> object:
    """A text, number or boolean as it is."""
    return value if isinstance(value, bool | str) else number(value)


def json(value: object) -> object:
    """Any value, as deep and as large as is kept; None when it is larger."""
    left = [MAX_VALUES]
    copied = _copied(value, left, 0)
    return copied if left[0] >= 0 else None


def texts(value: object, clean: Callable[[object], object]) -> list[str] | None:
    """A list of texts, numbers and booleans as texts, each cleaned; one alone is a list of one."""
    items = json(value) if isinstance(value, list) else [value]
    if not isinstance(items, list):
        return None
    said = [text(clean(item)) for item in items]
    return None if None in said else [each for each in said if each is not None]


_TYPES: Mapping[str | None, Callable[[object], object]] = {
    None: scalar,
    "string": text,
    "number": number,
    "boolean": boolean,
    "json": json,
    "amount": amount,
}


def converted(value: object, mapped: Mapped) -> object:
    """The value as the mapping wants it; None when it cannot be. Trimmed, lower case, mapped, typed, scaled."""
    kind = mapped.get("type")
    if kind == "string_array":
        return texts(value, lambda item: _cleaned(item, mapped))
    made = _TYPES[kind](_cleaned(value, mapped))
    if "scale" in mapped and isinstance(made, int | float):  # a scale goes with numbers alone
        return _finite(float(made) * mapped["scale"])
    return made


def _cleaned(value: object, mapped: Mapped) -> object:
    if isinstance(value, str):
        value = value.strip(WHITE_SPACE) if mapped.get("trim") else value
        value = value.lower() if mapped.get("lower") else value
    said = text(value) if "map" in mapped else None
    return value if said is None else mapped["map"].get(said, value)


def _parsed(digits: str) -> int | float | None:
    if _COMMAS_BETWEEN_THOUSANDS.fullmatch(digits):
        digits = digits.replace(",", "")
    elif _DECIMAL_COMMA.fullmatch(digits):
        digits = digits.replace(".", "").replace(",", ".")
    return _finite(float(digits)) if _DECIMAL.fullmatch(digits) else None


def _finite(value: float) -> int | float | None:
    """The number, whole ones as integers as far as they are exact; zero has no sign."""
    if not isfinite(value):
        return None
    return int(value) if value == int(value) and abs(value) <= 2**53 else float(value)


def _copied(value: object, left: list[int], depth: int) -> object:
    left[0] -= 1
    if left[0] < 0 or (isinstance(value, list | Mapping) and depth >= MAX_DEPTH):
        return None
    if isinstance(value, list):
        return [_copied(item, left, depth + 1) for item in value[: left[0] + 1]]
    if isinstance(value, Mapping):
        return {name: _copied(item, left, depth + 1) for name, item in value.items()}
    return known(value)
