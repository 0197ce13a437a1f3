"""Dispatch of decisions by the schedules: one message for the experiments of each shop.

Counts bring messages of their own. The schedules send what depends on time alone (minimum runtimes, gaps of events,
checks that count), and again what a lost message or a dead worker left.
"""

import logging
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from abtest.ports.catalog import COUNTED_FOR_EVER, DueEntry
from abtest.ports.queue import Queue, QueueMessage
from abtest.services.context import World
from abtest.services.decisions.listing import COUNTED, RUNNING
from abtest.services.decisions.messages import Task, decision_messages

MAX_ENTRIES = 1_000_000

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatched:
    """Numbers of shops, of their experiments and personalizations, and of messages sent."""

    shops: int
    experiments: int
    messages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionDispatch:
    """Sender of a schedule's messages. Two runs at once only make workers look twice."""

    world: World
    queue: Queue

    def run(self, task: Task) -> Dispatched:
        """Send the messages of one task. Raises QueueUnavailableError: some shops wait for the next run then."""
        by_shop: dict[str, list[str]] = defaultdict(list)
        for entry in self._entries(task):
            by_shop[entry.shop_id].append(entry.id)
        messages = self._messages(task, by_shop)
        self.queue.send_many(messages)
        ids = sum(map(len, by_shop.values()))
        done = Dispatched(shops=len(by_shop), experiments=ids, messages=len(messages))
        _log.info("decisions.dispatched", extra={"task": task, "shops": done.shops, "messages": done.messages})
        return done

    def _entries(self, task: Task) -> Iterator[DueEntry]:
        """Yield what runs, and for auto-stop then what else is counted: its late events get looks without decisions."""
        catalog, now = self.world.catalog, self.world.now()
        running = catalog.due(RUNNING, now, limit=MAX_ENTRIES)
        yield from running
        if task == "autostop":
            known = {entry.id for entry in running}
            for entry in catalog.due(COUNTED, COUNTED_FOR_EVER, limit=MAX_ENTRIES):
                # Entries of shops carry their days and holdout, which have no looks.
                if entry.kind != "SHOP" and entry.due >= now and entry.id not in known:
                    yield entry

    def _messages(self, task: Task, by_shop: dict[str, list[str]]) -> list[QueueMessage]:
        shops = list(by_shop)
        # A random beginning: if sending fails on the way, it is not always the same shops that wait.
        start = self.world.random.bits(32) % len(shops) if shops else 0
        in_turn = (*shops[start:], *shops[:start])
        return [message for shop_id in in_turn for message in decision_messages(shop_id, (task,), by_shop[shop_id])]
