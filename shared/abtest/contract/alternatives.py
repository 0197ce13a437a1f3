"""Unions whose errors are reported at the value itself, not once per type."""

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic.annotated_handlers import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from abtest.contract.misplaced import misplaced
from abtest.contract.schema_messages import schema_message


@dataclass(frozen=True, slots=True)
class OneOf:
    """Mark a union. `called` names the accepted types; a value of one of them gets the errors of that type."""

    called: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(self.validate, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return handler(schema)

    def validate(self, value: Any, check: core_schema.ValidatorFunctionWrapHandler) -> Any:
        """Return the validated value. Raises the errors of the type that the value has, or one that names all types."""
        try:
            return check(value)
        except ValidationError as error:
            problems = error.errors(include_url=False)
        # A type that only reports an error such as `int_type` is not the type of the value.
        other_types = {problem["loc"] for problem in problems if problem["type"].endswith("_type")}
        own = [problem for problem in problems if problem["loc"][:1] not in other_types]
        if not own:
            raise PydanticCustomError("one_of_types", "must be {called}", {"called": self.called})
        # The first step of each location names the type, which is not a place in the request.
        raise misplaced([(problem["loc"][1:], schema_message(problem)) for problem in own])
