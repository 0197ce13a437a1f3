"""Answers to bodies that the gateway refuses itself: those of the service, which no function could give any more.

API Gateway has no such mapping for HTTP APIs; behind the CDN, its function gives the same answers (CdnRequest).
"""

from __future__ import annotations

import re
import secrets
from dataclasses import replace

from tools.local.web.messages import Request, Response, as_json

_MIB = 1024 * 1024
_ROUTES = (
    (r"/api/v1/(experiments(/[^/]+(/variations(/(?!weights$)[^/]+)?)?)?|variations/[^/]+)", 5 * _MIB),
    (r"/api/v1/(experiments(/[^/]+)?/filesystem/(plan|apply)|workspace/files/.+)", 5 * _MIB),
    (r"/api/v1/personalizations(/[^/]+/experiences(/.+)?)?", 5 * _MIB),
    (r"/api/v1/landing-pages/[^/]+/(versions|previews)", 5 * _MIB),
    (r"/api/v1/assets", 5 * _MIB),
    (r"(/_svc)?/assign", _MIB // 4),
    (r"/_svc/handover(/verify)?", 4096),
    (r"/api/preview/state", 65536),
    ("", _MIB),
)
"""Addresses and the largest bodies that they accept; all others accept 1 MiB."""

_READ_BY_BROWSERS = re.compile(r"(/_svc)?/events|/_svc/handover(/verify)?")
_CORS = [
    ("access-control-allow-origin", "*"),
    ("access-control-expose-headers", "ETag, Retry-After, X-Service-Config-Cache"),
]
_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")
_HEADERS = [
    ("cache-control", "no-store"),
    ("x-content-type-options", "nosniff"),
    ("strict-transport-security", "max-age=31536000; includeSubDomains"),
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
    ("referrer-policy", "no-referrer"),
]


def message_of(path: str) -> str:
    """Return the message of the service about the limit of an address."""
    limit = next(most for pattern, most in _ROUTES if not pattern or re.fullmatch(pattern, path))
    # Only the largest limit is above what Lambda's event may hold once the body is escaped.
    return f"the body must have at most {limit} bytes" + (", and about 6 MB as escaped text" if limit > _MIB else "")


def too_large(request: Request) -> Response:
    """Return the 413 of the management API, or that of the edge, by the address."""
    text = message_of(request.path)
    if not request.path.startswith("/api/v1/"):
        flat = as_json(413, {"error": "payload_too_large", "message": text})
        cors = _CORS if _READ_BY_BROWSERS.fullmatch(request.path) else []
        return replace(flat, headers=[*cors, *flat.headers, ("cache-control", "no-store")])
    sent = request.header("x-request-id")
    request_id = sent if _REQUEST_ID.fullmatch(sent) else secrets.token_urlsafe(11)
    error = {"message": text, "status": 413, "code": "payload_too_large", "request_id": request_id}
    refusal = as_json(413, {"error": error})
    own = [("x-service-api-version", "1.0.0"), ("x-request-id", request_id)]
    return replace(refusal, headers=[*refusal.headers, *own, *_HEADERS])
