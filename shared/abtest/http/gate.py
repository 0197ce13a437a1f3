"""The outermost layer: a request id, the headers that every answer carries, a log line, and the last net for errors."""

import re
from collections.abc import Iterator
from time import perf_counter
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from abtest.http.exchange import Exchange, Services, open_exchange
from abtest.http.journal import note_answer
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


class Gate:
    """ASGI middleware around the whole application."""

    def __init__(self, app: ASGIApp, services: Services) -> None:
        self._app = app
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request; there is nothing else to answer (the application has no life span of its own)."""
        started = perf_counter()
        exchange = Exchange(services=self._services, request_id=self._request_id(scope))
        open_exchange(dict_of(scope), exchange)
        status = 0

        async def dressed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _dress(message, exchange)
            await send(message)

        try:
            await self._app(scope, receive, dressed)
        except Exception as error:  # the last net: an answer in our form, whatever happened
            await render(error, exchange)(scope, receive, dressed)
        note_answer(exchange, scope["method"], status, started)

    def _request_id(self, scope: Scope) -> str:
        sent = Headers(scope=scope).get("x-request-id", "")
        return sent if _REQUEST_ID.fullmatch(sent) else self._services.world.new_id()


def dict_of(scope: Scope) -> dict[str, Any]:
    """An ASGI scope is a mutable mapping; ours is the dictionary that the adapter made."""
    if not isinstance(scope, dict):
        raise TypeError("the ASGI scope is expected to be a dictionary")
    return scope


def _dress(message: Message, exchange: Exchange) -> None:
    headers = MutableHeaders(scope=message)
    headers["X-Service-API-Version"] = CONTRACT_VERSION
    headers["X-Request-Id"] = exchange.request_id
    for name, value in SECURITY_HEADERS.items():
        headers.setdefault(name, value)
    for name, value in _rate_headers(exchange):
        headers[name] = value


def _rate_headers(exchange: Exchange) -> Iterator[tuple[str, str]]:
    rate = exchange.rate
    if rate is not None:
        yield "X-RateLimit-Limit", str(rate.limit)
        yield "X-RateLimit-Remaining", str(rate.remaining)
        yield "X-RateLimit-Reset", str(rate.reset_at)
