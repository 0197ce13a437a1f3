"""Applications: routers in, an ASGI application or a Lambda handler out."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from fastapi import FastAPI
from mangum import Mangum
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import compile_path

from abtest.http.exchange import Services, exchange_of
from abtest.http.gate import CONTRACT_VERSION, Gate
from abtest.http.refusals import MethodNotAllowedError
from abtest.http.rendering import render
from abtest.http.route import Route, Router

TITLE = "A/B testing service"

Handler = Callable[[dict[str, Any], Any], dict[str, Any]]


def create_app(routers: Sequence[Router], services: Services) -> FastAPI:
    """The application that answers the routes of these routers, and every other address with 404 or 405."""
    app = FastAPI(
        title=TITLE,
        version=CONTRACT_VERSION,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    routes = [route for router in routers for route in router.routes if isinstance(route, Route)]
    app.router.routes.extend(routes)
    app.add_exception_handler(HTTPException, _unrouted(_methods_by_address(routes)))
    app.add_middleware(Gate, services=services)
    return app


def handler(app: FastAPI) -> Handler:
    """The Lambda handler for API Gateway's payload 2.0. Paths start with /api/v1 as they come."""
    return Mangum(app, lifespan="off")


def _methods_by_address(routes: Sequence[Route]) -> dict[re.Pattern[str], set[str]]:
    found: dict[re.Pattern[str], set[str]] = {}
    for route in routes:
        found.setdefault(compile_path(route.path)[0], set()).update(route.methods or ())
    return found


def _unrouted(addresses: dict[re.Pattern[str], set[str]]) -> Callable[[Request, Exception], Any]:
    """What the router itself refuses: 405 names every method of the address, not only those of its first route."""

    async def answer(request: Request, error: Exception) -> Response:
        path = request.url.path
        allowed = {method for pattern, methods in addresses.items() if pattern.match(path) for method in methods}
        refused = MethodNotAllowedError(", ".join(sorted(allowed))) if allowed else error
        return render(refused, exchange_of(request))

    return answer
