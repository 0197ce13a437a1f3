"""Repeated deliveries: tests, redeliveries, and recovery after an outage.

The audit row is committed first: deliveries are in a table of their own, and nothing may be sent without a record of
who requested it.
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
from abtest.domain.webhooks.health import EndpointHealth
from abtest.kit.clock import Timestamp, timestamp
from abtest.kit.errors import FieldError, NotFoundError, ServiceError, ValidationFailedError
from abtest.ports.deliveries import DeliveryFilter, DeliveryStore, StaleDeliveryError
from abtest.ports.limits import RateLimiter
from abtest.services.aggregates import Aggregates
from abtest.services.context import Caller, World
from abtest.services.rate_limits import RateLimitedError
from abtest.services.retries import Versions, refuse_other_version
from abtest.services.webhooks.delivery_log import pages
from abtest.services.webhooks.endpoints import usable
from abtest.services.webhooks.notification import WorkerNotifier
from abtest.services.webhooks.records import WEBHOOKS, read_endpoint_health

MAX_REQUESTS, WINDOW_SECONDS = 10, 60
"""Tests and redeliveries together, of one endpoint."""

_READ_AT_ONCE = 100
_TIME = timedelta(seconds=15)
"""Time limit of one recovery; `has_more` of the response reports what is left."""


class WebhookDisabledError(ServiceError):
    """Nothing is sent to the endpoint at present."""

    status = 409
    code = "webhook_disabled"

    def __init__(self) -> None:
        super().__init__(
            'the webhook is disabled; enable it with PATCH /webhooks/{id} and {"active": true}',
            facts={"current_status": "disabled", "allowed_actions": ["test", "rotate-secret", "archive"]},
        )


@dataclass(frozen=True, slots=True)
class Recovered:
    """Number of deliveries that are queued again; `has_more` when time ran out before the end."""

    requeued: int
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Redelivery:
    """Use cases. Each raises NotFoundError, VersionConflictError, and ConflictError for an archived endpoint."""

    world: World
    store: DeliveryStore
    limiter: RateLimiter
    notifier: WorkerNotifier

    def test(
        self, caller: Caller, webhook_id: str, event: str | None, *, expected_version: Versions = None
    ) -> Delivery:
        """Send an example of an event, even where the endpoint is disabled. Raises RateLimitedError."""
        new_id = self.world.new_id()
        webhook = self._read(caller.shop_id, webhook_id, expected_version).webhook
        if earlier := self._earlier(webhook_id, new_id):
            return earlier
        self._take_rate(webhook_id)
        name = event or webhook.events[0]
        delivery = deliveries.queued(webhook, new_id, name, EVENTS[name].example, self.world.now())
        return self._queue(caller, webhook, "test", replace(delivery, is_test=True))

    def redeliver(
        self, caller: Caller, webhook_id: str, delivery_id: str, *, expected_version: Versions = None
    ) -> Delivery:
        """Send the same event in a new delivery. Raises WebhookDisabledError, RateLimitedError."""
        # A new id, so that receivers which drop known ids accept it: the shop wants it processed again.
        new_id = self.world.new_id()
        endpoint = self._read(caller.shop_id, webhook_id)
        if earlier := self._earlier(webhook_id, new_id):
            return earlier
        original = self.store.get(webhook_id, delivery_id)
        if original is None:
            raise NotFoundError("no such delivery")
        refuse_other_version(expected_version, original.version)
        if not endpoint.is_active:
            raise WebhookDisabledError
        self._take_rate(webhook_id)
        new = deliveries.queued(endpoint.webhook, new_id, original.event, original.payload, self.world.now())
        new = replace(new, is_test=original.is_test, redelivery_of=original.id)
        return self._queue(caller, endpoint.webhook, "redeliver", new)

    def recover(
        self,
        caller: Caller,
        webhook_id: str,
        since: Timestamp,
        until: Timestamp | None,
        *,
        expected_version: Versions = None,
    ) -> Recovered:
        """Queue dead deliveries of this time again, under their own ids. A repetition is harmless.

        They are queued oldest first and all become due at the same moment, so that they are sent in the order of their
        events whenever a worker comes. What time was too short for is younger and is sent later.

        Raises ValidationFailedError, WebhookDisabledError.
        """
        endpoint = self._read(caller.shop_id, webhook_id, expected_version)
        self._check_time(since, until)
        if not endpoint.is_active:
            raise WebhookDisabledError
        # Once for the whole recovery, not for each delivery: there may be thousands.
        self._audit(caller, endpoint.webhook, "recover", {"since": since, "until": until})
        which = DeliveryFilter(status="dead", since=since, until=until)
        began, requeued, has_more = self.world.clock.now(), 0, False
        for some, is_last in pages(self.store, webhook_id, which, limit=_READ_AT_ONCE, oldest_first=True):
            requeued += sum(self.requeue(delivery, timestamp(began)) for delivery in some)
            has_more = not is_last
            if some:
                self.notifier.deliveries_due(caller.shop_id, webhook_id)
            if self.world.clock.now() - began >= _TIME:
                break
        return Recovered(requeued, has_more)

    def requeue(self, delivery: Delivery, now: Timestamp) -> bool:
        """Queue a dead delivery again. Return False for a test, and where another call was faster."""
        if delivery.is_test:
            return False
        try:
            self.store.change(delivery, deliveries.requeued(delivery, now))
        except StaleDeliveryError:
            return False
        return True

    def _read(self, shop_id: str, webhook_id: str, expected_version: Versions = None) -> EndpointHealth:
        return usable(read_endpoint_health(self.world.catalog, self.store, shop_id, webhook_id), expected_version)

    def _earlier(self, webhook_id: str, new_id: str) -> Delivery | None:
        """Return the delivery that an earlier run of this request stored. If no worker woke, the sweep finds it."""
        return self.store.get(webhook_id, new_id) if self.world.is_repeated else None

    def _check_time(self, since: Timestamp, until: Timestamp | None) -> None:
        field, problem = "", ""
        if since < timestamp(self.world.clock.now() - RECOVERABLE):
            field, problem = "since", f"must not be more than {RECOVERABLE.days} days ago"
        elif until is not None and until < since:
            field, problem = "until", "must not be before since"
        if problem:
            raise ValidationFailedError(f"{field} {problem}", fields=[FieldError(field, problem)])

    def _take_rate(self, webhook_id: str) -> None:
        now = self.world.clock.now()
        decision = self.limiter.take(
            f"webhook#{webhook_id}", limit=MAX_REQUESTS, window_seconds=WINDOW_SECONDS, now=now
        )
        if not decision.allowed:
            raise RateLimitedError(decision, "tests and redeliveries of this webhook")

    def _queue(self, caller: Caller, webhook: Webhook, verb: str, delivery: Delivery) -> Delivery:
        fields = {"delivery_id": delivery.id, "event": delivery.event, "redelivery_of": delivery.redelivery_of}
        self._audit(caller, webhook, verb, {name: value for name, value in fields.items() if value})
        self.store.add(delivery)
        self.notifier.deliveries_due(webhook.shop_id, webhook.id)
        return delivery

    def _audit(self, caller: Caller, webhook: Webhook, verb: str, note: Mapping[str, Any]) -> None:
        change = Change(before=webhook, after=webhook, action=f"webhook.{verb}", note=note)
        Aggregates(self.world, WEBHOOKS).save(caller.user_id, change)
