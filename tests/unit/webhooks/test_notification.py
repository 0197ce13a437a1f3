"""Messages of WebhookQueue, and the groups by which the platform keeps them fair."""

from __future__ import annotations

from datetime import UTC, datetime

from abtest.kit.clock import ManualClock
from abtest.kit.ids import SystemRandomness
from abtest.services.context import World
from abtest.services.webhooks.notification import WorkerNotifier
from tests.support.memory import MemoryCatalog, MemoryQueue

WORLD = World(catalog=MemoryCatalog(), clock=ManualClock(datetime(2026, 11, 21, tzinfo=UTC)), random=SystemRandomness())


def groups(queue: MemoryQueue) -> list[str]:
    return [message.group for message in queue.sent]


def test_deliveries__of_an_endpoint__have_its_group() -> None:
    queue = MemoryQueue()
    WorkerNotifier(queue).deliveries_due("shop", "endpoint")
    assert groups(queue) == ["endpoint"]


def test_events__of_one_shop__have_its_group_and_those_of_several_none() -> None:
    queue = MemoryQueue()
    one, other = (WORLD.outbox_row(shop, "webhook", {"event": "experiment.started"}) for shop in ("one", "other"))
    WorkerNotifier(queue).events_waiting([one, one])
    WorkerNotifier(queue).events_waiting([one, other])
    assert groups(queue) == ["one", ""]
