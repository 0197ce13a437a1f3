"""Each process dies before and after each of its writes, messages come again, and roll-ups race: one case at a time."""

from __future__ import annotations

from itertools import count

import pytest

from tests.faults.faults import Fate, KilledError
from tests.faults.oracle import DAY
from tests.faults.schedule import Schedule
from tests.faults.shop import Process, Shop, moved
from tests.support.memory import MemoryRollupStore

AFTER = pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
"""The process dies before the call is carried out, or after it."""


@pytest.fixture
def schedule() -> Schedule:
    """A day of a shop, all of it in the past: two thirds of the requests are sent, and stand in the queue."""
    return begun(200)


@pytest.fixture
def short_schedule() -> Schedule:
    """The same with fewer events, for a case that begins again for each call."""
    return begun(40)


def begun(events: int) -> Schedule:
    """A schedule of so many events, two thirds of them sent."""
    found = Schedule(1, events=events, days=1, steps=1)
    moved(found.shop.clock, found.shop.plan.begins + 2 * DAY)
    found.sendings = [each for each in found.sendings if each.at < found.shop.now]
    send(found, 0, 2 * len(found.sendings) // 3)
    return found


def send(schedule: Schedule, first: int, end: int, fate: Fate | None = None) -> None:
    """Some of what was to be sent."""
    for request in schedule.requests(schedule.sendings[first:end]):
        schedule.shop.send(request, fate or Fate())


def send_the_rest(schedule: Schedule) -> None:
    """What the fixture has not sent; it stands in the ledger then."""
    send(schedule, 2 * len(schedule.sendings) // 3, len(schedule.sendings))
    schedule.shop.drain()


def dies(process: Process, fate: Fate) -> bool:
    """Whether the process died while it counted."""
    try:
        process.count(fate)
    except KilledError:
        return True
    return False


def messages(shop: Shop) -> int:
    """How many stand in the queue."""
    return len(shop.mailbox.waiting)


@AFTER
def test_edge__killed_around_queueing__is_asked_again(schedule: Schedule, after: bool) -> None:
    queued = messages(schedule.shop)
    size = 2 * len(schedule.sendings) // 3
    send(schedule, size, size + 20, Fate(at=1, after=after, of="send"))
    assert messages(schedule.shop) > queued
    send_the_rest(schedule)
    schedule.check()


@AFTER
def test_edge__killed_around_spilling__is_asked_again(schedule: Schedule, after: bool) -> None:
    schedule.shop.mailbox.available = False
    size = 2 * len(schedule.sendings) // 3
    for request in schedule.requests(schedule.sendings[size : size + 1]):
        schedule.shop.send(request, Fate(at=1, after=after, of="put"))
    assert len(list(schedule.shop.ledger.list("spill/"))) == (1 if after else 0)
    send_the_rest(schedule)
    schedule.check()


@AFTER
@pytest.mark.parametrize("write", [1, 2], ids=["of-the-object", "of-its-manifest"])
def test_worker__killed_around_each_write__is_made_good_by_redelivery(
    schedule: Schedule, write: int, after: bool
) -> None:
    shop = schedule.shop
    queued = messages(shop)
    shop.deliver(Fate(at=write, after=after, of="put"))
    assert messages(shop) == queued, "nothing was confirmed"
    stored = [len(list(shop.ledger.list(prefix))) for prefix in ("raw/", "manifests/")]
    done = write if after else write - 1
    assert stored == [min(done, 1), max(done - 1, 0)]
    send_the_rest(schedule)
    schedule.check()
    names = [[entry.key.split(".")[0] for entry in shop.ledger.list(prefix)] for prefix in ("raw/", "manifests/")]
    assert [key.removeprefix("raw/") for key in names[0]] == [key.removeprefix("manifests/") for key in names[1]]


def test_queue__that_delivers_everything_again_in_the_next_hour__changes_nothing(schedule: Schedule) -> None:
    send(schedule, 2 * len(schedule.sendings) // 3, len(schedule.sendings))
    again = list(schedule.shop.mailbox.waiting)
    schedule.shop.drain()
    schedule.check()
    before = len(list(schedule.shop.ledger.list("raw/")))
    schedule.shop.clock.advance(hours=1)
    schedule.shop.mailbox.waiting.extend(again)
    schedule.check()
    assert len(list(schedule.shop.ledger.list("raw/"))) > before, "the copies stand in objects of their own"


def test_requests__that_are_all_sent_again__change_nothing(schedule: Schedule) -> None:
    send_the_rest(schedule)
    schedule.check()
    schedule.shop.clock.advance(hours=1)
    send(schedule, 0, len(schedule.sendings))
    schedule.check()


@AFTER
@pytest.mark.parametrize("write", [1, 2], ids=["of-parquet", "of-the-hours-document"])
def test_compaction__killed_around_each_write__is_made_good_by_the_next(
    schedule: Schedule, write: int, after: bool
) -> None:
    schedule.shop.deliver()
    schedule.shop.clock.advance(hours=1)
    send_the_rest(schedule)
    schedule.shop.clock.advance(hours=1)
    fate = Fate(at=write, after=after, of="put")
    schedule.shop.compact(fate)
    assert fate.calls == write, "it came so far"
    schedule.check()
    schedule.shop.compact()
    schedule.check()


@AFTER
@pytest.mark.parametrize("write", ["put_rollup-1", "put_shop_day-1", "put_shop_day-2", "put_shop_progress-1"])
def test_roll_up__killed_around_each_write__is_made_good_by_the_next(
    schedule: Schedule, write: str, after: bool
) -> None:
    while schedule.shop.deliver():
        pass
    name, number = write.rsplit("-", 1)
    assert dies(schedule.shop.process(), Fate(at=int(number), after=after, of=name))
    assert (schedule.shop.store.totals(schedule.shop.plan.experiment, 1) is None) == (
        name == "put_rollup" and not after
    )
    send_the_rest(schedule)
    schedule.check()


@AFTER
def test_roll_up__killed_at_each_call_in_turn__is_made_good_by_the_next(short_schedule: Schedule, after: bool) -> None:
    schedule = short_schedule
    send_the_rest(schedule)
    for call in count(1):
        schedule.shop.store = MemoryRollupStore()
        for state in list(schedule.shop.ledger.list("state/")):
            schedule.shop.ledger.delete(state.key)
        died = dies(schedule.shop.process(), Fate(at=call, after=after))
        schedule.shop.process().count()
        schedule.check_standing()
        if not died:
            break
    assert call > 8, "every call was met, and in the last round none"


@pytest.mark.parametrize("slow_at", ["summary", "put_rollup", "shop_days", "put_shop_day"])
@pytest.mark.parametrize("temperature", ["cold", "warm"])
def test_roll_ups__that_race__end_with_what_the_newer_one_counted(
    schedule: Schedule, temperature: str, slow_at: str
) -> None:
    """A slow one has counted when the rest comes in; a quick one counts and writes that, and only then the slow one
    writes what it has. It is not heard of again: the quick one must notice."""
    shop = schedule.shop
    slow, quick = schedule.processes
    if temperature == "warm":
        shop.deliver(most=3)
        slow.count()
        quick.count()
    while shop.deliver():
        pass

    def meanwhile() -> None:
        send_the_rest(schedule)
        quick.count()

    slow.count(Fate(at=1, of=slow_at, happens=meanwhile))
    shop.clock.advance(minutes=5)
    quick.count()
    schedule.check_standing()
