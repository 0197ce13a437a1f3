"""Requests that came through our CDN: proven by a header that only it sends, they tell the shopper's own address."""

from collections.abc import Callable
from hmac import compare_digest
from typing import Any

from abtest.edge.gateway import Answer, GatewayEvent, Headers

PROOF = "x-svc-cdn"
VIEWER = "x-svc-viewer"

Handler = Callable[[GatewayEvent, Any], Answer]


def is_through_cdn(headers: Headers) -> bool:
    """Whether the answer goes to a cache of ours. Who lies is told how we cache, and nothing more."""
    return PROOF in headers


def behind_cdn(secret: str, handler: Handler) -> Handler:
    """The handler as it is where there is no CDN; else one that takes its word for the shopper's address.

    The gateway sees addresses of the CDN, and limits by address would stop all shoppers together.
    """
    if not secret:
        return handler

    def seen_through(event: GatewayEvent, context: Any = None) -> Answer:
        return handler(_as_viewed(event, secret), context)

    return seen_through


def _as_viewed(event: GatewayEvent, secret: str) -> GatewayEvent:
    headers = event.get("headers") or {}
    address = headers.get(VIEWER, "")
    if not address or not compare_digest(headers.get(PROOF, "").encode(), secret.encode()):
        return event
    context = event["requestContext"]
    http = {**context["http"], "sourceIp": address}
    return {**event, "requestContext": {**context, "http": http}}
