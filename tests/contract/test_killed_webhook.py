"""A webhook worker that is killed while it sends: another process sends the same delivery within two minutes."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from abtest.domain.webhooks.deliveries import LOST, Delivery, queued
from abtest.kit.clock import ManualClock, SystemClock
from abtest.kit.ids import SystemRandomness
from abtest.ports.http_sender import HttpAnswer, HttpSender
from abtest.services.context import World
from abtest.services.webhooks.notification import WorkerNotifier
from abtest.services.webhooks.overdue import OverdueWebhooks
from tests.contract.conftest import Engine, Ports
from tests.contract.hanging import hanging
from tests.contract.hanging_webhook import OneSecret
from tests.contract.records import SHOP
from tests.support.memory import MemoryMetrics, MemoryQueue
from tests.support.webhooks import keep, new_endpoint, worker

on_ministack = pytest.mark.parametrize("engine", ["ministack"], indirect=True, scope="session")
"""The only engine that another process can reach."""


@contextmanager
def hanging_worker(ports: Ports, webhook_id: str) -> Iterator[subprocess.Popen[str]]:
    """A process that has claimed the endpoint's delivery and waits for the receiver."""
    names = (*ports.names[:3], ports.deliveries_table, SHOP, webhook_id)
    with hanging("tests.contract.hanging_webhook", *names, first_line="sending") as process:
        yield process


@dataclass
class Sent:
    """A sender to a receiver that takes everything; `ids` are of the deliveries."""

    ids: list[str] = field(default_factory=list)

    def post(self, url: str, body: bytes, *, headers: Mapping[str, str]) -> HttpAnswer:
        assert url
        assert body
        self.ids.append(headers["webhook-id"])
        return HttpAnswer(status=204, content_type="", headers={}, body=b"")

    def get(self, url: str, *, headers: Mapping[str, str], redirects: int = 0) -> HttpAnswer:
        raise AssertionError(url, headers, redirects)

    @contextmanager
    def session(self) -> Iterator[HttpSender]:
        """Open the sender."""
        yield self


@on_ministack
def test_worker__killed_while_it_sends__is_followed_by_another_within_two_minutes(engine: Engine) -> None:
    with engine() as ports:
        clock = ManualClock(SystemClock().now())
        world = World(catalog=ports.catalog, clock=clock, random=SystemRandomness())
        events = ["experiment.started"]
        webhook = new_endpoint(world, OneSecret(), "", shop_id=SHOP, url="https://shop.example/hooks", events=events)
        keep(ports.catalog, webhook)
        delivery = queued(webhook, world.new_id(), "experiment.started", {}, world.now())
        ports.deliveries.add(delivery)
        queue, sent = MemoryQueue(), Sent()
        notifier = WorkerNotifier(queue)
        other = worker(
            world,
            store=ports.deliveries,
            leases=ports.leases,
            sealer=OneSecret(),
            notifier=notifier,
            senders=sent.session,
        )
        with hanging_worker(ports, webhook.id) as process:
            clock.advance(seconds=(SystemClock().now() - clock.now()).total_seconds())
            other.drain.run(SHOP, webhook.id)
            process.send_signal(signal.SIGKILL)
            process.wait(30)
        killed_at = SystemClock().now()
        clock.advance(seconds=(killed_at - clock.now()).total_seconds())
        assert (_stored(ports, delivery).status, sent.ids) == ("processing", []), "it held lease and claim"
        sweep = OverdueWebhooks(world=world, store=ports.deliveries, notifier=notifier, metrics=MemoryMetrics())
        while _stored(ports, delivery).status == "processing":
            clock.advance(seconds=60)
            assert clock.now() - killed_at <= timedelta(minutes=2)
            sweep.run()
            for body in queue.bodies:
                other.carry_out(body)
            queue.sent.clear()
        after = _stored(ports, delivery)
        assert (after.status, after.attempts, after.log[0]["error"]) == ("delivered", 2, LOST)
        assert sent.ids == [delivery.id]


def _stored(ports: Ports, delivery: Delivery) -> Delivery:
    stored = ports.deliveries.get(delivery.webhook_id, delivery.id)
    assert stored is not None
    return stored
