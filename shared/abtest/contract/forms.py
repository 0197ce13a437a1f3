"""Texts of a fixed form: the pattern for machines, and the same rule in words for people."""

import re
from dataclasses import dataclass

from pydantic.annotated_handlers import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema


@dataclass(frozen=True, slots=True)
class Form:
    """Mark a text that must match a pattern as a whole. `words` completes the sentence "must …" in the error."""

    pattern: str
    words: str

    def __get_pydantic_core_schema__(self, source: type, handler: GetCoreSchemaHandler) -> CoreSchema:
        whole = re.compile(self.pattern, re.ASCII)

        def check(text: str) -> str:
            if whole.fullmatch(text) is None:
                raise PydanticCustomError("form", "must {words}", {"words": self.words})
            return text

        return core_schema.no_info_after_validator_function(check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        # The dialect of JSON Schema matches anywhere in the text, unless the pattern has anchors.
        return {**handler(schema), "pattern": f"^{self.pattern}$"}
