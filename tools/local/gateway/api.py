"""Answers the requests of one HTTP API by invoking the function that its route names."""

from __future__ import annotations

import asyncio
import secrets
from http import HTTPStatus
from typing import Any

from tools.local.gateway.event import build_event
from tools.local.gateway.hosts import at_host, for_browser, published_host
from tools.local.gateway.response import MalformedResultError, build_response
from tools.local.gateway.routing import Router
from tools.local.gateway.too_large import too_large
from tools.local.runtime.pool import EventTooLargeError, Pool
from tools.local.runtime.process import InvocationError
from tools.local.web.messages import Request, Response, message

INTEGRATION_SECONDS = 29.0


class Api:
    """One HTTP API, ready to be served on a port."""

    def __init__(self, router: Router[Pool], integration_seconds: float = INTEGRATION_SECONDS) -> None:
        self._router = router
        self._seconds = integration_seconds
        self._running: set[asyncio.Task[Any]] = set()

    async def handle(self, request: Request) -> Response:
        """Answer one request as API Gateway would, whatever the function does."""
        host = published_host(request)
        return await self._answer(request) if host is None else for_browser(await self._answer(at_host(request, host)))

    async def _answer(self, request: Request) -> Response:
        selected = self._router.select(request.method, request.path)
        if selected is None:
            return message(HTTPStatus.NOT_FOUND, "Not Found")
        route, pool, parameters = selected
        try:
            result = await self._invoke(pool, build_event(request, route, parameters))
            response = build_response(result)
        except EventTooLargeError:
            return too_large(request)
        except TimeoutError:
            return message(HTTPStatus.SERVICE_UNAVAILABLE)
        except (InvocationError, MalformedResultError) as problem:
            pool.note(f"{request.method} {request.path} -> 500: {problem}")
            return message(HTTPStatus.INTERNAL_SERVER_ERROR)
        response.headers.append(("apigw-requestid", secrets.token_urlsafe(11)))
        return response

    async def _invoke(self, pool: Pool, event: dict[str, Any]) -> Any:
        """Wait no longer than the gateway does; the function runs on until its own timeout, as in Lambda."""
        running = asyncio.ensure_future(pool.invoke(event))
        self._running.add(running)
        running.add_done_callback(self._finished)
        async with asyncio.timeout(self._seconds):
            return await asyncio.shield(running)

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()  # seen here, so that a late failure is not reported as forgotten
