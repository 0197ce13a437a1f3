"""Compaction: closed hours become Parquet and nothing is lost, whoever dies, races or comes late."""

import gzip
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.columns import COLUMNS, row_of_line
from abtest.domain.ledger.compacted_hours import HourFiles, read_compacted_hour
from abtest.domain.ledger.events import DAY_MS, Row
from abtest.domain.ledger.objects import compacted_key, events_file
from abtest.domain.ledger.reference import count
from abtest.domain.ledger.shop_groups import ALL_SHOPS
from abtest.kit import canonical_json
from abtest.kit.clock import ManualClock, from_milliseconds
from abtest.ports.blobs import BlobsUnavailableError
from abtest.services.compaction.worker import Compacted, CompactionFailedError
from abtest.services.leases import Lease
from abtest.services.ledger_files import LedgerFiles
from tests.support import ledgers
from tests.support.compaction import Compacting
from tests.support.memory import MemoryBlobs, MemoryLeases, MemoryMetrics
from tests.unit.ledger.raw_hours import HOUR, NOON, SHOP, Line, keys_in, put_raw, row, rows_of

MINUTE = 60_000
CLOSED = NOON + HOUR + 20 * MINUTE
LEASE = "compact#raw/dt=2026-05-27/hh=12/#0of1"


class Dying(MemoryBlobs):
    """A store that stops for good at a write."""

    def __init__(self, dies_at: int, after: bool) -> None:
        super().__init__()
        self.writes, self._dies_at, self._after = 0, dies_at, after

    def put(self, key: str, content: bytes, **conditions: Any) -> str:
        self.writes += 1
        if self.writes == self._dies_at and not self._after:
            self.available = False
        etag = super().put(key, content, **conditions)
        if self.writes == self._dies_at:
            self.available = False
            raise BlobsUnavailableError
        return etag


class Worked:
    """A compaction over a ledger in memory."""

    def __init__(self, ledger: MemoryBlobs | None = None, now: int = CLOSED) -> None:
        self.ledger = ledger or MemoryBlobs()
        self.clock = ManualClock(from_milliseconds(now))
        self.leases = MemoryLeases()
        self.metrics = MemoryMetrics()

    @property
    def compacting(self) -> Compacting:
        return Compacting(clock=self.clock, ledger=self.ledger, leases=self.leases, metrics=self.metrics)

    def run(self, **changes: Any) -> list[Compacted]:
        """Outcomes of all that is due."""
        return self.compacting.run(**changes)

    def done(self, **changes: Any) -> Compacted:
        """Outcome of the only unit that is due."""
        (compacted,) = self.run(**changes)
        return compacted

    def compact(self, hour: HourFiles) -> Compacted:
        """Outcome of a worker that listed the hour some time ago."""
        held = Lease(self.leases, "slow", owner="slow", clock=self.clock)
        assert held.acquire()
        until = self.clock.now() + timedelta(minutes=5)
        return self.compacting.worker().compact_listed(hour, ALL_SHOPS, held, until=until)

    def documents(self) -> Mapping[str, Any]:
        return {
            key: read_compacted_hour(self.ledger.objects[key].blob.content)
            for key in keys_in(self.ledger, "compacted/")
        }


def _union(ledger: MemoryBlobs, shop_id: str) -> list[Any]:
    """All rows that a reader of the shop meets."""
    files = LedgerFiles(ledger).of_shop(shop_id, 0)
    parquet = rows_of(*(ledger.objects[key].blob.content for key in files.parquet))
    lines = [line for key in files.raw for line in gzip.decompress(ledger.objects[key].blob.content).splitlines()]
    raw = [found for line in lines if (found := row_of_line(line)) is not None and found["shop_id"] == shop_id]
    return [{name: found[name] for name in COLUMNS} for found in parquet] + raw


def test_run__closed_hour__parquet_by_shop_and_a_document_that_names_it() -> None:
    worked = Worked()
    raw = [
        put_raw(worked.ledger, "1", [row("a"), row("b", shop_id="other")]),
        put_raw(worked.ledger, "2", [row("a"), row("c")]),
    ]

    compacted = worked.done()

    (document,) = worked.documents().values()
    assert document.raw == set(raw)
    assert [events_file(key).shop_id for key in document.events] == [SHOP, "other"]
    assert document.rows == 3
    assert keys_in(worked.ledger, "events/") == list(document.events)
    assert compacted == Compacted(state="done", files=2, rows=3, copies=1, unreadable=0)
    assert worked.metrics.sums == {
        "CompactionUnitsDue": 1,
        "CompactedUnits": 1,
        "CompactedRows": 3,
        "UnreadableRows": 0,
    }


@pytest.mark.parametrize(("early", "hours"), [(1, 0), (0, 1)])
def test_run__hour__is_compacted_from_twenty_minutes_after_its_end(early: int, hours: int) -> None:
    worked = Worked(now=CLOSED - early)
    put_raw(worked.ledger, "1", [row("a")])

    assert len(worked.run()) == hours


