"""The worker of webhooks on the template's tables and key, its queue and its clock in the hands of tests."""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from abtest.adapters.dynamo import DynamoCatalog, DynamoDeliveryStore, DynamoLeases
from abtest.adapters.kms import KmsSealer
from abtest.adapters.memory import MemoryMetrics
from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.adapters.s3 import S3Blobs
from abtest.domain.egress.targets import PublicOnly
from abtest.domain.webhooks.deliveries import Delivery
from abtest.domain.webhooks.endpoint import Webhook
from abtest.domain.webhooks.envelope import secret_of
from abtest.domain.webhooks.health import Health
from abtest.kit.clock import ManualClock
from abtest.kit.errors import DatabaseBusyError
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Catalog, Commit
from abtest.ports.deliveries import DeliveryFilter, DeliveryStore
from abtest.ports.limits import Leases
from abtest.ports.queue import QueueUnavailableError
from abtest.ports.sealing import Sealer
from abtest.services.context import World
from abtest.services.webhooks.answering import Answering
from abtest.services.webhooks.doorbell import Doorbell
from abtest.services.webhooks.draining import Drain, Senders
from abtest.services.webhooks.fanout import FanOut
from abtest.services.webhooks.records import put_of, read_webhook, slot_claim, taken_slots
from abtest.services.webhooks.sweeping import OverdueWebhooks
from abtest.services.webhooks.telling import Telling
from tests.support.moto_stack import AwsStack

SHOP = "01890a5d-ac96-774b-bcce-b302099a8057"
OTHER_SHOP = "01890a5d-ac96-774b-bcce-b302099a8058"
EVENT = "experiment.started"
START = datetime(2026, 3, 2, 10, tzinfo=UTC)
KEY = b"k" * 32
ALL = DeliveryFilter()


class DiedError(BaseException):
    """The process is gone: nothing catches it, and nothing that it held is given back."""


