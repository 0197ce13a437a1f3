"""Webhooks in memory: endpoints, a queue with delays, and a pool of workers that answer it as worker_webhooks does."""

import heapq
import itertools
import logging
import threading
import time
from collections.abc import Iterator, Mapping
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
from abtest.services.webhooks.notification import NotifyOfEvents, WorkerNotifier
from tests.support.memory import MemoryCatalog, MemoryDeliveryStore, MemoryLeases
from tests.support.memory.queue import SendsEach
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


class DelayingQueue(SendsEach):
    """A queue that several workers take from; a message is taken no earlier than its delay allows.

    By the real clock, and with workers asleep until something is due: what tests have moves only when it is told.
    """

    def __init__(self) -> None:
        self._messages: list[tuple[float, int, str]] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()

    def send(self, body: str, *, delay_seconds: int = 0, group: str = "") -> None:  # noqa: ARG002 - one queue for all
        with self._changed:
            heapq.heappush(self._messages, (time.monotonic() + delay_seconds, next(self._numbers), body))
            self._changed.notify()

    def depth(self) -> int:
        return len(self._messages)

    def take(self, seconds: float) -> str | None:
        """The next message; None when there is none for so long."""
        end = time.monotonic() + seconds
        with self._changed:
            while True:
                now = time.monotonic()
                first = self._messages[0][0] if self._messages else end
                if self._messages and first <= now:
                    return heapq.heappop(self._messages)[2]
                if now >= end:
                    return None
                self._changed.wait(min(first, end) - now)


class Webhooks:
    """A world of webhooks."""

    def __init__(self) -> None:
        self.queue = DelayingQueue()
        self._sealer = OpenedBefore()
        notifier = WorkerNotifier(self.queue)
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

    @contextmanager
    def workers(self, count: int) -> Iterator[None]:
        """So many of them answer the queue."""
        is_over = threading.Event()
        threads = [threading.Thread(target=self._work, args=(is_over,)) for _ in range(count)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            is_over.set()
            for thread in threads:
                thread.join()

    def _work(self, is_over: threading.Event) -> None:
        while not is_over.is_set():
            message = self.queue.take(0.2)
            if message is not None:
                try:
                    self.answering.carry_out(message)
                except Exception:
                    logging.getLogger(__name__).exception("a worker failed")
                    self.queue.send(message, delay_seconds=1)
