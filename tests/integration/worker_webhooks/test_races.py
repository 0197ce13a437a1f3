"""Several workers at one endpoint, receivers that are slow, drains that must end: on stores that are truly shared."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from abtest.domain.webhooks.health import Health
from abtest.services.leases import LEASE_SECONDS
from abtest.services.webhooks.drain import AT_ONCE
from tests.integration.worker_webhooks.office import SHOP, Office
from tests.support.inbox import Arrival, Inbox
from tests.support.memory import MemoryLeases
from tests.support.memory.deliveries import MemoryDeliveryStore
from tests.support.moto_stack import AwsStack


@pytest.fixture
def shared(local_stack: AwsStack) -> Office:
    """Stores that bear threads: the engine of other tests lets two writers pass one condition."""
    local_stack.enter("WorkerWebhooks")
    office = Office.on(local_stack)
    office.store, office.leases = MemoryDeliveryStore(), MemoryLeases()
    return office


def drained_by(office: Office, webhook_id: str, workers: int) -> None:
    """So many workers begin at once."""
    begin = threading.Barrier(workers)

    def drain(_: int) -> None:
        begin.wait()
        office.drain.run(SHOP, webhook_id)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(drain, range(workers)))


def fanned_out(office: Office, count: int) -> None:
    """Events that are deliveries by now, for which nobody rang."""
    rows = [office.world.outbox_row(SHOP, "webhook", {"event": "experiment.started"}) for _ in range(count)]
    for row in rows:
        office.worker.fan_out.deliver(row)
    office.queue.clear()


def test_workers__at_one_endpoint__send_each_delivery_once(shared: Office, receiver: Inbox) -> None:
    webhook = shared.endpoint(receiver.url)
    fanned_out(shared, 40)
    drained_by(shared, webhook.id, 4)
    assert sorted(receiver.ids) == sorted(each.id for each in shared.deliveries(webhook))
    assert len(receiver.ids) == 40
    assert {each.attempts for each in shared.deliveries(webhook)} == {1}


def test_workers__whose_leases_ran_out__still_send_each_delivery_once(shared: Office, receiver: Inbox) -> None:
    """Only the claim keeps them apart now."""

    class NoLeases(MemoryLeases):
        def acquire(self, *_: object, **__: object) -> bool:
            return True

    shared.leases = NoLeases()
    webhook = shared.endpoint(receiver.url)
    fanned_out(shared, 40)
    drained_by(shared, webhook.id, 4)
    assert {(each.status, each.attempts) for each in shared.deliveries(webhook)} == {("delivered", 1)}
    assert len(receiver.ids) == len(set(receiver.ids)) == 40


def test_workers__that_race_to_give_up__count_each_dead_delivery(shared: Office, receiver: Inbox) -> None:
    webhook = shared.endpoint(receiver.url)
    receiver.answer = lambda _: 500
    fanned_out(shared, AT_ONCE)
    shared.pass_time(300)
    assert [each.status for each in shared.deliveries(webhook)] == ["dead"] * AT_ONCE
    found = shared.health(webhook)
    assert (found.consecutive_failures, found.is_disabled) == (AT_ONCE, True)
    assert found.version == AT_ONCE + 1, "each of them once, and once the shop was told"


def test_worker__that_comes_while_another_is_at_it__leaves_its_work_to_that_one(
    shared: Office, receiver: Inbox
) -> None:
    webhook = shared.endpoint(receiver.url)
    is_second = threading.Event()

    def answer(_: Arrival) -> int:
        if not is_second.is_set():
            is_second.set()
            fanned_out(shared, 3)
            shared.drain.run(SHOP, webhook.id)
            assert len(receiver.ids) == 1
        return 200

    receiver.answer = answer
    fanned_out(shared, 1)
    shared.drain.run(SHOP, webhook.id)
    assert len(set(receiver.ids)) == 4
    assert shared.queue.depth() == 0


def test_worker__at_a_slow_receiver__gives_its_place_up_after_a_round(shared: Office, receiver: Inbox) -> None:
    webhook = shared.endpoint(receiver.url)

    def slowly(_: Arrival) -> int:
        shared.clock.advance(seconds=1)
        return 200

    receiver.answer = slowly
    fanned_out(shared, AT_ONCE * 2)
    shared.drain.run(SHOP, webhook.id)
    assert len(receiver.ids) == AT_ONCE
    assert shared.queue.delays == [0]
    shared.work()
    assert len(set(receiver.ids)) == AT_ONCE * 2


def test_worker__at_an_endpoint_that_never_runs_dry__ends_within_its_lease(shared: Office, receiver: Inbox) -> None:
    """However many more come while it is at it: function and lease must outlive it."""
    webhook = shared.endpoint(receiver.url)
    began = shared.clock.now()

    def more(_: Arrival) -> int:
        shared.clock.advance(seconds=4)
        fanned_out(shared, 1)
        return 200

    receiver.answer = more
    fanned_out(shared, 1)
    shared.drain.run(SHOP, webhook.id)
    assert timedelta(seconds=45) <= shared.clock.now() - began < timedelta(seconds=LEASE_SECONDS)
    assert shared.queue.delays == [0]


def test_sweep__beside_the_queue__makes_nothing_twice(shared: Office, receiver: Inbox) -> None:
    webhook = shared.endpoint(receiver.url)
    shared.happens(20)
    shared.clock.advance(seconds=31)
    for _ in range(3):
        shared.sweep.run()
    bodies = list(iter(shared.queue.receive, None))
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(shared.worker.carry_out, [body for body in bodies if '"deliveries"' in body]))
    for body in bodies:
        shared.worker.carry_out(body)
    shared.sweep.run()
    shared.work()
    assert len(receiver.ids) == len(set(receiver.ids)) == 20
    assert shared.health(webhook) == Health()


class Adding(MemoryLeases):
    """Whenever a worker leaves an endpoint, another delivery has just become due, so many times."""

    def __init__(self, office: Office, times: int) -> None:
        super().__init__()
        self._office = office
        self.left = times

    def release(self, name: str, *, owner: str) -> None:
        if self.left:
            self.left -= 1
            self._office.clock.advance(seconds=10)
            fanned_out(self._office, 1)
        super().release(name, owner=owner)


def test_worker__that_leaves__looks_again_for_what_others_left_to_it(shared: Office, receiver: Inbox) -> None:
    shared.leases = Adding(shared, 1)
    webhook = shared.endpoint(receiver.url)
    fanned_out(shared, 1)
    shared.drain.run(SHOP, webhook.id)
    assert len(set(receiver.ids)) == 2


def test_worker__that_always_finds_more__ends_in_one_budget(shared: Office, receiver: Inbox) -> None:
    shared.leases = leases = Adding(shared, 20)
    webhook = shared.endpoint(receiver.url)
    fanned_out(shared, 1)
    shared.drain.run(SHOP, webhook.id)
    assert len(receiver.ids) == 5
    assert leases.left == 14
    assert shared.queue.delays == [0]
