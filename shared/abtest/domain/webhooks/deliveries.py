"""Delivery and its states: queued, processing, then delivered, failed for now, or dead. Pure; time is an argument.

A worker can die at any line: an attempt is counted when it begins, and one without news may be followed by the next,
after `CLAIM_HELD` by the worker that then holds the endpoint's lease, and after ten minutes where two workers were lost
before. A worker that records an attempt must still hold it: versions of a delivery are consecutive.
"""

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import islice, takewhile
from typing import Any, Literal

from abtest.domain.webhooks.endpoint import Webhook
from abtest.kit.clock import Timestamp, later
from abtest.kit.documents import Document, decode, encode

Status = Literal["queued", "processing", "delivered", "failed", "dead"]

MAX_ATTEMPTS = 5
FIRST_RETRY = timedelta(seconds=15)
LONGEST_RETRY = timedelta(minutes=30)
CLAIM_HELD = timedelta(seconds=20)
"""Age from which a claim may be taken over by a worker that holds the endpoint's lease.

An exchange takes 10 s at most, so by then the claim's worker has recorded it, or it has lost the lease with it.
"""

STALE = timedelta(minutes=10)
"""A delivery that has been processing for longer has lost its worker, whatever is known of the lease."""

QUICK_LOSSES = 2
"""Lost workers in a row after which each further claim of a delivery is held for `STALE`: it may be what ends them."""

KEPT = timedelta(days=30)
"""Time for which a delivery can be read."""

RECOVERABLE = timedelta(days=14)
"""Time after its creation within which a dead delivery can be queued again."""

SNIPPET_BYTES = 1024

MOST_LOGGED = 100
"""Newest attempts that the log keeps: a delivery that is recovered many times would become too large."""

DELETED, DISABLED = "webhook_deleted", "webhook_disabled"
"""Reasons to close deliveries that were not attempted to the end."""

LOST = "its worker was lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Outcome of an attempt: the receiver's status, or an error in words when there was no answer.

    `request` is the request that was sent: `{"url", "headers", "body"}`; None when none was.
    """

    status: int | None = None
    error: str | None = None
    duration_ms: int = 0
    snippet: str | None = None
    request: Mapping[str, Any] | None = None

    @property
    def is_success(self) -> bool:
        """Return whether the receiver accepted the delivery."""
        return self.status is not None and 200 <= self.status < 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One event on its way to one endpoint. `log` has an entry for each attempt, numbered on after a recovery."""

    id: str
    webhook_id: str
    shop_id: str
    event: str
    payload: Mapping[str, Any]
    created_at: Timestamp
    updated_at: Timestamp
    status: Status = "queued"
    attempts: int = 0
    response_status: int | None = None
    last_error: str | None = None
    next_attempt_at: Timestamp | None = None
    processing_started_at: Timestamp | None = None
    delivered_at: Timestamp | None = None
    redelivery_of: str | None = None
    is_test: bool = False
    request: Mapping[str, Any] | None = None
    log: tuple[Mapping[str, Any], ...] = field(default=())
    version: int = 1

    @property
    def due_at(self) -> Timestamp | None:
        """Return when a worker may take it; None once it has ended."""
        if self.status == "processing" and self.processing_started_at is not None:
            return later(self.processing_started_at, CLAIM_HELD if self.lost_in_a_row < QUICK_LOSSES else STALE)
        return self.next_attempt_at if self.status in ("queued", "failed") else None

    @property
    def lost_in_a_row(self) -> int:
        """Return how many attempts just before the one in progress have lost their worker, since the last recovery."""
        before = islice(reversed(self.log), max(0, self.attempts - 1))
        return sum(1 for _ in takewhile(lambda entry: entry["error"] == LOST, before))

    @property
    def subject(self) -> str:
        """Return the experiment or project that it is about; its own id where it is about neither."""
        about = self.payload.get("experiment_id") or self.payload.get("project_id")
        return about if isinstance(about, str) else self.id

    @property
    def has_ended(self) -> bool:
        """Return whether no worker will take it again by itself."""
        return self.status in ("delivered", "dead")

    def is_claimable(self, now: Timestamp) -> bool:
        """Return whether a worker may take it at a moment."""
        return self.due_at is not None and self.due_at <= now


def document_of(delivery: Delivery) -> Document:
    """Return the stored form of a delivery."""
    return encode(delivery)


def delivery_from(document: Mapping[str, object]) -> Delivery:
    """Return the delivery of a stored form."""
    return decode(Delivery, document)


