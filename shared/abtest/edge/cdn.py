"""Requests through this service's CDN: a secret header proves them, another has the shopper's address."""

from collections.abc import Callable
from hmac import compare_digest
from typing import Any

from abtest.edge.gateway import Answer, GatewayEvent, Headers

PROOF = "x-svc-cdn"
VIEWER = "x-svc-viewer"

Handler = Callable[[GatewayEvent, Any], Answer]


def is_through_cdn(headers: Headers) -> bool:
    """Return whether the answer goes to the CDN. A forged header only reveals how answers are cached."""
    return PROOF in headers


def behind_cdn(secret: str, handler: Handler) -> Handler:
    """Return the handler with the address that the CDN reports; without a secret there is no CDN.

    The gateway sees addresses of the CDN, and limits by address would stop all shoppers together.
    """
    if not secret:
        return handler

    def with_viewer(event: GatewayEvent, context: Any = None) -> Answer:
        headers = event.get("headers") or {}
        address = headers.get(VIEWER, "")
        # Compared as bytes, because compare_digest refuses text with characters outside of ASCII.
        if not address or not compare_digest(headers.get(PROOF, "").encode(), secret.encode()):
            return handler(event, context)
        gateway = event["requestContext"]
        http = {**gateway["http"], "sourceIp": address}
        return handler({**event, "requestContext": {**gateway, "http": http}}, context)

    return with_viewer
