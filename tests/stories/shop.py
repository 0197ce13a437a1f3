"""A shop in one process: the real services on memory adapters, schedules that fire twice, processes that die."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from random import Random
from typing import Any

from abtest.adapters.warehouse.shop_counter import DuckDbShopCounter
from abtest.domain.delivery.manifest import ACTIVE
from abtest.domain.ledger.batch import Envelope
from abtest.edge.publications import Publications
from abtest.http.factory import create_app, handler
from abtest.kit.clock import ManualClock, to_milliseconds
from abtest.services.context import World
from abtest.services.event_limits import EventLimits
from abtest.services.experiments.due import ScheduledActions
from abtest.services.experiments.store import ExperimentStore
from abtest.services.ingest import Ingest
from abtest.services.ledger import KnownGoals, LedgerWriter, Message
from abtest.services.ledger_feed import LedgerFeed
from abtest.services.planning import Planner
from abtest.services.storefronts import Storefronts
from abtest.wiring.api_analytics import analytics_of
from abtest.wiring.api_experiments import experiments_uses
from abtest.wiring.api_settings import settings_uses
from api_analytics.routes import ROUTERS as RESULTS
from api_experiments.routes import ROUTERS as EXPERIMENTS
from api_settings.routes import ROUTERS as SETTINGS
from tests.faults.faults import Fate, Fated, KilledError
from tests.faults.shop import Mailbox, Seeded, opened
from tests.stories.shoppers import Event
from tests.support.api import START, MemoryApi, MemoryManagement
from tests.support.autostopping import Doom
from tests.support.client import Client
from tests.support.compaction import Compacting
from tests.support.counting import Counting
from tests.support.deciding import Deciders
from tests.support.memory import (
    MemoryBlobs,
    MemoryLeases,
    MemoryLookStore,
    MemoryMetrics,
    MemoryQueue,
    MemoryRateLimiter,
    MemorySessions,
)

IN_A_REQUEST, MESSAGES_IN_A_BATCH = 200, 20
WORK = timedelta(minutes=4)
Crons = Sequence["Cron"]


class _Management(MemoryManagement):
    """With ids by chance that are the same again for the same seed."""

    def __init__(self, clock: ManualClock, random: Seeded) -> None:
        super().__init__(clock)
        self._random = random

    @cached_property
    def world(self) -> World:
        return World(catalog=self.catalog, clock=self.clock, random=self._random)


class _Api(MemoryApi):
    """Experiments, settings, results and reports."""

    def __init__(self, random: Seeded) -> None:
        self.clock = ManualClock(START)
        self.management = _Management(self.clock, random)
        self.looks = MemoryLookStore()
        base, sessions = self.management, MemorySessions()
        uses = {
            **settings_uses(base, sessions),
            **experiments_uses(base, sessions),
            **analytics_of(base.world, base.rollups, self.looks, MemoryQueue(), base.sessions),
        }
        self.handler = handler(create_app([*SETTINGS, *EXPERIMENTS, *RESULTS], base.services(uses)))


class _Changing(Fate):
    """The fate of a process that lives on from one firing to the next."""

    def __init__(self) -> None:
        super().__init__()
        self.present: Fate = Fate()

    def before_call(self, name: str) -> bool:
        return self.present.before_call(name)


@dataclass
class Cron:
    """A schedule. Of two firings the first may die at a random call of a port, before or after it.

    `rest`: minutes after a death until it is fired again and no lease of the dead one keeps it from working.
    """

    name: str
    rest: int
    fire: Callable[[Fate], object]
    clock: ManualClock
    chance: Random
    bury: Callable[[], object] = lambda: None
    fired: int = 0
    calls: int = 1
    deaths: int = 0

    def fire_twice(self, *, dies: bool, more_calls: int = 0) -> None:
        """Fire, and where that died later once more, and then once more in any case.

        `more_calls`: how many more than the last time the first firing may make until it is sure to have an end.
        """
        doom = (
            Doom(at=self.chance.randrange(self.calls + more_calls) + 1, after=self.chance.random() < 0.5)
            if dies
            else Doom()
        )
        self.fired += 2
        try:
            self.fire(doom)
            self.calls = doom.calls
        except KilledError:
            self.deaths += 1
            self.bury()
            self.clock.advance(minutes=self.rest)
            again = Doom()
            self.fire(again)
            self.calls = again.calls
        self.fire(Doom())


class Shop:
    """Everything between a shopper and a webhook's outbox, in virtual time."""

    def __init__(self, seed: int) -> None:
        self._chance = Random(seed)
        self._random = Seeded(Random(seed + 1))
        self.api = _Api(self._random)
        self.clock, self.management = self.api.clock, self.api.management
        self.tenant = self.api.tenant()
        self.ledger, self.leases, self.metrics = MemoryBlobs(), MemoryLeases(), MemoryMetrics()
        self._mailbox, self._limiter = Mailbox(self.clock), MemoryRateLimiter()
        self._goals = KnownGoals(self.management.catalog, self.clock)
        self._counting = self._counter()
        self.rollup = self._cron("rollup", 16, self._roll_up, self._bury_counter)
        self.autostop = self._cron("autostop", 5, self._auto_stop)
        self.guardian = self._cron("guardian", 15, self._guard)
        self.launch = self._cron("launch", 1, self._launch)
        self.compact = self._cron("compact", 16, self._compact)

    @property
    def crons(self) -> Crons:
        """All schedules."""
        return self.rollup, self.autostop, self.guardian, self.launch, self.compact

    @property
    def now(self) -> int:
        """Unix ms."""
        return to_milliseconds(self.clock.now())

    @property
    def client(self) -> Client:
        """The shop's admin."""
        return self.api.client(self.tenant.admin)

    def send(self, events: Sequence[Event]) -> None:
        """Through the edge into the queue, in requests like a browser's, out of it in batches, some of them twice."""
        mixed = self._chance.sample(events, len(events))
        ingest = Ingest(
            clock=self.clock,
            random=self._random,
            limits=EventLimits(limiter=self._limiter, clock=self.clock),
            ledger=self.ledger,
            queue=self._mailbox,
        )
        for start in range(0, len(mixed), IN_A_REQUEST):
            wires = [_wire(event) for event in mixed[start : start + IN_A_REQUEST]]
            receipt = ingest.accept(self.tenant.shop.id, Envelope(events=wires, sent_at=self.now))
            assert receipt.quarantined == 0, receipt  # type: ignore[union-attr]
        while self._mailbox.waiting:
            self._deliver(self._mailbox.waiting[:MESSAGES_IN_A_BATCH])

    def delivered(self) -> set[str]:
        """Ids of the experiments that storefronts have."""
        publications = Publications(self.management.delivery, self.clock)
        body, _ = publications.read("config", self.tenant.shop.id, ACTIVE, "identity")
        return {experiment["id"] for experiment in json.loads(b64decode(body.base64))["experiments"]}

    def repeat_promises(self) -> None:
        """What the sweep and its worker do a minute later: publications whose process died are made good."""
        catalog = self.management.catalog
        for row in catalog.outbox("publish", created_before="9999", limit=100):
            assert self.management.publication.publish(row.shop_id).ok
            catalog.outbox_done(row)

    def _deliver(self, batch: Sequence[Any]) -> None:
        writer = LedgerWriter(ledger=self.ledger, goals=self._goals, clock=self.clock)
        messages = [Message(id=each.id, body=each.body, queued_at=each.queued_at) for each in batch]
        assert writer.write(messages) == []
        for message in batch:
            if self._chance.random() > 0.05:  # else it comes again, beside others
                self._mailbox.waiting.remove(message)

    # ------------------------------------------------------------ schedules

    def _cron(
        self, name: str, rest: int, fire: Callable[[Fate], object], bury: Callable[[], object] = lambda: None
    ) -> Cron:
        chance = Random(self._chance.getrandbits(32))
        return Cron(name=name, rest=rest, fire=fire, clock=self.clock, chance=chance, bury=bury)

    @property
    def _until(self) -> datetime:
        return self.clock.now() + WORK

    def _counter(self) -> tuple[_Changing, Counting]:
        fate, base = _Changing(), self.management
        ledger = Fated(self.ledger, fate)
        return fate, Counting(
            world=World(catalog=Fated(base.catalog, fate), clock=self.clock, random=self._random),
            counter=DuckDbShopCounter(ledger, self.clock, LedgerFeed(ledger, self.clock), opened=opened),
            ledger=ledger,
            store=Fated(base.rollups, fate),
            leases=Fated(self.leases, fate),
            metrics=self.metrics,
        )

    def _bury_counter(self) -> None:
        self._counting = self._counter()

    def _roll_up(self, fate: Fate) -> None:
        changing, counting = self._counting
        changing.present = fate
        counting.count()

    def _store(self, fate: Fate) -> ExperimentStore:
        base, catalog = self.management, Fated(self.management.catalog, fate)
        world = World(catalog=catalog, clock=self.clock, random=self._random)
        return ExperimentStore(world, Storefronts(catalog, Fated(base.publication, fate)), base.budget)

    def _auto_stop(self, fate: Fate) -> None:
        self._deciders(fate).run("autostop")

    def _guard(self, fate: Fate) -> None:
        self._deciders(fate).run("guardian")

    def _deciders(self, fate: Fate) -> Deciders:
        return Deciders(
            store=self._store(fate),
            rollups=Fated(self.management.rollups, fate),
            leases=Fated(self.leases, fate),
            looks=Fated(self.api.looks, fate),
            ledger=Fated(self.ledger, fate),
        )

    def _launch(self, fate: Fate) -> None:
        store = self._store(fate)
        ScheduledActions(store, Planner(store.world, Fated(self.management.rollups, fate))).run(until=self._until)

    def _compact(self, fate: Fate) -> None:
        Compacting(
            clock=self.clock,
            random=self._random,
            ledger=Fated(self.ledger, fate),
            leases=Fated(self.leases, fate),
            metrics=self.metrics,
        ).run()


def _wire(event: Event) -> dict[str, Any]:
    """The event as the SDK sends it."""
    sent: dict[str, Any] = {
        "eventId": event["id"],
        "visitorId": event["visitor"],
        "sessionId": event["session"],
        "ts": event["at"],
        "qa_mode": event["qa"],
    }
    data: dict[str, Any] = {"device": event["device"]}
    if event["kind"] in ("seen", "error"):
        sent |= {"experimentId": event["experiment"], "variationId": event["variation"], "assignment_epoch": 1}
    if event["kind"] == "reached":
        data["goalId"] = event["goal"]
    if event["kind"] == "order":
        revenue = f"{event['minor'] // 100}.{event['minor'] % 100:02}"
        data |= {"orderId": event["order"], "revenue": revenue, "currency": "EUR"}
    return {**sent, "type": _TYPES[event["kind"]], "data": data}


_TYPES = {"page": "pageview", "seen": "experiment_viewed", "reached": "goal", "order": "order", "error": "sdk_error"}
