"""Errors inside values that pydantic does not validate, or that combine several fields."""

from collections.abc import Iterable

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

Location = tuple[str | int, ...]


def misplaced(problems: Iterable[tuple[str | Location, str]]) -> ValidationError:
    """The error for these locations below the value, each with its problem; a validator raises it."""
    return ValidationError.from_exception_data("value", [_told(at, message) for at, message in problems])


def _told(at: str | Location, message: str) -> InitErrorDetails:
    error = PydanticCustomError("misplaced", "{message}", {"message": message})
    return InitErrorDetails(type=error, loc=(at,) if isinstance(at, str) else at, input=None)
