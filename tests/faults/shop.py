"""A shop with a running experiment, from the edge to the roll-up: the real services, each process of which may die."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Any

from abtest.adapters.warehouse.duckdb_ledger import DuckDbShopLedger
from abtest.adapters.warehouse.shop_counter import DuckDbShopCounter
from abtest.domain.ledger.batch import Envelope
from abtest.domain.ledger.daily_counts import day_of
from abtest.http.factory import create_app, handler
from abtest.kit.clock import ManualClock, from_milliseconds, parse_milliseconds, to_milliseconds
from abtest.ports.queue import QueueUnavailableError
from abtest.services.context import World
from abtest.services.event_limits import EventLimits
from abtest.services.ingest import EventStoreUnavailableError, Ingest
from abtest.services.ledger import KnownGoals, LedgerWriter, Message
from abtest.services.ledger_feed import LedgerFeed
from abtest.wiring.api_experiments import experiments_uses
from api_experiments.routes import ROUTERS
from tests.faults.faults import Fate, Fated, KilledError
from tests.faults.oracle import LARGE, Event, Numbers
from tests.faults.shoppers import Plan, Sending
from tests.support.api import MemoryApi
from tests.support.compaction import Compacting
from tests.support.counting import Counting
from tests.support.memory import MemoryBlobs, MemoryLeases, MemoryRateLimiter, MemoryRollupStore, MemorySessions
from tests.support.memory.metrics import MemoryMetrics
from tests.support.memory.queue import SendsEach

PEACE = Fate()


@dataclass
class Waiting:
    """A message in the queue; `visible_at`: until then a worker has it."""

    id: str
    body: str
    queued_at: int
    visible_at: int = 0


class Mailbox(SendsEach):
    """A queue as SQS is one: what is not confirmed comes again, and now and then what is confirmed does, too."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self.waiting: list[Waiting] = []
        self.available = True
        self._sent = 0

    def send(self, body: str, *, delay_seconds: int = 0, group: str = "") -> None:
        if not self.available:
            raise QueueUnavailableError("switched off")
        self._sent += 1
        self.waiting.append(Waiting(f"m-{self._sent}", body, to_milliseconds(self._clock.now())))

    def depth(self) -> int:
        return len(self.waiting)


class Seeded:
    """Ids by chance, the same again for the same seed."""

    def __init__(self, chance: Random) -> None:
        self._chance = chance

    def bits(self, count: int) -> int:
        return self._chance.getrandbits(count)


def opened(database: Any, relation: str, shop_id: str | None) -> DuckDbShopLedger:
    """For a few rows, threads cost more than they save; and the other core has tests of its own."""
    database.execute("SET threads TO 1")
    return DuckDbShopLedger(database, relation, shop_id)


class Process:
    """A warm function that counts: it keeps its copy until it dies."""

    def __init__(self, shop: Shop) -> None:
        self._shop = shop
        self.fate = Fate()
        ledger = Fated(shop.ledger, _Present(self))
        self._counting = Counting(
            world=World(catalog=Fated(shop.api.world.catalog, _Present(self)), clock=shop.clock, random=shop.random),
            counter=DuckDbShopCounter(ledger, shop.clock, LedgerFeed(ledger, shop.clock), opened=opened),
            ledger=ledger,
            store=Fated(shop.store, _Present(self), {"put": "put_rollup"}),
            leases=MemoryLeases(),  # of its own: the lease that keeps runs apart has failed
            metrics=MemoryMetrics(),
        )

    def count(self, fate: Fate | None = None) -> None:
        """One run of the dispatcher, and of the worker for what it sends."""
        self.fate = fate or Fate()
        self._counting.count()


class _Present(Fate):
    """The fate that a process has at the moment."""

    def __init__(self, process: Process) -> None:
        super().__init__()
        self._process = process

    def before_call(self, name: str) -> bool:
        return self._process.fate.before_call(name)


