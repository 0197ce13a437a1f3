"""The OpenAPI 3.1 document: what FastAPI knows of the routes, and what the plumbing adds to every one of them."""

from collections.abc import Mapping, Sequence
from typing import Any

from abtest.contract.errors import ErrorEnvelope
from abtest.kit.errors import ServiceError

Json = Any

REASONS: Mapping[int, str] = {
    400: "The request is invalid",
    401: "No live key was sent",
    403: "The key may not do this",
    404: "Not found in the key's shop",
    405: "The address takes other methods",
    409: "The present state does not allow this",
    412: "The row moved on since it was read",
    413: "The body is too large",
    415: "The body is not declared as JSON",
    422: "Each field is valid, their combination is not",
    429: "Too many requests",
    500: "An unexpected error",
    502: "Committed, but not published",
    503: "Come back in a moment",
}


def errors(*refusals: type[ServiceError], **bodies: Any) -> dict[int | str, dict[str, Any]]:
    """The error answers of a route, for its `responses`.

    `bodies` gives a status a body model of its own: `errors(PublishFailed, s502=PublishFailedEnvelope)`.
    """
    own = {int(name.removeprefix("s")): model for name, model in bodies.items()}
    codes: dict[int, set[str]] = {}
    for refusal in refusals:
        codes.setdefault(refusal.status, set()).add(refusal.code)
    return {
        status: {"model": own.get(status, ErrorEnvelope), "description": _describe(status, sorted(found))}
        for status, found in sorted(codes.items())
    }


def _describe(status: int, codes: Sequence[str]) -> str:
    listed = ", ".join(f"`{code}`" for code in codes)
    return f"{REASONS.get(status, 'Error')}: {listed}"
