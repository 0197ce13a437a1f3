"""Webhooks in memory: endpoints, a queue, and a pool of workers that answer it as worker_webhooks does."""

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.domain.egress.targets import PublicOnly
from abtest.domain.webhooks.catalogue import EVENTS
from abtest.domain.webhooks.deliveries import delivery_id
from abtest.domain.webhooks.endpoint import Sealed, Webhook
from abtest.domain.webhooks.envelope import secret_of
from abtest.kit.clock import SystemClock
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Commit, OutboxRow
from abtest.services.context import World
from abtest.services.webhooks.meanwhile import Meanwhile
from abtest.services.webhooks.notification import NotifyOfEvents, WorkerNotifier
from benchmarks.webhooks.queue import DelayingQueue
from tests.support.memory import MemoryCatalog, MemoryDeliveryStore, MemoryLeases
from tests.support.webhooks import keep, new_endpoint, worker

EVENT = "experiment.started"
PAYLOAD = EVENTS[EVENT].example
SECRET = secret_of(b"a secret of benchmarks, 32 bytes")


class OpenedBefore:
    """Stands for a sealer whose cache holds every secret, as a warm worker's does."""

    def __init__(self) -> None:
        self._texts: dict[tuple[str, frozenset[tuple[str, str]]], str] = {}

    def seal(self, text: str, context: Mapping[str, str]) -> Sealed:
        sealed = Sealed(f"seal {len(self._texts)}")
        self._texts[sealed.text, frozenset(context.items())] = text
        return sealed

    def open(self, sealed: Sealed, context: Mapping[str, str]) -> str:
        return self._texts[sealed.text, frozenset(context.items())]


class Webhooks:
    """A world of webhooks."""

    def __init__(self, *, is_fair: bool = True) -> None:
        self.queue = DelayingQueue(is_fair=is_fair)
        self._sealer = OpenedBefore()
        self.notifier = notifier = WorkerNotifier(self.queue)
        self.store = MemoryDeliveryStore()
        catalog = MemoryCatalog(on_committed=NotifyOfEvents(notifier))
        self.world = World(catalog=catalog, clock=SystemClock(), random=SystemRandomness())
        client = OutboundHttp(PublicOnly(allow_loopback=True), Limits(seconds=10, body_bytes=64 * 1024))
        self.answering = worker(
            self.world,
            store=self.store,
            leases=MemoryLeases(),
            sealer=self._sealer,
            notifier=notifier,
            senders=client.session,
        )

    def endpoint(self, url: str) -> Webhook:
        """A new one, of a shop of its own."""
        shop_id = self.world.new_id()
        made = new_endpoint(self.world, self._sealer, SECRET, shop_id=shop_id, url=url, events=[EVENT])
        keep(self.world.catalog, made)
        return made

    def event(self, webhook: Webhook) -> OutboxRow:
        """An event of the endpoint's shop, of an experiment of its own."""
        payload = {"event": EVENT, **PAYLOAD, "experiment_id": self.world.new_id()}
        return self.world.outbox_row(webhook.shop_id, "webhook", payload)

    def happens(self, webhook: Webhook) -> str:
        """Something happens that the endpoint is told of, by a delivery of this id."""
        row = self.event(webhook)
        self.world.catalog.commit(Commit(outbox=[row]))
        return delivery_id(row.id, webhook.id)

    def waits(self, webhook: Webhook, count: int) -> None:
        """So many deliveries of the endpoint are due; nothing has notified of them."""
        for _ in range(count):
            self.answering.fan_out.deliver(self.event(webhook))
        self.queue.clear()

    @contextmanager
    def workers(self, count: int, *, is_helpful: bool = True) -> Iterator[None]:
        """So many of them answer the queue; helpful ones carry out other messages while a receiver keeps them."""
        random = SystemRandomness()
        work = self.answering.carry_out
        if is_helpful:
            work = Meanwhile(work=self.answering.carry_out, queue=self.queue, random=random).carry_out
        is_over = threading.Event()
        threads = [threading.Thread(target=self._work, args=(is_over, work)) for _ in range(count)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            is_over.set()
            self.queue.close()
            for thread in threads:
                thread.join()

    def _work(self, is_over: threading.Event, work: Callable[[str], None]) -> None:
        while not is_over.is_set():
            message = self.queue.receive(wait_seconds=0.2)
            if message is not None:
                try:
                    work(message.body)
                except Exception:
                    logging.getLogger(__name__).exception("a worker failed")
                    self.queue.send(message.body, delay_seconds=1)
                self.queue.delete(message)
