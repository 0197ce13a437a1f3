"""The audit: silent while events pour in, loud at the smallest number that is wrong."""

from contextlib import AbstractContextManager
from dataclasses import replace

import pytest

from abtest.domain.experiments.model import Experiment
from abtest.domain.ledger.compacted_hours import CompactedHour
from abtest.domain.ledger.objects import ShopFiles, compacted_key
from abtest.kit.documents import decode
from abtest.ports.catalog import Commit, Put
from abtest.ports.warehouse import ShopLedger
from abtest.services.audit.outcome import Audited
from abtest.services.audit.worker import AuditFailedError
from abtest.services.experiments.records import EXPERIMENTS
from tests.support.auditing import Auditing
from tests.support.compaction import Compacting
from tests.unit.ledger.raw_hours import NOON
from tests.unit.ledger.rolled_up import EXPERIMENT, OTHER, RolledUp, running


def auditing(bench: RolledUp) -> Auditing:
    """A night of the bench."""
    return Auditing(
        world=bench.world, ledger=bench.ledger, warehouse=bench.warehouse, store=bench.store, metrics=bench.metrics
    )


class SlowWarehouse:
    """An engine that takes 70 seconds for each count."""

    def __init__(self, bench: RolledUp) -> None:
        self._bench = bench

    def open(self, shop_id: str, files: ShopFiles, *, since: int) -> AbstractContextManager[ShopLedger]:
        self._bench.clock.advance(seconds=70)
        return self._bench.warehouse.open(shop_id, files, since=since)


def _audit(bench: RolledUp) -> Audited:
    return auditing(bench).run()


def _ready(*experiments: str) -> RolledUp:
    bench = RolledUp(*experiments)
    for experiment_id in experiments or (EXPERIMENT,):
        bench.arrive(1, 2, 3, experiment_id=experiment_id)
    bench.clock.advance(minutes=1)
    bench.roll_up()
    return bench


def test_run__what_stands_is_right__is_equal() -> None:
    bench = _ready(EXPERIMENT, OTHER)

    found = _audit(bench)

    assert sorted(found.equal) == [EXPERIMENT, OTHER]
    assert found.different == []
    assert (bench.metrics.sums["RollupDifference"], bench.metrics.sums["RollupsAudited"]) == (0, 2)


def test_run__a_visitor_too_many__is_told_with_both_numbers(caplog: pytest.LogCaptureFixture) -> None:
    bench = _ready(EXPERIMENT, OTHER)
    bench.damage()

    found = _audit(bench)

    assert (found.different, found.equal) == ([EXPERIMENT], [OTHER])
    assert bench.metrics.sums["RollupDifference"] == 1
    told = [record for record in caplog.records if record.message == "audit.difference"]
    about = [vars(record) for record in told]
    assert {record["experiment_id"] for record in about} == {EXPERIMENT}
    assert all(record["standing"] == record["counted"] + 1 for record in about)
    assert all("visitors" in record["where"] for record in about)


def test_run__events_that_came_after_the_roll_up__raise_no_alarm() -> None:
    bench = _ready()
    for number in range(10, 40):
        bench.clock.advance(seconds=7)
        bench.arrive(number)

    assert _audit(bench).equal == [EXPERIMENT]


def test_run__object_stored_late_with_events_received_early__raises_no_alarm() -> None:
    bench = _ready()
    bench.clock.advance(seconds=5)
    bench.arrive(50, received_at=NOON + 1)
    bench.clock.advance(seconds=5)
    bench.arrive(51, received_at=NOON)

    assert _audit(bench).equal == [EXPERIMENT]


def test_run__much_was_counted_and_much_came_since__a_wrong_number_is_still_found() -> None:
    bench = RolledUp()
    for number in range(30):
        bench.arrive(number)
        bench.clock.advance(seconds=5)
    bench.roll_up()
    for number in range(30, 60):
        bench.clock.advance(seconds=2)
        bench.arrive(number)
    assert _audit(bench).equal == [EXPERIMENT]

    bench.damage()

    assert _audit(bench).different == [EXPERIMENT]


