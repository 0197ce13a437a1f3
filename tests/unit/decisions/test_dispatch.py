"""The schedules as dispatchers: each shop in messages of its own."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import pytest

from abtest.kit.clock import timestamp
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import COUNTED_FOR_EVER, DueEntry
from abtest.ports.queue import QueueUnavailableError
from abtest.services.context import World
from abtest.services.decisions.dispatch import DecisionDispatch, Dispatched
from abtest.services.decisions.messages import IDS_A_MESSAGE, read_decision_message
from tests.support.autostopping import Shopkeeper, running
from tests.support.memory import MemoryQueue
from tests.support.storefronts import SHOP_ID, experiment_id

EVER = COUNTED_FOR_EVER


@dataclass
class Index:
    """The work index of a catalog."""

    running: list[DueEntry]
    counted: list[DueEntry]

    def due(self, queue: str, until: str, *, limit: int) -> list[DueEntry]:
        entries = {"RUN": self.running, "COUNT": self.counted}[queue]
        return [entry for entry in entries if entry.due <= until][:limit]


def dispatch(index: Any) -> tuple[DecisionDispatch, MemoryQueue]:
    queue = MemoryQueue()
    clock = Shopkeeper().clock
    return DecisionDispatch(world=World(catalog=index, clock=clock, random=SystemRandomness()), queue=queue), queue


def entry(number: int, shop: int, due: str, kind: Any = "EXP") -> DueEntry:
    return DueEntry(shop_id=f"shop-{shop}", kind=kind, id=experiment_id(number), due=due)


def test_run__of_auto_stop__sends_running_ones_first_and_what_else_is_counted() -> None:
    keeper = Shopkeeper()
    keeper.keep(running(1, status="paused"), running(2), running(3, status="draft"))
    ended = timestamp(keeper.clock.now())
    keeper.keep(running(4, status="completed", ended_at=ended))
    done, queue = dispatch(keeper.catalog)
    assert done.run("autostop") == Dispatched(shops=1, experiments=3, messages=1)
    (message,) = queue.sent
    request = read_decision_message(message.body)
    assert (message.group, request.shop_id, request.tasks) == (SHOP_ID, SHOP_ID, ("autostop",))
    assert (request.experiment_ids or ())[0] == experiment_id(2)
    assert set(request.experiment_ids or ()) == {experiment_id(number) for number in (1, 2, 4)}


def test_run__of_guardian__sends_running_ones_only() -> None:
    done, queue = dispatch(Index([entry(1, 1, "2026-01-01")], [entry(2, 1, EVER), entry(3, 2, EVER, "SHOP")]))
    assert done.run("guardian") == Dispatched(shops=1, experiments=1, messages=1)
    assert read_decision_message(queue.bodies[0]).experiment_ids == (experiment_id(1),)


def test_run__without_anything__sends_nothing() -> None:
    done, queue = dispatch(Index([], []))
    assert done.run("autostop") == Dispatched(shops=0, experiments=0, messages=0)
    assert queue.sent == []


def test_run__of_what_is_not_counted_any_more_or_a_shop__leaves_it_out() -> None:
    done, queue = dispatch(Index([], [entry(1, 1, "2026-01-01"), entry(2, 1, EVER, "SHOP"), entry(3, 1, EVER, "PZN")]))
    done.run("autostop")
    assert read_decision_message(queue.bodies[0]).experiment_ids == (experiment_id(3),)


def test_run__queue_refuses__fails_so_that_an_alarm_hears_of_it() -> None:
    done, queue = dispatch(Index([entry(1, 1, "2026-01-01")], []))
    queue.available = False
    with pytest.raises(QueueUnavailableError):
        done.run("guardian")


def test_run__begins_with_another_shop_each_time() -> None:
    done, queue = dispatch(Index([entry(number, number, "2026-01-01") for number in range(50)], []))
    for _ in range(20):
        done.run("guardian")
    assert len({queue.sent[50 * number].group for number in range(20)}) > 1


def test_run__of_twenty_thousand__takes_seconds_and_names_each_once() -> None:
    """1,000 shops of 18 and one of 2,000, and as many that are counted and do not run."""
    shops = [*(number % 1000 for number in range(18_000)), *([1000] * 2000)]
    there = [entry(number, shop, "2026-01-01") for number, shop in enumerate(shops)]
    counted = [entry(number, shop, EVER) for number, shop in enumerate(shops + shops)]
    done, queue = dispatch(Index(there, counted))
    began = time.process_time()
    sent = done.run("autostop")
    assert time.process_time() - began < 10
    assert (sent.shops, sent.experiments) == (1001, 40_000)
    requests = [read_decision_message(body) for body in queue.bodies]
    ids = [each for request in requests for each in request.experiment_ids or ()]
    assert len(ids) == len(set(ids)) == 40_000
    assert max(len(request.experiment_ids or ()) for request in requests) == IDS_A_MESSAGE
    assert all(message.group == request.shop_id for message, request in zip(queue.sent, requests, strict=True))
