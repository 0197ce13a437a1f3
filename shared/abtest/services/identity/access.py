"""Rights of a session: in which shops it has which scopes. They are read from keys, shops and members, never stored."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from abtest.domain.credentials.api_keys import ApiKey
from abtest.domain.identity.people import Member
from abtest.domain.identity.roles import ROLES, Role
from abtest.domain.identity.sessions import Session
from abtest.domain.settings.shop import DEFAULT_TIME_ZONE, Shop
from abtest.kit.errors import NotFoundError, ServiceError
from abtest.ports.catalog import Head
from abtest.services.authentication import InvalidApiKeyError, stored_key_by_id
from abtest.services.context import World
from abtest.services.identity.records import MEMBERS, Users
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
class Reached:
    """A shop that a session reaches, as lists of shops show it."""

    id: str
    name: str
    currency: str
    timezone: str
    rights: "Rights"


@dataclass(frozen=True, slots=True)
class Rights:
    """Scopes in a shop, and the role that gives them; None where a key does."""

    scopes: frozenset[str]
    role: Role | None
    org_id: str
    shop_ids: tuple[str, ...] | None = None
    """Shops of the organisation to which the person has access; None for all."""


class Access:
    """Rights of sessions, read at each call."""

    def __init__(self, world: World) -> None:
        self._world = world

    def require_alive(self, session: Session) -> ApiKey | None:
        """Return the key that was exchanged for the session, if one was. Raises SignInRequiredError when it ended."""
        if session.acts_for_user and Users(self._world).get(session.user_id).disabled_at is not None:
            raise SignInRequiredError
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
            shop = read_shop(self._world.catalog, shop_id)
            return Rights(key.effective_scopes, None, shop.org_id)
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

    def shops(self, session: Session, key: ApiKey | None) -> Iterator[Reached]:
        """Yield the shops of a session with its rights, newest first, at most MAX_SHOWN_SHOPS."""
        if key is not None and not session.acts_for_user:
            shop = read_shop(self._world.catalog, key.shop_id)
            yield _seen(shop, Rights(key.effective_scopes, None, shop.org_id))
            return
        reached = self._own_shops(session.user_id) if key is not None else self._shops_of_user(session.user_id)
        yield from islice(reached, MAX_SHOWN_SHOPS)

    def _own_shops(self, user_id: str) -> Iterator[Reached]:
        for head in every_head(self._world.catalog, owned_by(user_id), "SHOP"):
            yield self._reached(head, _of_owner(user_id))

    def _shops_of_user(self, user_id: str) -> Iterator[Reached]:
        catalog = self._world.catalog
        yield from self._own_shops(user_id)
        for entry in every_head(catalog, owned_by(user_id), "MEMBER"):
            member = self.member(entry.id, user_id)
            if member is None:
                continue
            for head in every_head(catalog, owned_by(member.org_id), "SHOP"):
                if member.reaches(head.id):
                    yield self._reached(head, _of_member(member))

    def _reached(self, head: Head, rights: Rights) -> Reached:
        currency, timezone = (head.attributes.get(name) for name in ("currency", "timezone"))
        if currency is None:  # entries of releases before the console have none
            return _seen(read_shop(self._world.catalog, head.id), rights)
        return Reached(head.id, head.name or "", str(currency), str(timezone or DEFAULT_TIME_ZONE), rights)

    def shop_ids(self, user_id: str) -> Iterator[str]:
        """Yield the shops of a user."""
        return (shop.id for shop in self._shops_of_user(user_id))

    def member(self, org_id: str, user_id: str) -> Member | None:
        """Return the membership of a user in an organisation, read consistently."""
        record = self._world.catalog.get(org_id, "MEMBER", user_id)
        return MEMBERS.from_record(record) if record else None

    def _as_member(self, session: Session, shop: Shop) -> Rights | None:
        # An organisation whose id is that of a user is this user's own.
        if shop.org_id == session.user_id:
            return _of_owner(session.user_id)
        # Other organisations trust the passkey of a person, not a key that this user may have handed on.
        if session.key_id is not None:
            return None
        member = self.member(shop.org_id, session.user_id)
        return _of_member(member) if member is not None and member.reaches(shop.id) else None


def _seen(shop: Shop, rights: Rights) -> Reached:
    return Reached(shop.id, shop.name, shop.currency, shop.timezone, rights)


def _of_owner(user_id: str) -> Rights:
    return Rights(ROLES["owner"], "owner", user_id)


def _of_member(member: Member) -> Rights:
    return Rights(ROLES[member.role], member.role, member.org_id, member.shop_ids)
