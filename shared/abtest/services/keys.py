"""Use cases of API keys: create, list, narrow, rotate, revoke. The secret is in one response and nowhere else."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from abtest.contract import keys as contract
from abtest.domain.changes.change import Change, Occasion
from abtest.domain.credentials.api_keys import (
    ID_LENGTH,
    PRESETS,
    SECRET_LENGTH,
    ApiKey,
    KeyKind,
    compose,
    digest,
)
from abtest.domain.credentials.lifecycle import refuse_expiry, refuse_unheld, retired, revoked, updated
from abtest.kit.clock import Timestamp
from abtest.kit.errors import FieldError, ValidationFailedError
from abtest.kit.ids import random_base62
from abtest.services.aggregates import Decide
from abtest.services.authentication import Authentication, last_used
from abtest.services.context import Caller, World
from abtest.services.key_records import KeyStore
from abtest.services.listing import Filters
from abtest.services.retries import Versions, refuse_other_version, retried


@dataclass(frozen=True, slots=True)
class Minted:
    """A new key and its text, which is never stored."""

    key: ApiKey
    text: str


class Keys:
    """The keys of the caller's shop."""

    def __init__(self, world: World, authentication: Authentication) -> None:
        self._world = world
        self._keys = KeyStore(world)
        self._authentication = authentication

    def list(
        self, caller: Caller, filters: Filters, *, limit: int, after: str | None
    ) -> tuple[Sequence[contract.ApiKey], str | None]:
        """Keys that pass the filters, and the key that continues the list. Revoked keys count as archived."""
        keys, last = self._keys.page(caller.shop_id, filters, limit=limit, after=after)
        used_at = last_used(self._world.catalog, caller.shop_id, [key.id for key in keys])
        return [shown(key, used_at.get(key.id)) for key in keys], last

    def get(self, caller: Caller, key_id: str) -> contract.ApiKey:
        """One key. Raises NotFoundError."""
        return self._answer(self._keys.get(caller.shop_id, key_id))

    def create(self, caller: Caller, given: contract.CreateApiKey) -> contract.ApiKeyCreated:
        """Create a key with its secret.

        Raises ValidationFailedError, ScopeNotHeldError, LimitReachedError.
        """
        now = self._world.now()
        scopes = _given_scopes(given)
        refuse_unheld(caller.scopes, scopes)
        refuse_expiry(given.expires_at, now)
        minted = mint(
            self._world, kind=given.kind, shop_id=caller.shop_id, user_id=caller.user_id, name=given.name, scopes=scopes
        )
        key = replace(minted.key, expires_at=given.expires_at)
        saved = self._keys.add(caller, key.id, lambda _occasion: key)
        return created(Minted(saved.value, minted.text))

    def update(
        self, caller: Caller, key_id: str, patch: contract.UpdateApiKey, expected_version: Versions
    ) -> contract.ApiKey:
        """Narrow or rename a key. Raises NotFoundError, VersionConflictError, ConflictError, ValidationFailedError."""

        def decide(before: ApiKey, occasion: Occasion) -> Change[ApiKey]:
            after = updated(before, patch.provided(), occasion.now)
            return Change(before=before, after=after, action="api_key.update")

        return self._changed(caller, key_id, decide, expected_version)

    def revoke(self, caller: Caller, key_id: str, reason: str | None, expected_version: Versions) -> contract.ApiKey:
        """End a key at once; revoking twice is harmless."""

        def decide(before: ApiKey, occasion: Occasion) -> Change[ApiKey]:
            after = revoked(before, occasion.now)
            # A second revocation changes nothing, so its reason must not enter the audit either.
            note = {"reason": reason} if reason and after != before else {}
            return Change(before=before, after=after, action="api_key.revoke", note=note)

        return self._changed(caller, key_id, decide, expected_version)

    def rotate(
        self, caller: Caller, key_id: str, grace_seconds: int, expected_version: Versions
    ) -> contract.ApiKeyCreated:
        """Issue a successor with the same powers and a new secret; the old one stays valid during the grace period.

        Raises NotFoundError, VersionConflictError, ConflictError, ScopeNotHeldError (a rotation hands out a secret).
        """
        old = self._keys.get(caller.shop_id, key_id)
        # Minted once: attempts differ in how much they draw. Names and scopes may change until the one that succeeds.
        minted = mint(self._world, kind=old.kind, shop_id=old.shop_id, user_id=old.user_id, name=old.name, scopes=())
        key = retried(lambda: self._rotate(caller, key_id, minted.key, grace_seconds, expected_version))
        self._authentication.forget(key_id)
        return created(Minted(key, minted.text))

    def _rotate(
        self, caller: Caller, key_id: str, fresh: ApiKey, grace_seconds: int, expected_version: Versions
    ) -> ApiKey:
        if earlier := self._keys.earlier(caller.shop_id, fresh.id):
            return earlier.value
        old = self._keys.get(caller.shop_id, key_id)
        refuse_other_version(expected_version, old.version)
        refuse_unheld(caller.scopes, old.scopes)
        successor = replace(
            fresh,
            name=old.name,
            scopes=old.scopes,
            created_by=caller.user_id,
            # The successor does not outlive what was granted to the old key.
            expires_at=old.expires_at,
            rate_limit_per_minute=old.rate_limit_per_minute,
        )
        gone = retired(old, successor.id, grace_seconds, self._world.now())
        retirement = Change(before=old, after=gone, action="api_key.rotate")
        creation = Change(before=None, after=successor, action="api_key.rotate")
        # One commit: if it fails, the old key is unchanged and the new one does not exist.
        self._keys.save_many([retirement, creation], self._keys.audit_row(caller.user_id, retirement))
        return successor

    def _changed(
        self, caller: Caller, key_id: str, decide: Decide[ApiKey], expected_version: Versions
    ) -> contract.ApiKey:
        saved = self._keys.change(caller, key_id, decide, expected_version=expected_version)
        # This process only; others notice within CACHE_SECONDS, and at once for writes.
        self._authentication.forget(key_id)
        return self._answer(saved.value)

    def _answer(self, key: ApiKey) -> contract.ApiKey:
        used_at = last_used(self._world.catalog, key.shop_id, [key.id])
        return shown(key, used_at.get(key.id)).at(key.version)


