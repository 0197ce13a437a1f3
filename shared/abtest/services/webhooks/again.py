"""Sending once more, or just to see: tests, redeliveries, and recovery after an outage.

The audit comes first: deliveries lie in a table of their own, and nothing may be sent that nobody is known to have
asked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from abtest.domain.changes.change import Change
from abtest.domain.webhooks import deliveries
from abtest.domain.webhooks.catalogue import EVENTS
from abtest.domain.webhooks.deliveries import RECOVERABLE, Delivery
from abtest.domain.webhooks.endpoint import Webhook
from abtest.domain.webhooks.health import Standing
from abtest.kit.clock import Timestamp, timestamp
from abtest.kit.errors import FieldError, NotFoundError, ServiceError, ValidationFailedError
from abtest.ports.deliveries import DeliveryFilter, DeliveryStore, StaleDeliveryError
from abtest.ports.limits import RateLimiter
from abtest.services.aggregates import Aggregates
from abtest.services.context import Caller, World
from abtest.services.retrying import refuse_other_version
from abtest.services.throttling import RateLimitedError
from abtest.services.webhooks.delivery_log import pages
from abtest.services.webhooks.doorbell import Doorbell
from abtest.services.webhooks.endpoints import usable
from abtest.services.webhooks.records import WEBHOOKS, read_standing

ASKED_AT_MOST, WINDOW_SECONDS = 10, 60
"""Tests and redeliveries together, of one endpoint."""

_READ_AT_ONCE = 100
_TIME = timedelta(seconds=15)
"""How long one request goes on; what is left over is told."""


class WebhookDisabledError(ServiceError):
    """Nothing is sent to the endpoint at present."""

    status = 409
    code = "webhook_disabled"

    def __init__(self) -> None:
        super().__init__('the webhook is disabled; enable it with PATCH /webhooks/{id} and {"active": true}')


@dataclass(frozen=True, slots=True)
class Recovered:
    """How many deliveries are queued again; `has_more` says that time ran out before the end."""

    requeued: int
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """Use cases. Each raises NotFoundError, VersionConflictError, and ConflictError for an archived endpoint."""

    world: World
    store: DeliveryStore
    limiter: RateLimiter
    doorbell: Doorbell

    def test(
        self, caller: Caller, webhook_id: str, event: str | None, *, expected_version: int | None = None
    ) -> Delivery:
        """An example of an event, sent even where the endpoint is disabled. Raises RateLimitedError."""
        webhook = self._read(caller.shop_id, webhook_id, expected_version).webhook
        self._count(webhook_id)
        name = event or webhook.events[0]
        return self._queue(
            caller, webhook, "test", replace(self._new(webhook, name, EVENTS[name].example), is_test=True)
        )

    def redeliver(
        self, caller: Caller, webhook_id: str, delivery_id: str, *, expected_version: int | None = None
    ) -> Delivery:
        """The same event in a delivery of its own. Raises WebhookDisabledError, RateLimitedError."""
        found = self._read(caller.shop_id, webhook_id)
        original = self.store.get(webhook_id, delivery_id)
        if original is None:
            raise NotFoundError("no such delivery")
        refuse_other_version(expected_version, original.version)
        _refuse_disabled(found)
        self._count(webhook_id)
        new = self._new(found.webhook, original.event, original.payload)
        again = replace(new, is_test=original.is_test, redelivery_of=original.id)
        return self._queue(caller, found.webhook, "redeliver", again)

    def recover(
        self,
        caller: Caller,
        webhook_id: str,
        since: Timestamp,
        until: Timestamp | None,
        *,
        expected_version: int | None = None,
    ) -> Recovered:
        """Queue dead deliveries made in this time again, under their own ids. Doing it twice is harmless.

        The oldest first, and all due at the same moment, so that they are sent in the order of their events whenever a
        worker comes; what time was too short for is younger and is sent later.

        Raises ValidationFailedError, WebhookDisabledError.
        """
        found = self._read(caller.shop_id, webhook_id, expected_version)
        self._refuse_time(since, until)
        _refuse_disabled(found)
        self._note(caller, found.webhook, "recover", {"since": since, "until": until})
        which = DeliveryFilter(status="dead", since=since, until=until)
        began, requeued, has_more = self.world.clock.now(), 0, False
        for some, is_last in pages(self.store, webhook_id, which, limit=_READ_AT_ONCE, oldest_first=True):
            requeued += sum(self._requeued(delivery, timestamp(began)) for delivery in some)
            has_more = not is_last
            if some:
                self.doorbell.deliveries(caller.shop_id, webhook_id)
            if self.world.clock.now() - began >= _TIME:
                break
        return Recovered(requeued, has_more)

    def _read(self, shop_id: str, webhook_id: str, expected_version: int | None = None) -> Standing:
        return usable(read_standing(self.world.catalog, self.store, shop_id, webhook_id), expected_version)

    def _refuse_time(self, since: Timestamp, until: Timestamp | None) -> None:
        if since < timestamp(self.world.clock.now() - RECOVERABLE):
            raise _out_of_reach("since", f"must not be more than {RECOVERABLE.days} days ago")
        if until is not None and until < since:
            raise _out_of_reach("until", "must not lie before since")

    def _count(self, webhook_id: str) -> None:
        now = self.world.clock.now()
        decision = self.limiter.take(
            f"webhook#{webhook_id}", limit=ASKED_AT_MOST, window_seconds=WINDOW_SECONDS, now=now
        )
        if not decision.allowed:
            raise RateLimitedError(decision)

    def _new(self, webhook: Webhook, event: str, payload: Mapping[str, Any]) -> Delivery:
        return deliveries.queued(webhook, self.world.new_id(), event, payload, self.world.now())

    def _queue(self, caller: Caller, webhook: Webhook, verb: str, delivery: Delivery) -> Delivery:
        said = {"delivery_id": delivery.id, "event": delivery.event, "redelivery_of": delivery.redelivery_of}
        self._note(caller, webhook, verb, {name: value for name, value in said.items() if value})
        self.store.add(delivery)
        self.doorbell.deliveries(webhook.shop_id, webhook.id)
        return delivery

    def _note(self, caller: Caller, webhook: Webhook, verb: str, note: Mapping[str, Any]) -> None:
        change = Change(before=webhook, after=webhook, action=f"webhook.{verb}", note=note)
        Aggregates(self.world, WEBHOOKS).save(caller.user_id, change)

    def _requeued(self, delivery: Delivery, now: Timestamp) -> bool:
        """Whether this call queued it again: a test is not worth it, and another call may have been faster."""
        if delivery.is_test:
            return False
        try:
            self.store.change(delivery, deliveries.requeued(delivery, now))
        except StaleDeliveryError:
            return False
        return True


def _refuse_disabled(standing: Standing) -> None:
    if not standing.is_active:
        raise WebhookDisabledError


def _out_of_reach(field: str, message: str) -> ValidationFailedError:
    return ValidationFailedError(f"{field} {message}", fields=[FieldError(field, message)])
