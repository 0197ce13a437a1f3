"""Rounds of auto-stop and Guardian at all experiments of a catalog, as workers have them after the schedules fired."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from abtest.services.autostop import AutoStop
from abtest.services.decisions.dispatch import DecisionDispatch
from abtest.services.decisions.messages import Task, read_decision_message
from abtest.services.decisions.shop_round import Results, Round, ShopRound
from abtest.services.decisions.worker import DecisionWorker
from abtest.services.experiments.store import ExperimentStore
from abtest.services.guardian import Guardian
from abtest.services.results import RollupReader
from abtest.services.rollups import ShopReaches
from tests.support.memory import MemoryBlobs, MemoryLookStore, MemoryMetrics, MemoryQueue


class RoundFailedError(Exception):
    """Some experiments failed; all others were handled."""

    def __init__(self, done: Round) -> None:
        super().__init__(f"failed: {', '.join(done.failed)}")
        self.round = done


@dataclass
class Deciders:
    """One process with both: it dispatches and carries its messages out at once."""

    store: ExperimentStore
    rollups: Any
    leases: Any
    looks: Any = field(default_factory=MemoryLookStore)
    metrics: Any = field(default_factory=MemoryMetrics)
    queue: Any = field(default_factory=MemoryQueue)
    ledger: Any = field(default_factory=MemoryBlobs)

    @property
    def shop_round(self) -> ShopRound:
        """The turns."""
        reader = RollupReader(self.rollups)
        return ShopRound(
            world=self.store.world,
            leases=self.leases,
            auto_stop=AutoStop(store=self.store, reader=reader, looks=self.looks),
            guardian=Guardian(self.store, reader, ShopReaches(self.rollups, self.ledger).now),
        )

    @property
    def worker(self) -> DecisionWorker:
        """The worker."""
        return DecisionWorker(round=self.shop_round, queue=self.queue, metrics=self.metrics)

    def dispatched(self, task: Task) -> list[str]:
        """The bodies that a schedule sends."""
        queue = MemoryQueue()
        DecisionDispatch(world=self.store.world, queue=queue).run(task)
        return queue.bodies

    def run(self, task: Task, *, until: datetime | None = None) -> Round:
        """One round of one task over everything; a failure is raised when all have had their turns."""
        done = Round()
        until = until or self.store.world.clock.now() + timedelta(minutes=4)
        for body in self.dispatched(task):
            _add(done, self.shop_round.run(read_decision_message(body), until=until)[task])
        if done.failed:
            raise RoundFailedError(done)
        return done


def _add(done: Round, more: Round) -> None:
    for counted, new in ((done.results, more.results), (done.looks, more.looks)):
        _count(counted, new)
    pairs: Sequence[tuple[list[str], list[str]]] = (
        (done.failed, more.failed),
        (done.left, more.left),
        (done.busy, more.busy),
    )
    for ids, new_ids in pairs:
        ids += new_ids


def _count(counted: Results, new: Results) -> None:
    for word, number in new.items():
        counted[word] = counted[word] + number