def mint(world: World, *, kind: KeyKind, shop_id: str, user_id: str, name: str, scopes: Sequence[str]) -> Minted:
    """Make a key, which is not stored yet."""
    now = world.now()
    lookup_id = random_base62(ID_LENGTH, world)
    text = compose(kind, lookup_id, random_base62(SECRET_LENGTH, world))
    key = ApiKey(
        id=world.new_id(),
        shop_id=shop_id,
        kind=kind,
        lookup_id=lookup_id,
        sha256=digest(text),
        last_four=text[-4:],
        name=name,
        user_id=user_id,
        scopes=tuple(scopes),
        created_at=now,
        created_by=user_id,
        updated_at=now,
    )
    return Minted(key, text)


def shown(key: ApiKey, last_used_at: Timestamp | None) -> contract.ApiKey:
    """Return the key as responses show it."""
    return contract.ApiKey(**_fields(key), last_used_at=last_used_at)


def created(minted: Minted) -> contract.ApiKeyCreated:
    """Return the only response that has the secret."""
    answer = contract.ApiKeyCreated(**_fields(minted.key), last_used_at=None, secret=minted.text)
    return answer.at(minted.key.version)


def _fields(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.id,
        "kind": key.kind,
        "name": key.name,
        "key_prefix": key.prefix,
        "last_four": key.last_four,
        "scopes": list(key.scopes),
        "created_at": key.created_at,
        "created_by": key.created_by,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
        "rotated_to": key.rotated_to,
    }


def _given_scopes(given: contract.CreateApiKey) -> Sequence[str]:
    named = {"scopes", "preset"} & given.model_fields_set
    if given.kind == "tracking_source":
        if named:
            problem = FieldError(min(named), "a tracking-source key has no scopes")
            raise ValidationFailedError("a tracking-source key has no scopes", fields=[problem])
        return ()
    if len(named) != 1:
        raise ValidationFailedError(
            "a shop key needs either scopes or a preset", fields=[FieldError("scopes", "either this or preset")]
        )
    return sorted(PRESETS[given.preset]) if "preset" in named else given.scopes
