"""Names, labels and keys that people read: text with something visible in it, on one line.

Every text of a request is one of these, has a form or a list of values, or is free text that keeps its line breaks. A
test knows which (tests/unit/contract/test_names.py).
"""

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic.annotated_handlers import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from abtest.contract.forms import Form
from abtest.kit.visible_text import INVISIBLE, UNSAFE, has_unsafe, has_visible

_LINES = re.compile(r"[\t\r\n]")

# These escapes mean the same in Python and in the dialect of JSON Schema (ECMA-262).
_READABLE = f"[^{UNSAFE}]*[^{UNSAFE}{INVISIBLE}][^{UNSAFE}]*"


@dataclass(frozen=True, slots=True)
class _Readable:
    """Check that a text can be read in a list, or is empty where that is allowed, and document it as a pattern."""

    allow_empty: bool = False

    def __get_pydantic_core_schema__(self, source: type, handler: GetCoreSchemaHandler) -> CoreSchema:
        check = readable_or_empty if self.allow_empty else readable
        return core_schema.no_info_after_validator_function(check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(schema), "pattern": f"^({_READABLE})?$" if self.allow_empty else f"^{_READABLE}$"}


def readable(text: str) -> str:
    """Return the text unchanged. Raises PydanticCustomError."""
    if has_unsafe(text):
        raise PydanticCustomError(
            "unsafe_characters",
            "must not have line breaks, control characters, noncharacters or overrides of the writing direction",
        )
    return _visible(text)


def readable_or_empty(text: str) -> str:
    """Return the text unchanged. Raises PydanticCustomError."""
    return readable(text) if text else text


def plain(text: str) -> str:
    """Return the text of several lines unchanged. Raises PydanticCustomError."""
    if has_unsafe(_LINES.sub(" ", text)):
        raise PydanticCustomError(
            "unsafe_characters",
            "must not have control characters, noncharacters or overrides of the writing direction",
        )
    return _visible(text)


def _visible(text: str) -> str:
    if not has_visible(text):
        raise PydanticCustomError("blank", "must have at least one visible character")
    return text


READABLE = _Readable()
"""Mark a text that must be readable in a list."""

READABLE_OR_EMPTY = _Readable(allow_empty=True)
"""Mark a text that must be readable in a list, or empty, which means the same as absent."""

Name = Annotated[str, Field(min_length=1, max_length=255), READABLE]
"""The name of a resource or of a part of one."""

OptionalName = Annotated[str, Field(max_length=255), READABLE_OR_EMPTY]
"""The name of a rule in a list. Older releases stored empty ones, and a change of one rule sends all rules again."""

Slug = Annotated[str, Form("[a-z0-9-]{1,100}", "have 1 to 100 lower-case letters, digits and hyphens")]
"""The name of a resource in addresses."""

Label = Annotated[str, Field(min_length=1, max_length=255), READABLE]
"""The name of something outside of the service, such as an event, an attribute or a property."""

BY_LABEL = Field(json_schema_extra={"propertyNames": {"minLength": 1, "maxLength": 255, "pattern": f"^{_READABLE}$"}})
"""Mark an object whose keys are labels. Its key type is `LabelKey`."""

LabelKey = Annotated[str, Field(min_length=1, max_length=255), AfterValidator(readable)]
"""A label as a key. Its own schema has no pattern: pydantic would turn it into `patternProperties`, for which generated
clients have no types."""
