"""Refreshes: a shop is counted at once, whatever the schedule does."""

from __future__ import annotations

from datetime import timedelta

from abtest.services.context import Caller
from abtest.services.jobs import Jobs, job_message
from tests.support.memory import MemoryQueue
from tests.support.rolled_shops import EXPERIMENT_OF, SHOPS, RolledShops

SHOP, EXPERIMENT = SHOPS[0], EXPERIMENT_OF[SHOPS[0]]


class Requested:
    """A refresh of the first shop's experiment."""

    def __init__(self, shops: RolledShops) -> None:
        caller = Caller(key_id="k", kind="user", user_id="u", shop_id=SHOP, scopes=frozenset(), request_id="r")
        self._jobs = Jobs(shops.counting.run.world, "refresh", MemoryQueue())
        self._id = self._jobs.create(caller, {"experiment_id": EXPERIMENT}).id

    @property
    def job(self) -> tuple[str, object]:
        job = self._jobs.get(SHOP, self._id)
        return job.status, job.result

    @property
    def body(self) -> str:
        return job_message(self._jobs.get(SHOP, self._id))


def test_refresh__of_an_experiment__counts_its_shop_and_has_the_generation() -> None:
    shops = RolledShops()
    shops.arrive(3)
    requested = Requested(shops)
    assert shops.counting.worker.handle(requested.body)
    assert requested.job == ("completed", {"generation": 1})
    assert shops.visitors() == [3, -1, -1, -1, -1]
    assert shops.counting.worker.handle(requested.body), "a repeated message changes nothing"
    assert shops.counter.shops == [SHOP]


def test_refresh__of_more_than_a_run_may_take__counts_all_of_it() -> None:
    shops = RolledShops()
    shops.process(entries=1)
    for _ in range(3):
        shops.arrive(1, SHOP)
        shops.counting.dispatch.run(until=shops.clock.now() - timedelta(seconds=1))
    requested = Requested(shops)
    assert shops.counting.worker.handle(requested.body)
    assert requested.job == ("completed", {"generation": 3})
    assert shops.visitors()[0] == 3


def test_refresh__without_time__is_delivered_again() -> None:
    shops = RolledShops()
    requested = Requested(shops)
    assert not shops.counting.worker.handle(requested.body, shops.clock.now())
    assert shops.visitors()[0] == -1


def test_refresh__while_another_worker_has_the_shop__waits_and_is_delivered_again() -> None:
    shops = RolledShops()
    requested = Requested(shops)
    shops.leases.acquire(f"rollup#{SHOP}", owner="another", seconds=60, now=shops.clock.now())
    pauses = 0

    def sleep(_seconds: float) -> None:
        nonlocal pauses
        pauses += 1
        shops.clock.advance(seconds=5)

    object.__setattr__(shops.counting.worker.refresh, "sleep", sleep)
    assert shops.counting.worker.handle(requested.body), "the lease ended in the meantime"
    assert pauses == 12
    assert requested.job[0] == "completed"


def test_refresh__of_an_experiment_that_cannot_be_counted__fails() -> None:
    shops = RolledShops()
    requested = Requested(shops)

    def fail(_shop_id: str) -> None:
        raise OSError("damaged")

    shops.counter.happens = fail
    assert shops.counting.worker.handle(requested.body)
    assert requested.job[0] == "failed"


def test_message__of_another_kind__is_delivered_again_and_ends_as_a_dead_letter() -> None:
    shops = RolledShops()
    for body in ("", "[]", "{}", '{"shop_id": 7, "head": 1, "listed_at": 1}', '{"shop_id": "a", "head": -1}'):
        assert not shops.counting.worker.handle(body)
