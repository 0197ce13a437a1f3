"""Routes of the API itself."""

from typing import Annotated

from starlette.requests import Request
from starlette.responses import Response

from abtest.contract.keys import Me
from abtest.contract.meta import Pong
from abtest.http import reference
from abtest.http.deps import AnyCaller, any_query, rate_of, use
from abtest.http.route import Router
from abtest.services.shops import Shops

ShopUse = Annotated[Shops, use(Shops)]

router = Router(tag="Meta")


@router.get("/ping", operation_id="ping")
def ping(_caller: AnyCaller) -> Pong:
    """Check that the API is available and accepts the key."""
    return Pong(ok=True)


@router.get("/openapi.json", operation_id="getOpenApi", response_class=Response, responses=reference.DOCUMENT)
def openapi() -> Response:
    """Return this OpenAPI document. No key is needed."""
    return reference.document()


@router.get("/docs", operation_id="getReference", response_class=Response, responses=reference.PAGE)
@any_query
def docs() -> Response:
    """Return the API reference as an HTML page that loads nothing from other hosts. No key is needed.

    The script of the page reads the query: `?api=webhooks` opens a guide. The server ignores it.
    """
    return reference.page()


@router.get("/docs/{name}", operation_id="getReferenceFile", response_class=Response, include_in_schema=False)
def docs_file(name: str, request: Request) -> Response:
    """Return a file of the reference page. No key is needed."""
    return reference.file(request, name)


@router.get("/me", operation_id="getMe")
def me(caller: AnyCaller, request: Request, use_shops: ShopUse) -> Me:
    """Return the calling key, its shop and its rate limit. Keys of every kind are accepted."""
    return use_shops.me(caller, *rate_of(request))