def test_run__open_hours__when_asked_for() -> None:
    worked = Worked(now=NOON + 1)
    put_raw(worked.ledger, "1", [row("a")])

    assert worked.done(open_hours=True).rows == 1
    put_raw(worked.ledger, "2", [row("b")])
    assert worked.done(open_hours=True).rows == 2


def test_run__nothing_new__writes_nothing() -> None:
    worked = Worked()
    put_raw(worked.ledger, "1", [row("a")])
    worked.run()
    before = dict(worked.ledger.objects)

    assert worked.run() == []
    assert worked.ledger.objects == before


def test_run__raw_object_that_came_late__the_document_names_it_too() -> None:
    worked = Worked()
    raw = [put_raw(worked.ledger, "1", [row("a")])]
    worked.run()
    raw.append(put_raw(worked.ledger, "2", [row("b")]))

    worked.run()

    (document,) = worked.documents().values()
    assert (document.raw, document.rows) == (set(raw), 2)
    assert LedgerFiles(worked.ledger).of_shop(SHOP, 0).raw == ()


@pytest.mark.parametrize(
    ("hours", "since", "compacted"), [(48, None, 1), (49, None, 0), (49, NOON + 5, 1), (49, NOON + HOUR, 0)]
)
def test_run__old_hours__two_days_back_or_as_far_as_asked(hours: int, since: int | None, compacted: int) -> None:
    worked = Worked(now=NOON + hours * HOUR + 30 * MINUTE)
    put_raw(worked.ledger, "1", [row("a")])

    assert len(worked.run(since=since)) == compacted


def test_run__the_same_raw_objects_elsewhere__the_same_keys_and_bytes() -> None:
    first, second = Worked(), Worked()
    for worked, order in ((first, [1, 2, 3]), (second, [3, 1, 2])):
        for number in order:
            put_raw(worked.ledger, f"{number}", [row(f"{number}-{n}") for n in range(50)] + [row("again")])
        worked.run()

    assert first.ledger.objects == second.ledger.objects


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("dies_at", [1, 2, 3, 4])
def test_run__dies_at_a_write__readers_lose_nothing_and_the_next_run_ends_it(dies_at: int, after: bool) -> None:
    lines = [row("a"), row("b", shop_id="other"), row("strange", ts="x")]
    whole = Worked()
    put_raw(whole.ledger, "1", lines)
    whole.run()
    dying = Dying(dies_at + 1, after)
    put_raw(dying, "1", lines)
    worked = Worked(dying)

    with pytest.raises(CompactionFailedError):
        worked.run()
    dying.available = True
    assert [found["event_id"] for found in _union(dying, SHOP)] == ["a"]
    worked.run()

    assert dying.objects == whole.ledger.objects


def test_run__another_run_wrote_the_document_meanwhile__it_stays_and_the_hour_is_left() -> None:
    worked = Worked()
    put_raw(worked.ledger, "1", [row("a")])
    slow = LedgerFiles(worked.ledger).hour(NOON)
    put_raw(worked.ledger, "2", [row("b")])
    worked.run()
    before = dict(worked.ledger.objects)

    assert worked.compact(slow).state == "overtaken"
    assert worked.ledger.objects[compacted_key(NOON)] == before[compacted_key(NOON)]
    assert {found["event_id"] for found in _union(worked.ledger, SHOP)} == {"a", "b"}


def test_run__slow_run_replaces_the_document_of_a_faster_one__only_with_more() -> None:
    worked = Worked()
    put_raw(worked.ledger, "1", [row("a")])
    worked.run()
    slow = LedgerFiles(worked.ledger).hour(NOON)
    put_raw(worked.ledger, "2", [row("b")])
    worked.run()

    assert worked.compact(slow).state == "covered"
    assert len(worked.documents()[compacted_key(NOON)].raw) == 2


def test_run__raw_object_that_vanished__the_document_stays_and_it_is_told() -> None:
    worked = Worked()
    gone = put_raw(worked.ledger, "1", [row("a")])
    worked.run()
    worked.ledger.delete(gone)
    put_raw(worked.ledger, "2", [row("b")])

    with pytest.raises(CompactionFailedError, match="raw/dt=2026-05-27/hh=12/"):
        worked.run()

    assert {found["event_id"] for found in _union(worked.ledger, SHOP)} == {"a", "b"}


def test_run__document_that_cannot_be_read__is_replaced() -> None:
    worked = Worked()
    put_raw(worked.ledger, "1", [row("a")])
    worked.ledger.put(compacted_key(NOON), b"?", content_type="application/json")

    assert worked.done().rows == 1
    assert worked.documents()[compacted_key(NOON)].rows == 1