class TimedQueue:
    """Messages with the moment from which they can be received."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self._order = itertools.count()
        self._waiting: list[tuple[datetime, int, str]] = []
        self.is_available = True

    @property
    def delays(self) -> list[float]:
        """Seconds until each message can be received."""
        return [(moment - self._clock.now()).total_seconds() for moment, _, _ in sorted(self._waiting)]

    def send(self, body: str, *, delay_seconds: int = 0) -> None:
        if not self.is_available:
            raise QueueUnavailableError("switched off")
        moment = self._clock.now() + timedelta(seconds=delay_seconds)
        heapq.heappush(self._waiting, (moment, next(self._order), body))

    def receive(self) -> str | None:
        """The message that has waited longest, if there is one."""
        if not self._waiting or self._waiting[0][0] > self._clock.now():
            return None
        return heapq.heappop(self._waiting)[2]

    def depth(self) -> int:
        return len(self._waiting)

    def clear(self) -> None:
        """Lose everything."""
        self._waiting.clear()


@dataclass
class Mortal:
    """Leases that a dead process does not give back."""

    leases: Leases
    is_dead: bool = False

    def acquire(self, name: str, *, owner: str, seconds: int, now: datetime) -> bool:
        return self.leases.acquire(name, owner=owner, seconds=seconds, now=now)

    def is_held(self, name: str, *, now: datetime) -> bool:
        return self.leases.is_held(name, now=now)

    def release(self, name: str, *, owner: str) -> None:
        if not self.is_dead:
            self.leases.release(name, owner=owner)


@dataclass
class Office:
    """Everything between a commit and an endpoint."""

    catalog: Catalog
    clock: ManualClock
    store: DeliveryStore
    leases: Leases
    sealer: Sealer
    senders: Senders
    queue: TimedQueue
    metrics: MemoryMetrics = field(default_factory=MemoryMetrics)
    swept: MemoryMetrics = field(default_factory=MemoryMetrics)

    @classmethod
    def on(cls, stack: AwsStack, client: OutboundHttp | None = None) -> Office:
        clock = ManualClock(START)
        rules, limits = PublicOnly(allow_loopback=True), Limits(seconds=5, body_bytes=64 * 1024)
        return cls(
            catalog=DynamoCatalog(stack.name("CatalogTable"), S3Blobs(stack.name("BlobsBucket"))),
            clock=clock,
            store=DynamoDeliveryStore(stack.name("DeliveriesTable")),
            leases=DynamoLeases(stack.name("EphemeralTable")),
            sealer=KmsSealer(stack.environment("WorkerWebhooks")["WEBHOOK_KEY_ARN"], clock),
            senders=(client or OutboundHttp(rules, limits)).session,
            queue=TimedQueue(clock),
        )

    @property
    def world(self) -> World:
        return World(catalog=self.catalog, clock=self.clock, random=SystemRandomness())

    @property
    def doorbell(self) -> Doorbell:
        return Doorbell(self.queue)

    @property
    def drain(self) -> Drain:
        return Drain(
            world=self.world,
            store=self.store,
            leases=self.leases,
            sealer=self.sealer,
            doorbell=self.doorbell,
            senders=self.senders,
            metrics=self.metrics,
        )

    @property
    def worker(self) -> Answering:
        fan_out = FanOut(self.world, self.store, self.leases, self.doorbell)
        return Answering(fan_out=fan_out, drain=self.drain, telling=Telling(self.world, self.store))

    @property
    def sweep(self) -> OverdueWebhooks:
        return OverdueWebhooks(world=self.world, store=self.store, doorbell=self.doorbell, metrics=self.swept)

    def endpoint(self, url: str, events: tuple[str, ...] = (EVENT,), **fields: Any) -> Webhook:
        """A new endpoint, registered a second ago."""
        webhook_id, shop_id = self.world.new_id(), fields.pop("shop_id", SHOP)
        context = {"shop_id": shop_id, "webhook_id": webhook_id}
        now = self.world.now()
        made = Webhook(
            id=webhook_id,
            shop_id=shop_id,
            url=url,
            events=events,
            secret=self.sealer.seal(secret_of(KEY), context),
            slot=len(taken_slots(self.catalog, shop_id)),
            created_at=now,
            updated_at=now,
        )
        self.keep(replace(made, **fields))
        self.clock.advance(seconds=1)
        return made

    def keep(self, webhook: Webhook) -> None:
        """Store the endpoint as it is now."""
        self.catalog.commit(Commit(puts=[put_of(webhook)], claims=[slot_claim(webhook)]))

    def known(self, webhook: Webhook) -> Webhook:
        """The endpoint as it is stored."""
        return read_webhook(self.catalog, webhook.shop_id, webhook.id)

    def happens(self, count: int = 1, event: str = EVENT, *, is_rung: bool = True) -> None:
        """So many events, each with its number in its payload, each in a commit of its own."""
        for number in range(count):
            row = self.world.outbox_row(SHOP, "webhook", {"event": event, "number": number})
            self.catalog.commit(Commit(outbox=[row]))
            if is_rung:
                self.doorbell.events([row])

    def deliveries(self, webhook: Webhook) -> list[Delivery]:
        """The oldest first."""
        return list(self.store.page(webhook.id, ALL, limit=500)[0])[::-1]

    def one(self, webhook: Webhook) -> Delivery:
        (found,) = self.deliveries(webhook)
        return found

    def health(self, webhook: Webhook) -> Health:
        return self.store.health(webhook.id)

    def work(self) -> None:
        """Carry out every message that can be received by now; what fails for the moment is left to the sweep."""
        while (body := self.queue.receive()) is not None:
            try:
                self.worker.carry_out(body)
            except (DatabaseBusyError, DiedError):
                continue

    def pass_time(self, seconds: int, *, step: int = 15) -> None:
        """Let time go by: the worker at every step, the sweep each minute."""
        for gone in range(step, seconds + 1, step):
            self.clock.advance(seconds=step)
            if gone % 60 == 0:
                self.sweep.run()
            self.work()

    @contextmanager
    def dying(self, changed: Callable[[Mortal], Any]) -> Iterator[Mortal]:
        """A process that dies in the context; `changed` says what it does differently before."""
        kept, store, senders = self.leases, self.store, self.senders
        mortal = Mortal(kept)
        self.leases = mortal
        changed(mortal)
        try:
            yield mortal
        finally:
            self.leases, self.store, self.senders = kept, store, senders
