"""Authentication: from the text of a bearer value to a live key, for every kind of key and every interface."""

import hmac
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from abtest.domain.credentials.api_keys import ApiKey, digest, parse
from abtest.domain.credentials.stored_keys import USERS, claim_name, from_document
from abtest.kit.clock import Timestamp, timestamp
from abtest.kit.errors import DatabaseBusyError, ServiceError
from abtest.ports.catalog import Catalog, Commit, Head, Put, Record, StaleVersionError
from abtest.ports.limits import RateLimiter
from abtest.services.context import World
from abtest.services.rate_limits import FailedAuthentications

# The longest that a revoked key can still read in another process; writes always look it up.
CACHE_SECONDS = 10
CACHE_SIZE = 512
MAX_REFUSALS = 1000
LAST_USED_SECONDS = 60


class InvalidApiKeyError(ServiceError):
    """Missing, malformed, expired, revoked or unknown key: one error, so that a key's state does not leak."""

    status = 401
    code = "invalid_api_key"

    def __init__(self) -> None:
        super().__init__("a valid API key is required", headers={"WWW-Authenticate": "Bearer"})


@dataclass(slots=True)
class _Remembered:
    key: ApiKey
    read_at: datetime
    used_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class _Refusal:
    """Lookup of an id that ended in a refusal. `live_sha256` is empty when no live key has the id.

    It does not become wrong: a dead key stays dead, and no one sends the id of a key that is created later.
    """

    read_at: datetime
    known_id: str
    live_sha256: str


class Authentication:
    """Lookup of keys, with a cache of some seconds, a limit of failures, and notes of last use.

    A valid key passes whatever others failed: from the cache, or by a lookup. What a flood of wrong keys costs is
    bounded: an id is looked up once in CACHE_SECONDS for all texts that are not its live key, and an id that is not
    stored costs one read of one item.
    """

    def __init__(self, world: World, limiter: RateLimiter) -> None:
        self._world = world
        self._failures = FailedAuthentications(limiter, world.clock)
        self._remembered: OrderedDict[str, _Remembered] = OrderedDict()
        self._refusals: OrderedDict[str, _Refusal] = OrderedDict()

    def identify(self, text: str, *, address: str, fresh: bool) -> ApiKey:
        """Return the live key with this text; `fresh` skips the cache, as writes do, so that revocations hold at once.

        Raises InvalidApiKeyError, and RateLimitedError instead when the address failed too often with the key's id.
        """
        now = self._world.clock.now()
        entry = None if fresh else self._remembered.get(digest(text))
        # Liveness is checked at each request, because a key may expire while it is cached.
        if entry is not None and _is_recent(entry.read_at, now) and entry.key.is_live(timestamp(now)):
            return entry.key
        parsed = parse(text)
        outcome = self._look_up(text, parsed.lookup_id, now) if parsed else None
        if isinstance(outcome, ApiKey):
            return outcome
        self._failures.count(address, outcome.known_id if outcome else "")
        raise InvalidApiKeyError

    def forget(self, key_id: str) -> None:
        """Drop a key that just changed from the cache."""
        stale = [name for name, entry in self._remembered.items() if entry.key.id == key_id]
        for name in stale:
            del self._remembered[name]

    def note_use(self, key: ApiKey) -> None:
        """Write the key's `last_used_at`, at most once a minute; never a reason to fail."""
        entry = self._remembered.get(key.sha256)
        now = self._world.clock.now()
        if entry is None or (entry.used_at and now - entry.used_at < timedelta(seconds=LAST_USED_SECONDS)):
            return
        # Set before the write, so that a failing write is not repeated by each request of this minute.
        entry.used_at = now
        try:
            write_last_used(self._world, entry.key, timestamp(now))
        except (StaleVersionError, DatabaseBusyError):
            return  # another request noted the same minute, or the note is not worth waiting for

    def _look_up(self, text: str, lookup_id: str, now: datetime) -> ApiKey | _Refusal:
        # All comparisons take constant time, so that the duration does not reveal how much of the digest agrees.
        sha256 = digest(text)
        refusal = self._refusals.get(lookup_id)
        if refusal and _is_recent(refusal.read_at, now) and not hmac.compare_digest(refusal.live_sha256, sha256):
            return refusal
        key = stored_key(self._world, lookup_id)
        is_live = key is not None and key.is_live(timestamp(now))
        if key and is_live and hmac.compare_digest(key.sha256, sha256):
            self._remember(key, now)
            return key
        refusal = _Refusal(now, lookup_id if key else "", key.sha256 if key and is_live else "")
        self._refusals[lookup_id] = refusal
        if len(self._refusals) > MAX_REFUSALS:
            self._refusals.popitem(last=False)
        return refusal

    def _remember(self, key: ApiKey, now: datetime) -> None:
        # Removed first: assignment to a present name keeps its old place, and the oldest place is evicted first.
        previous = self._remembered.pop(key.sha256, None)
        self._remembered[key.sha256] = _Remembered(key, now, previous.used_at if previous else None)
        if len(self._remembered) > CACHE_SIZE:
            self._remembered.popitem(last=False)


def _is_recent(read_at: datetime, now: datetime) -> bool:
    return now - read_at < timedelta(seconds=CACHE_SECONDS)


def stored_key(world: World, lookup_id: str) -> ApiKey | None:
    """The key with this id in its text, live or not."""
    target = world.catalog.resolve(None, claim_name(lookup_id))
    record = world.catalog.get(target[0], "KEY", target[1]) if target else None
    return from_document(record.body, record.head.version) if record else None


def stored_key_by_id(world: World, shop_id: str, key_id: str) -> ApiKey:
    """A key by its record id; `shop_id` "" means users' keys. Raises InvalidApiKeyError when it is gone."""
    record = world.catalog.get(shop_id or USERS, "KEY", key_id)
    if record is None:
        raise InvalidApiKeyError
    return from_document(record.body, record.head.version)


def last_used(catalog: Catalog, shop_id: str, key_ids: Sequence[str]) -> dict[str, Timestamp]:
    """Return the moment of the last use by key id. Uses have records of their own, so that keys keep their versions."""
    records = catalog.get_many(shop_id, "USED", key_ids)
    used_at = {record.head.id: str(record.body["last_used_at"]) for record in records}
    # Releases before 2026-11-23 stored it among the settings of the shop.
    former = {f"SET#USED#{key_id}": key_id for key_id in key_ids if key_id not in used_at}
    records = catalog.get_many(shop_id, "SET", list(former))
    return used_at | {former[record.head.id]: str(record.body["last_used_at"]) for record in records}


def write_last_used(world: World, key: ApiKey, now: Timestamp) -> None:
    """Store the moment unless one of the last minute is stored. Raises StaleVersionError when another is faster."""
    shop_id = key.shop_id or USERS
    record = world.catalog.get(shop_id, "USED", key.id)
    if record and _seconds_between(str(record.body["last_used_at"]), now) < LAST_USED_SECONDS:
        return
    version = record.head.version if record else 0
    created_at = record.head.created_at if record else now
    head = Head(
        shop_id=shop_id,
        kind="USED",
        id=key.id,
        version=version + 1,
        created_at=created_at,
        updated_at=now,
    )
    put = Put(record=Record(head=head, body={"last_used_at": now}), expected_version=version)
    world.catalog.commit(Commit(puts=[put]))


def _seconds_between(earlier: Timestamp, later: Timestamp) -> float:
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()
