"""One attempt to bring a delivery to its endpoint: claimed before anything is sent, recorded whatever came of it."""

import logging
import threading
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.domain.webhooks import deliveries, envelope
from abtest.domain.webhooks.deliveries import DELETED, DISABLED, SNIPPET_BYTES, Delivery, Outcome
from abtest.domain.webhooks.health import Standing
from abtest.kit.clock import timestamp
from abtest.ports.deliveries import DeliveryStore, HealthChange, StaleDeliveryError
from abtest.ports.http_sender import MAX_ERROR, HttpAnswer, HttpSender, HttpUnreachableError
from abtest.services.context import World

HEALTH_READS = 5
"""How often an endpoint's health is read again because somebody changed it: people, and whoever outlived a lease."""

UNREADABLE_SECRET = "its secret cannot be opened: rotate it"  # noqa: S105 - a sentence

BEFORE_SENDING = {"dns", "connect", "tls"}
"""Failures after which a receiver has seen nothing of the request."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    """An endpoint as it is at the beginning of a round; `standing` is None for one that is gone."""

    standing: Standing | None
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def refusal(self, delivery: Delivery) -> str | None:
        """Why a delivery is not tried, if so. A test is how a shop finds out whether it may enable it again."""
        if self.standing is None or self.standing.webhook.archived_at is not None:
            return DELETED
        return None if self.standing.is_active or delivery.is_test else DISABLED


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts:
    """Those of a round at one endpoint; made in threads. `recorded` are the deliveries as the attempts left them."""

    world: World
    store: DeliveryStore
    receiver: Receiver
    sender: HttpSender
    recorded: list[Delivery] = field(default_factory=list)
    _health: threading.Lock = field(default_factory=threading.Lock)
    """Attempts of a round end together, and all write the endpoint's health: one after the other."""

    def make(self, delivery: Delivery) -> None:
        """Claim, send, record; what somebody else has moved meanwhile is theirs."""
        try:
            self._make(delivery)
        except StaleDeliveryError:
            _log.info("webhook.overtaken", extra={"delivery_id": delivery.id})

    def _make(self, delivery: Delivery) -> None:
        now = self.world.now()
        if reason := self.receiver.refusal(delivery):
            self.store.change(delivery, deliveries.closed(delivery, reason, now))
            return
        claimed = deliveries.claimed(delivery, now)
        if claimed.has_ended:
            self._record(delivery, claimed)
            return
        self.store.change(delivery, claimed)
        if outcome := self._outcome(claimed):
            self._record(claimed, deliveries.recorded(claimed, outcome, self.world.now()))

    def _outcome(self, delivery: Delivery) -> Outcome | None:
        """What came of sending; None for an error that nobody foresaw.

        Then the claim is left as a lost worker leaves it: the next attempt follows when it is stale. Others of the
        round go on, and an error of ours takes most of an hour to use up five attempts, not four minutes.
        """
        try:
            return self._send(delivery)
        except Exception:
            _log.exception("webhook.attempt_broken", extra={"delivery_id": delivery.id})
            return None

    def _send(self, delivery: Delivery) -> Outcome:
        if self.receiver.standing is None or not self.receiver.secrets:
            return Outcome(error=UNREADABLE_SECRET)
        began = self.world.clock.now()
        request = _request(delivery, self.receiver.standing.webhook.url, self.receiver.secrets, began)
        told: dict[str, object] = {"url": request.url, "headers": request.headers, "body": request.body.decode()}
        try:
            answer = self.sender.post(request.url, request.body, headers=request.headers)
        except UrlNotAllowedError as error:
            return Outcome(error=str(error)[:MAX_ERROR], duration_ms=self._since(began))
        except HttpUnreachableError as error:
            is_sent = error.failure not in BEFORE_SENDING
            return Outcome(error=str(error), duration_ms=self._since(began), request=told if is_sent else None)
        return _answered(answer, self._since(began), told)

    def _since(self, began: datetime) -> int:
        return max(0, (self.world.clock.now() - began) // timedelta(milliseconds=1))

    def _record(self, before: Delivery, after: Delivery) -> None:
        if after.is_test or after.status == "failed":
            self.store.change(before, after)
        else:
            with self._health:
                self._record_with_health(before, after)
        self.recorded.append(after)
        _log.info(
            "webhook.attempted",
            extra={"delivery_id": after.id, "delivery_status": after.status, "attempts": after.attempts},
        )

    def _record_with_health(self, before: Delivery, after: Delivery) -> None:
        """Health that somebody changed meanwhile is read again: what was sent must not go unrecorded for it."""
        for _ in range(HEALTH_READS):
            try:
                return self.store.change(before, after, self._health_change(after))
            except StaleDeliveryError:
                current = self.store.get(before.webhook_id, before.id)
                if current is None or current.version != before.version:
                    raise
        raise StaleDeliveryError(before.id)

    def _health_change(self, after: Delivery) -> HealthChange | None:
        known = self.store.health(after.webhook_id)
        if after.status == "dead":
            return HealthChange(known, known.after_dead(after.updated_at, str(after.last_error)))
        changed = known.after_delivered()
        return None if changed is known else HealthChange(known, changed)


@dataclass(frozen=True, slots=True)
class _Request:
    url: str
    headers: dict[str, str]
    body: bytes


def _request(delivery: Delivery, url: str, secrets: tuple[str, ...], at: datetime) -> _Request:
    body = envelope.serialized(
        delivery.payload,
        event=delivery.event,
        delivery_id=delivery.id,
        timestamp=timestamp(at),
        is_test=delivery.is_test,
    )
    headers = envelope.headers(
        body, event=delivery.event, delivery_id=delivery.id, at=int(at.timestamp()), secrets=secrets
    )
    return _Request(url, headers, body)


def _answered(answer: HttpAnswer, duration_ms: int, request: dict[str, object]) -> Outcome:
    return Outcome(
        status=answer.status,
        duration_ms=duration_ms,
        snippet=_snippet(answer.body),
        request=request,
    )


def _snippet(body: bytes) -> str | None:
    """The beginning of a body as text; what is no text takes three bytes each once it is told so."""
    text = body[:SNIPPET_BYTES].decode(errors="replace").encode()
    return text[:SNIPPET_BYTES].decode(errors="ignore") or None