class Shop:
    """Everything, in virtual time."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.random = Seeded(Random(chance.getrandbits(64)))
        self.api = MemoryApi([])
        self.api.handler = handler(
            create_app(
                [*ROUTERS], self.api.management.services(experiments_uses(self.api.management, MemorySessions()))
            )
        )
        self.clock = self.api.clock
        self.tenant = self.api.tenant()
        self.ledger = MemoryBlobs()
        self.store = MemoryRollupStore()
        self.mailbox = Mailbox(self.clock)
        self.received: dict[str, int] = {}
        self.limiter = MemoryRateLimiter()
        self.plan = self._launched()

    @property
    def now(self) -> int:
        return to_milliseconds(self.clock.now())

    def process(self) -> Process:
        """A cold function."""
        return Process(self)

    # ------------------------------------------------------------ events

    def send(self, sendings: Sequence[Sending], fate: Fate = PEACE) -> None:
        """One request at the present moment, repeated like a browser does until it is answered."""
        skew = sendings[0].skew
        for attempt in range(20):
            try:
                self._request(sendings, skew, fate if attempt == 0 else PEACE)
            except (KilledError, EventStoreUnavailableError):
                self.mailbox.available = self.ledger.available = True
                self.clock.advance(seconds=3)
                continue
            return
        raise AssertionError("twenty attempts are enough")

    def _request(self, sendings: Sequence[Sending], skew: int, fate: Fate) -> None:
        noted = Noting(lambda: self._note(sendings))
        ingest = Ingest(
            clock=self.clock,
            random=self.random,
            limits=EventLimits(limiter=self.limiter, clock=self.clock),
            ledger=Fated(noted.of(self.ledger, "put"), fate),
            queue=Fated(noted.of(self.mailbox, "send"), fate),
        )
        envelope = Envelope(
            events=[_wire(sending.event, self.plan, skew) for sending in sendings], sent_at=self.now + skew
        )
        receipt = ingest.accept(self.tenant.shop.id, envelope)
        assert receipt.quarantined == 0, receipt  # type: ignore[union-attr]

    def _note(self, sendings: Sequence[Sending]) -> None:
        for sending in sendings:
            self.received.setdefault(sending.event["id"], self.now)

    # ------------------------------------------------------------ workers

    def deliver(self, fate: Fate = PEACE, *, most: int = 40) -> bool:
        """Hand a batch to a worker, in no particular order; False when nothing is visible."""
        visible = [message for message in self.mailbox.waiting if message.visible_at <= self.now]
        batch = self.chance.sample(visible, min(len(visible), self.chance.randrange(1, most)))
        if not batch:
            return False
        for message in batch:
            message.visible_at = self.now + 360_000
        writer = LedgerWriter(
            ledger=Fated(self.ledger, fate),
            goals=KnownGoals(Fated(self.api.world.catalog, fate), self.clock),
            clock=self.clock,
        )
        try:
            refused = writer.write([Message(id=each.id, body=each.body, queued_at=each.queued_at) for each in batch])
        except KilledError:
            return True
        assert refused == []
        for message in batch:
            if self.chance.random() > 0.05:  # else confirmed, and delivered again all the same
                self.mailbox.waiting.remove(message)
        return True

    def requeue_spilled(self) -> None:
        """What the sweep does, dying between queueing and removing now and then."""
        for entry in list(self.ledger.list("spill/")):
            found = self.ledger.get(entry.key)
            assert found is not None
            self.mailbox.send(found.content.decode())
            if self.chance.random() > 0.3:
                self.ledger.delete(entry.key)

    def compact(self, fate: Fate = PEACE, *, since_days: int = 20) -> None:
        """A run of the schedule and of its workers; killed ones leave whatever they had written."""
        compacting = Compacting(clock=self.clock, random=self.random, ledger=Fated(self.ledger, fate))
        try:
            compacting.run(since=self.now - since_days * 86_400_000)
        except KilledError:
            return

    def drain(self) -> None:
        """Everything that was taken in stands in the ledger."""
        self.mailbox.available = self.ledger.available = True
        while self.mailbox.waiting or any(self.ledger.list("spill/")):
            self.requeue_spilled()
            while self.deliver():
                pass
            self.clock.advance(minutes=7)

    # ------------------------------------------------------------ results

    def standing(self) -> dict[str, Any]:
        """What the roll-up's documents say, in the oracle's form."""
        totals = self.store.totals(self.plan.experiment, 1)
        assert totals is not None
        first, last = "2026-01-01", "2027-01-01"
        days = self.store.days(self.plan.experiment, 1, first, last)
        segments = self.store.segments(self.plan.experiment, 1, first, last)
        by_day: dict[tuple[str, int], int] = {}
        for variation, _, quarter, _, visitors in (cell for day in days for cell in day["cells"]):
            key = (variation, quarter // 96)
            by_day[key] = by_day.get(key, 0) + visitors
        return {
            "visitors": {(name,): said["visitors"] for name, said in totals["variations"].items() if said["visitors"]},
            "visitors by day": by_day,
            "visitors by device": {
                (variation, day, value): visitors
                for segment in segments
                for variation, dimension, day, value, visitors in segment["cells"]
                if dimension == "device"
            },
            "multiple": totals["multiple_exposure"],
            "click": _numbers(totals["goals"][self.plan.click]),
            "signup": _numbers(totals["goals"][self.plan.signup]),
            "paying": _numbers(totals["goals"][self.plan.paying]),
            "revenue": _numbers(totals["goals"][self.plan.revenue]),
            "large": _numbers(totals["goals"][self.plan.large]),
            "foreign": {
                variation: said["excluded"]
                for variation, said in totals["goals"][self.plan.revenue].items()
                if said["excluded"]
            },
        }

    def standing_days(self) -> dict[int, dict[str, Any]]:
        """What the documents of the shop's days say, in the oracle's form."""
        found = self.store.shop_days(self.tenant.shop.id, "2026-01-01", "2027-01-01")
        return {day_of(document["date"]): _day(document) for document in found}

    def _launched(self) -> Plan:
        paying = {"property": "plan", "operator": "equals", "value": "paying"}
        large = {"operator": "gte", "value": LARGE / 100}
        signed_up = {"type": "custom", "event_name": "sign_up", "count_once": False}
        goals = [
            {"name": "Buy", "type": "click", "selector": "#buy", **AT_ANY_TIME},
            {"name": "Signed up", **signed_up, **WITHIN_A_DAY},
            {"name": "Pays", **signed_up, **AT_ANY_TIME, "filter": {"version": 1, "conditions": [paying]}},
            {"name": "Revenue", "type": "revenue", **AT_ANY_TIME},
            {"name": "Large", "type": "revenue", **WITHIN_A_DAY, "filter": {"version": 1, "orderValue": [large]}},
        ]
        client = self.api.client(self.tenant.admin)
        made = client.post("/experiments", {"name": "Headline", "goals": goals})
        assert made.status == 201, made.body
        launched = client.post(f"/experiments/{made.json()['id']}/launch", {"override_checklist_warnings": True})
        assert launched.status == 200, launched.body
        experiment = launched.json()
        ids = {goal["name"]: goal["id"] for goal in experiment["goals"]}
        return Plan(
            experiment=experiment["id"],
            variations=tuple(variation["id"] for variation in experiment["variations"]),
            click=ids["Buy"],
            signup=ids["Signed up"],
            paying=ids["Pays"],
            revenue=ids["Revenue"],
            large=ids["Large"],
            begins=parse_milliseconds(experiment["started_at"]),
        )


class Noting:
    """Tells of each time that something was really handed over."""

    def __init__(self, note: Callable[[], None]) -> None:
        self._note = note

    def of(self, port: Any, call: str) -> Any:
        return _Noted(port, call, self._note)


class _Noted:
    def __init__(self, port: Any, call: str, note: Callable[[], None]) -> None:
        self._port, self._call, self._note = port, call, note

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        if name != self._call:
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            answer = found(*arguments, **named)
            self._note()
            return answer

        return call


def _numbers(goal: dict[str, Any]) -> dict[str, Numbers]:
    return {
        variation: (said["converters"], said["count"], said["sum_minor"], int(said["sum_squares_minor"]))
        for variation, said in goal.items()
        if said["count"]
    }


def _day(document: Mapping[str, Any]) -> dict[str, Any]:
    orders: dict[str, int] = {}
    for _, _, currency, number, _ in document["orders"]:
        orders[currency] = orders.get(currency, 0) + number
    kinds = {kind: name for name, kind in _TYPES.items()}
    return {
        "visitors": sum(visitors for quarter, gap, visitors in document["activity"] if gap == 0 or gap > quarter),
        "events": {kinds[kind]: number for kind, number in document["events"].items()},
        "buyers": document["steps"]["purchased"],
        "orders": orders,
        "revenue": sum(minor for _, kind, _, _, minor in document["orders"] if kind == "own"),
    }


AT_ANY_TIME, WITHIN_A_DAY = {"attribution_window_days": 90}, {"attribution_window_days": 1}
_TYPES = {"seen": "experiment_viewed", "click": "goal", "signup": "custom", "order": "order", "refund": "refund"}


def _wire(event: Event, plan: Plan, skew: int) -> dict[str, Any]:
    """The event as the SDK sends it, by a clock that is ahead."""
    sent: dict[str, Any] = {
        "type": _TYPES[event["kind"]],
        "eventId": event["id"],
        "visitorId": event["visitor"],
        "ts": event["at"] + skew,
        "qa_mode": event["qa"],
    }
    data: dict[str, Any] = {"device": event["device"]}
    if event["kind"] == "seen":
        sent |= {"experimentId": event["experiment"], "variationId": event["variation"], "assignment_epoch": 1}
    elif event["kind"] == "click":
        data["goalId"] = plan.click
    elif event["kind"] == "signup":
        data |= {"event_name": "sign_up", "plan": event["plan"]}
    else:
        major = f"{event['minor'] // 100}.{event['minor'] % 100:02}"
        data |= {"orderId": event["order"], "revenue": major, "currency": event["currency"]}
    return {**sent, "data": data}


def moved(clock: ManualClock, unix_ms: int) -> None:
    """Let time pass until then, if it is not yet past."""
    ahead = from_milliseconds(unix_ms) - clock.now()
    if ahead > timedelta():
        clock.advance(seconds=ahead.total_seconds())
