"""Actions of an operator, on the same use cases and records as the API."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from abtest.domain.changes.change import Change
from abtest.domain.credentials.api_keys import PRESETS, ApiKey, KeyKind
from abtest.domain.credentials.lifecycle import revoked
from abtest.domain.credentials.signing import browser_signature
from abtest.domain.settings.shop import Shop, to_document
from abtest.kit.errors import NotFoundError
from abtest.kit.ids import is_uuid
from abtest.services.authentication import stored_key
from abtest.services.context import Caller
from abtest.services.identity.records import Users
from abtest.services.key_records import KeyStore
from abtest.services.keys import Minted, mint
from abtest.services.retries import retried
from abtest.services.settings.external_tracking import ExternalTrackingSettings
from abtest.services.settings.store import SettingsStore
from abtest.services.shop_records import read_shop
from abtest.services.shops import Shops
from abtest.wiring.api import Management
from tools.admin.ingest_secrets import IngestSecret, IngestSecrets

Result = dict[str, Any]
MOST_PER_MINUTE = 1_000_000


def _shown(secret: IngestSecret) -> Result:
    return {"shop_id": secret.shop_id, "ingest_secret": secret.secret, "former_valid_until": secret.former_until}


class Operator:
    """An operator of one deployment. Secrets are in the answers and nowhere else."""

    def __init__(self, management: Management) -> None:
        self._management = management
        self._world = management.world
        self._keys = KeyStore(management.world)
        self._shops = Shops(management.world, management.publication)
        self._ingest_secrets = IngestSecrets(management.world, management.roots)

    def create_shop(self, fields: Mapping[str, Any], *, user_id: str | None, extra_keys: Sequence[str] = ()) -> Result:
        """A shop with its admin key; `extra_keys` may name `user` and `tracking`. Raises ValueError."""
        _refuse_no_user(user_id)
        owner = user_id or self._world.new_id()
        shop, minted = self._shops.found(owner, fields)
        result = {"shop_id": shop.id, "user_id": owner, "api_key": minted.text}
        if "user" in extra_keys:
            result["user_key"] = self.create_user_key("User key", user_id=owner)["user_key"]
        if "tracking" in extra_keys:
            result["tracking_key"] = self._store("tracking_source", shop.id, owner, "Tracking key", ()).text
        return result | self.ingest(shop.id)

    def show_shop(self, shop_id: str) -> Result:
        """The shop as stored."""
        return to_document(read_shop(self._world.catalog, shop_id))

    def change_shop(self, shop_id: str, changes: Mapping[str, Any]) -> Result:
        """Change tier, platform, owner or the operator's switch. Raises ValueError unless the owner is a UUID."""
        _refuse_no_user(changes.get("org_id"))
        return to_document(self._shops.operate(shop_id, changes))

    def set_handover_signing(self, shop_id: str, *, signed: bool) -> Result:
        """Set whether handovers to external domains are signed; shops cannot turn it off."""
        shop = read_shop(self._world.catalog, shop_id)
        caller = Caller(key_id="", kind="user", user_id=shop.org_id, shop_id=shop.id, scopes=frozenset(), request_id="")
        tracking = ExternalTrackingSettings(SettingsStore(self._world, self._management.republication))
        return tracking.set_signing(caller, signed=signed).model_dump(exclude_unset=True)

    def create_user_key(self, name: str, *, user_id: str | None) -> Result:
        """A user's key, for an existing user or a new one. Raises ValueError."""
        _refuse_no_user(user_id)
        owner = user_id or self._world.new_id()
        return {"user_id": owner, "user_key": self._store("user", "", owner, name, ()).text}

    def user(self, user_id: str, verb: str) -> Result:
        """A user who signs in to the console; `disable` ends the user's sessions. Raises ValueError."""
        _refuse_no_user(user_id)
        users = Users(self._world)
        user = users.get(user_id) if verb == "show" else users.set_disabled(user_id, disabled=verb == "disable")
        return {
            "user_id": user.id,
            "email": user.email,
            "name": user.name,
            "passkeys": len(user.passkeys),
            "disabled_at": user.disabled_at,
        }

    def create_shop_key(self, shop_id: str, name: str, preset: str) -> Result:
        """A key of a shop whose own keys are lost."""
        shop: Shop = read_shop(self._world.catalog, shop_id)
        minted = self._store("shop", shop.id, shop.org_id, name, sorted(PRESETS[preset]))
        return {"shop_id": shop.id, "key_id": minted.key.id, "api_key": minted.text}

    def revoke_key(self, prefix: str) -> Result:
        """End a key of any kind, named by its prefix (`svc_sk_…` with the 12 characters of its id)."""
        return self._change_key(prefix, "revoke", {})

    def set_rate_limit(self, prefix: str, per_minute: int) -> Result:
        """How often a key may call in a minute; 0 goes back to the usual. Raises ValueError."""
        if not 0 <= per_minute <= MOST_PER_MINUTE:
            raise ValueError(f"0 to {MOST_PER_MINUTE} requests a minute")
        return self._change_key(prefix, "set_rate_limit", {"rate_limit_per_minute": per_minute or None})

    def ingest(self, shop_id: str) -> Result:
        """The browser's ingest signature, and nothing that is secret."""
        return {"ingest_signature": browser_signature(self._management.roots(), shop_id)}

    def ingest_secret(self, shop_id: str) -> Result:
        """The secret with which a shop's own server signs events."""
        return _shown(self._ingest_secrets.current(shop_id))

    def rotate_ingest_secret(self, shop_id: str, grace_seconds: int) -> Result:
        """A new ingest secret; the former one is valid for the grace. Raises ValueError."""
        return _shown(self._ingest_secrets.rotate(shop_id, grace_seconds=grace_seconds))

    def _store(self, kind: KeyKind, shop_id: str, user_id: str, name: str, scopes: Sequence[str]) -> Minted:
        minted = mint(self._world, kind=kind, shop_id=shop_id, user_id=user_id, name=name, scopes=scopes)
        change = Change(before=None, after=minted.key, action="api_key.create")
        retried(lambda: self._keys.save(user_id, change))
        return minted

    def _change_key(self, prefix: str, verb: str, changes: Mapping[str, Any]) -> Result:
        def attempt() -> ApiKey:
            before = stored_key(self._world, prefix.rpartition("_")[2])
            if before is None or before.prefix != prefix:
                raise NotFoundError("there is no key with this prefix")
            now = self._world.now()
            after = replace(before, **changes, updated_at=now) if changes else revoked(before, now)
            if after == before:
                return before
            change = Change(before=before, after=after, action=f"api_key.{verb}")
            return self._keys.save(after.user_id, change).value

        key = retried(attempt)
        return {"key_id": key.id, "key_prefix": key.prefix, "revoked_at": key.revoked_at} | dict(changes)


def _refuse_no_user(user_id: str | None) -> None:
    if user_id is not None and not is_uuid(user_id):
        raise ValueError("a user is named by a UUID")
