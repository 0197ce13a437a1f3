"""The fixed parts of the OpenAPI document: words, servers, headers, parameters."""

from collections.abc import Mapping
from typing import Any

from abtest.http.gate import CONTRACT_VERSION

Json = dict[str, Any]

DESCRIPTION = """The management API.

* Send `Authorization: Bearer <key>`; a key reaches one shop, and of it what its scopes name.
* Errors have one envelope, `{"error": {message, status, code, request_id, fields?, details?}}`; codes are for machines.
* Lists are newest first: `{"data": [...], "pagination": {limit, next_cursor, has_more}}`.
* PATCH is a JSON merge patch: absent leaves a field, null clears it where it may be null.
* `Idempotency-Key` on POST, PATCH and DELETE keeps the first answer for 24 hours.
* A single resource carries an `ETag`; `If-Match` guards a write, `If-None-Match` saves a read.
"""

PREAMBLE: Json = {
    "servers": [{"url": "/api/v1", "description": "The management API"}],
    "security": [{"apiKey": []}],
}

REASONS: Mapping[int, str] = {
    400: "The request is invalid",
    401: "No live key was sent",
    403: "The key may not do this",
    404: "Not in the key's shop",
    409: "The present state does not allow this",
    412: "The resource moved on since it was read",
    413: "The body is too large",
    415: "The body is not declared as JSON",
    422: "Each field is valid, their combination is not",
    429: "Too many requests",
    500: "An unexpected error",
    502: "Committed, but not published",
    503: "Come back in a moment",
}

SHARED: Mapping[int, str] = {
    401: "Unauthorized",
    413: "TooLarge",
    415: "UnsupportedMediaType",
    429: "RateLimited",
    500: "InternalError",
    503: "ComeBack",
}
"""Statuses whose answers are the same on every route, and the names that they have in the document."""

_STRING: Json = {"type": "string"}
_INTEGER: Json = {"type": "integer"}

PARAMETERS: Mapping[str, Json] = {
    "Idempotency-Key": {
        "name": "Idempotency-Key",
        "in": "header",
        "required": False,
        "description": "Makes a repetition harmless: the first answer is kept for 24 hours and given again.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
    },
    "If-None-Match": {
        "name": "If-None-Match",
        "in": "header",
        "required": False,
        "description": "An ETag that was read before; 304 when it still stands.",
        "schema": _STRING,
    },
}

_HEADERS: Mapping[str, Json] = {
    "X-Service-API-Version": {
        "description": "The contract version served",
        "required": True,
        "schema": {"type": "string", "const": CONTRACT_VERSION},
    },
    "X-Request-Id": {
        "description": "Names this request in logs; a fitting one that was sent is kept",
        "required": True,
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{8,64}$"},
    },
    "X-RateLimit-Limit": {"description": "Requests that fit into the bucket", "required": True, "schema": _INTEGER},
    "X-RateLimit-Remaining": {"description": "Requests that are left", "required": True, "schema": _INTEGER},
    "X-RateLimit-Reset": {
        "description": "Unix seconds at which the bucket is full again",
        "required": True,
        "schema": _INTEGER,
    },
    "Retry-After": {"description": "Seconds to wait", "required": True, "schema": _INTEGER},
    "ETag": {
        "description": "The row version",
        "required": True,
        "schema": {"type": "string", "pattern": '^W/"[0-9]+"$'},
    },
}

COMPONENTS: Json = {
    "securitySchemes": {
        "apiKey": {
            "type": "http",
            "scheme": "bearer",
            "description": "`svc_sk_…` for a shop, `svc_uk_…` for a user",
        }
    },
    "headers": dict(_HEADERS),
}


def header(name: str) -> Json:
    """A reference to a response header that the document describes once."""
    return {"$ref": f"#/components/headers/{name}"}
