"""Factories of ASGI applications and Lambda handlers."""

from base64 import b64encode
from collections.abc import Callable, Sequence
from typing import Any

from fastapi import FastAPI
from mangum import Mangum
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from abtest.http.addresses import Addresses
from abtest.http.exchange import Services, exchange_of
from abtest.http.gate import CONTRACT_VERSION, TITLE, Gate
from abtest.http.reference import templates
from abtest.http.refusals import MethodNotAllowedError, RouteNotFoundError
from abtest.http.rendering import render
from abtest.http.route import Route, Router
from abtest.http.suggestions import nearest_address

MAX_TEXT_CHARS = 500_000
"""Twelve bytes for each are still within Lambda's limit."""

Handler = Callable[[dict[str, Any], Any], dict[str, Any]]


def create_app(routers: Sequence[Router], services: Services) -> FastAPI:
    """Return the application of these routers. Every other address is answered with 404 or 405."""
    app = FastAPI(
        title=TITLE,
        version=CONTRACT_VERSION,
        # The document is packaged: FastAPI would make it at run time, from every operation of the family.
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    routes = [route for router in routers for route in router.routes if isinstance(route, Route)]
    addresses = Addresses(routes)
    # Guards are first, because Starlette takes the first route that matches address and method.
    app.router.routes.extend([*addresses.guards(), *routes])

    async def refuse(request: Request, error: Exception) -> Response:
        if request.url.path == "/console/":  # for the gateway, this is not below /console
            return RedirectResponse("/console", 308)
        # Starlette's 405 has only the methods of the first matching route; `Allow` needs all of the address.
        if allowed := addresses.methods(request.url.path):
            error = MethodNotAllowedError(", ".join(sorted(allowed)))
        elif isinstance(error, HTTPException) and error.status_code == 404:
            error = RouteNotFoundError(nearest_address(request.url.path, templates()))
        return render(error, exchange_of(request))

    app.add_exception_handler(HTTPException, refuse)
    app.add_middleware(Gate, services=services)
    return app


def handler(app: FastAPI) -> Handler:
    """Return the Lambda handler for API Gateway's payload format 2.0. Paths start with /api/v1."""
    # With any other value, Mangum starts and stops the application in each invocation.
    respond = Mangum(app, lifespan="off")
    return lambda event, context: in_bounded_form(respond(event, context))


def in_bounded_form(response: dict[str, Any]) -> dict[str, Any]:
    """Return a large response with its body in base64, which is a third larger than the body, whatever it contains.

    Lambda refuses responses over 6 MB, and returns a text as JSON in ASCII: a letter such as é takes six bytes there,
    and a character beyond U+FFFF twelve.
    """
    body = response["body"]
    if response.get("isBase64Encoded") or len(body) <= MAX_TEXT_CHARS:
        return response
    return {**response, "body": b64encode(body.encode()).decode(), "isBase64Encoded": True}
