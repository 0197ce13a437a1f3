"""Names that people give to resources and read in lists: text with something visible in it, on one line."""

import re
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field
from pydantic.annotated_handlers import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

# Control characters, line and paragraph separators, and the characters that embed, override or isolate a direction of
# writing: in a list they break lines, or show a name as another one. Marks that right-to-left names need are allowed.
_UNSAFE = r"\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069"

# Characters without a glyph: spaces, fillers, joiners, marks of direction, variation selectors.
_INVISIBLE = (
    r" \u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u202f\u205f-\u2065\u206a-\u206f"
    r"\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
)

# These escapes mean the same in Python and in the dialect of JSON Schema (ECMA-262).
_PATTERN = f"^[^{_UNSAFE}]*[^{_UNSAFE}{_INVISIBLE}][^{_UNSAFE}]*$"

_HAS_UNSAFE = re.compile(f"[{_UNSAFE}]")
_HAS_VISIBLE = re.compile(f"[^{_UNSAFE}{_INVISIBLE}]")


@dataclass(frozen=True, slots=True)
class _Readable:
    """Check that a text can be read in a list, and document it as a pattern."""

    def __get_pydantic_core_schema__(self, source: type, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(readable, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(schema), "pattern": _PATTERN}


def readable(text: str) -> str:
    """Return the text unchanged. Raises PydanticCustomError."""
    if _HAS_UNSAFE.search(text):
        raise PydanticCustomError(
            "unsafe_characters", "must not have line breaks, control characters or overrides of the writing direction"
        )
    if not _HAS_VISIBLE.search(text):
        raise PydanticCustomError("blank", "must have at least one visible character")
    return text


READABLE = _Readable()
"""Mark a text that must be readable in a list."""

Name = Annotated[str, Field(min_length=1, max_length=255), READABLE]
"""The name of a resource or of a part of one."""
