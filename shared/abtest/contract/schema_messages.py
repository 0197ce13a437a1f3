"""Messages for values that do not fit their schema. None repeats a value of the request; their length is bounded.

Fields with a pattern have messages of their own (`forms.py`), because a regular expression explains nothing.
"""

from collections.abc import Mapping
from typing import Any, get_args

from pydantic_core.core_schema import ErrorType

MAX_MESSAGE = 300
MAX_VALUES = 40
"""Allowed values that a message names; beyond it, the reference lists them."""
INVALID = "must have another form; the reference describes it"

_INTEGER, _NUMBER = "must be an integer", "must be a number"
_DATE, _MOMENT = (
    "must be a date, such as 2026-01-31",
    "must be a date-time with its offset, such as 2026-01-31T09:30:00Z",
)
_OBJECT, _LIST, _BOOLEAN = "must be an object", "must be a list", "must be true or false"

MESSAGES: Mapping[str, str] = {
    "missing": "is required",
    "extra_forbidden": "is not a property of this object",
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "dict_type": _OBJECT,
    "mapping_type": _OBJECT,
    "invalid_key": "must have strings as names",
    "list_type": _LIST,
    "tuple_type": _LIST,
    "set_type": _LIST,
    "none_required": "must be null",
    "string_type": "must be a string",
    "string_unicode": "must be valid Unicode",
    "string_not_ascii": "must have ASCII characters only",
    "string_too_short": "must have {min_length} or more characters",
    "string_too_long": "must have at most {max_length} characters",
    "too_short": "must have {min_length} or more items",
    "too_long": "must have at most {max_length} items",
    "bool_type": _BOOLEAN,
    "bool_parsing": _BOOLEAN,
    "int_type": _INTEGER,
    "int_parsing": _INTEGER,
    "int_parsing_size": "must be an integer with fewer digits",
    "int_from_float": _INTEGER,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": "must be a finite number",
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be {ge} or more",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "multiple_of": "must be a multiple of {multiple_of}",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "union_tag_not_found": "must have the property {discriminator}",
    "union_tag_invalid": "{discriminator} must be one of {expected_tags}",
    "date_type": _DATE,
    "date_parsing": _DATE,
    "date_from_datetime_parsing": _DATE,
    "date_from_datetime_inexact": _DATE,
    "datetime_type": _MOMENT,
    "datetime_parsing": _MOMENT,
    "datetime_from_date_parsing": _MOMENT,
    "timezone_aware": _MOMENT,
    "recursion_loop": "is nested too deeply",
    "recursion_depth_exceeded": "is nested too deeply",
}
"""Templates by the library's error types. Those of our own validators already have a message in our words."""


_WITH_VALUES = {"literal_error": "expected", "enum": "expected", "union_tag_invalid": "expected_tags"}
"""Where the library has the allowed values of an error type, each in quotes."""

_LIBRARY = frozenset(get_args(ErrorType))


def schema_message(problem: Mapping[str, Any]) -> str:
    """Return the message of one problem that pydantic reports."""
    kind = str(problem["type"])
    if kind not in _LIBRARY:
        text = str(problem["msg"])
    else:
        context = problem.get("ctx", {})
        text = MESSAGES.get(kind, INVALID).format_map(context)
        if kind in _WITH_VALUES:
            count = str(context[_WITH_VALUES[kind]]).count("'") // 2
            return text if count <= MAX_VALUES else f"must be one of {count} values, which the API reference lists"
    return text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 1] + "…"
