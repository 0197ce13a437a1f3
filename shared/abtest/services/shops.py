"""Use cases of shops: creation, reading, changes, defaults."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from abtest.contract import shops as contract
from abtest.contract.keys import KeyIdentity, Me, RateLimit, ShopCreated
from abtest.contract.overrides import AutoStopOverride, GuardianOverride
from abtest.domain.changes.change import Change, Occasion
from abtest.domain.credentials.api_keys import PRESETS
from abtest.domain.settings import defaults
from abtest.domain.settings.shop import RECORD_ID, Shop
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import Catalog, Commit, Head, Put, Record
from abtest.services.authentication import stored_key_by_id
from abtest.services.context import Caller, World
from abtest.services.key_records import KeyStore
from abtest.services.keys import Minted, created, mint
from abtest.services.listing import Filters, Listing
from abtest.services.live_currency import require_confirmed_currency
from abtest.services.retries import Versions, refuse_other_version, retried
from abtest.services.shop_records import ShopStore, owned_by, read_shop, shown_fields
from abtest.services.storefronts import Publisher, Storefronts

FIRST_KEY_NAME = "First key"
SESSION_NAME = "Console session"


class Shops:
    """Shops, seen by their own keys and by the user who owns them."""

    def __init__(self, world: World, publisher: Publisher) -> None:
        self._world = world
        self._shops = ShopStore(world, Storefronts(world.catalog, publisher))
        self._keys = KeyStore(world)
        self._owned = Listing(world.catalog, "SHOP", lambda record: _entry(record.head), plural="shops")

    def list(
        self, caller: Caller, filters: Filters, *, limit: int, after: str | None
    ) -> tuple[Sequence[contract.ShopSummary], str | None]:
        """The user's shops that pass the filters, and the key that continues the list."""
        return self._owned.page(owned_by(caller.user_id), filters, limit=limit, after=after)

    def create(self, caller: Caller, given: contract.CreateShop) -> ShopCreated:
        """Create a shop of the user with its first key.

        An empty publication follows, so that the edge knows the shop; when it fails the outbox repeats it.
        """
        shop, minted = self.found(caller.user_id, given.provided())
        return ShopCreated(**shown_fields(shop), api_key=created(minted)).at(shop.version)

    def found(self, user_id: str, fields: Mapping[str, Any]) -> tuple[Shop, Minted]:
        """Store a new shop with an admin key, in one commit."""
        now = self._world.now()
        shop = Shop(id=self._world.new_id(), org_id=user_id, created_at=now, updated_at=now, **fields)
        scopes = sorted(PRESETS["admin"])
        minted = mint(self._world, kind="shop", shop_id=shop.id, user_id=user_id, name=FIRST_KEY_NAME, scopes=scopes)
        return retried(lambda: self._store_or_earlier(shop, minted))

    def _store_or_earlier(self, shop: Shop, minted: Minted) -> tuple[Shop, Minted]:
        if earlier := self._shops.earlier(shop.id, RECORD_ID):
            return earlier.value, Minted(self._keys.get(shop.id, minted.key.id), minted.text)
        # Both or neither: the owner could not use a shop without a key.
        creation = Change(before=None, after=minted.key, action="api_key.create")
        key = self._keys.stage([creation], [self._keys.audit_row(shop.org_id, creation)])
        saved = self._shops.save(shop.org_id, Change(before=None, after=shop, action="shop.create"), extra=key.commit)
        return saved.value, minted

    def get(self, caller: Caller, shop_id: str) -> contract.Shop:
        """The shop, when it is the caller's. Raises NotFoundError."""
        shop = self._visible(caller, shop_id)
        return contract.Shop(**shown_fields(shop)).at(shop.version)

    def update(
        self, caller: Caller, shop_id: str, patch: contract.UpdateShop, expected_version: Versions
    ) -> contract.Shop:
        """The shop after a merge patch, published when shoppers are concerned.

        Raises NotFoundError, VersionConflictError, and LiveImpactError for another currency while something runs.
        """

        def decide(before: Shop, occasion: Occasion) -> Change[Shop]:
            after = before.changed(patch.provided(), occasion.now)
            require_confirmed_currency(self._world.catalog, before, after, patch.consent())
            return Change(before=before, after=after, action="shop.update")

        load = partial(self._visible, caller, shop_id)
        saved = self._shops.change(caller, load, decide, expected_version=expected_version)
        answer = contract.Shop(**shown_fields(saved.value)).at(saved.value.version)
        if saved.warning:
            answer.publication_warning = saved.warning
        return answer

    def operate(self, shop_id: str, changes: Mapping[str, Any]) -> Shop:
        """Change fields of operators: tier, platform, org_id, operator_enabled. Raises NotFoundError."""

        def attempt() -> Shop:
            before = read_shop(self._world.catalog, shop_id)
            after = before.changed(changes, self._world.now())
            if after == before:
                return before
            return self._shops.save(after.org_id, Change(before=before, after=after, action="shop.operate")).value

        return retried(attempt)

    def defaults(self, caller: Caller) -> contract.ShopDefaults:
        """Return the shop's defaults, completed by the service's."""
        shop = read_shop(self._world.catalog, caller.shop_id)
        record = _stored_defaults(self._world.catalog, shop.id)
        version = record.head.version if record else 0
        return _defaults_answer(defaults.defaults_of(shop.tier, record.body if record else None)).at(version)

    def update_defaults(
        self, caller: Caller, patch: contract.UpdateShopDefaults, expected_version: Versions
    ) -> contract.ShopDefaults:
        """The defaults after a merge patch. Raises VersionConflictError."""
        mark = self._world.audit_row_id()
        return retried(lambda: self._update_defaults(caller, patch.provided(), expected_version, mark))

    def me(self, caller: Caller, limit: int, window_seconds: int) -> Me:
        """Return the calling key, its shop and its rate limit. A session appears as a key of its shop."""
        shop = _summary(read_shop(self._world.catalog, caller.shop_id)) if caller.shop_id else None
        return Me(
            key=self._identity(caller), shop=shop, rate_limit=RateLimit(limit=limit, window_seconds=window_seconds)
        )

    def _identity(self, caller: Caller) -> KeyIdentity:
        if caller.kind == "session":
            return KeyIdentity(
                id=caller.key_id,
                kind="shop",
                name=SESSION_NAME,
                scopes=sorted(caller.scopes),
                shop_id=caller.shop_id,
                expires_at=None,
            )
        key = stored_key_by_id(self._world, caller.shop_id, caller.key_id)
        return KeyIdentity(
            id=key.id,
            kind=key.kind,
            name=key.name,
            scopes=sorted(key.effective_scopes),
            shop_id=key.shop_id or None,
            expires_at=key.expires_at,
        )

    def _visible(self, caller: Caller, shop_id: str) -> Shop:
        """Read a shop of the caller. Raises the same NotFoundError for a foreign shop as for an unknown one."""
        if caller.kind != "user" and caller.shop_id != shop_id:
            raise NotFoundError("there is no such shop")
        shop = read_shop(self._world.catalog, shop_id)
        if caller.kind == "user" and shop.org_id != caller.user_id:
            raise NotFoundError("there is no such shop")
        return shop

    def _update_defaults(
        self, caller: Caller, changes: Mapping[str, Any], expected_version: Versions, mark: str | None
    ) -> contract.ShopDefaults:
        if self._world.is_stored(caller.shop_id, mark):
            return self.defaults(caller)
        catalog, now = self._world.catalog, self._world.now()
        shop = read_shop(catalog, caller.shop_id)
        record = _stored_defaults(catalog, shop.id)
        version = record.head.version if record else 0
        refuse_other_version(expected_version, version)
        stored = record.body if record else None
        after_patch = defaults.patched(shop.tier, stored, changes)
        before, after = defaults.defaults_of(shop.tier, stored), defaults.defaults_of(shop.tier, after_patch)
        # Nothing is written, so the version, and with it the caller's ETag, stays valid.
        if after_patch == (stored or {}):
            return _defaults_answer(before).at(version)
        created_at = record.head.created_at if record else now
        head = Head(
            shop_id=shop.id,
            kind="SET",
            id=defaults.RECORD_ID,
            version=version + 1,
            created_at=created_at,
            updated_at=now,
        )
        audit = self._world.audit_row(
            user_id=caller.user_id,
            shop_id=shop.id,
            action="shop.update_defaults",
            entity=("shop", shop.id, shop.name),
            diff={name: [before.get(name), value] for name, value in after.items() if before.get(name) != value},
            now=now,
            row_id=mark,
        )
        put = Put(record=Record(head=head, body=after_patch), expected_version=version)
        catalog.commit(Commit(puts=[put], audit=[audit]))
        return _defaults_answer(after).at(version + 1)


