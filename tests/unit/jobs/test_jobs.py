"""Jobs: one attempt at a time, whatever queues and workers do."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from abtest.domain.jobs.model import JobEndedError, JobHeldError, JobLostError
from abtest.kit.clock import ManualClock, timestamp
from abtest.kit.errors import NotFoundError
from abtest.kit.ids import SystemRandomness
from abtest.services.context import Caller, World
from abtest.services.jobs import Attempt, Jobs, OverdueJobs, Workbench
from tests.support.memory import MemoryCatalog, MemoryQueue

ASKING = {"dataset": "events"}


def caller(shop_id: str = "shop-a") -> Caller:
    return Caller(
        key_id="k", kind="shop", user_id="u", shop_id=shop_id, scopes=frozenset({"analytics:read"}), request_id="r"
    )


@dataclass
class Office:
    """Everything that has to do with exports of one shop."""

    clock: ManualClock
    world: World
    queue: MemoryQueue
    jobs: Jobs
    bench: Workbench
    overdue: OverdueJobs

    def ask(self) -> str:
        return self.jobs.create(caller(), ASKING).id

    def take_up(self) -> Attempt | None:
        """What the newest message calls for."""
        return self.bench.take_up(self.queue.bodies[-1])

    def taken_up(self) -> Attempt:
        attempt = self.take_up()
        assert attempt is not None
        return attempt

    def status(self, job_id: str) -> str:
        return self.jobs.get("shop-a", job_id).status


@pytest.fixture
def office() -> Office:
    clock, queue = ManualClock(datetime(2026, 3, 2, tzinfo=UTC)), MemoryQueue()
    world = World(catalog=MemoryCatalog(), clock=clock, random=SystemRandomness())
    overdue = OverdueJobs(world, {"export": queue})
    return Office(clock, world, queue, Jobs(world, "export", queue), Workbench(world), overdue)


def test_job__from_asking_to_its_end__says_how_far_it_is(office: Office) -> None:
    job_id = office.ask()
    assert office.status(job_id) == "queued"
    attempt = office.taken_up()
    seen = []
    for progress in (40, 20, 100):
        attempt.advance(progress)
        seen.append(office.jobs.get("shop-a", job_id).progress)
    assert seen == [40, 40, 99]
    attempt.complete({"rows": 5})
    job = office.jobs.get("shop-a", job_id)
    assert (job.status, job.progress, job.result, job.request) == ("completed", 100, {"rows": 5}, ASKING)
    assert office.take_up() is None


def test_job__asked_for_and_called_off__is_in_the_audit(office: Office) -> None:
    job_id = office.ask()
    office.clock.advance(seconds=1)
    office.jobs.cancel(caller(), job_id)
    rows, _ = office.world.catalog.audit("shop-a", entity_id=job_id, limit=9)
    assert [(row.action, row.user_id) for row in rows] == [("export.cancel", "u"), ("export.create", "u")]


def test_message__delivered_again_while_the_worker_lives__has_to_come_later(office: Office) -> None:
    office.ask()
    attempt = office.taken_up()
    for _ in range(3):
        office.clock.advance(seconds=59)
        with pytest.raises(JobHeldError):
            office.take_up()
        attempt.advance(10)


def test_worker__in_a_long_step__keeps_its_job_by_a_heartbeat(office: Office) -> None:
    job_id = office.ask()
    attempt = office.taken_up()
    attempt.advance(30)
    with attempt.kept(0.002):
        for _ in range(3):
            office.clock.advance(seconds=50)
            reported = timestamp(office.clock.now())
            deadline = time.monotonic() + 20
            while office.jobs.get("shop-a", job_id).heard_at != reported:
                assert time.monotonic() < deadline
                time.sleep(0.002)
            with pytest.raises(JobHeldError):
                office.take_up()
    assert office.jobs.get("shop-a", job_id).progress == 30
    attempt.complete({})


def test_worker__that_died__loses_the_job_to_the_next(office: Office) -> None:
    job_id = office.ask()
    dead = office.taken_up()
    dead.advance(60)
    office.clock.advance(minutes=5)
    heir = office.taken_up()
    assert office.jobs.get("shop-a", job_id).progress == 0
    calls: list[Callable[[], object]] = [
        lambda: dead.advance(70),
        lambda: dead.complete({}),
        lambda: dead.fail("late"),
    ]
    for call in calls:
        with pytest.raises(JobLostError):
            call()
    heir.complete({"rows": 1})
    assert office.jobs.get("shop-a", job_id).result == {"rows": 1}


def test_job__whose_workers_all_die__fails_and_says_so(office: Office) -> None:
    job_id = office.ask()
    for _ in range(3):
        office.taken_up()
        office.clock.advance(minutes=5)
    assert office.take_up() is None
    job = office.jobs.get("shop-a", job_id)
    assert (job.status, job.error) == ("failed", "it was begun 3 times and never came to its end")


def test_job__that_cannot_be_done__says_why(office: Office) -> None:
    job_id = office.ask()
    office.taken_up().fail("the experiment is gone")
    job = office.jobs.get("shop-a", job_id)
    assert (job.status, job.error, job.progress) == ("failed", "the experiment is gone", 0)


def test_job__called_off__stops_its_worker_and_stays_so(office: Office) -> None:
    job_id = office.ask()
    attempt = office.taken_up()
    for _ in range(2):
        assert office.jobs.cancel(caller(), job_id).status == "cancelled"
    with pytest.raises(JobLostError):
        attempt.advance(50)
    assert office.take_up() is None
    assert office.status(job_id) == "cancelled"


def test_job__that_has_ended__cannot_be_called_off(office: Office) -> None:
    job_id = office.ask()
    office.taken_up().complete({})
    with pytest.raises(JobEndedError) as caught:
        office.jobs.cancel(caller(), job_id)
    assert caught.value.facts["current_status"] == "completed"


def test_job__of_another_shop_or_type__is_not_found(office: Office) -> None:
    job_id = office.ask()
    refreshes = Jobs(office.world, "refresh", office.queue)
    for jobs, shop_id in ((office.jobs, "shop-b"), (refreshes, "shop-a")):
        with pytest.raises(NotFoundError):
            jobs.get(shop_id, job_id)
        with pytest.raises(NotFoundError):
            jobs.cancel(caller(shop_id), job_id)
    assert refreshes.page("shop-a", limit=9, after=None) == ([], None)


def test_list__of_jobs__is_newest_first_in_pages(office: Office) -> None:
    asked = []
    for _ in range(5):
        office.clock.advance(seconds=1)
        asked.append(office.ask())
    first, last = office.jobs.page("shop-a", limit=3, after=None)
    rest, end = office.jobs.page("shop-a", limit=3, after=last)
    assert [job.id for job in [*first, *rest]] == asked[::-1]
    assert end is None


def test_message__that_the_queue_refused__is_sent_by_the_next_look(office: Office) -> None:
    office.queue.available = False
    job_id = office.ask()
    office.queue.available = True
    assert (office.overdue.run(), office.queue.bodies) == (0, [])
    office.clock.advance(minutes=5)
    assert (office.overdue.run(), office.overdue.run()) == (1, 0)
    office.taken_up().complete({})
    assert office.status(job_id) == "completed"


def test_messages__of_a_shop_with_many_jobs__are_in_its_group_so_that_others_come_first(office: Office) -> None:
    office.ask()
    office.clock.advance(minutes=5)
    office.overdue.run()
    assert [message.group for message in office.queue.sent] == ["shop-a", "shop-a"]


def test_look__while_the_queue_refuses__leaves_the_job_for_the_next(office: Office) -> None:
    job_id = office.ask()
    office.queue.available = False
    for minutes in (5, 5):
        office.clock.advance(minutes=minutes)
        assert office.overdue.run() == 0
    office.queue.available = True
    office.clock.advance(minutes=5)
    assert office.overdue.run() == 1
    assert office.status(job_id) == "queued"


def test_look__at_a_job_whose_worker_fell_silent__calls_another(office: Office) -> None:
    job_id = office.ask()
    dead = office.taken_up()
    office.clock.advance(seconds=59)
    assert office.overdue.run() == 0
    office.clock.advance(seconds=1)
    assert office.overdue.run() == 1
    with pytest.raises(JobLostError):
        dead.advance(50)
    office.taken_up().complete({})
    assert office.status(job_id) == "completed"


def test_job__that_nobody_takes_up_within_a_day__fails(office: Office) -> None:
    job_id = office.ask()
    office.clock.advance(hours=23, minutes=59)
    assert office.overdue.run() == 1
    office.clock.advance(minutes=6)
    assert office.overdue.run() == 0
    job = office.jobs.get("shop-a", job_id)
    assert (job.status, job.error) == ("failed", "no worker started it within a day")


def test_job__that_ended__is_kept_for_thirty_days(office: Office) -> None:
    job_id = office.ask()
    office.taken_up().complete({})
    office.clock.advance(days=30, seconds=-1)
    office.overdue.run()
    assert office.status(job_id) == "completed"
    office.clock.advance(seconds=1)
    office.overdue.run()
    with pytest.raises(NotFoundError):
        office.jobs.get("shop-a", job_id)
    assert office.take_up() is None


def test_worker__that_dies_at_any_write__leaves_a_job_that_comes_to_its_end(office: Office) -> None:
    """Every call of the catalog fails once, before or after it was carried out."""
    for failing in range(1, 12):
        for is_done_first in (False, True):
            job_id = office.ask()
            message = office.queue.bodies[-1]
            bench = Workbench(
                World(
                    catalog=_Dying(office.world.catalog, failing, is_done_first),  # type: ignore[arg-type]
                    clock=office.clock,
                    random=office.world.random,
                )
            )
            try:
                _work(bench.take_up(message))
            except _KilledError:
                office.clock.advance(minutes=5)
                _work(office.bench.take_up(message))
            assert office.jobs.get("shop-a", job_id).result == {"rows": 7}


def _work(attempt: Attempt | None) -> None:
    if attempt is not None:
        attempt.advance(50)
        attempt.complete({"rows": 7})


class _KilledError(BaseException):
    """The process is gone."""


class _Dying:
    """A catalog whose nth call is the process's last."""

    def __init__(self, catalog: object, nth: int, is_done_first: bool) -> None:
        self._catalog, self._left, self._is_done_first = catalog, nth, is_done_first

    def __getattr__(self, name: str) -> object:
        def call(*arguments: object, **named: object) -> object:
            self._left -= 1
            if self._left == 0 and not self._is_done_first:
                raise _KilledError
            answer = getattr(self._catalog, name)(*arguments, **named)
            if self._left == 0:
                raise _KilledError
            return answer

        return call
