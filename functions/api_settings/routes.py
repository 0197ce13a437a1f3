"""Routes of shops, keys and the API itself."""

from typing import Annotated, Literal

from fastapi import Query
from starlette.requests import Request
from starlette.responses import Response

from abtest.contract import keys as key_contract
from abtest.contract import shops as shop_contract
from abtest.contract.base import ListOf
from abtest.contract.meta import Pong
from abtest.domain.credentials.lifecycle import ScopeNotHeldError
from abtest.http import reference
from abtest.http.deps import AnyCaller, Caller, IfMatch, Page, PathId, UserCaller, rate_of, require, use, versioned
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import (
    ConflictError,
    LimitReachedError,
    NotFoundError,
    ValidationFailedError,
)
from abtest.services.keys import Keys
from abtest.services.shops import Shops

ShopReader = Annotated[Caller, require("shop:read")]
ShopWriter = Annotated[Caller, require("shop:write")]
ShopVisitor = Annotated[Caller, require("shop:read", user_keys="accepted")]
KeyReader = Annotated[Caller, require("keys:read")]
KeyWriter = Annotated[Caller, require("keys:write")]
ShopUse = Annotated[Shops, use(Shops)]
KeyUse = Annotated[Keys, use(Keys)]
Archived = Annotated[
    Literal["false", "true", "all"], Query(description="Archived ones: hidden, alone, or with others.")
]

meta = Router(tag="Meta")
shops = Router(tag="Shops")
keys = Router("/api-keys", tag="API keys")


@meta.get("/ping", operation_id="ping")
def ping(_caller: AnyCaller) -> Pong:
    """Whether the API is there and knows the key."""
    return Pong(ok=True)


@meta.get("/openapi.json", operation_id="getOpenApi", response_class=Response, responses=reference.DOCUMENT)
def openapi() -> Response:
    """This document. No key is needed."""
    return reference.document()


@meta.get("/docs", operation_id="getReference", response_class=Response, responses=reference.PAGE)
def docs() -> Response:
    """The reference for people, as one HTML page without scripts of others. No key is needed."""
    return reference.page()


@meta.get("/me", operation_id="getMe")
def me(caller: AnyCaller, request: Request, use_shops: ShopUse) -> key_contract.Me:
    """The key that is calling, its shop and its rate limit."""
    return use_shops.me(caller, *rate_of(request))


@shops.get("/shops", operation_id="listShops")
def list_shops(caller: UserCaller, page: Page, use_shops: ShopUse) -> ListOf[shop_contract.ShopSummary]:
    """The shops of the user, newest first. Needs a user key."""
    return page.page(*use_shops.list(caller, limit=page.limit, after=page.after))


@shops.post("/shops", operation_id="createShop", status_code=201)
def create_shop(caller: UserCaller, body: shop_contract.CreateShop, use_shops: ShopUse) -> key_contract.ShopCreated:
    """A new shop of the user, with its first key. Needs a user key. The key's secret is shown this once."""
    return use_shops.create(caller, body)


@shops.get("/shops/{shop_id}", operation_id="getShop", responses=errors(NotFoundError))
def get_shop(shop_id: PathId, caller: ShopVisitor, use_shops: ShopUse) -> shop_contract.Shop:
    """A shop: the key's own, or one of the user's."""
    return use_shops.get(caller, shop_id)


@shops.patch("/shops/{shop_id}", operation_id="updateShop", responses=errors(NotFoundError))
def update_shop(
    shop_id: PathId, caller: ShopWriter, body: shop_contract.UpdateShop, if_match: IfMatch, use_shops: ShopUse
) -> shop_contract.Shop:
    """Change the shop. What shoppers get is published; a warning says when that has to be repeated."""
    return use_shops.update(caller, shop_id, body, if_match)


@shops.get("/shop", operation_id="getOwnShop")
def get_own_shop(caller: ShopReader, use_shops: ShopUse) -> shop_contract.Shop:
    """The key's own shop."""
    return use_shops.get(caller, caller.shop_id)


@shops.get("/shop/defaults", operation_id="getShopDefaults")
@versioned
def get_defaults(caller: ShopReader, use_shops: ShopUse) -> shop_contract.ShopDefaults:
    """What experiments of the shop inherit unless they say otherwise."""
    return use_shops.defaults(caller)


@shops.patch("/shop/defaults", operation_id="updateShopDefaults")
@versioned
def update_defaults(
    caller: ShopWriter, body: shop_contract.UpdateShopDefaults, if_match: IfMatch, use_shops: ShopUse
) -> shop_contract.ShopDefaults:
    """Change the defaults by a JSON merge patch."""
    return use_shops.update_defaults(caller, body, if_match)


@keys.get("", operation_id="listApiKeys")
def list_keys(
    caller: KeyReader,
    page: Page,
    use_keys: KeyUse,
    kind: Literal["shop", "tracking_source"] | None = None,
    archived: Archived = "false",
) -> ListOf[key_contract.ApiKey]:
    """Keys of the shop, newest first, without secrets. Revoked keys count as archived."""
    found = use_keys.list(caller, kind=kind, archived=archived, limit=page.limit, after=page.after)
    return page.page(*found)


@keys.post(
    "",
    operation_id="createApiKey",
    status_code=201,
    responses=errors(ScopeNotHeldError, ValidationFailedError, LimitReachedError),
)
def create_key(caller: KeyWriter, body: key_contract.CreateApiKey, use_keys: KeyUse) -> key_contract.ApiKeyCreated:
    """A new key. Its secret is shown this once. A key cannot grant scopes that it lacks."""
    return use_keys.create(caller, body)


@keys.get("/{key_id}", operation_id="getApiKey", responses=errors(NotFoundError))
def get_key(key_id: PathId, caller: KeyReader, use_keys: KeyUse) -> key_contract.ApiKey:
    """One key, without its secret."""
    return use_keys.get(caller, key_id)


@keys.patch(
    "/{key_id}", operation_id="updateApiKey", responses=errors(NotFoundError, ConflictError, ValidationFailedError)
)
def update_key(
    key_id: PathId, caller: KeyWriter, body: key_contract.UpdateApiKey, if_match: IfMatch, use_keys: KeyUse
) -> key_contract.ApiKey:
    """Rename a key, narrow its scopes, move its expiry."""
    return use_keys.update(caller, key_id, body, if_match)


@keys.post(
    "/{key_id}/rotate",
    operation_id="rotateApiKey",
    status_code=201,
    responses=errors(NotFoundError, ConflictError, ScopeNotHeldError, LimitReachedError),
)
def rotate_key(
    key_id: PathId,
    caller: KeyWriter,
    if_match: IfMatch,
    use_keys: KeyUse,
    body: key_contract.RotateApiKey | None = None,
) -> key_contract.ApiKeyCreated:
    """A successor with the same scopes and a new secret, shown this once; the old key stays good for the grace."""
    return use_keys.rotate(caller, key_id, (body or key_contract.RotateApiKey()).grace_seconds, if_match)


@keys.post("/{key_id}/revoke", operation_id="revokeApiKey", responses=errors(NotFoundError))
def revoke_key(
    key_id: PathId,
    caller: KeyWriter,
    if_match: IfMatch,
    use_keys: KeyUse,
    body: key_contract.RevokeApiKey | None = None,
) -> key_contract.ApiKey:
    """End a key at once. Revoking twice is harmless."""
    return use_keys.revoke(caller, key_id, body.reason if body else None, if_match)
