"""Stores of short-lived state: rate limits, idempotency records, leases, sessions."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Any, Literal, Protocol

CLAIM_HELD = timedelta(seconds=60)
"""Time after which the claim of an idempotency key expires when its owner has not stored a response."""

ANSWER_KEPT = timedelta(hours=24)
"""Time for which a response is repeated under its idempotency key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RateDecision:
    """Decision about a request, with the values of its headers.

    `reset_at` is when the bucket will be full, in Unix seconds. `retry_after` is 0 when allowed, otherwise the seconds,
    at least 1, until the request would be allowed.
    """

    allowed: bool
    limit: int
    remaining: int
    reset_at: int
    retry_after: int


class RateLimiter(Protocol):
    """Token buckets that all instances share."""

    def take(self, bucket: str, *, limit: int, window_seconds: int, now: datetime, cost: int = 1) -> RateDecision:
        """Take `cost` tokens from a bucket that holds `limit` and refills evenly, fully in `window_seconds`.

        Takes nothing when fewer are left. A cost of 0 only reads the bucket and is always allowed. Requests are allowed
        when the store does not respond.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """First response under an idempotency key."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstRun:
    """First run of a request under an idempotency key: its token, and when it began.

    `is_repeated` when it ended without a response and this is a later run of the same request.
    """

    token: str
    begun_at: datetime
    is_repeated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyClaim:
    """State of an idempotency key.

    `new`: the caller holds the claim and runs the request, for the first time or again; see `run`. `running`: another
    run has no response yet; its claim is free after `retry_after` seconds, at least 1. `done`: repeat `answer`.
    `mismatch`: the key was used with another body.
    """

    state: Literal["new", "running", "done", "mismatch"]
    run: FirstRun | None = None
    retry_after: int = 0
    answer: StoredAnswer | None = None


def seconds_until(moment: datetime, now: datetime) -> int:
    """Return the seconds until a moment, rounded up and at least 1, as Retry-After states them."""
    return max(1, ceil((moment - now).total_seconds()))


class Idempotency(Protocol):
    """Responses by API key, method, path and Idempotency-Key, kept for 24 hours."""

    def begin(self, key: str, *, body_hash: str, token: str, now: datetime) -> IdempotencyClaim:
        """Claim the key if it is free, and return its state. A claim without a response is free after 60 s.

        `token` is new for each call; one that is sent again has the claim that it took. A free claim keeps its first
        run for 24 hours, so that a later run with the same body can continue it. With another body, or after that time,
        a first run begins.
        """
        ...

    def finish(self, key: str, *, body_hash: str, answer: StoredAnswer, now: datetime) -> None:
        """Store the response for 24 hours, unless one is stored or the claim now belongs to another body."""
        ...

    def abandon(self, key: str, *, token: str, now: datetime) -> None:
        """Free the claim of this token without a response. What it knows of the first run is kept."""
        ...


class Leases(Protocol):
    """Leases: at most one holder of a name at a time."""

    def acquire(self, name: str, *, owner: str, seconds: int, now: datetime) -> bool:
        """Take the lease if it is free or expired. Return whether `owner` has taken it."""
        ...

    def renew(self, name: str, *, owner: str, seconds: int, now: datetime) -> bool:
        """Prolong the lease if `owner` has it. Return False when it was released, or another owner has taken it.

        One that has expired, but that no other owner has taken, is prolonged.
        """
        ...

    def is_held(self, name: str, *, now: datetime) -> bool:
        """Return whether the lease is held, read consistently.

        If it is held after a write of the caller, its holder will release it after that write.
        """
        ...

    def release(self, name: str, *, owner: str) -> None:
        """Release the lease if `owner` still holds it."""
        ...


class Sessions(Protocol):
    """Small documents that expire, such as preview sessions, cart hand-offs and sign-in sessions."""

    def put(self, session_id: str, document: Mapping[str, Any], *, expires_at: datetime) -> None:
        """Store the document until `expires_at`. Raises ItemTooLargeError for more than 400 KB."""
        ...

    def create(self, session_id: str, document: Mapping[str, Any], *, expires_at: datetime, now: datetime) -> bool:
        """Store the document unless one is stored that has not expired; return whether it is stored.

        Raises ItemTooLargeError.
        """
        ...

    def get(self, session_id: str, *, now: datetime) -> Mapping[str, Any] | None:
        """Return the document, or None when it is absent or expired."""
        ...

    def replace(
        self, session_id: str, document: Mapping[str, Any], *, before: Mapping[str, Any], expires_at: datetime
    ) -> bool:
        """Store the document in place of `before`. Return False, and change nothing, unless that is stored now.

        Raises ItemTooLargeError.
        """
        ...

    def delete(self, session_id: str) -> None:
        """Remove the document. Does nothing when it is absent."""
        ...

    def take(self, session_id: str, *, now: datetime) -> Mapping[str, Any] | None:
        """Remove the document and return it, or None when it is absent or expired. One of several callers gets it."""
        ...
