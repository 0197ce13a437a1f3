"""Auto-stop beside people who use the API: what they state holds, what it did they read, what they undo stays."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.services.experiments.records import experiment_of
from abtest.services.experiments.store import ExperimentStore
from abtest.services.experiments.system import SYSTEM_USER_ID
from abtest.services.storefronts import Storefronts
from tests.support.api import MemoryApi, Tenant
from tests.support.autostopping import totals
from tests.support.client import Client
from tests.support.deciding import Deciders
from tests.support.memory import MemoryLeases

Json = dict[str, Any]
WON, EVEN = (200, 300), (200, 205)


class Shop:
    """A shop whose owner calls the API, and the schedule."""

    def __init__(self, api: MemoryApi, tenant: Tenant, client: Client) -> None:
        self.api, self.tenant, self.client = api, tenant, client
        world, management = api.world, api.management
        self.deciders = Deciders(
            store=ExperimentStore(world, Storefronts(world.catalog, management.publication), management.budget),
            rollups=management.rollups,
            leases=MemoryLeases(),
        )

    def launched(self, **fields: Any) -> str:
        """The path of a running experiment with a primary goal."""
        goals = [{"name": "Buys", "type": "click", "selector": "#buy"}]
        made = self.client.post("/experiments", {"name": "x", "goals": goals, **fields})
        assert made.status == 201, made.body
        path = f"/experiments/{made.json()['id']}"
        assert self.client.post(f"{path}/launch").status == 200
        return path

    def count(self, path: str, generation: int, converters: tuple[int, int], visitors: int = 2000) -> None:
        experiment = experiment_of(self.api.world.catalog, self.tenant.shop.id, path.rpartition("/")[2])
        arms = {arm.id: (visitors, hits) for arm, hits in zip(experiment.variations, converters, strict=True)}
        assert self.api.management.rollups.put(totals(experiment, generation, arms), {}, {})

    def round(self) -> Json:
        self.api.clock.advance(minutes=5)
        return dict(self.deciders.run("autostop").results)


@pytest.fixture
def shop(api: MemoryApi, tenant: Tenant, client: Client) -> Shop:
    return Shop(api, tenant, client)


SEQUENTIAL = {"mode": "sequential_significance"}


def test_winner__is_read_as_paused_with_the_system_in_its_history(shop: Shop) -> None:
    path = shop.launched(auto_stop_override=SEQUENTIAL)
    shop.count(path, 1, WON)
    assert shop.round() == {"paused": 1}
    assert shop.client.get(path).json()["status"] == "paused"
    row = shop.client.get(f"{path}/history").json()["data"][0]
    assert (row["action"], row["user_id"]) == ("experiment.pause", SYSTEM_USER_ID)


def test_resumed__stays_resumed__until_restarted(shop: Shop) -> None:
    path = shop.launched(auto_stop_override=SEQUENTIAL)
    shop.count(path, 1, WON)
    shop.round()
    assert shop.client.post(f"{path}/resume").status == 200
    shop.count(path, 2, (400, 700), 4000)
    assert shop.round() == {"resumed_by_people": 1}
    assert shop.client.post(f"{path}/pause").status == 200
    assert shop.client.post(f"{path}/restart").status == 200
    assert shop.round() == {"not_counted_yet": 1}
    shop.count(path, 1, WON)
    assert shop.round() == {"paused": 1}


def test_planned_end__is_read_in_the_plan__and_a_restart_looks_anew(shop: Shop) -> None:
    path = shop.launched()
    goal_id = shop.client.get(path).json()["goals"][0]["id"]
    stated = {"goal_id": goal_id, "baseline_rate": 0.1, "mde": 0.3, "confirm_live_impact": True}
    assert shop.client.put(f"{path}/plan", stated).status == 200
    mode = {"auto_stop_override": {"mode": "fixed_horizon_planned_end"}, "confirm_live_impact": True}
    assert shop.client.patch(path, mode).status == 200
    shop.count(path, 1, EVEN)
    assert shop.client.get(path).json()["planned_test"]["required_total_visitors"] <= 4000
    assert shop.round() == {"evaluated": 1}
    first = shop.client.get(path).json()
    assert (first["status"], first["planned_test"]["evaluation"]["outcome"]) == ("running", "continue_inconclusive")
    shop.count(path, 2, WON)
    assert shop.round() == {"already_evaluated": 1}

    assert shop.client.post(f"{path}/pause").status == 200
    assert shop.client.post(f"{path}/restart").status == 200
    assert shop.client.get(path).json()["planned_test"]["evaluation"] is None
    shop.count(path, 1, WON)
    assert shop.round() == {"paused": 1}
    last = shop.client.get(path).json()["planned_test"]
    assert last["evaluation"]["outcome"] == "significant_pause"
    assert last["endpoint_reached_at"] == last["evaluation"]["evaluated_at"]


def test_planned_goal__archived_meanwhile__decides_nothing(shop: Shop) -> None:
    path = shop.launched()
    goal_id = shop.client.get(path).json()["goals"][0]["id"]
    stated = {"goal_id": goal_id, "baseline_rate": 0.1, "mde": 0.3, "confirm_live_impact": True}
    assert shop.client.put(f"{path}/plan", stated).status == 200
    mode = {"auto_stop_override": {"mode": "fixed_horizon_planned_end"}, "confirm_live_impact": True}
    assert shop.client.patch(path, mode).status == 200
    shop.count(path, 1, WON)
    assert shop.client.post(f"{path}/goals/{goal_id}/archive").status == 200
    assert shop.round() == {"planned_goal_not_in_use": 1}


def test_weights_changed_while_running__old_counts_decide_nothing(shop: Shop) -> None:
    path = shop.launched(auto_stop_override=SEQUENTIAL)
    shop.count(path, 1, WON)
    arms = shop.client.get(path).json()["variations"]
    weights = {arms[0]["id"]: 0.3, arms[1]["id"]: 0.7}
    answer = shop.client.put(f"{path}/variations/weights", {"weights": weights, "confirm_live_impact": True})
    assert answer.status == 200, answer.body
    assert shop.round() == {"not_counted_yet": 1}
    assert shop.client.get(path).json()["status"] == "running"
