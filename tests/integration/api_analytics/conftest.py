"""A running experiment in memory, the whole way of its events: edge, queue, ledger, roll-up, results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from abtest.adapters.memory import MemoryLeases, MemoryRollups, MemorySessions
from abtest.adapters.warehouse.duckdb import DuckDbWarehouse
from abtest.http.factory import create_app, handler
from abtest.kit.clock import to_milliseconds
from abtest.services.ledger import KnownGoals, LedgerWriter, Message
from abtest.services.results import Results
from abtest.services.rollup import RollupRun, Tally
from abtest.wiring.experiments import experiments_uses
from api_analytics.routes import ROUTERS as RESULTS
from api_experiments.routes import ROUTERS
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.unit.ingest.edge import Edge, signed_headers

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
    rollups: MemoryRollups
    queued: int = 0

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

    def send(self, *events: dict[str, Any]) -> Any:
        """Events of the shop, through the edge; those without a time happen now."""
        now = to_milliseconds(self.api.clock.now())
        shop_id = self.tenant.shop.id
        batch = [{"ts": now, "eventId": self.api.world.new_id(), **event} for event in events]
        answer = self.edge.call(batch, headers=signed_headers(shop_id))
        assert answer.status == 202, answer.body
        return answer.json()

    def settle(self) -> Tally:
        """Bring what is queued into the ledger and count it."""
        now = to_milliseconds(self.api.clock.now())
        bodies = self.edge.queue.bodies[self.queued :]
        messages = [Message(id=f"m-{self.queued + n}", body=body, queued_at=now) for n, body in enumerate(bodies)]
        self.queued += len(bodies)
        catalog = self.api.management.catalog
        if messages:
            clock = self.api.clock
            writer = LedgerWriter(ledger=self.edge.ledger, goals=KnownGoals(catalog, clock), clock=clock)
            assert writer.write(messages) == []
        run = RollupRun(
            world=self.api.world,
            ledger=self.edge.ledger,
            warehouse=DuckDbWarehouse(self.edge.ledger),
            rollups=self.rollups,
            leases=MemoryLeases(),
        )
        tally = run.run()
        assert tally is not None
        return tally

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
    rollups = MemoryRollups()
    uses = {
        **experiments_uses(api.management, MemorySessions()),
        Results: Results(api.world, rollups),
    }
    api.handler = handler(create_app([*ROUTERS, *RESULTS], api.management.services(uses)))
    edge = Edge(clock=api.clock, catalog=api.management.catalog)
    return Lab(api, api.tenant(), edge, rollups)