def test_run__hour_that_cannot_be_read__keeps_no_other_from_being_compacted() -> None:
    worked = Worked(now=CLOSED + HOUR)
    broken = put_raw(worked.ledger, "1", [row("a")])
    worked.ledger.put(broken, b"no gzip", content_type="application/x-ndjson")
    put_raw(worked.ledger, "2", [row("b")], at=NOON + HOUR)
    first, second = worked.compacting.bodies()

    with pytest.raises(CompactionFailedError, match="hh=12/#0of1: raw/dt=2026-05-27/hh=12"):
        list(worked.compacting.carried_out([first]))
    assert [each.state for each in worked.compacting.carried_out([second])] == ["done"]

    assert list(worked.documents()) == [compacted_key(NOON + HOUR)]
    assert worked.leases.acquire(LEASE, owner="other", seconds=1, now=worked.clock.now())


def test_run__unreadable_rows__are_quarantined_by_shop_and_counted() -> None:
    worked = Worked()
    lines: list[Line] = [row("a"), row("strange", ts="x"), row("also", shop_id="other", revenue_minor=2**70), b"\x00"]
    raw = put_raw(worked.ledger, "1", lines)

    assert worked.done().unreadable == 3

    aside = keys_in(worked.ledger, "quarantine/")
    assert sorted(key.split("/")[2] for key in aside) == [f"shop={SHOP}", "shop=other", "shop=unreadable"]
    (mine,) = [key for key in aside if SHOP in key]
    sample = canonical_json.loads(gzip.decompress(worked.ledger.objects[mine].blob.content))
    assert (sample["event_id"], sample["reason"], sample["shop_id"]) == ("strange", "unreadable_row", SHOP)
    assert worked.metrics.sums["UnreadableRows"] == 3
    assert raw in worked.documents()[compacted_key(NOON)].raw


def test_worker__no_time_left__writes_no_document_and_the_message_has_to_come_again() -> None:
    worked = Worked()
    put_raw(worked.ledger, "1", [row("a")])
    bodies = worked.compacting.bodies()

    with pytest.raises(CompactionFailedError, match="the worker's time is over"):
        list(worked.compacting.carried_out(bodies, until=worked.clock.now()))
    assert not worked.documents()
    assert [each.state for each in worked.compacting.carried_out(bodies)] == ["done"]


def test_worker__while_another_has_the_unit__does_nothing() -> None:
    worked = Worked()
    put_raw(worked.ledger, "1", [row("a")])
    worked.leases.acquire(LEASE, owner="other", seconds=900, now=worked.clock.now())

    assert worked.done().state == "held"
    assert not worked.documents()


def test_worker__message_ten_times__compacts_once() -> None:
    worked = Worked()
    put_raw(worked.ledger, "1", [row("a")])
    bodies = worked.compacting.bodies()

    states = [each.state for each in worked.compacting.carried_out(bodies * 10)]

    assert states == ["done"] + ["covered"] * 9
    assert worked.metrics.sums["CompactedRows"] == 1


@pytest.mark.parametrize(
    "body",
    [
        "?",
        "[]",
        "{}",
        '{"hour":1,"group":0,"groups":1}',
        '{"hour":0,"group":1,"groups":1}',
        '{"hour":0,"group":0,"groups":3}',
        '{"hour":0,"group":0,"groups":128}',
        '{"hour":"0","group":0,"groups":1}',
    ],
)
def test_worker__message_that_names_no_unit__is_refused(body: str) -> None:
    with pytest.raises(ValueError, match=r"must|JSON|value"):
        list(Worked().compacting.carried_out([body]))


@given(
    ledgers.ledgers,
    st.lists(st.tuples(st.integers(0, 999), st.sampled_from([0, 0, 1, 900, DAY_MS]), st.booleans()), max_size=40),
    st.integers(1, 7),
)
@settings(max_examples=25, deadline=None)
def test_run__random_hours__what_counting_keeps_is_kept(
    rows: list[Row], repeats: list[tuple[int, int, bool]], objects: int
) -> None:
    repeated = [
        {**rows[number % len(rows)], "received_at": rows[number % len(rows)]["received_at"] + late, "sent_at": late}
        for number, late, _ in (repeats if rows else [])
    ]
    lines: list[Any] = [*rows, *repeated]
    worked = Worked(now=CLOSED + HOUR)
    for number in range(objects):
        put_raw(worked.ledger, f"{number}", lines[number::objects], at=NOON + number % 2 * HOUR)

    worked.run()

    left = _union(worked.ledger, ledgers.SHOP)
    assert LedgerFiles(worked.ledger).of_shop(ledgers.SHOP, 0).raw == ()
    for begins_at in {ledgers.BEGIN, *(found["received_at"] for found in rows[:5])}:
        assert _counted(left, begins_at) == _counted(lines, begins_at)


def _counted(rows: Any, begins_at: int) -> Counts:
    return count(rows, replace(ledgers.PLAN, begins_at=begins_at))
