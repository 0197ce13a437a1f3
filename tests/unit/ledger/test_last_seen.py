"""When events of a shop last arrived, as the worker notes it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from abtest.kit.clock import ManualClock, from_milliseconds, timestamp, to_milliseconds
from abtest.kit.errors import DatabaseBusyError
from abtest.services.ingest import messages
from abtest.services.last_seen import KEPT, STEP, LastSeen
from abtest.services.ledger import KnownGoals, LedgerWriter, Message
from tests.support.memory import MemoryBlobs, MemoryCatalog, MemorySessions
from tests.unit.ledger.streams import BEGIN, SHOP, row

T0 = to_milliseconds(datetime(2026, 3, 2, 9, tzinfo=UTC))
MINUTE = 60_000
NOW = timestamp(from_milliseconds(T0 + 24 * 60 * MINUTE))


class CountingSessions(MemorySessions):
    """Counts what is written, and is busy when told."""

    writes = 0
    is_busy = False

    def put(self, session_id: str, document: Any, *, expires_at: datetime) -> None:
        if self.is_busy:
            raise DatabaseBusyError
        self.writes += 1
        super().put(session_id, document, expires_at=expires_at)


@pytest.fixture
def sessions() -> CountingSessions:
    return CountingSessions()


def _moment(milliseconds: int) -> str:
    return timestamp(from_milliseconds(milliseconds))


def test_note__newest_of_each_shop__is_kept(sessions: CountingSessions) -> None:
    seen = LastSeen(sessions=sessions)
    seen.note([("a", T0), ("b", T0 + 5), ("a", T0 + 9), ("a", T0 + 3)])
    assert (seen.of("a", NOW), seen.of("b", NOW), seen.of("c", NOW)) == (_moment(T0 + 9), _moment(T0 + 5), None)


def test_note__within_ten_minutes__writes_once(sessions: CountingSessions) -> None:
    seen = LastSeen(sessions=sessions)
    step = STEP // timedelta(milliseconds=1)
    for later in (0, 1, step - 1):
        seen.note([("a", T0 + later)])
    assert (sessions.writes, seen.of("a", NOW)) == (1, _moment(T0))
    seen.note([("a", T0 + step)])
    assert (sessions.writes, seen.of("a", NOW)) == (2, _moment(T0 + step))


def test_note__late_batch_in_another_process__takes_nothing_back(sessions: CountingSessions) -> None:
    LastSeen(sessions=sessions).note([("a", T0)])
    other = LastSeen(sessions=sessions)
    other.note([("a", T0 - 30 * MINUTE)])
    assert other.of("a", NOW) == _moment(T0)


def test_note__busy_store__is_told_the_next_time(sessions: CountingSessions) -> None:
    seen = LastSeen(sessions=sessions)
    sessions.is_busy = True
    seen.note([("a", T0)])
    sessions.is_busy = False
    seen.note([("a", T0 + 1)])
    assert seen.of("a", NOW) == _moment(T0 + 1)


def test_of__shop_that_fell_silent__is_forgotten(sessions: CountingSessions) -> None:
    seen = LastSeen(sessions=sessions)
    seen.note([("a", T0)])
    assert seen.of("a", timestamp(from_milliseconds(T0) + KEPT - timedelta(seconds=1)))
    assert seen.of("a", timestamp(from_milliseconds(T0) + KEPT)) is None


def test_writer__events_that_were_written__are_noted_for_their_shop(sessions: CountingSessions) -> None:
    seen = LastSeen(sessions=sessions)
    clock = ManualClock(datetime(2026, 3, 2, tzinfo=UTC))
    writer = LedgerWriter(ledger=MemoryBlobs(), goals=KnownGoals(MemoryCatalog(), clock), clock=clock, seen=seen)
    arrived = row(event_id="a")
    body = next(messages([arrived]))
    batch = [Message(id="m", body=body, queued_at=BEGIN), Message(id="n", body="{}", queued_at=BEGIN)]
    assert writer.write(batch) == ["n"]
    assert seen.of(SHOP, timestamp(from_milliseconds(arrived["received_at"]))) == _moment(arrived["received_at"])


class SilentSessions(MemorySessions):
    """Counts the calls of a store that does not respond."""

    calls = 0

    def get(self, session_id: str, *, now: datetime) -> Any:
        self.calls += 1
        raise DatabaseBusyError


def test_note__of_many_shops_to_a_silent_store__waits_for_it_once() -> None:
    sessions = SilentSessions()
    LastSeen(sessions=sessions).note([(shop, T0) for shop in "abcdef"])
    assert sessions.calls == 1
