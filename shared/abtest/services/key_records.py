"""Records of keys: the record itself, its service-wide claim, and the ledger of a shop's live keys.

The ledger (`SET#KEYS`, key id to expiry) is written with every change of a shop's keys, so that two creations cannot
both take the last free place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from abtest.domain.changes.diff import Diff
from abtest.domain.credentials.api_keys import ApiKey
from abtest.domain.credentials.lifecycle import MAX_LIVE_KEYS
from abtest.domain.credentials.stored_keys import USERS, claim_attributes, claim_name, from_document, to_document
from abtest.kit.clock import Timestamp
from abtest.kit.errors import LimitReachedError
from abtest.ports.catalog import Catalog, Commit, Head, Put, Record
from abtest.services.aggregates import NOTHING, Aggregates
from abtest.services.context import World
from abtest.services.names import Names
from abtest.services.resources import Resource, Summary

LEDGER_ID = "SET#KEYS"


@dataclass(frozen=True, slots=True)
class LiveKeys:
    """A shop's ledger of live keys: key id to expiry."""

    shop_id: str
    version: int
    created_at: Timestamp | None
    expiries: Mapping[str, Timestamp | None]

    def after(self, keys: Sequence[ApiKey], now: Timestamp) -> "LiveKeys":
        """The ledger once these keys are stored, without those that died. Raises LimitReachedError."""
        changed = {**self.expiries, **{key.id: key.expires_at for key in keys if key.revoked_at is None}}
        dead = {key.id for key in keys if key.revoked_at}
        live = {key_id: end for key_id, end in changed.items() if key_id not in dead and (end is None or now < end)}
        # A shop that is above the limit already may still change or revoke keys.
        if len(live) > max(MAX_LIVE_KEYS, len(self.expiries)):
            raise LimitReachedError(f"a shop has {MAX_LIVE_KEYS} live keys at most; revoke one first")
        return LiveKeys(self.shop_id, self.version + 1, self.created_at or now, live)


def read_ledger(catalog: Catalog, shop_id: str) -> LiveKeys:
    """The shop's ledger, empty when no key was ever made."""
    record = catalog.get(shop_id, "SET", LEDGER_ID)
    if record is None:
        return LiveKeys(shop_id, 0, None, {})
    return LiveKeys(shop_id, record.head.version, record.head.created_at, dict(record.body["live"]))


def audited(key: ApiKey) -> Diff:
    """Fields for the audit, without the secret and its hash."""
    return {
        "name": key.name,
        "scopes": list(key.scopes),
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
        "rotated_to": key.rotated_to,
        "rate_limit_per_minute": key.rate_limit_per_minute,
    }


KEYS: Resource[ApiKey] = Resource(
    kind="KEY",
    noun="API key",
    entity="api_key",
    to_document=to_document,
    from_record=lambda record: from_document(record.body, record.head.version),
    summary=lambda key: Summary(name=key.name, archived_at=key.revoked_at, attributes={"key_kind": key.kind}),
    audited=audited,
    # Without them, the audit would not say what a key was allowed to do.
    audited_in_full=("scopes",),
    names=lambda key: Names(service_wide={claim_name(key.lookup_id): claim_attributes(key)}),
    shop_id=lambda key: key.shop_id or USERS,
)


class KeyStore(Aggregates[ApiKey]):
    """Keys of shops, and of users under `USERS`."""

    def __init__(self, world: World) -> None:
        super().__init__(world, KEYS)

    def companions(self, pairs: Sequence[tuple[ApiKey | None, ApiKey | None]]) -> Commit:
        """The shop's ledger of live keys. Raises LimitReachedError."""
        now = self.world.now()
        keys = [after for _, after in pairs if after is not None]
        # A deleted key leaves the ledger as a revoked one does.
        keys += [replace(before, revoked_at=now) for before, after in pairs if before is not None and after is None]
        # A user's key belongs to no shop, and the limit is one of shops.
        if not keys[0].shop_id:
            return NOTHING
        return Commit(puts=[ledger_put(self.world.catalog, keys, now)])


def ledger_put(catalog: Catalog, keys: Sequence[ApiKey], now: Timestamp) -> Put:
    """The write of the ledger once these keys of one shop are stored. Raises LimitReachedError."""
    before = read_ledger(catalog, keys[0].shop_id)
    after = before.after(keys, now)
    head = Head(
        shop_id=before.shop_id,
        kind="SET",
        id=LEDGER_ID,
        version=after.version,
        created_at=after.created_at or now,
        updated_at=now,
    )
    # The condition on the version makes concurrent creations see each other: the slower one counts again.
    return Put(record=Record(head=head, body={"live": dict(after.expiries)}), expected_version=before.version)
