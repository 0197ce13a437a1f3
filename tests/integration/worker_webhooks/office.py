"""The worker of webhooks on the template's tables and key, its queue and its clock in the hands of tests.

tests/faults/webhooks has an office of its own: there whole processes die, once at each of their calls, which takes
tables in memory; here the stores are the real ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from abtest.adapters.dynamo import DynamoCatalog, DynamoDeliveryStore, DynamoLeases
from abtest.adapters.kms import KmsSealer
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
from abtest.ports.sealer import Sealer
from abtest.services.context import World
from abtest.services.webhooks.drain import Drain, Senders
from abtest.services.webhooks.notification import WorkerNotifier
from abtest.services.webhooks.overdue import OverdueWebhooks
from abtest.services.webhooks.records import read_webhook
from abtest.services.webhooks.worker import WebhookWorker
from tests.faults.faults import KilledError
from tests.support.memory import MemoryMetrics
from tests.support.moto_stack import AwsStack
from tests.support.timed_queue import TimedQueue
from tests.support.webhooks import keep, new_endpoint, worker

SHOP = "01890a5d-ac96-774b-bcce-b302099a8057"
OTHER_SHOP = "01890a5d-ac96-774b-bcce-b302099a8058"
EVENT = "experiment.started"
START = datetime(2026, 3, 2, 10, tzinfo=UTC)
KEY = b"k" * 32
ALL = DeliveryFilter()


@dataclass
class Mortal:
    """Leases that a dead process does not give back."""

    leases: Leases
    is_dead: bool = False

    def acquire(self, name: str, *, owner: str, seconds: int, now: datetime) -> bool:
        return self.leases.acquire(name, owner=owner, seconds=seconds, now=now)

    def renew(self, name: str, *, owner: str, seconds: int, now: datetime) -> bool:
        return self.leases.renew(name, owner=owner, seconds=seconds, now=now)

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
    def notifier(self) -> WorkerNotifier:
        return WorkerNotifier(self.queue)

    @property
    def worker(self) -> WebhookWorker:
        return worker(
            self.world,
            store=self.store,
            leases=self.leases,
            sealer=self.sealer,
            notifier=self.notifier,
            senders=self.senders,
            metrics=self.metrics,
        )

    @property
    def drain(self) -> Drain:
        return self.worker.drain

    @property
    def sweep(self) -> OverdueWebhooks:
        return OverdueWebhooks(world=self.world, store=self.store, notifier=self.notifier, metrics=self.swept)

    def endpoint(self, url: str, events: tuple[str, ...] = (EVENT,), **fields: Any) -> Webhook:
        """A new endpoint, registered a second ago."""
        shop_id = fields.pop("shop_id", SHOP)
        made = new_endpoint(self.world, self.sealer, secret_of(KEY), shop_id=shop_id, url=url, events=events)
        self.keep(replace(made, **fields))
        self.clock.advance(seconds=1)
        return made

    def keep(self, webhook: Webhook) -> None:
        """Store the endpoint as it is now."""
        keep(self.catalog, webhook)

    def known(self, webhook: Webhook) -> Webhook:
        """The endpoint as it is stored."""
        return read_webhook(self.catalog, webhook.shop_id, webhook.id)

    def happens(self, count: int = 1, event: str = EVENT, *, is_rung: bool = True) -> None:
        """So many events, each with its number in its payload, each in a commit of its own."""
        for number in range(count):
            row = self.world.outbox_row(SHOP, "webhook", {"event": event, "number": number})
            self.catalog.commit(Commit(outbox=[row]))
            if is_rung:
                self.notifier.events_waiting([row])

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
            except (DatabaseBusyError, KilledError):
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
