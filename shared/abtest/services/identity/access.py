"""Rights of a session: in which shops it has which scopes. They are read from keys, shops and members, never stored."""

from collections.abc import Iterator
from dataclasses import dataclass

from abtest.domain.credentials.api_keys import ApiKey
from abtest.domain.identity.roles import ROLES, Role
from abtest.domain.identity.sessions import Session
from abtest.domain.settings.shop import Shop
from abtest.kit.errors import NotFoundError, ServiceError
from abtest.services.authentication import InvalidApiKeyError, stored_key_by_id
from abtest.services.context import World
from abtest.services.listing import every_head
from abtest.services.shop_records import owned_by, read_shop

MAX_SHOWN_SHOPS = 200


class SignInRequiredError(ServiceError):
    """Missing, ended or unknown session: one error, so that nothing is learned about tokens."""

    status = 401
    code = "sign_in_required"

    def __init__(self) -> None:
        super().__init__("sign in to the console: there is no session, or it has ended")


class UnknownShopError(NotFoundError):
    """Shop that does not exist, or to which the session has no access: one error for both."""

    def __init__(self) -> None:
        super().__init__("there is no such shop")


@dataclass(frozen=True, slots=True)
class Rights:
    """Scopes in a shop, and the role that gives them; None where a key does."""

    scopes: frozenset[str]
    role: Role | None


class Access:
    """Rights of sessions, read at each call."""

    def __init__(self, world: World) -> None:
        self._world = world

    def require_alive(self, session: Session) -> ApiKey | None:
        """Return the key that was exchanged for the session, if one was. Raises SignInRequiredError when it ended."""
        if session.key_id is None:
            return None
        try:
            key = stored_key_by_id(self._world, session.key_shop_id, session.key_id)
        except InvalidApiKeyError as error:
            raise SignInRequiredError from error
        if not key.is_live(self._world.now()):
            raise SignInRequiredError
        return key

    def in_shop(self, session: Session, key: ApiKey | None, shop_id: str) -> Rights:
        """Return the rights in a shop. Raises UnknownShopError."""
        if key is not None and not session.acts_for_user:
            if key.shop_id != shop_id:
                raise UnknownShopError
            return Rights(key.effective_scopes, None)
        try:
            shop = read_shop(self._world.catalog, shop_id)
        except NotFoundError as error:
            raise UnknownShopError from error
        rights = self._as_member(session, shop)
        if rights is None:
            raise UnknownShopError
        return rights

    def owns_shops(self, user_id: str) -> bool:
        """Return whether the user owns a shop, and may therefore create others."""
        return bool(self._world.catalog.list(owned_by(user_id), "SHOP", limit=1).heads)

    def shops(self, session: Session, key: ApiKey | None) -> Iterator[tuple[Shop, Rights]]:
        """Yield the shops of a session with its rights, newest first, at most MAX_SHOWN_SHOPS."""
        if key is not None and not session.acts_for_user:
            yield read_shop(self._world.catalog, key.shop_id), Rights(key.effective_scopes, None)
            return
        for number, head in enumerate(every_head(self._world.catalog, owned_by(session.user_id), "SHOP")):
            if number == MAX_SHOWN_SHOPS:
                return
            yield read_shop(self._world.catalog, head.id), Rights(ROLES["owner"], "owner")

    def _as_member(self, session: Session, shop: Shop) -> Rights | None:
        # An organisation whose id is that of a user is this user's own.
        return Rights(ROLES["owner"], "owner") if shop.org_id == session.user_id else None
