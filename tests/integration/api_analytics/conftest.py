"""A running experiment in memory, the whole way of its events: edge, queue, ledger, counts, roll-up, results."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from abtest.domain.credentials.signing import ingest_secret, server_signature
from abtest.domain.experiments.model import Experiment
from abtest.domain.ledger.columns import row_of_line
from abtest.domain.ledger.daily_counts import DailyCounts, date_of
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.objects import RAW
from abtest.domain.ledger.plans import CountingPlan, plan_counting, plan_holdout
from abtest.domain.ledger.reference import count
from abtest.domain.ledger.rollup_documents import rollup_documents, shop_day_document
from abtest.domain.ledger.shop_days import shop_day
from abtest.domain.personalizations.measurement import measured
from abtest.domain.personalizations.model import Personalization
from abtest.http.factory import create_app, handler
from abtest.kit.clock import parse_timestamp, to_milliseconds
from abtest.kit.documents import decode
from abtest.services.ledger import KnownGoals, LedgerWriter, Message
from abtest.services.shop_records import read_shop
from abtest.wiring.api_analytics import analytics_of
from abtest.wiring.api_experiments import experiments_uses
from abtest.wiring.api_personalizations import personalizations_uses
from abtest.wiring.api_settings import settings_uses
from api_analytics.routes import ROUTERS as RESULTS
from api_experiments.routes import ROUTERS
from api_personalizations.routes import ROUTERS as PERSONALIZATIONS
from api_settings.routes import ROUTERS as SETTINGS
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.memory import MemoryLookStore, MemoryQueue, MemoryRollupStore, MemorySessions
from tests.support.reaches import counted_until
from tests.unit.ingest.edge import ROOTS, Edge, signed_headers

DAY_MS = 24 * 3600 * 1000

GOALS = [
    {"name": "Buy", "type": "click", "selector": "#buy"},
    {"name": "Revenue", "type": "revenue"},
]


@dataclass
class Lab:
    """The management API with results, and everything between a shopper and them."""

    api: MemoryApi
    tenant: Tenant
    edge: Edge
    store: MemoryRollupStore
    looks: MemoryLookStore
    refreshes: MemoryQueue
    queued: int = 0
    generations: dict[str, int] = field(default_factory=dict)

    @property
    def client(self) -> Client:
        """The shop's admin."""
        return self.api.client(self.tenant.admin)

    def launched(self, **fields: Any) -> dict[str, Any]:
        """A running experiment."""
        made = self.client.post("/experiments", {"name": "Headline", "goals": GOALS, **fields})
        assert made.status == 201, made.body
        launched = self.client.post(f"/experiments/{made.json()['id']}/launch", {"override_checklist_warnings": True})
        assert launched.status == 200, launched.body
        self.api.clock.advance(seconds=1)
        experiment: dict[str, Any] = launched.json()
        return experiment

    def advance_to(self, moment: str) -> None:
        """Move the clock to `03-02T10:00` (UTC) of the year of the tests."""
        wanted = parse_timestamp(f"2026-{moment}:00Z")
        self.api.clock.advance(seconds=(wanted - self.api.clock.now()).total_seconds())

    def send(self, *events: dict[str, Any]) -> Any:
        """Events of the shop, through the edge; those without a time happen now."""
        now = to_milliseconds(self.api.clock.now())
        shop_id = self.tenant.shop.id
        batch = [{"ts": now, "eventId": self.api.world.new_id(), **event} for event in events]
        answer = self.edge.call(batch, headers=signed_headers(shop_id))
        assert answer.status == 202, answer.body
        return answer.json()

    def send_by_server(self, *events: dict[str, Any]) -> None:
        """The same with the signature of the shop's server."""
        shop_id, now = self.tenant.shop.id, self.edge.clock.now()
        stamped = {"ts": to_milliseconds(self.api.clock.now())}
        body = json.dumps([{**stamped, "eventId": self.api.world.new_id(), **event} for event in events])
        signature = server_signature(ingest_secret(ROOTS, shop_id), int(now.timestamp()), body.encode())
        answer = self.edge.call(body, headers={"x-svc-shop": shop_id, "x-svc-signature": signature})
        assert (answer.status, answer.json()["quarantined"]) == (202, 0), answer.body

    def settle(self) -> None:
        """Bring what is queued into the ledger, and count experiments, personalizations, the holdout and days."""
        now = to_milliseconds(self.api.clock.now())
        bodies = self.edge.queue.bodies[self.queued :]
        messages = [Message(id=f"m-{self.queued + n}", body=body, queued_at=now) for n, body in enumerate(bodies)]
        self.queued += len(bodies)
        catalog = self.api.management.catalog
        if messages:
            assert (
                LedgerWriter(
                    ledger=self.edge.ledger, clock=self.api.clock, goals=KnownGoals(catalog, self.api.clock)
                ).write(messages)
                == []
            )
        rows = list(self._rows())
        for plan in self._plans():
            self._count(plan, rows)
        self._count_days(rows)
        counted_until(self.store, self.tenant.shop.id, self.api.clock.now())

    def _rows(self) -> Iterator[Row]:
        for entry in self.edge.ledger.list(RAW):
            for line in gzip.decompress(self._object(entry.key)).splitlines():
                row = row_of_line(line)
                assert row is not None
                yield row

    def _object(self, key: str) -> bytes:
        found = self.edge.ledger.get(key)
        assert found is not None
        return found.content

    def _plans(self) -> Iterator[CountingPlan]:
        catalog, shop_id = self.api.management.catalog, self.tenant.shop.id
        shop = read_shop(catalog, shop_id)
        experiments = [
            decode(Experiment, record.body)
            for head in catalog.list(shop_id, "EXP", limit=100).heads
            if (record := catalog.get(shop_id, "EXP", head.id))
        ]
        for head in catalog.list(shop_id, "PZN", limit=100).heads:
            if record := catalog.get(shop_id, "PZN", head.id):
                experiments += measured(decode(Personalization, record.body))
        plans = [plan_counting(experiment, shop.currency) for experiment in experiments]
        yield from (plan for plan in [*plans, plan_holdout(shop)] if plan)

    def _count(self, plan: CountingPlan, rows: list[Row]) -> None:
        key = f"{plan.experiment_id}/{plan.measurement_epoch}"
        generation = self.generations[key] = self.generations.get(key, 0) + 1
        documents = rollup_documents(
            plan,
            DailyCounts.of(count(rows, plan)),
            generation=generation,
            computed_at=self.api.world.now(),
            stored=self.store.totals(plan.experiment_id, plan.measurement_epoch),
        )
        assert self.store.put(documents.totals, documents.days, documents.segments)

    def _count_days(self, rows: list[Row]) -> None:
        shop_id = self.tenant.shop.id
        for number, day in enumerate(sorted({row["ts"] // DAY_MS for row in rows})):
            found = shop_day(rows, shop_id, date_of(day), "EUR")
            generation = self.generations[shop_id] = self.generations.get(shop_id, 0) + 1 + number
            self.store.put_shop_day(shop_day_document(found, generation=generation, computed_at=self.api.world.now()))

    def results(self, experiment: dict[str, Any], **query: Any) -> dict[str, Any]:
        """What the results route says."""
        answer = self.client.get(f"/experiments/{experiment['id']}/results", query=query)
        assert answer.status == 200, answer.body
        found: dict[str, Any] = answer.json()
        return found


def seen(experiment: dict[str, Any], visitor: str, variation: int, **fields: Any) -> dict[str, Any]:
    """A visitor is shown a variation."""
    return {
        "type": "experiment_viewed",
        "visitorId": visitor,
        "experimentId": experiment["id"],
        "variationId": experiment["variations"][variation]["id"],
        "assignment_epoch": 1,
        **fields,
    }


def reached(experiment: dict[str, Any], visitor: str, goal: int, **data: Any) -> dict[str, Any]:
    """A visitor reaches a goal."""
    goal_id = experiment["goals"][goal]["id"]
    return {"type": "goal", "visitorId": visitor, "data": {"goalId": goal_id, **data}}


def ordered(visitor: str, order_id: str, revenue: float, currency: str = "EUR") -> dict[str, Any]:
    """A visitor buys."""
    data = {"orderId": order_id, "revenue": revenue, "currency": currency}
    return {"type": "order", "visitorId": visitor, "data": data}


@pytest.fixture
def lab() -> Lab:
    """Nothing has happened yet."""
    api = MemoryApi([])
    store, looks, refreshes = MemoryRollupStore(), MemoryLookStore(), MemoryQueue()
    base = api.management
    uses = {
        **settings_uses(base, MemorySessions()),
        **experiments_uses(base, MemorySessions()),
        **personalizations_uses(base),
        **analytics_of(api.world, store, looks, refreshes, base.sessions),
    }
    routers = [*SETTINGS, *ROUTERS, *PERSONALIZATIONS, *RESULTS]
    api.handler = handler(create_app(routers, base.services(uses)))
    edge = Edge(clock=api.clock, catalog=base.catalog)
    return Lab(api, api.tenant(), edge, store, looks, refreshes)
