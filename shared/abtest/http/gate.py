"""The outermost layer: a request id, the headers that every answer carries, a log line, and the last net for errors."""

import re
from collections.abc import Sequence
from time import perf_counter

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from abtest.http.exchange import SCOPE_KEY, Exchange, Services
from abtest.http.journal import journal
from abtest.http.rendering import render

CONTRACT_VERSION = "1.0.0"
_REQUEST_ID = re.compile(r"[A-Za-z0-9_-]{8,64}", re.ASCII)
SECURITY_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}
"""A route may set its own Cache-Control or Content-Security-Policy; the others stand on every answer as they are."""
_FIXED = (b"x-service-api-version", CONTRACT_VERSION.encode())
_DEFAULTS = [(name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]


class Gate:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, services: Services) -> None:
        self._app = app
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request; there is nothing else to answer (the application has no life span of its own)."""
        started = perf_counter()
        sent = Headers(scope=scope).get("x-request-id", "")
        request_id = sent if _REQUEST_ID.fullmatch(sent) else self._services.world.new_id()
        scope[SCOPE_KEY] = exchange = Exchange(services=self._services, request_id=request_id)
        status = 0

        async def dressed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *_headers(exchange, message["headers"])]
            await send(message)

        try:
            await self._app(scope, receive, dressed)
        except Exception as error:  # the last net: an answer in our form, whatever happened
            await render(error, exchange)(scope, receive, dressed)
        caller = exchange.caller
        journal.info(
            "request.answered",
            correlation_id=request_id,
            operation=exchange.operation,
            method=scope["method"],
            status=status,
            milliseconds=round((perf_counter() - started) * 1000, 1),
            shop_id=caller.shop_id if caller else None,
            key_id=caller.key_id if caller else None,
        )


def _headers(exchange: Exchange, own: Sequence[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers that every answer carries, after those that the route set itself."""
    names = {name for name, _ in own}
    added = [_FIXED, (b"x-request-id", exchange.request_id.encode())]
    added += [default for default in _DEFAULTS if default[0] not in names]
    rate = exchange.rate
    if rate is not None:
        added.append((b"x-ratelimit-limit", b"%d" % rate.limit))
        added.append((b"x-ratelimit-remaining", b"%d" % rate.remaining))
        added.append((b"x-ratelimit-reset", b"%d" % rate.reset_at))
    return added
