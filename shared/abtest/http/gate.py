"""Outermost layer: request id, headers of every response, log line, and errors that no route has rendered."""

import re
from collections.abc import Sequence
from time import perf_counter

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from abtest.http.exchange import SCOPE_KEY, Exchange, Services
from abtest.http.journal import journal
from abtest.http.rendering import render
from abtest.kit.ids import uuid7

TITLE = "A/B testing service"
CONTRACT_VERSION = "1.0.0"
_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{8,64}", re.ASCII)
SECURITY_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}
"""Headers of every response. A route may set its own Cache-Control or Content-Security-Policy."""
_FIXED = (b"x-service-api-version", CONTRACT_VERSION.encode())
_DEFAULTS = [(name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]


class Gate:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, services: Services) -> None:
        self._app = app
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request. There are no other kinds of ASGI scopes, because the lifespan protocol is off."""
        started = perf_counter()
        world, method = self._services.world, scope["method"]
        if method == "HEAD":
            # The answer to GET with its body: the gateway takes Content-Length from it and sends no body.
            scope["method"] = "GET"
        sent = Headers(scope=scope).get("x-request-id", "")
        # The id is repeated in a header and in logs, so other characters than these are not accepted.
        request_id = sent if _REQUEST_ID.fullmatch(sent) else uuid7(world.clock.now(), world.random)
        scope[SCOPE_KEY] = exchange = Exchange(services=self._services, request_id=request_id)
        status = 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *added_headers(exchange, message["headers"])]
            await send(message)

        try:
            await self._app(scope, receive, send_with_headers)
        except Exception as error:  # raised outside of a route, and still answered in our envelope
            await render(error, exchange)(scope, receive, send_with_headers)
        caller = exchange.caller
        journal.info(
            "request.answered",
            correlation_id=request_id,
            operation=exchange.operation,
            method=method,
            status=status,
            milliseconds=round((perf_counter() - started) * 1000, 1),
            shop_id=caller.shop_id if caller else None,
            key_id=caller.key_id if caller else None,
        )


def added_headers(exchange: Exchange, own: Sequence[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return the headers of every response that are added to the route's own."""
    names = {name for name, _ in own}
    added = [_FIXED, (b"x-request-id", exchange.request_id.encode())]
    added += [default for default in _DEFAULTS if default[0] not in names]
    rate = exchange.rate
    if rate is not None:
        added.append((b"x-ratelimit-limit", b"%d" % rate.limit))
        added.append((b"x-ratelimit-remaining", b"%d" % rate.remaining))
        added.append((b"x-ratelimit-reset", b"%d" % rate.reset_at))
    return added
