"""Short-lived state in memory: rate limits, idempotency records, leases, sessions."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from abtest.adapters import token_bucket
from abtest.adapters.dynamo.sessions import session_item
from abtest.adapters.dynamo.sizes import check_item
from abtest.kit import canonical_json
from abtest.ports.limits import (
    ANSWER_KEPT,
    CLAIM_HELD,
    FirstRun,
    IdempotencyClaim,
    RateDecision,
    StoredAnswer,
    seconds_until,
)


class MemoryRateLimiter:
    """Token buckets in a dictionary."""

    def __init__(self) -> None:
        self._full_at: dict[str, int] = {}
        self._lock = threading.Lock()

    def take(self, bucket: str, *, limit: int, window_seconds: int, now: datetime, cost: int = 1) -> RateDecision:
        take = token_bucket.attempt(limit=limit, window_seconds=window_seconds, cost=cost, now=now)
        with self._lock:
            full_at = max(take.now, self._full_at.get(bucket, take.now))
            if take.refuses(full_at):
                return take.denied(full_at)
            self._full_at[bucket] = full_at + take.advance
            return take.allowed(self._full_at[bucket])


@dataclass(frozen=True, slots=True)
class _Claimed:
    body_hash: str
    free_at: datetime
    owner: str
    first: FirstRun
    answer: StoredAnswer | None = None

    def is_over(self, body_hash: str, now: datetime) -> bool:
        """The claim is free, and a request with this body has no first run to continue."""
        is_another = self.answer is not None or self.body_hash != body_hash
        return self.free_at <= now and (is_another or self.first.begun_at <= now - ANSWER_KEPT)


class MemoryIdempotency:
    """Idempotency records in a dictionary."""

    def __init__(self) -> None:
        self._records: dict[str, _Claimed] = {}
        self._lock = threading.Lock()

    def begin(self, key: str, *, body_hash: str, token: str, now: datetime) -> IdempotencyClaim:
        with self._lock:
            found = self._records.get(key)
            if found is None or found.is_over(body_hash, now):
                run = FirstRun(token=token, begun_at=now)
            elif found.answer is None and found.free_at <= now:
                run = replace(found.first, is_repeated=True)
            elif found.owner == token:
                return IdempotencyClaim(state="new", run=found.first)
            else:
                return _found(found, body_hash, now)
            self._records[key] = _Claimed(body_hash, now + CLAIM_HELD, token, run)
            return IdempotencyClaim(state="new", run=run)

    def finish(self, key: str, *, body_hash: str, answer: StoredAnswer, now: datetime) -> None:
        with self._lock:
            found = self._records.get(key)
            if found and found.answer is None and found.body_hash == body_hash:
                self._records[key] = replace(found, free_at=now + ANSWER_KEPT, answer=answer)

    def abandon(self, key: str, *, token: str, now: datetime) -> None:
        with self._lock:
            found = self._records.get(key)
            if found and found.answer is None and found.owner == token:
                self._records[key] = replace(found, free_at=now)


def _found(claimed: _Claimed, body_hash: str, now: datetime) -> IdempotencyClaim:
    if claimed.body_hash != body_hash:
        return IdempotencyClaim(state="mismatch")
    if claimed.answer is None:
        return IdempotencyClaim(state="running", retry_after=seconds_until(claimed.free_at, now))
    return IdempotencyClaim(state="done", answer=claimed.answer)


class MemoryLeases:
    """Leases in a dictionary."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[str, datetime]] = {}
        self.renewed_at: datetime | None = None
        self._lock = threading.Lock()

    def acquire(self, name: str, *, owner: str, seconds: int, now: datetime) -> bool:
        with self._lock:
            holder, until = self._held.get(name, (owner, now))
            if holder != owner and until > now:
                return False
            self._held[name] = (owner, now + timedelta(seconds=seconds))
            return True

    def renew(self, name: str, *, owner: str, seconds: int, now: datetime) -> bool:
        with self._lock:
            if self._held.get(name, ("", None))[0] != owner:
                return False
            self._held[name] = (owner, now + timedelta(seconds=seconds))
            self.renewed_at = now
            return True

    def is_held(self, name: str, *, now: datetime) -> bool:
        with self._lock:
            return name in self._held and self._held[name][1] > now

    def release(self, name: str, *, owner: str) -> None:
        with self._lock:
            if self._held.get(name, ("", None))[0] == owner:
                del self._held[name]


class MemorySessions:
    """Session documents in a dictionary."""

    def __init__(self) -> None:
        self._sessions: dict[str, tuple[bytes, datetime]] = {}
        self._lock = threading.Lock()

    def put(self, session_id: str, document: Mapping[str, Any], *, expires_at: datetime) -> None:
        check_item(session_item(session_id, document, expires_at))
        self._sessions[session_id] = (canonical_json.encode(dict(document)), expires_at)

    def create(self, session_id: str, document: Mapping[str, Any], *, expires_at: datetime, now: datetime) -> bool:
        with self._lock:
            if self.get(session_id, now=now) is not None:
                return False
            self.put(session_id, document, expires_at=expires_at)
        return True

    def replace(
        self, session_id: str, document: Mapping[str, Any], *, before: Mapping[str, Any], expires_at: datetime
    ) -> bool:
        with self._lock:
            text, _ = self._sessions.get(session_id, (b"", expires_at))
            if text != canonical_json.encode(dict(before)):
                return False
            self.put(session_id, document, expires_at=expires_at)
        return True

    def get(self, session_id: str, *, now: datetime) -> Mapping[str, Any] | None:
        text, expires_at = self._sessions.get(session_id, (b"null", now))
        return canonical_json.loads(text) if expires_at > now else None

    def delete(self, session_id: str) -> None:
        self._sessions.pop(session_id, None)

    def take(self, session_id: str, *, now: datetime) -> Mapping[str, Any] | None:
        with self._lock:
            document = self.get(session_id, now=now)
            self.delete(session_id)
        return document
