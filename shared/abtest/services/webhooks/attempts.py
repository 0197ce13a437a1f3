"""Attempts to send deliveries to their endpoint: each is claimed before anything is sent, and recorded afterwards."""

import logging
import threading
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.domain.webhooks import deliveries, envelope
from abtest.domain.webhooks.deliveries import DELETED, DISABLED, SNIPPET_BYTES, Delivery, Outcome
from abtest.domain.webhooks.health import EndpointHealth
from abtest.kit.clock import timestamp
from abtest.ports.deliveries import DeliveryStore, HealthChange, StaleDeliveryError
from abtest.ports.http_sender import MAX_ERROR, HttpSender, HttpUnreachableError
from abtest.services.context import World

HEALTH_READS = 5
"""How often an endpoint's health is read again after a race with a user or with a worker that outlived its lease."""

UNREADABLE_SECRET = "its secret cannot be opened: rotate it"  # noqa: S105 - a sentence

BEFORE_SENDING = {"dns", "connect", "tls"}
"""Failures after which a receiver has seen nothing of the request."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    """Endpoint at the beginning of a round, with its open secrets; `endpoint` is None for one that is gone."""

    endpoint: EndpointHealth | None
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def refusal(self, delivery: Delivery) -> str | None:
        """Return why a delivery is not tried, if so. A test is tried, because it shows whether to enable again."""
        if self.endpoint is None or self.endpoint.webhook.archived_at is not None:
            return DELETED
        return None if self.endpoint.is_active or delivery.is_test else DISABLED


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempts:
    """Attempts of a round at one endpoint, made in threads. `recorded` are the deliveries after their attempts."""

    world: World
    store: DeliveryStore
    receiver: Receiver
    sender: HttpSender
    recorded: list[Delivery] = field(default_factory=list)
    _health: threading.Lock = field(default_factory=threading.Lock)
    """Attempts of a round end together, and all write the endpoint's health: one after the other."""

    def make(self, delivery: Delivery) -> None:
        """Claim, send and record; a delivery that another worker moved meanwhile is left to it."""
        try:
            now = self.world.now()
            if reason := self.receiver.refusal(delivery):
                # Not recorded as an attempt: an endpoint that is gone or disabled must not fail once more for it.
                self.store.change(delivery, deliveries.closed(delivery, reason, now))
                return
            claimed = deliveries.claimed(delivery, now)
            # Its last worker was lost in the fifth attempt. That is a dead delivery as any other, so it counts for
            # health.
            if claimed.has_ended:
                self.record(delivery, claimed)
                return
            self.store.change(delivery, claimed)
            # This process was suspended, or the store was slow: another worker may have taken the claim over.
            if claimed.is_claimable(self.world.now()):
                _log.warning("webhook.claimed_too_slowly", extra={"delivery_id": delivery.id})
                return
            try:
                outcome = self.send(claimed)
            except Exception:
                # The claim stays as a lost worker leaves it: the next attempt follows when it may be taken over. Others
                # of the round go on, and an error of ours takes half an hour to use up five attempts, not four minutes.
                _log.exception("webhook.attempt_broken", extra={"delivery_id": delivery.id})
                return
            self.record(claimed, deliveries.recorded(claimed, outcome, self.world.now()))
        except StaleDeliveryError:
            _log.info("webhook.overtaken", extra={"delivery_id": delivery.id})

    def send(self, delivery: Delivery) -> Outcome:
        """Send the request and return its outcome, also for an address that cannot be reached or is not allowed."""
        if self.receiver.endpoint is None or not self.receiver.secrets:
            return Outcome(error=UNREADABLE_SECRET)
        began = self.world.clock.now()
        url, body = self.receiver.endpoint.webhook.url, serialized(delivery, began)
        headers = envelope.headers(
            body,
            event=delivery.event,
            delivery_id=delivery.id,
            at=int(began.timestamp()),
            secrets=self.receiver.secrets,
        )
        request: dict[str, object] = {"url": url, "headers": headers, "body": body.decode()}
        try:
            answer = self.sender.post(url, body, headers=headers)
        except UrlNotAllowedError as error:
            return Outcome(error=str(error)[:MAX_ERROR], duration_ms=self.milliseconds_since(began))
        except HttpUnreachableError as error:
            # The log must show a request only where the receiver may have acted on it, as it may after a timeout.
            seen = None if error.failure in BEFORE_SENDING else request
            return Outcome(error=str(error), duration_ms=self.milliseconds_since(began), request=seen)
        duration = self.milliseconds_since(began)
        return Outcome(status=answer.status, duration_ms=duration, snippet=snippet(answer.body), request=request)

    def milliseconds_since(self, began: datetime) -> int:
        """Return the time since a moment in whole milliseconds; 0 when the clock was set back."""
        return max(0, (self.world.clock.now() - began) // timedelta(milliseconds=1))

    def record(self, before: Delivery, after: Delivery) -> None:
        """Store the delivery after its attempt, with the endpoint's health where that changes."""
        # Only an end changes health: a retry that succeeds makes the failures before it meaningless.
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
        # Health that was changed meanwhile is read again, so that a sent request does not stay unrecorded for it.
        for _ in range(HEALTH_READS):
            known = self.store.health(after.webhook_id)
            dead = after.status == "dead"
            changed = known.after_dead(after.updated_at, str(after.last_error)) if dead else known.after_delivered()
            try:
                return self.store.change(before, after, None if changed is known else HealthChange(known, changed))
            except StaleDeliveryError:
                # The conflict may be about either of the two records. Only a delivery that was moved is another
                # worker's now.
                current = self.store.get(before.webhook_id, before.id)
                if current is None or current.version != before.version:
                    raise
        raise StaleDeliveryError(before.id)


def serialized(delivery: Delivery, at: datetime) -> bytes:
    """Return the body of the request that is sent at this moment."""
    return envelope.serialized(
        delivery.payload,
        event=delivery.event,
        delivery_id=delivery.id,
        timestamp=timestamp(at),
        is_test=delivery.is_test,
    )


def snippet(body: bytes) -> str | None:
    """Return the beginning of a body as text; None for an empty one."""
    # A byte that is not text becomes a replacement character of three bytes, so the result is cut once more.
    text = body[:SNIPPET_BYTES].decode(errors="replace").encode()
    return text[:SNIPPET_BYTES].decode(errors="ignore") or None
