"""Conversion of a payload's values for a property: cleaning, type, scale. Section 2.4 of docs/data-model.md."""

import re
from collections.abc import Callable, Mapping
from math import isfinite

from abtest.domain.signals.shapes import Mapped
from abtest.domain.targeting.ecmascript import WHITE_SPACE, double, text_of

MAX_DEPTH = 8
"""Levels of objects and lists that a json value keeps; deeper ones are null."""

MAX_VALUES = 1000
"""Values in a json value at most, lists and objects included."""

MAX_AMOUNT = 10**13
"""Largest amount of an event, in major units."""

# Separators of thousands: blanks, no-break and thin spaces, and the Swiss apostrophe.
_SPACES = re.compile("[ \t\r\n\u00a0\u2009\u202f'\u2019]")
_COMMAS_BETWEEN_THOUSANDS = re.compile(r"-?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?")
_DECIMAL_COMMA = re.compile(r"-?([1-9][0-9]{0,2}(\.[0-9]{3})+|[0-9]+),[0-9]+")
_DECIMAL = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_TRUTHS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def known(value: object) -> object:
    """Return the value; None for numbers that JSON cannot represent."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return double(value) if isfinite(double(value)) else None
    return value


def number(value: object) -> int | float | None:
    """Read a number, or a text that is one: `1299.5`, `1,299.50`, `1.299,50`, `1 299,50`, `12,5`.

    A comma before exactly three digits separates thousands; a single dot never does.
    """
    if isinstance(value, str):
        digits = _SPACES.sub("", value)
        # Thousands first: `1,299` has the form of a decimal comma, too.
        if _COMMAS_BETWEEN_THOUSANDS.fullmatch(digits):
            digits = digits.replace(",", "")
        elif _DECIMAL_COMMA.fullmatch(digits):
            digits = digits.replace(".", "").replace(",", ".")
        return finite(float(digits)) if _DECIMAL.fullmatch(digits) else None
    return finite(double(value)) if isinstance(value, int | float) and not isinstance(value, bool) else None


def amount(value: object) -> int | float | None:
    """Read an amount of money that an event may have."""
    money = number(value)
    return money if money is not None and 0 <= money <= MAX_AMOUNT else None


def text(value: object) -> str | None:
    """Return `String(value)` of a text, number or boolean."""
    return text_of(known(value))


def boolean(value: object) -> bool | None:
    """Read a boolean: `true`, `1`, `yes`, `false`, `0` or `no`, in any case."""
    word = text(value)
    return None if word is None else _TRUTHS.get(word.lower())


def scalar(value: object) -> object:
    """Read a text, number or boolean."""
    return value if isinstance(value, bool | str) else number(value)


def json(value: object) -> object:
    """Copy any value down to MAX_DEPTH; None when it has more than MAX_VALUES values."""
    left = [MAX_VALUES]
    copied = copied_within(value, left, 0)
    return copied if left[0] >= 0 else None


def texts(value: object, clean: Callable[[object], object]) -> list[str] | None:
    """Return a list of texts, numbers and booleans as texts, each cleaned; one alone is a list of one."""
    items = json(value) if isinstance(value, list) else [value]
    if not isinstance(items, list):
        return None
    cleaned_texts = [text(clean(item)) for item in items]
    return None if None in cleaned_texts else [each for each in cleaned_texts if each is not None]


_TYPES: Mapping[str | None, Callable[[object], object]] = {
    None: scalar,
    "string": text,
    "number": number,
    "boolean": boolean,
    "json": json,
    "amount": amount,
}


def converted(value: object, mapped: Mapped) -> object:
    """Trim, lower, map, type and scale a value in this order; None when it cannot be converted."""
    kind = mapped.get("type")
    if kind == "string_array":
        return texts(value, lambda item: cleaned(item, mapped))
    made = _TYPES[kind](cleaned(value, mapped))
    if "scale" in mapped and isinstance(made, int | float):  # a scale goes with numbers alone
        return finite(float(made) * mapped["scale"])
    return made


def cleaned(value: object, mapped: Mapped) -> object:
    """Trim, lower and map a value."""
    if isinstance(value, str):
        value = value.strip(WHITE_SPACE) if mapped.get("trim") else value
        value = value.lower() if mapped.get("lower") else value
    key = text(value) if "map" in mapped else None
    return value if key is None else mapped["map"].get(key, value)


def finite(value: float) -> int | float | None:
    """Return the number, an integer where that is exact; None for NaN and infinities. Zero has no sign."""
    if not isfinite(value):
        return None
    return int(value) if value == int(value) and abs(value) <= 2**53 else float(value)


def copied_within(value: object, left: list[int], depth: int) -> object:
    """Copy a value and count down `left[0]`, which falls below 0 when the value is too large."""
    left[0] -= 1
    if left[0] < 0 or (isinstance(value, list | Mapping) and depth >= MAX_DEPTH):
        return None
    if isinstance(value, list):
        # One item more than is left is enough to go below 0; the rest of a huge list is not copied.
        return [copied_within(item, left, depth + 1) for item in value[: left[0] + 1]]
    if isinstance(value, Mapping):
        return {name: copied_within(item, left, depth + 1) for name, item in value.items()}
    return known(value)
