"""Pausing on real stores: of many who pause at once one does, and one set of events is told."""

from __future__ import annotations

from functools import partial
from typing import Any

from abtest.domain.changes.change import Event
from abtest.kit.clock import SystemClock
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Commit, Put
from abtest.services.context import World
from abtest.services.experiments.records import EXPERIMENTS, experiment_in
from abtest.services.experiments.store import ExperimentStore
from abtest.services.experiments.system_pause import NotPaused, Paused, pause_running
from abtest.services.publication.budget import CodeBudget
from abtest.services.storefronts import Storefronts
from tests.contract.conftest import Ports
from tests.contract.records import concurrent, race
from tests.support.autostopping import Publisher, running
from tests.support.memory import MemoryBlobs

EVENTS = (Event("experiment.significant", {"goal_id": "g"}), Event("variation.winning", {"goal_id": "g"}))


def store_of(ports: Ports) -> ExperimentStore:
    world = World(catalog=ports.catalog, clock=SystemClock(), random=SystemRandomness())
    return ExperimentStore(world, Storefronts(world.catalog, Publisher()), CodeBudget(MemoryBlobs()))


def pause(ports: Ports, reason: str) -> Any:
    experiment = running()
    return pause_running(
        store_of(ports),
        experiment.shop_id,
        experiment.id,
        expected_measurement_epoch=1,
        reason=reason,
        events=EVENTS,
    )


def test_pause_running__on_every_store__is_told_once_and_in_order(ports: Ports) -> None:
    experiment = running()
    ports.catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(experiment), expected_version=0)]))
    assert isinstance(pause(ports, "first"), Paused)
    assert pause(ports, "second") == NotPaused(obstacle="not_running")
    told = ports.another().catalog.outbox("webhook", created_before="9999", limit=10)
    assert [row.payload["event"] for row in told] == ["experiment.significant", "variation.winning"]
    assert ports.catalog.due("RUN", "9999", limit=10) == []


@concurrent
def test_pause_running__twenty_at_once__one_transition_one_set_of_events(ports: Ports) -> None:
    experiment = running()
    ports.catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(experiment), expected_version=0)]))
    answers = race(*(partial(pause, ports.another(), f"racer {number}") for number in range(20)))
    assert sum(isinstance(answer, Paused) for answer in answers) == 1
    assert sum(answer == NotPaused(obstacle="not_running") for answer in answers) == 19
    record = ports.catalog.get(experiment.shop_id, "EXP", experiment.id)
    assert record is not None
    assert (record.head.version, experiment_in(record).status) == (2, "paused")
    told = ports.catalog.outbox("webhook", created_before="9999", limit=100)
    assert [row.payload["event"] for row in told] == ["experiment.significant", "variation.winning"]
    rows = ports.catalog.audit(experiment.shop_id, entity_id=experiment.id, limit=100)[0]
    assert [row.action for row in rows] == ["experiment.pause"]
