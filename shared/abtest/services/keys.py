"""Use cases of API keys: make, list, narrow, rotate, revoke. The secret exists in one answer and nowhere else."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from abtest.contract import keys as contract
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
from abtest.domain.credentials.stored_keys import USERS, from_document
from abtest.kit.clock import Timestamp
from abtest.kit.errors import FieldError, ValidationFailedError
from abtest.kit.ids import random_base62
from abtest.ports.catalog import AuditRow, Head
from abtest.services.authentication import Authentication, last_used_id
from abtest.services.context import Caller, World
from abtest.services.key_records import commit_of, read_key
from abtest.services.listing import SCANNED_A_PAGE
from abtest.services.retrying import refuse_other_version, retried

Decision = Callable[[ApiKey, Timestamp], ApiKey]
_AUDITED = ("name", "scopes", "expires_at", "revoked_at")


@dataclass(frozen=True, slots=True)
class Minted:
    """A new key and its text, which is never stored."""

    key: ApiKey
    text: str


class Keys:
    """The keys of the caller's shop."""

    def __init__(self, world: World, authentication: Authentication) -> None:
        self._world = world
        self._authentication = authentication

    def list(
        self, caller: Caller, *, kind: str | None, archived: str, limit: int, after: str | None
    ) -> tuple[Sequence[contract.ApiKey], str | None]:
        """Keys newest first and the id that continues the list. Revoked keys count as archived.

        A page may be shorter than `limit`, even empty: it ends after 2,000 keys looked at.
        """
        found: list[Head] = []
        for _ in range(SCANNED_A_PAGE // 100):
            page = self._world.catalog.list(caller.shop_id, "KEY", limit=100, after_id=after)
            fitting = [head for head in page.heads if _fits(head, kind, archived)]
            room = limit - len(found)
            found += fitting[:room]
            if len(fitting) > room:
                return self._shown(caller.shop_id, found), found[-1].id
            after = page.last_id
            if after is None or len(found) == limit:
                break
        return self._shown(caller.shop_id, found), after

    def get(self, caller: Caller, key_id: str) -> contract.ApiKey:
        """One key. Raises NotFoundError."""
        return self._answer(read_key(self._world.catalog, caller.shop_id, key_id))

    def create(self, caller: Caller, wish: contract.CreateApiKey) -> contract.ApiKeyCreated:
        """A new key with its secret.

        Raises ValidationFailedError, ScopeNotHeldError, LimitReachedError.
        """
        now = self._world.now()
        scopes = _wished_scopes(wish)
        refuse_unheld(caller.scopes, scopes)
        refuse_expiry(wish.expires_at, now)
        minted = mint(
            self._world, kind=wish.kind, shop_id=caller.shop_id, user_id=caller.user_id, name=wish.name, scopes=scopes
        )
        key = replace(minted.key, expires_at=wish.expires_at)
        audit = self._audit(caller, key, "create", {"scopes": [None, list(key.scopes)]}, now)
        retried(lambda: self._world.catalog.commit(commit_of(self._world.catalog, [key], [audit], now)))
        return created(Minted(key, minted.text))

    def update(
        self, caller: Caller, key_id: str, patch: contract.UpdateApiKey, expected_version: int | None
    ) -> contract.ApiKey:
        """The key, narrowed or renamed. Raises NotFoundError, VersionConflictError, ConflictError, ValidationFailed."""
        return self._change(
            caller, key_id, "update", expected_version, lambda key, now: updated(key, patch.stated(), now)
        )

    def revoke(self, caller: Caller, key_id: str, reason: str | None, expected_version: int | None) -> contract.ApiKey:
        """The key, dead from now on; revoking twice is harmless."""
        return self._change(caller, key_id, "revoke", expected_version, revoked, reason=reason)

    def rotate(
        self, caller: Caller, key_id: str, grace_seconds: int, expected_version: int | None
    ) -> contract.ApiKeyCreated:
        """A successor with the same powers and a new secret; the old one stays good for the grace.

        Raises NotFoundError, VersionConflictError, ConflictError, ScopeNotHeldError (a rotation hands out a secret).
        """
        minted = retried(lambda: self._rotate(caller, key_id, grace_seconds, expected_version))
        self._authentication.forget(key_id)
        return created(minted)

    def _rotate(self, caller: Caller, key_id: str, grace_seconds: int, expected_version: int | None) -> Minted:
        catalog, now = self._world.catalog, self._world.now()
        old = read_key(catalog, caller.shop_id, key_id)
        refuse_other_version(expected_version, old.version)
        refuse_unheld(caller.scopes, old.scopes)
        minted = mint(
            self._world, kind=old.kind, shop_id=old.shop_id, user_id=old.user_id, name=old.name, scopes=old.scopes
        )
        successor = replace(
            minted.key,
            created_by=caller.user_id,
            expires_at=old.expires_at,
            rate_limit_per_minute=old.rate_limit_per_minute,
        )
        gone = retired(old, successor.id, grace_seconds, now)
        diff = {"rotated_to": [None, successor.id], "expires_at": [old.expires_at, gone.expires_at]}
        audit = self._audit(caller, gone, "rotate", diff, now)
        catalog.commit(commit_of(catalog, [gone, successor], [audit], now))
        return Minted(successor, minted.text)

    def _change(
        self,
        caller: Caller,
        key_id: str,
        verb: str,
        expected_version: int | None,
        decide: Decision,
        reason: str | None = None,
    ) -> contract.ApiKey:
        def attempt() -> ApiKey:
            catalog, now = self._world.catalog, self._world.now()
            before = read_key(catalog, caller.shop_id, key_id)
            refuse_other_version(expected_version, before.version)
            after = decide(before, now)
            if after != before:
                diff = _diff(before, after) | ({"reason": [None, reason]} if reason else {})
                audit = self._audit(caller, after, verb, diff, now)
                catalog.commit(commit_of(catalog, [after], [audit], now))
            return after

        changed = retried(attempt)
        self._authentication.forget(key_id)
        return self._answer(changed)

    def _shown(self, shop_id: str, heads: Sequence[Head]) -> Sequence[contract.ApiKey]:
        ids = [head.id for head in heads]
        uses = self._world.catalog.get_many(shop_id, "SET", [last_used_id(key_id) for key_id in ids])
        used_at = {record.head.id: str(record.body["last_used_at"]) for record in uses}
        records = self._world.catalog.get_many(shop_id, "KEY", ids)
        keys = [from_document(record.body, record.head.version) for record in records]
        return [shown(key, used_at.get(last_used_id(key.id))) for key in keys]

    def _answer(self, key: ApiKey) -> contract.ApiKey:
        use = self._world.catalog.get(key.shop_id, "SET", last_used_id(key.id))
        return shown(key, str(use.body["last_used_at"]) if use else None).at(key.version)

    def _audit(self, caller: Caller, key: ApiKey, verb: str, diff: dict[str, Any], now: Timestamp) -> AuditRow:
        return audit_row(self._world, caller.user_id, key, verb, diff, now)


def mint(world: World, *, kind: KeyKind, shop_id: str, user_id: str, name: str, scopes: Sequence[str]) -> Minted:
    """A new key, not stored yet."""
    now = world.now()
    lookup_id = random_base62(ID_LENGTH, world.random)
    text = compose(kind, lookup_id, random_base62(SECRET_LENGTH, world.random))
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


def audit_row(world: World, user_id: str, key: ApiKey, verb: str, diff: dict[str, Any], now: Timestamp) -> AuditRow:
    """The audit of one change of a key; never its secret, nor the hash of it."""
    entity = ("api_key", key.id, key.name)
    return world.audit_row(
        user_id=user_id, shop_id=key.shop_id or USERS, action=f"api_key.{verb}", entity=entity, diff=diff, now=now
    )


def shown(key: ApiKey, last_used_at: Timestamp | None) -> contract.ApiKey:
    """The key as answers show it."""
    return contract.ApiKey(**_fields(key), last_used_at=last_used_at)


def created(minted: Minted) -> contract.ApiKeyCreated:
    """The one answer that carries the secret."""
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


def _fits(head: Head, kind: str | None, archived: str) -> bool:
    if kind is not None and head.attributes.get("key_kind") != kind:
        return False
    return archived == "all" or (head.archived_at is not None) == (archived == "true")


def _wished_scopes(wish: contract.CreateApiKey) -> Sequence[str]:
    named = {"scopes", "preset"} & wish.model_fields_set
    if wish.kind == "tracking_source":
        if named:
            problem = FieldError(min(named), "a tracking-source key has no scopes")
            raise ValidationFailedError("a tracking-source key has no scopes", fields=[problem])
        return ()
    if len(named) != 1:
        raise ValidationFailedError(
            "a shop key needs either scopes or a preset", fields=[FieldError("scopes", "either this or preset")]
        )
    return sorted(PRESETS[wish.preset]) if "preset" in named else wish.scopes


def _diff(before: ApiKey, after: ApiKey) -> dict[str, Any]:
    pairs = {name: [getattr(before, name), getattr(after, name)] for name in _AUDITED}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
