"""Requests through this service's CDN: a secret header proves them, others have the shopper's address and host."""

from collections.abc import Callable
from hmac import compare_digest
from typing import Any

from abtest.edge.gateway import Answer, GatewayEvent, Headers

PROOF = "x-svc-cdn"
VIEWER = "x-svc-viewer"
HOST = "x-svc-host"
PATH = "x-svc-path"

_REFUSED = '{"message":"Forbidden"}'
"""Body that the gateway itself has for an endpoint that is disabled."""

Handler = Callable[[GatewayEvent, Any], Answer]


def is_through_cdn(headers: Headers) -> bool:
    """Return whether the answer goes to the CDN. A forged header only reveals how answers are cached."""
    return PROOF in headers


def is_at_path(headers: Headers, path: str) -> bool:
    """Return whether the CDN knows the address by this spelling of its path, which the gateway has decoded."""
    return headers.get(PATH) == path


def behind_cdn(secret: str, handler: Handler, *, is_required: bool = False) -> Handler:
    """Return the handler with the address and the host that the CDN reports; without a secret there is no CDN.

    The gateway sees addresses of the CDN, and limits by address would stop all shoppers together; and it sees its own
    host. With `is_required`, requests that did not come through the CDN are refused.
    """
    if not secret:
        return handler

    def with_viewer(event: GatewayEvent, context: Any = None) -> Answer:
        headers = event.get("headers") or {}
        address = headers.get(VIEWER, "")
        # Compared as bytes, because compare_digest refuses text with characters outside of ASCII.
        is_proven = compare_digest(headers.get(PROOF, "").encode(), secret.encode())
        if is_required and not is_proven:
            return {"statusCode": 403, "headers": {"content-type": "application/json"}, "body": _REFUSED}
        if not address or not is_proven:
            return handler(event, context)
        gateway = event["requestContext"]
        http = {**gateway["http"], "sourceIp": address}
        seen = {**headers, "host": headers[HOST]} if HOST in headers else headers
        return handler({**event, "headers": seen, "requestContext": {**gateway, "http": http}}, context)

    return with_viewer
