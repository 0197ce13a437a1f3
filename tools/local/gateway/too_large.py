"""Answers to bodies that the gateway refuses itself: those of the service, which no function could give any more.

API Gateway has no such mapping for HTTP APIs; behind the CDN, its function gives the same answers (CdnRequest).
"""

from __future__ import annotations

import re
import secrets
from dataclasses import replace

from tools.local.web.messages import Request, Response, as_json

MOST_BYTES = 5 * 1024 * 1024
"""The largest body that any route accepts."""

_MESSAGE = f"the body is too large: at most {MOST_BYTES} bytes, and about 6 MB as escaped text"
_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
_HEADERS = [
    ("cache-control", "no-store"),
    ("x-content-type-options", "nosniff"),
    ("strict-transport-security", "max-age=31536000; includeSubDomains"),
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
    ("referrer-policy", "no-referrer"),
]


def too_large(request: Request) -> Response:
    """Return the 413 of the management API, or that of the edge, by the address."""
    if not request.path.startswith("/api/v1/"):
        flat = as_json(413, {"error": "payload_too_large", "message": _MESSAGE})
        return replace(flat, headers=[*flat.headers, ("cache-control", "no-store")])
    sent = request.header("x-request-id")
    request_id = sent if _REQUEST_ID.fullmatch(sent) else secrets.token_urlsafe(11)
    error = {"message": _MESSAGE, "status": 413, "code": "payload_too_large", "request_id": request_id}
    refusal = as_json(413, {"error": error})
    own = [("x-service-api-version", "1.0.0"), ("x-request-id", request_id)]
    return replace(refusal, headers=[*refusal.headers, *own, *_HEADERS])
