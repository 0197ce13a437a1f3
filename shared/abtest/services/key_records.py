"""Keys as the catalog keeps them: a record, its service-wide claim, and the ledger of a shop's live keys.

The ledger (`SET#KEYS`, key id to expiry) is written with every change of a shop's keys, so that two creations cannot
both take the last free place.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from abtest.domain.credentials.api_keys import ApiKey
from abtest.domain.credentials.lifecycle import MAX_LIVE_KEYS
from abtest.domain.credentials.stored_keys import USERS, claim_attributes, claim_name, from_document, to_document
from abtest.kit.clock import Timestamp
from abtest.kit.errors import LimitReachedError, NotFoundError
from abtest.ports.catalog import AuditRow, Catalog, Claim, Commit, Head, Put, Record

LEDGER_ID = "SET#KEYS"


@dataclass(frozen=True, slots=True)
class LiveKeys:
    """A shop's ledger of live keys: key id to expiry."""

    shop_id: str
    version: int
    created_at: Timestamp | None
    expiries: Mapping[str, Timestamp | None]

    def after(self, keys: list[ApiKey], now: Timestamp) -> "LiveKeys":
        """The ledger once these keys are stored, without those that died. Raises LimitReachedError."""
        changed = {**self.expiries, **{key.id: key.expires_at for key in keys if key.revoked_at is None}}
        dead = {key.id for key in keys if key.revoked_at}
        live = {key_id: end for key_id, end in changed.items() if key_id not in dead and (end is None or now < end)}
        if len(live) > max(MAX_LIVE_KEYS, len(self.expiries)):
            raise LimitReachedError(f"a shop has {MAX_LIVE_KEYS} live keys at most; revoke one first")
        return LiveKeys(self.shop_id, self.version + 1, self.created_at or now, live)


def read_ledger(catalog: Catalog, shop_id: str) -> LiveKeys:
    """The shop's ledger, empty when no key was ever made."""
    record = catalog.get(shop_id, "SET", LEDGER_ID)
    if record is None:
        return LiveKeys(shop_id, 0, None, {})
    return LiveKeys(shop_id, record.head.version, record.head.created_at, dict(record.body["live"]))


def read_key(catalog: Catalog, shop_id: str, key_id: str) -> ApiKey:
    """One key of the shop. Raises NotFoundError."""
    record = catalog.get(shop_id, "KEY", key_id)
    if record is None:
        raise NotFoundError("there is no such API key")
    return from_document(record.body, record.head.version)


def commit_of(catalog: Catalog, keys: list[ApiKey], audit: list[AuditRow], now: Timestamp, *more: Put) -> Commit:
    """One change that stores these keys of one shop, with the ledger, their claims and the audit."""
    shop_id = keys[0].shop_id
    ledger = [] if not shop_id else [_ledger_put(read_ledger(catalog, shop_id), keys, now)]
    return Commit(
        puts=[*(_key_put(key) for key in keys), *ledger, *more],
        claims=[_claim(key) for key in keys],
        audit=audit,
    )


def _key_put(key: ApiKey) -> Put:
    head = Head(
        shop_id=key.shop_id or USERS,
        kind="KEY",
        id=key.id,
        version=key.version,
        created_at=key.created_at,
        updated_at=key.updated_at,
        name=key.name,
        archived_at=key.revoked_at,
        attributes={"key_kind": key.kind},
    )
    return Put(record=Record(head=head, body=to_document(key)), expected_version=key.version - 1)


def _claim(key: ApiKey) -> Claim:
    return Claim(
        scope=None,
        name=claim_name(key.lookup_id),
        target_id=key.id,
        target_shop_id=key.shop_id or USERS,
        attributes=claim_attributes(key),
    )


def _ledger_put(ledger: LiveKeys, keys: list[ApiKey], now: Timestamp) -> Put:
    after = ledger.after(keys, now)
    head = Head(
        shop_id=ledger.shop_id,
        kind="SET",
        id=LEDGER_ID,
        version=after.version,
        created_at=after.created_at or now,
        updated_at=now,
    )
    return Put(record=Record(head=head, body={"live": dict(after.expiries)}), expected_version=ledger.version)
