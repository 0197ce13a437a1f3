"""Routes of the API itself."""

from typing import Annotated

from starlette.requests import Request
from starlette.responses import Response

from abtest.contract.keys import Me
from abtest.contract.meta import Pong
from abtest.http import reference
from abtest.http.deps import AnyCaller, rate_of, use
from abtest.http.route import Router
from abtest.services.shops import Shops

ShopUse = Annotated[Shops, use(Shops)]

router = Router(tag="Meta")


@router.get("/ping", operation_id="ping")
def ping(_caller: AnyCaller) -> Pong:
    """Whether the API is there and knows the key."""
    return Pong(ok=True)


@router.get("/openapi.json", operation_id="getOpenApi", response_class=Response, responses=reference.DOCUMENT)
def openapi() -> Response:
    """This document. No key is needed."""
    return reference.document()


@router.get("/docs", operation_id="getReference", response_class=Response, responses=reference.PAGE)
def docs() -> Response:
    """The reference for people, as one HTML page without scripts of others. No key is needed."""
    return reference.page()


@router.get("/me", operation_id="getMe")
def me(caller: AnyCaller, request: Request, use_shops: ShopUse) -> Me:
    """The key that is calling, its shop and its rate limit."""
    return use_shops.me(caller, *rate_of(request))
