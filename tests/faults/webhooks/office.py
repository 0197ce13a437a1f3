"""A shop's webhooks with tables in memory, a clock that is told, a queue that is carried by hand, and real sockets.

tests/integration/worker_webhooks has an office of its own, on the real stores: too slow for a worker that dies at each
of its calls, of which nothing may go through afterwards.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from abtest.domain.webhooks import envelope
from abtest.domain.webhooks.catalogue import EVENTS
from abtest.domain.webhooks.deliveries import DISABLED, Delivery, delivery_id
from abtest.domain.webhooks.endpoint import Webhook
from abtest.kit import canonical_json
from abtest.kit.clock import ManualClock, timestamp
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Commit, OutboxRow
from abtest.ports.deliveries import DeliveryFilter
from abtest.ports.http_sender import HttpSender
from abtest.services.context import World
from abtest.services.webhooks.notification import NotifyOfEvents, WorkerNotifier
from abtest.services.webhooks.overdue import OverdueWebhooks
from tests.faults.faults import Fate, KilledError
from tests.faults.webhooks.receivers import URL, Receiver
from tests.support.memory import MemoryCatalog, MemoryDeliveryStore, MemoryLeases, MemoryMetrics
from tests.support.sealing import LocalSealer
from tests.support.timed_queue import TimedQueue
from tests.support.webhooks import keep, new_endpoint, worker

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
SHOP = "0192f3a0-0000-7000-8000-000000000001"
VISIBILITY = timedelta(minutes=12)
"""After which the queue gives a message again whose worker died."""

_MANY = 10_000


class Mortal:
    """A port of a process: once the process is dead, nothing goes through any more, whatever its threads still want."""

    def __init__(self, port: Any, fate: Fate, dead: threading.Event, lock: threading.Lock) -> None:
        self._port = port
        self._fate = fate
        self._dead = dead
        self._lock = lock

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        if not callable(found):
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            dies = self._begin(name)
            answer = found(*arguments, **named)
            if dies:
                self._dead.set()
                raise KilledError
            return answer

        return call

    def _begin(self, name: str) -> bool:
        with self._lock:
            if self._dead.is_set():
                raise KilledError
            try:
                return self._fate.before_call(name)
            except KilledError:
                self._dead.set()
                raise


class Worker:
    """One process with a fate."""

    def __init__(self, office: Office, fate: Fate | None = None) -> None:
        self._office = office
        self._dead = threading.Event()
        self._bound = (fate or Fate(), self._dead, threading.Lock())
        world = World(catalog=self._mortal(office.catalog), clock=office.clock, random=office.random)
        self._answering = worker(
            world,
            store=self._mortal(office.store),
            leases=self._mortal(office.leases),
            sealer=self._mortal(office.sealer),
            notifier=WorkerNotifier(self._mortal(office.queue)),
            senders=self._senders,
            metrics=office.metrics,
        )

    @property
    def is_dead(self) -> bool:
        """Whether its fate has come."""
        return self._dead.is_set()

    def carry_out(self, body: str) -> None:
        """Work on a message; one whose worker died comes again."""
        try:
            self._answering.carry_out(body)
        except KilledError:
            self._office.queue.give(body, VISIBILITY)

    def _mortal(self, port: Any) -> Any:
        return Mortal(port, *self._bound)

    @contextmanager
    def _senders(self) -> Iterator[HttpSender]:
        with self._office.sender() as sender:
            yield self._mortal(sender)


class Office:
    """A shop, its endpoint, and everybody who works for it."""

    def __init__(self, receiver: Receiver) -> None:
        self.receiver = receiver
        self.clock = ManualClock(NOON)
        self.random = SystemRandomness()
        self.queue = TimedQueue(self.clock)
        self.catalog = MemoryCatalog(on_committed=NotifyOfEvents(WorkerNotifier(self.queue)))
        self.store = MemoryDeliveryStore()
        self.leases = MemoryLeases()
        self.metrics = MemoryMetrics()
        self.sealer = LocalSealer()
        self.told: list[OutboxRow] = []
        self.sender = receiver.sender().session
        self.secret = envelope.secret_of(b"k" * envelope.SECRET_BYTES)
        self.webhook = self._made(URL)
        self._worker = Worker(self)

    def waits_for(self, seconds: float) -> None:
        """From now on exchanges may take so long."""
        self.sender = self.receiver.sender(seconds).session

    @property
    def world(self) -> World:
        """What use cases are given."""
        return World(catalog=self.catalog, clock=self.clock, random=self.random)

    def _made(self, url: str) -> Webhook:
        made = new_endpoint(self.world, self.sealer, self.secret, shop_id=SHOP, url=url, events=tuple(EVENTS))
        keep(self.catalog, made)
        return made

    def happens(self, event: str = "experiment.started") -> str:
        """Something happens in the shop; the id of its delivery."""
        row = self.world.outbox_row(SHOP, "webhook", {"event": event, **EVENTS[event].example})
        self.catalog.commit(Commit(outbox=[row]))
        self.told.append(row)
        self.clock.advance(milliseconds=1)
        return delivery_id(row.id, self.webhook.id)

    def delivery(self, name: str) -> Delivery:
        """A delivery, which there is."""
        found = self.store.get(self.webhook.id, name)
        assert found is not None
        return found

    def deliveries(self) -> list[Delivery]:
        """All of the endpoint."""
        return list(self.store.page(self.webhook.id, DeliveryFilter(), limit=_MANY)[0])

    def employ(self, fate: Fate) -> None:
        """Whoever works from now on has this fate; who takes the place afterwards has none."""
        self._worker = Worker(self, fate)

    def work(self) -> None:
        """Carry out what may be taken now."""
        while (body := self.queue.receive()) is not None:
            self._worker.carry_out(body)
            if self._worker.is_dead:
                self._worker = Worker(self)

    def work_once(self) -> None:
        """Carry out one message."""
        body = self.queue.receive()
        assert body is not None
        self._worker.carry_out(body)

    def notification(self) -> str:
        """The message that asks for what is due for the endpoint."""
        return canonical_json.dumps({"kind": "deliveries", "shop_id": SHOP, "webhook_id": self.webhook.id})

    def sweep(self) -> None:
        """One run of the sweep."""
        OverdueWebhooks(
            world=self.world, store=self.store, notifier=WorkerNotifier(self.queue), metrics=self.metrics
        ).run()

    def settle(self, hours: float = 2) -> None:
        """Work on, with a sweep each minute, until nothing is left to do."""
        end = self.clock.now() + timedelta(hours=hours)
        while not self._is_done():
            assert self.clock.now() < end, "something goes on for ever"
            self.work()
            self.clock.advance(seconds=15)
            if self.clock.now().second < 15:
                self.sweep()

    def _is_done(self) -> bool:
        later = timestamp(self.clock.now() + timedelta(days=365))
        open_ones = self.store.due(self.webhook.id, later, limit=1)
        return not (open_ones or self.queue.depth() or self.catalog.outbox("webhook", created_before=later, limit=1))

    def check(self) -> None:
        """Every event arrived or is dead and says why; every attempt is counted, and what came is genuine."""
        expected = {delivery_id(row.id, self.webhook.id) for row in self.told}
        found = {delivery.id: delivery for delivery in self.deliveries()}
        assert set(found) == expected
        arrived: dict[str, int] = {}
        for request in self.receiver.requests:
            assert request.is_signed_by(self.secret)
            assert request.told["delivery_id"] == request.delivery_id
            arrived[request.delivery_id] = arrived.get(request.delivery_id, 0) + 1
        assert set(arrived) <= expected
        for name, delivery in found.items():
            self._check(delivery, arrived.get(name, 0))

    @staticmethod
    def _check(delivery: Delivery, arrived: int) -> None:
        assert delivery.status in ("delivered", "dead")
        assert [entry["n"] for entry in delivery.log] == list(range(1, len(delivery.log) + 1))
        assert all(entry["duration_ms"] >= 0 for entry in delivery.log)
        assert delivery.attempts <= len(delivery.log), "a recovered one begins anew"
        assert arrived <= len(delivery.log), "an attempt is not counted"
        if delivery.status == "delivered":
            assert arrived >= 1
            assert delivery.last_error is None
        else:
            assert delivery.last_error
            assert delivery.attempts == 5 or delivery.last_error == DISABLED
