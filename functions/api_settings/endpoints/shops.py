"""Routes of shops."""

from typing import Annotated

from abtest.contract import shops as contract
from abtest.contract.base import ListOf
from abtest.contract.errors import PageLiveImpactEnvelope
from abtest.contract.keys import ShopCreated
from abtest.domain.changes.errors import LiveImpactError
from abtest.http.deps import Caller, IfMatch, Page, PathId, UserCaller, require, reveals_secret, use, versioned
from abtest.http.listing import Narrowed
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import LimitReachedError, NotFoundError
from abtest.services.shops import Shops

ShopReader = Annotated[Caller, require("shop:read")]
ShopWriter = Annotated[Caller, require("shop:write")]
ShopVisitor = Annotated[Caller, require("shop:read", user_keys="accepted")]
ShopUse = Annotated[Shops, use(Shops)]

router = Router(tag="Shops")


@router.get("/shops", operation_id="listShops", responses=errors(LimitReachedError))
def list_shops(caller: UserCaller, page: Page, filters: Narrowed, use_shops: ShopUse) -> ListOf[contract.ShopSummary]:
    """List the shops of the user, newest first. Needs a user key."""
    return page.page(*use_shops.list(caller, filters, limit=page.limit, after=page.after))


@router.post("/shops", operation_id="createShop", status_code=201)
@reveals_secret
def create_shop(caller: UserCaller, body: contract.CreateShop, use_shops: ShopUse) -> ShopCreated:
    """Create a shop of the user, with its first key (preset `admin`). Needs a user key.

    The secret of the key is shown only in this response. The new shop is published immediately.
    """
    return use_shops.create(caller, body)


@router.get("/shops/{shop_id}", operation_id="getShop", responses=errors(NotFoundError))
def get_shop(shop_id: PathId, caller: ShopVisitor, use_shops: ShopUse) -> contract.Shop:
    """Return a shop: the key's own, or one of the user's."""
    return use_shops.get(caller, shop_id)


@router.patch(
    "/shops/{shop_id}",
    operation_id="updateShop",
    responses=errors(NotFoundError, LiveImpactError, s409=PageLiveImpactEnvelope),
)
def update_shop(
    shop_id: PathId, caller: ShopWriter, body: contract.UpdateShop, if_match: IfMatch, use_shops: ShopUse
) -> contract.Shop:
    """Change the shop. A change that shoppers see is published at once.

    Another currency, while experiments run or personalizations are active, is 409 `page_live_impact` until it is sent
    with `confirm_live_impact`; their results count only money in the shop's currency.
    A warning in the response reports a publication that failed and is retried.
    """
    return use_shops.update(caller, shop_id, body, if_match)


@router.get("/shop", operation_id="getOwnShop")
def get_own_shop(caller: ShopReader, use_shops: ShopUse) -> contract.Shop:
    """Return the key's own shop."""
    return use_shops.get(caller, caller.shop_id)


@router.get("/shop/defaults", operation_id="getShopDefaults")
@versioned
def get_defaults(caller: ShopReader, use_shops: ShopUse) -> contract.ShopDefaults:
    """Return the defaults that experiments of the shop inherit."""
    return use_shops.defaults(caller)


@router.patch("/shop/defaults", operation_id="updateShopDefaults")
@versioned
def update_defaults(
    caller: ShopWriter, body: contract.UpdateShopDefaults, if_match: IfMatch, use_shops: ShopUse
) -> contract.ShopDefaults:
    """Change the defaults by a JSON merge patch."""
    return use_shops.update_defaults(caller, body, if_match)