def test_run__a_raw_object_that_was_never_counted__is_a_difference() -> None:
    bench = _ready()
    lost = {key: stored for key, stored in bench.ledger.objects.items() if key.startswith("raw/")}
    bench.ledger.objects.clear()
    bench.arrive(7)
    bench.clock.advance(minutes=3)
    bench.roll_up()
    bench.ledger.objects |= lost

    assert _audit(bench).different == [EXPERIMENT]


@pytest.mark.parametrize("lacking", ["sessions", "covariates"])
def test_run__counted_by_an_older_release__is_not_compared(lacking: str) -> None:
    bench = _ready()
    totals = bench.store.totals(EXPERIMENT, 1)
    assert totals is not None
    older = {name: found for name, found in totals.items() if name != lacking}
    assert bench.store.put({**older, "source": "of another form", "generation": 2}, {}, {})

    found = _audit(bench)

    assert (found.changed, found.equal, found.different) == ([EXPERIMENT], [], [])


def test_run__nothing_was_counted_yet__is_left_out() -> None:
    bench = RolledUp()
    bench.arrive(1)

    assert _audit(bench) == Audited()


def test_run__experiment_edited_since_it_was_counted__is_no_difference() -> None:
    bench = _ready()
    record = bench.world.catalog.get(bench.plan().shop_id, "EXP", EXPERIMENT)
    assert record is not None
    experiment = decode(Experiment, record.body)
    edited = replace(experiment, version=2, goals=tuple(replace(goal, id="another-goal") for goal in experiment.goals))
    bench.world.catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(edited), expected_version=1)]))

    assert _audit(bench).changed == [EXPERIMENT]


def test_run__out_of_time__says_what_is_left() -> None:
    bench = _ready(EXPERIMENT, OTHER)
    slow = replace(auditing(bench), warehouse=SlowWarehouse(bench))

    (body,) = slow.bodies(hours=0)

    found = slow.carried_out(body, minutes=1)
    assert (found.left, len(found.equal)) == (1, 1)


def test_run__object_that_cannot_be_read__fails_aloud() -> None:
    bench = _ready()
    for key in bench.ledger.objects:
        bench.ledger.put(key, b"?", content_type="application/x-ndjson")

    with pytest.raises(AuditFailedError, match=EXPERIMENT):
        _audit(bench)


def test_run__experiment_that_cannot_be_planned__fails_aloud_and_keeps_no_other_from_being_audited() -> None:
    bench = _ready()
    broken = replace(EXPERIMENTS.record(running(OTHER)), body={})
    bench.world.catalog.commit(Commit(puts=[Put(record=broken, expected_version=0)]))

    with pytest.raises(AuditFailedError, match=OTHER):
        _audit(bench)
    assert bench.metrics.sums["RollupsAudited"] == 1


def _compacted(bench: RolledUp) -> RolledUp:
    bench.clock.advance(hours=2)
    Compacting(clock=bench.clock, ledger=bench.ledger, metrics=bench.metrics).run()
    return bench


def test_run__compacted_hours__hold_the_events_of_their_raw_objects() -> None:
    bench = _compacted(_ready())

    found = _audit(bench)

    assert (found.differing, found.equal) == ([], [EXPERIMENT])
    assert bench.metrics.sums["CompactionDifference"] == 0


def test_run__compacted_hour_that_lacks_events__is_told() -> None:
    bench = _compacted(_ready())
    raw = [entry.key for entry in bench.ledger.list("raw/")]
    empty = CompactedHour(raw=frozenset(raw), events=(), rows=0)
    bench.ledger.put(compacted_key(NOON), empty.encoded(), content_type="application/json")

    found = _audit(bench)

    assert found.differing == ["raw/dt=2026-05-27/hh=12/#0of1"]
    assert bench.metrics.sums["CompactionDifference"] == 1