def delivery_id(row_id: str, webhook_id: str) -> str:
    """Return the id of the delivery of an event (the UUID 7 of its outbox row) to an endpoint; always the same one.

    A UUID 7 of the event's moment, so that deliveries sort as their events do; the rest is derived from both ids.
    """
    derived = int.from_bytes(hashlib.sha256(f"{row_id} {webhook_id}".encode()).digest()[:8], "big")
    # The upper half of a UUID 7 is milliseconds, version and 12 bits of its own; 0b10 is the variant (RFC 9562).
    moment = uuid.UUID(row_id).int >> 64
    return str(uuid.UUID(int=moment << 64 | 0b10 << 62 | derived >> 2))


def queued(webhook: Webhook, delivery_id: str, event: str, payload: Mapping[str, Any], now: Timestamp) -> Delivery:
    """Return a new delivery, due at once."""
    return Delivery(
        id=delivery_id,
        webhook_id=webhook.id,
        shop_id=webhook.shop_id,
        event=event,
        payload=payload,
        created_at=now,
        updated_at=now,
        next_attempt_at=now,
    )


def by_subject(some: Sequence[Delivery]) -> list[list[Delivery]]:
    """Return groups whose deliveries are sent one after another, so that events of one experiment arrive in order."""
    groups = dict[str, list[Delivery]]()
    for delivery in some:
        groups.setdefault(delivery.subject, []).append(delivery)
    return list(groups.values())


def retry_delay(attempts: int) -> timedelta:
    """Return the wait after so many attempts (1 and up): 15 s, twice as long each time, 30 minutes at most."""
    # Limited, because timedelta overflows before `min` below is applied. Annotated, as int ** int is Any to mypy.
    doublings: int = 2 ** min(attempts - 1, 20)
    return min(FIRST_RETRY * doublings, LONGEST_RETRY)


def claimed(delivery: Delivery, now: Timestamp) -> Delivery:
    """Return the delivery in a new attempt; dead where a worker was lost in its last one."""
    if delivery.attempts >= MAX_ATTEMPTS:
        return closed(delivery, LOST, now)
    return _changed(
        with_lost_attempt(delivery, now),
        now,
        status="processing",
        attempts=delivery.attempts + 1,
        processing_started_at=now,
        next_attempt_at=None,
    )


def recorded(delivery: Delivery, outcome: Outcome, now: Timestamp) -> Delivery:
    """Return the delivery after an attempt with this outcome."""
    logged = with_entry(delivery, outcome, now)
    fields: dict[str, Any] = {
        "response_status": outcome.status,
        "last_error": logged.log[-1]["error"],
        "processing_started_at": None,
    }
    # Where nothing was sent this time, the request of the attempt before remains readable.
    if outcome.request is not None:
        fields["request"] = outcome.request
    if outcome.is_success:
        return _changed(logged, now, status="delivered", delivered_at=now, **fields)
    if delivery.attempts >= MAX_ATTEMPTS:
        return _changed(logged, now, status="dead", **fields)
    retry_at = later(now, retry_delay(delivery.attempts))
    return _changed(logged, now, status="failed", next_attempt_at=retry_at, **fields)


def closed(delivery: Delivery, reason: str, now: Timestamp) -> Delivery:
    """Return the delivery, given up for a reason other than the receiver's answer."""
    logged = with_lost_attempt(delivery, now)
    return _changed(logged, now, status="dead", last_error=reason, next_attempt_at=None, processing_started_at=None)


def requeued(delivery: Delivery, now: Timestamp) -> Delivery:
    """Return the delivery, due again from the first attempt on. It keeps its id, so a receiver can recognise it."""
    return _changed(delivery, now, status="queued", attempts=0, next_attempt_at=now, last_error=None)


def with_lost_attempt(delivery: Delivery, now: Timestamp) -> Delivery:
    """Return the delivery with a log entry for an attempt that its worker did not end."""
    return with_entry(delivery, Outcome(error=LOST), now) if delivery.status == "processing" else delivery


def with_entry(delivery: Delivery, outcome: Outcome, now: Timestamp) -> Delivery:
    """Return the delivery with a log entry for its current attempt."""
    error = outcome.error
    if error is None and not outcome.is_success:
        error = f"the receiver answered {outcome.status}"
    entry = {
        # By the newest entry: the log drops old ones, and `attempts` begins again after a recovery.
        "n": delivery.log[-1]["n"] + 1 if delivery.log else 1,
        "at": delivery.processing_started_at or now,
        "status": outcome.status,
        "duration_ms": outcome.duration_ms,
        "error": error,
        "response_snippet": outcome.snippet,
    }
    return replace(delivery, log=(*delivery.log, entry)[-MOST_LOGGED:])


def _changed(delivery: Delivery, now: Timestamp, **fields: Any) -> Delivery:
    return replace(delivery, updated_at=now, version=delivery.version + 1, **fields)
