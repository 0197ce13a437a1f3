"""Applications: routers in, an ASGI application or a Lambda handler out."""

from collections.abc import Callable, Sequence
from typing import Any

from fastapi import FastAPI
from mangum import Mangum
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from abtest.http.addresses import Addresses
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
    addresses = Addresses(routes)
    app.router.routes.extend([*addresses.guards(), *routes])
    app.add_exception_handler(HTTPException, _unrouted(addresses))
    app.add_middleware(Gate, services=services)
    return app


def handler(app: FastAPI) -> Handler:
    """The Lambda handler for API Gateway's payload 2.0. Paths start with /api/v1 as they come."""
    return Mangum(app, lifespan="off")


def _unrouted(addresses: Addresses) -> Callable[[Request, Exception], Any]:
    """What the router itself refuses: 405 names every method of the address, not only those of its first route."""

    async def answer(request: Request, error: Exception) -> Response:
        allowed = addresses.methods(request.url.path)
        refused = MethodNotAllowedError(", ".join(sorted(allowed))) if allowed else error
        return render(refused, exchange_of(request))

    return answer
