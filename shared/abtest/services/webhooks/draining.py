"""Sending what is due for one endpoint: by one worker at a time, a few at once, and not for long.

The lease keeps workers from crowding at an endpoint, so that one that hangs occupies one of them. It is not what
keeps an attempt from being made twice: that is the claim, a write that only one of two can make.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.domain.webhooks import deliveries, envelope
from abtest.domain.webhooks.deliveries import DELETED, DISABLED, SNIPPET_BYTES, Delivery, Outcome
from abtest.domain.webhooks.endpoint import Webhook
from abtest.kit.clock import timestamp
from abtest.kit.errors import NotFoundError
from abtest.ports.deliveries import DeliveryStore, HealthChange, StaleDeliveryError
from abtest.ports.http_sender import HttpAnswer, HttpSender, HttpUnreachableError
from abtest.ports.limits import Leases
from abtest.ports.metrics import Metrics
from abtest.ports.sealing import SealBrokenError, Sealer
from abtest.services.context import World
from abtest.services.webhooks.doorbell import Doorbell
from abtest.services.webhooks.metering import measured
from abtest.services.webhooks.records import read_webhook

AT_ONCE = 8
"""Exchanges with one endpoint at the same time."""

LEASE_SECONDS = 120
BUDGET = timedelta(seconds=45)
"""No round is begun later; one takes 10 s and a little, so lease and function outlive it."""

SLOW = timedelta(seconds=5)
"""An endpoint whose round takes longer gives its worker up to others before the next."""

HEALTH_READS = 5
"""How often an endpoint's health is read again because somebody changed it: people, and whoever outlived a lease."""

ERROR_LENGTH = 500
"""Characters of an error that are kept: it may quote a receiver, which may have said much."""

UNREADABLE_SECRET = "its secret cannot be opened: rotate it"  # noqa: S105 - a sentence

_log = logging.getLogger(__name__)

