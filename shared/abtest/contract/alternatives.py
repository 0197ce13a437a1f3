"""Unions whose errors are reported at the value itself, not once per type."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic.annotated_handlers import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, ErrorDetails, PydanticCustomError, core_schema

from abtest.contract.misplaced import misplaced


@dataclass(frozen=True, slots=True)
class OneOf:
    """Mark a union. `called` names the accepted types; a value of one of them gets the errors of that type."""

    called: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return handler(schema)

    def _checked(self, value: Any, check: core_schema.ValidatorFunctionWrapHandler) -> Any:
        try:
            return check(value)
        except ValidationError as error:
            found = _of_its_type(error.errors(include_url=False))
        if not found:
            raise PydanticCustomError("one_of_types", "must be {called}", {"called": self.called})
        # The first step of each location names the type, which is no place in the request.
        raise misplaced([(problem["loc"][1:], problem["msg"]) for problem in found])


def _of_its_type(problems: Sequence[ErrorDetails]) -> list[ErrorDetails]:
    """What the types say that the value has; the others only say that it is not theirs."""
    others = {problem["loc"] for problem in problems if problem["type"].endswith("_type")}
    return [problem for problem in problems if problem["loc"][:1] not in others]
