"""Translation of pydantic's errors to the codes and field paths of the contract."""

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi.exceptions import RequestValidationError

from abtest.contract.schema_messages import schema_message
from abtest.http.refusals import InvalidParameterError, UnknownPropertyError
from abtest.http.suggestions import is_returned, properties_at, suggestion
from abtest.kit.errors import FieldError, InvalidRequestError, ServiceError

MAX_FIELDS = 50
MAX_PATH = 300
READ_ONLY = "is read-only: this request cannot set it"
_PARAMETERS = {"path", "query", "header", "cookie"}


class InlineDataUriTooLargeError(ServiceError):
    """Data URI in a code field that is too long; code refers to images by their addresses."""

    status = 400
    code = "inline_data_uri_too_large"


class UnknownScopeError(ServiceError):
    """Unknown scope."""

    status = 400
    code = "unknown_scope"


_BY_TYPE: dict[str, tuple[type[ServiceError], str]] = {
    "inline_data_uri_too_large": (
        InlineDataUriTooLargeError,
        "a data URI in a code field is too long; refer to the image by its address",
    ),
    "unknown_scope": (UnknownScopeError, "a scope does not exist"),
    "extra_forbidden": (UnknownPropertyError, "the request has properties that this route does not accept"),
}
"""Error types of pydantic with a code of their own. The first that occurs gives the code."""


def translate(error: RequestValidationError, body_type: Any = None, response_type: Any = None) -> ServiceError:
    """Return the error with the place and reason of each problem. It never repeats values of the request."""
    problems = error.errors()
    fields = [FieldError(field_path(p["loc"]), _reason(p, body_type, response_type)) for p in problems[:MAX_FIELDS]]
    types = {str(problem["type"]) for problem in problems}
    for kind, (refusal, message) in _BY_TYPE.items():
        if kind in types:
            return refusal(message, fields=fields)
    if all(problem["loc"][:1] and problem["loc"][0] in _PARAMETERS for problem in problems):
        return InvalidParameterError("a parameter of the request is invalid", fields=fields)
    return InvalidRequestError("the request body is invalid", fields=fields)


def _reason(problem: Mapping[str, Any], body_type: Any, response_type: Any) -> str:
    if problem["type"] == "missing" and tuple(problem["loc"]) == ("body",):
        return "a JSON body is required"
    message = schema_message(problem)
    if problem["type"] != "extra_forbidden":
        return message
    location = problem["loc"][1:]
    if is_returned(response_type, location):
        return READ_ONLY
    return message + suggestion(str(location[-1]), properties_at(body_type, location))


def field_path(location: Sequence[Any]) -> str:
    """Return `("body", "variations", 0, "weight")` as `variations[0].weight`, and the body itself as an empty path.

    The path names what the client sent, so it is cut at MAX_PATH characters.
    """
    path = ""
    for step in location[1:]:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else str(step)
    return path if len(path) <= MAX_PATH else path[: MAX_PATH - 1] + "…"
