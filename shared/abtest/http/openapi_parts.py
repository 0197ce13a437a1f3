"""The fixed parts of the OpenAPI document: words, servers, headers, parameters."""

from collections.abc import Mapping
from typing import Any

from abtest.http.gate import CONTRACT_VERSION

Json = dict[str, Any]

DESCRIPTION = """The management API.

* Send `Authorization: Bearer <key>`. A key gives access to one shop, within its scopes.
* Errors have one envelope, `{"error": {message, status, code, request_id, fields?, details?}}`; `code` is for programs.
* Lists are newest first: `{"data": [...], "pagination": {limit, next_cursor, has_more}}`.
* PATCH is a JSON merge patch: absent fields keep their value, null clears a nullable field.
* `Idempotency-Key` on POST, PATCH and DELETE stores the first response for 24 hours.
* A single resource has an `ETag`: `If-Match` prevents lost updates, `If-None-Match` saves a transfer.
* Guides: [getting started](docs?api=getting-started), [conventions](docs?api=api-conventions),
  [targeting](docs?api=targeting), [events](docs?api=events), [webhooks](docs?api=webhooks),
  [results](docs?api=statistics); the menu above the search has all of them.
"""

PREAMBLE: Json = {
    "servers": [{"url": "/api/v1", "description": "The management API"}],
    "security": [{"apiKey": []}],
}

REASONS: Mapping[int, str] = {
    400: "The request is invalid",
    401: "No valid key was sent",
    403: "The key is not permitted",
    404: "Not found in the key's shop",
    409: "The current state does not allow this",
    412: "The resource changed since it was read",
    413: "The body is too large",
    415: "The content type is not JSON",
    422: "The fields are valid, but not together",
    429: "Too many requests",
    500: "An unexpected error",
    502: "Saved, but not published",
    503: "Temporarily unavailable; retry",
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
        "description": "Makes retries safe: the first response is stored for 24 hours and returned again. Until there "
        "is one, a repetition is 409 with Retry-After. After a 503 it is done once, even if the first attempt was "
        "stored.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"},
    },
    "If-None-Match": {
        "name": "If-None-Match",
        "in": "header",
        "required": False,
        "description": "A previously read ETag; 304 if it is still current.",
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
        "description": "Id of this request in logs; a valid id sent by the client is kept",
        "required": True,
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{8,64}$"},
    },
    "X-RateLimit-Limit": {"description": "Capacity of the bucket, in requests", "required": True, "schema": _INTEGER},
    "X-RateLimit-Remaining": {"description": "Remaining requests", "required": True, "schema": _INTEGER},
    "X-RateLimit-Reset": {
        "description": "When the bucket is full again, in Unix seconds",
        "required": True,
        "schema": _INTEGER,
    },
    "Retry-After": {"description": "Seconds to wait", "required": True, "schema": _INTEGER},
    "Idempotent-Replayed": {
        "description": "Present when this is the stored response to an earlier request with the same Idempotency-Key",
        "required": False,
        "schema": {"type": "string", "const": "true"},
    },
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
