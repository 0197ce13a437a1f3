"""Errors inside values that pydantic does not validate, or that combine several fields."""

from collections.abc import Iterable

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

Location = tuple[str | int, ...]


def misplaced(problems: Iterable[tuple[str | Location, str]]) -> ValidationError:
    """Return the error for these locations below the value, each with its problem; a validator raises it."""
    errors = [
        InitErrorDetails(
            type=PydanticCustomError("misplaced", "{message}", {"message": message}),
            loc=(at,) if isinstance(at, str) else at,
            input=None,
        )
        for at, message in problems
    ]
    return ValidationError.from_exception_data("value", errors)
