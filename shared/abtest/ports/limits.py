"""Short-lived state: rate limits, idempotency records, leases, sessions."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, Protocol

CLAIM_HELD = timedelta(seconds=60)
"""How long an idempotency claim keeps others out while its owner has not answered."""

ANSWER_KEPT = timedelta(hours=24)
"""How long an answer is repeated under its idempotency key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateDecision:
    """Whether the request may go on, and what the headers say. `reset_at` is Unix seconds when the bucket is full."""

    allowed: bool
    limit: int
    remaining: int
    reset_at: int
    retry_after: int


class RateLimiter(Protocol):
    """Token buckets shared by all instances."""

    def take(self, bucket: str, *, limit: int, window_seconds: int, now: datetime, cost: int = 1) -> RateDecision:
        """Take `cost` tokens from a bucket that holds `limit` and refills evenly, fully in `window_seconds`.

        `retry_after` is 0 when allowed, otherwise the seconds, at least 1, until enough is there.
        Nothing is taken when too few are left; a cost of 0 only looks, and is always allowed. A store that does not
        answer lets the request pass.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """The first answer given under an idempotency key."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyClaim:
    """What was found: `new` (go on), `running` (the first has not answered), `done` (repeat `answer`), `mismatch`."""

    state: Literal["new", "running", "done", "mismatch"]
    answer: StoredAnswer | None = None


class Idempotency(Protocol):
    """Answers kept per (key id, method, path, Idempotency-Key) for 24 hours."""

    def begin(self, key: str, *, body_hash: str, now: datetime) -> IdempotencyClaim:
        """Claim the key, or learn what stands there. A claim whose owner died is free again after 60 s."""
        ...

    def finish(self, key: str, *, body_hash: str, answer: StoredAnswer, now: datetime) -> None:
        """Keep the answer for 24 hours, unless the claim has passed to another body or was answered already."""
        ...

    def abandon(self, key: str) -> None:
        """Forget the claim: this answer is not to be repeated. An answer that is kept stays."""
        ...


class Leases(Protocol):
    """At most one holder of a name at a time."""

    def acquire(self, name: str, *, owner: str, seconds: int, now: datetime) -> bool:
        """Whether `owner` holds the lease now; an expired one can be taken."""
        ...

    def is_held(self, name: str, *, now: datetime) -> bool:
        """Whether anybody holds it; who reads so after a write knows that the holder has yet to give it back."""
        ...

    def release(self, name: str, *, owner: str) -> None:
        """Give it back if still held."""
        ...


class Sessions(Protocol):
    """Small documents that expire (preview sessions, cart hand-offs)."""

    def put(self, session_id: str, document: Mapping[str, Any], *, expires_at: datetime) -> None:
        """Store until then."""
        ...

    def get(self, session_id: str, *, now: datetime) -> Mapping[str, Any] | None:
        """The document, or None when absent or expired."""
        ...

    def delete(self, session_id: str) -> None:
        """Remove; absent is fine."""
        ...
