"""A delivery and its moves: queued, processing, then delivered, failed for now, or dead. Pure; time is an argument.

Workers die at any line: an attempt is counted when it begins, and one that was not heard of for ten minutes may be
followed by the next. Whoever records an attempt must still hold it: a delivery moves from one version to the next.
"""

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, Literal

from abtest.domain.webhooks.endpoint import Webhook
from abtest.kit.clock import Timestamp, parse_timestamp, timestamp
from abtest.kit.documents import Document, decode, encode

Status = Literal["queued", "processing", "delivered", "failed", "dead"]

MAX_ATTEMPTS = 5
FIRST_RETRY = timedelta(seconds=15)
LONGEST_RETRY = timedelta(minutes=30)
STALE = timedelta(minutes=10)
"""A delivery that has been processing for longer has lost its worker."""

KEPT = timedelta(days=30)
"""How long a delivery can be read."""

RECOVERABLE = timedelta(days=14)
"""How long after it was made a dead one can be queued again."""

SNIPPET_BYTES = 1024

MOST_LOGGED = 100
"""Attempts that the log tells of, the newest: who recovers a delivery again and again would make it too large."""

DELETED, DISABLED = "webhook_deleted", "webhook_disabled"
"""Why deliveries are closed that were never tried to the end."""

LOST = "its worker was lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What an attempt came to: the receiver's status, or an error in words when there was no answer.

    `request` is what was sent: `{"url", "headers", "body"}`; None when nothing was.
    """

    status: int | None = None
    error: str | None = None
    duration_ms: int = 0
    snippet: str | None = None
    request: Mapping[str, Any] | None = None

    @property
    def is_success(self) -> bool:
        """Whether the receiver took it."""
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
        """When a worker may take it up; None once it has come to its end."""
        if self.status == "processing" and self.processing_started_at is not None:
            return _after(self.processing_started_at, STALE)
        return self.next_attempt_at if self.status in ("queued", "failed") else None

    @property
    def subject(self) -> str:
        """The experiment or project that it tells of; its own id where it tells of neither."""
        about = self.payload.get("experiment_id") or self.payload.get("project_id")
        return about if isinstance(about, str) else self.id

    @property
    def has_ended(self) -> bool:
        """Whether no worker will take it up again by itself."""
        return self.status in ("delivered", "dead")

    def is_claimable(self, now: Timestamp) -> bool:
        """Whether a worker may take it up at a moment."""
        return self.due_at is not None and self.due_at <= now


def document_of(delivery: Delivery) -> Document:
    """The delivery as it is stored."""
    return encode(delivery)


def delivery_from(document: Mapping[str, object]) -> Delivery:
    """The stored delivery."""
    return decode(Delivery, document)


def delivery_id(row_id: str, webhook_id: str) -> str:
    """The id of the delivery of an event (the UUID 7 of its outbox row) to an endpoint: the same however often asked.

    A UUID 7 of the event's moment, so that deliveries sort as their events do; the rest is derived from both ids.
    """
    derived = int.from_bytes(hashlib.sha256(f"{row_id} {webhook_id}".encode()).digest()[:8], "big")
    moment = uuid.UUID(row_id).int >> 64
    return str(uuid.UUID(int=moment << 64 | 0b10 << 62 | derived >> 2))


def queued(webhook: Webhook, delivery_id: str, event: str, payload: Mapping[str, Any], now: Timestamp) -> Delivery:
    """A new one, due at once."""
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
    """In groups, each to be sent one after another: what is told of one experiment should arrive in its order."""
    groups = dict[str, list[Delivery]]()
    for delivery in some:
        groups.setdefault(delivery.subject, []).append(delivery)
    return list(groups.values())


def retry_delay(attempts: int) -> timedelta:
    """How long to wait after so many attempts (1 and up): 15 s, twice as long each time, 30 minutes at most."""
    doublings: int = 2 ** min(attempts - 1, 20)
    return min(FIRST_RETRY * doublings, LONGEST_RETRY)


def claimed(delivery: Delivery, now: Timestamp) -> Delivery:
    """In a new attempt; dead where a worker was lost in the last one there was."""
    if delivery.attempts >= MAX_ATTEMPTS:
        return closed(delivery, LOST, now)
    return _changed(
        _without_worker(delivery, now),
        now,
        status="processing",
        attempts=delivery.attempts + 1,
        processing_started_at=now,
        next_attempt_at=None,
    )


def recorded(delivery: Delivery, outcome: Outcome, now: Timestamp) -> Delivery:
    """After an attempt that came to an end."""
    told = _logged(delivery, outcome, now)
    found: dict[str, Any] = {
        "response_status": outcome.status,
        "last_error": _error(outcome),
        "processing_started_at": None,
    }
    if outcome.request is not None:
        found["request"] = outcome.request
    if outcome.is_success:
        return _changed(told, now, status="delivered", delivered_at=now, **found)
    if delivery.attempts >= MAX_ATTEMPTS:
        return _changed(told, now, status="dead", **found)
    retry_at = _after(now, retry_delay(delivery.attempts))
    return _changed(told, now, status="failed", next_attempt_at=retry_at, **found)


def closed(delivery: Delivery, reason: str, now: Timestamp) -> Delivery:
    """Given up for a reason that is not the receiver's answer."""
    told = _without_worker(delivery, now)
    return _changed(told, now, status="dead", last_error=reason, next_attempt_at=None, processing_started_at=None)


def requeued(delivery: Delivery, now: Timestamp) -> Delivery:
    """Once more from the first attempt on, under its own id: a receiver that has it knows it again."""
    return _changed(delivery, now, status="queued", attempts=0, next_attempt_at=now, last_error=None)


def _without_worker(delivery: Delivery, now: Timestamp) -> Delivery:
    """The log has an entry for an attempt that nobody brought to an end, too."""
    return _logged(delivery, Outcome(error=LOST), now) if delivery.status == "processing" else delivery


def _logged(delivery: Delivery, outcome: Outcome, now: Timestamp) -> Delivery:
    entry = {
        "n": delivery.log[-1]["n"] + 1 if delivery.log else 1,
        "at": delivery.processing_started_at or now,
        "status": outcome.status,
        "duration_ms": outcome.duration_ms,
        "error": _error(outcome),
        "response_snippet": outcome.snippet,
    }
    return replace(delivery, log=(*delivery.log, entry)[-MOST_LOGGED:])


def _error(outcome: Outcome) -> str | None:
    if outcome.error is not None or outcome.is_success:
        return outcome.error
    return f"the receiver answered {outcome.status}"


def _changed(delivery: Delivery, now: Timestamp, **fields: Any) -> Delivery:
    return replace(delivery, updated_at=now, version=delivery.version + 1, **fields)


def _after(moment: Timestamp, duration: timedelta) -> Timestamp:
    return timestamp(parse_timestamp(moment) + duration)