Senders = Callable[[], AbstractContextManager[HttpSender]]
"""Opens a sender that keeps its connections until the context ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Endpoint:
    """An endpoint as it is at the beginning of a round; None for one that is gone."""

    webhook: Webhook | None
    is_disabled: bool
    secrets: tuple[str, ...] = field(repr=False)

    def refusal(self, delivery: Delivery) -> str | None:
        """Why a delivery is not tried, if so. A test is how a shop finds out whether it may enable it again."""
        if self.webhook is None or self.webhook.archived_at is not None:
            return DELETED
        is_off = self.is_disabled or not self.webhook.active
        return DISABLED if is_off and not delivery.is_test else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drain:
    """Sends what is due. `senders` obeys the rules for addresses that customers wrote; `metrics` hears of attempts."""

    world: World
    store: DeliveryStore
    leases: Leases
    sealer: Sealer
    doorbell: Doorbell
    senders: Senders
    metrics: Metrics | None = None

    def run(self, shop_id: str, webhook_id: str) -> None:
        """Send what is due for an endpoint, unless another worker is at it: that one looks again before it leaves.

        Raises DatabaseBusyError and SealingUnavailableError: then the doorbell has to ring again.
        """
        until = self.world.clock.now() + BUDGET
        while self.store.due(webhook_id, self.world.now(), limit=1):
            with self._alone_at(webhook_id) as is_mine:
                if not is_mine:
                    return
                is_done = self._rounds(shop_id, webhook_id, until)
            if not is_done:
                self.doorbell.deliveries(shop_id, webhook_id)
                return

    @contextmanager
    def _alone_at(self, webhook_id: str) -> Iterator[bool]:
        name, owner = f"webhook#{webhook_id}", self.world.new_id()
        if not self.leases.acquire(name, owner=owner, seconds=LEASE_SECONDS, now=self.world.clock.now()):
            yield False
            return
        try:
            yield True
        finally:
            self.leases.release(name, owner=owner)

    def _rounds(self, shop_id: str, webhook_id: str, until: datetime) -> bool:
        """Whether all that was due is done; else somebody has to go on."""
        with self.senders() as sender:
            while due := self.store.due(webhook_id, self.world.now(), limit=AT_ONCE):
                began = self.world.clock.now()
                if began >= until:
                    return False
                self._round(_Round(self, self._endpoint(shop_id, webhook_id), sender), due)
                if self.world.clock.now() - began > SLOW:
                    return False
        return True

    def _round(self, attempts: "_Round", due: Sequence[Delivery]) -> None:
        try:
            with ThreadPoolExecutor(len(due), thread_name_prefix="webhook") as pool:
                list(pool.map(attempts.carry_out, due))
        finally:
            if self.metrics and (numbers := measured(attempts.recorded)):
                self.metrics.put(numbers)

    def _endpoint(self, shop_id: str, webhook_id: str) -> _Endpoint:
        try:
            webhook = read_webhook(self.world.catalog, shop_id, webhook_id)
        except NotFoundError:
            return _Endpoint(webhook=None, is_disabled=False, secrets=())
        context = {"shop_id": shop_id, "webhook_id": webhook_id}
        try:
            secrets = tuple(self.sealer.open(sealed, context) for sealed in webhook.secrets_at(self.world.now()))
        except SealBrokenError:
            _log.exception("webhook.secret_not_opened", extra=context)
            secrets = ()
        return _Endpoint(webhook=webhook, is_disabled=self.store.health(webhook_id).is_disabled, secrets=secrets)


class _Round:
    """A few attempts at one endpoint, in threads."""

    def __init__(self, drain: Drain, endpoint: _Endpoint, sender: HttpSender) -> None:
        self._drain = drain
        self._endpoint = endpoint
        self._sender = sender
        self._health = threading.Lock()
        """Attempts of a round end together, and all write the endpoint's health: one after the other."""
        self.recorded: list[Delivery] = []

    def carry_out(self, delivery: Delivery) -> None:
        """Claim, send, record; what somebody else has moved meanwhile is theirs."""
        try:
            self._carry_out(delivery)
        except StaleDeliveryError:
            _log.info("webhook.overtaken", extra={"delivery_id": delivery.id})

    def _carry_out(self, delivery: Delivery) -> None:
        now = self._drain.world.now()
        if reason := self._endpoint.refusal(delivery):
            self._drain.store.change(delivery, deliveries.closed(delivery, reason, now))
            return
        claimed = deliveries.claimed(delivery, now)
        if claimed.has_ended:
            self._record(delivery, claimed)
            return
        self._drain.store.change(delivery, claimed)
        outcome = self._attempt(claimed)
        self._record(claimed, deliveries.recorded(claimed, outcome, self._drain.world.now()))

    def _attempt(self, delivery: Delivery) -> Outcome:
        if self._endpoint.webhook is None or not self._endpoint.secrets:
            return Outcome(error=UNREADABLE_SECRET)
        began = self._drain.world.clock.now()
        request = _request(delivery, self._endpoint.webhook.url, self._endpoint.secrets, began)
        told: dict[str, object] = {"url": request.url, "headers": request.headers, "body": request.body.decode()}
        try:
            answer = self._sender.post(request.url, request.body, headers=request.headers)
        except (HttpUnreachableError, UrlNotAllowedError) as error:
            return Outcome(error=str(error)[:ERROR_LENGTH], duration_ms=self._since(began), request=told)
        return _answered(answer, self._since(began), told)

    def _since(self, began: datetime) -> int:
        return max(0, (self._drain.world.clock.now() - began) // timedelta(milliseconds=1))

    def _record(self, before: Delivery, after: Delivery) -> None:
        if after.is_test or after.status == "failed":
            self._drain.store.change(before, after)
        else:
            with self._health:
                self._record_with_health(before, after)
        self.recorded.append(after)
        _log.info(
            "webhook.attempted",
            extra={"delivery_id": after.id, "delivery_status": after.status, "attempts": after.attempts},
        )
        if after.status == "failed":
            delay = deliveries.retry_delay(after.attempts)
            self._drain.doorbell.deliveries(after.shop_id, after.webhook_id, delay)

    def _record_with_health(self, before: Delivery, after: Delivery) -> None:
        """Health that somebody changed meanwhile is read again: what was sent must not go unrecorded for it."""
        for _ in range(HEALTH_READS):
            try:
                return self._drain.store.change(before, after, self._health_change(after))
            except StaleDeliveryError:
                current = self._drain.store.get(before.webhook_id, before.id)
                if current is None or current.version != before.version:
                    raise
        raise StaleDeliveryError(before.id)

    def _health_change(self, after: Delivery) -> HealthChange | None:
        known = self._drain.store.health(after.webhook_id)
        changed = known.after_delivered() if after.status == "delivered" else known.after_dead(after.updated_at)
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
        snippet=answer.body[:SNIPPET_BYTES].decode(errors="replace") or None,
        request=request,
    )