def shop_defaults(catalog: Catalog, shop_id: str) -> dict[str, Any]:
    """The defaults that hold in a shop, as JSON, for the use cases that obey them. Raises NotFoundError."""
    return defaults_in(catalog, read_shop(catalog, shop_id))


def defaults_in(catalog: Catalog, shop: Shop) -> dict[str, Any]:
    """The same for a shop that was read."""
    record = _stored_defaults(catalog, shop.id)
    return defaults.defaults_of(shop.tier, record.body if record else None)


def _stored_defaults(catalog: Catalog, shop_id: str) -> Record | None:
    return catalog.get(shop_id, "SET", defaults.RECORD_ID)


def _defaults_answer(settings: Mapping[str, Any]) -> contract.ShopDefaults:
    guardian = GuardianOverride.model_validate(settings["guardian"])
    auto_stop = AutoStopOverride.model_validate(settings["auto_stop"])
    return contract.ShopDefaults(**{**settings, "guardian": guardian, "auto_stop": auto_stop})


def _summary(shop: Shop) -> contract.ShopSummary:
    return contract.ShopSummary(
        id=shop.id, name=shop.name, domain=shop.domain, tier=shop.tier, created_at=shop.created_at
    )


def _entry(head: Head) -> contract.ShopSummary:
    attributes = {"domain": head.attributes["domain"], "tier": head.attributes["tier"]}
    return contract.ShopSummary.model_validate(
        {"id": head.id, "name": head.name, "created_at": head.created_at, **attributes}
    )
