"""Notes that a shop is read: few, and never in the way of the answer."""

from __future__ import annotations

from collections.abc import Mapping

from abtest.kit.clock import ManualClock, parse_timestamp
from abtest.kit.errors import DatabaseBusyError
from abtest.services.results import Readership
from abtest.services.results import readership as module
from tests.support.memory import MemoryRollupStore

BEGIN = "2026-03-02T10:00:00.000Z"


class Store(MemoryRollupStore):
    """Counts calls; may be busy."""

    def __init__(self, *, is_busy: bool = False) -> None:
        super().__init__()
        self.calls, self.is_busy = 0, is_busy

    def note_read(self, shop_id: str, at: str, *, unless_after: str) -> bool:
        self.calls += 1
        if self.is_busy:
            raise DatabaseBusyError
        return super().note_read(shop_id, at, unless_after=unless_after)

    @property
    def notes(self) -> Mapping[str, str]:
        return self.shops_read("")


def test_note__of_many_reads__calls_the_store_once_in_five_minutes() -> None:
    clock, store = ManualClock(parse_timestamp(BEGIN)), Store()
    readership = Readership(store, clock)
    for _ in range(10):
        readership.note("a")
        clock.advance(seconds=30)
    assert (store.calls, store.notes) == (1, {"a": BEGIN})
    readership.note("a")
    readership.note("b")
    assert store.calls == 3
    assert store.notes == dict.fromkeys("ab", "2026-03-02T10:05:00.000Z")


def test_note__of_another_process__does_not_write_over_a_recent_one() -> None:
    clock, store = ManualClock(parse_timestamp(BEGIN)), Store()
    Readership(store, clock).note("a")
    clock.advance(minutes=4)
    Readership(store, clock).note("a")
    assert store.notes == {"a": BEGIN}


def test_note__with_a_busy_store__raises_nothing_and_does_not_call_again_for_minutes() -> None:
    clock, store = ManualClock(parse_timestamp(BEGIN)), Store(is_busy=True)
    readership = Readership(store, clock)
    readership.note("a")
    readership.note("a")
    assert store.calls == 1
    clock.advance(minutes=5)
    readership.note("a")
    assert store.calls == 2


def test_note__after_a_clock_that_was_set_back__is_written() -> None:
    clock, store = ManualClock(parse_timestamp(BEGIN)), Store()
    readership = Readership(store, clock)
    readership.note("a")
    clock.advance(minutes=-60)
    readership.note("a")
    assert store.calls == 2


def test_memory__of_very_many_shops__is_bounded() -> None:
    readership = Readership(Store(), ManualClock(parse_timestamp(BEGIN)))
    for number in range(module.MAX_REMEMBERED + 5):
        readership.note(str(number))
    assert len(readership._noted) == 5
