"""Messages of the audit: twice, late, of a dead worker, of a shop with trouble."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from itertools import count
from random import Random
from typing import Any

import pytest

from abtest.domain.ledger.compacted_hours import CompactedHour
from abtest.domain.ledger.manifests import Manifest, manifest_key
from abtest.domain.ledger.objects import compacted_key
from abtest.kit import canonical_json
from abtest.ports.catalog import Commit, Put
from abtest.services.audit.outcome import Audited
from abtest.services.audit.shop_rows import WHOLE_BYTES
from abtest.services.audit.worker import AuditFailedError, AuditHeldError
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.ledger_manifests import Manifests
from tests.faults.faults import Fate, Fated, KilledError
from tests.support.auditing import Auditing, together
from tests.support.compaction import Compacting
from tests.support.memory import MemoryLeases, MemoryQueue
from tests.support.reference_warehouse import ReferenceWarehouse
from tests.support.rolled_shops import EXPERIMENT_OF, SHOPS, RolledShops
from tests.support.rolled_shops import running as running_of
from tests.unit.ledger.raw_hours import NOON
from tests.unit.ledger.rolled_up import EXPERIMENT, OTHER, RolledUp, running
from tests.unit.ledger.test_audit import SlowWarehouse, auditing

AFTER = pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
"""The worker dies before the call is carried out, or after it."""


@pytest.fixture
def bench() -> RolledUp:
    """Two experiments with roll-ups, one of them damaged, events that came later, and an hour that lacks its events."""
    made = RolledUp(EXPERIMENT, OTHER)
    for number in range(2):
        made.arrive(number, experiment_id=EXPERIMENT)
        made.arrive(number + 10, experiment_id=OTHER)
    made.clock.advance(minutes=1)
    made.roll_up()
    made.damage(OTHER)
    made.clock.advance(seconds=10)
    made.arrive(20)
    made.clock.advance(hours=2)
    Manifests(made.ledger).made(entry.key for entry in made.ledger.list("raw/"))
    Compacting(clock=made.clock, ledger=made.ledger).run()
    raw = frozenset(entry.key for entry in made.ledger.list("raw/"))
    empty = CompactedHour(raw=raw, events=(), rows=0)
    made.ledger.put(compacted_key(NOON), empty.encoded(), content_type="application/json")
    return made


def audited(night: Auditing) -> Audited:
    return together([night.carried_out(body) for body in night.bodies()])


def night_of(shops: RolledShops, whole_bytes: int = WHOLE_BYTES) -> Auditing:
    warehouse = ReferenceWarehouse(shops.ledger)
    world = shops.counting.run.world
    return Auditing(world=world, ledger=shops.ledger, warehouse=warehouse, store=shops.store, whole_bytes=whole_bytes)


def expected() -> Audited:
    return Audited(equal=[EXPERIMENT], different=[OTHER], differing=["raw/dt=2026-05-27/hh=12/#0of1"])


def everything(bench: RolledUp) -> Any:
    """Return all that is stored."""
    return deepcopy(
        (bench.ledger.objects, {name: own for name, own in vars(bench.store).items() if "lock" not in name})
    )


def test_night__its_messages_in_any_order_and_twice__have_the_same_outcome(bench: RolledUp) -> None:
    night, before = auditing(bench), everything(bench)
    bodies = night.bodies()
    assert len(bodies) == 2

    first = [night.carried_out(body) for body in bodies]
    bench.clock.advance(days=3)
    repeated = [night.carried_out(body) for body in reversed(bodies)]

    assert together(first) == together(repeated[::-1]) == expected()
    assert everything(bench) == before


@AFTER
def test_night__whose_worker_dies_at_each_call_in_turn__has_the_same_outcome(bench: RolledUp, after: bool) -> None:
    before = everything(bench)
    bodies = auditing(bench).bodies()
    for call in count(1):
        fate = Fate(at=call, after=after)
        night = replace(
            auditing(bench),
            world=replace(bench.world, catalog=Fated(bench.world.catalog, fate)),
            ledger=Fated(bench.ledger, fate),
            store=Fated(bench.store, fate),
            leases=Fated(MemoryLeases(), fate),
            metrics=Fated(bench.metrics, fate),
        )
        outcomes: list[Audited] = []
        for body in bodies:
            try:
                outcomes.append(night.carried_out(body))
            except KilledError:
                bench.clock.advance(minutes=18)
                outcomes.append(night.carried_out(body))
        assert together(outcomes) == expected()
        if fate.calls < call:
            break
    assert call > 20, "every call was met, and in the last round none"
    assert everything(bench) == before


@AFTER
def test_dispatch__that_dies_at_each_call_in_turn__sends_the_same_sample_at_the_next_run(
    bench: RolledUp, after: bool
) -> None:
    sample = auditing(bench).bodies()
    for call in count(1):
        queue, fate = MemoryQueue(), Fate(at=call, after=after)
        world = replace(bench.world, catalog=Fated(bench.world.catalog, fate))
        night = replace(auditing(bench), world=world, ledger=Fated(bench.ledger, fate))
        try:
            night.dispatcher(Fated(queue, fate)).run()
        except KilledError:
            night.dispatcher(Fated(queue, fate)).run()
        assert sorted(set(queue.bodies)) == sorted(sample)
        if fate.calls < call:
            break
    assert call > 3


def test_part__that_another_worker_has__comes_again(bench: RolledUp) -> None:
    night = auditing(bench)
    for body in night.bodies():
        part = canonical_json.loads(body)
        name = f"{part['shop_id']}#{part['records'][0][1]}" if "records" in part else "raw/dt=2026-05-27/hh=12/#0of1"
        assert night.leases.acquire(f"audit#{name}", owner="other", seconds=60, now=bench.clock.now())
        with pytest.raises(AuditHeldError, match=name):
            night.carried_out(body)
    bench.clock.advance(minutes=18)
    assert audited(night) == expected()


def test_message__of_records_that_are_gone_or_ended__is_done(bench: RolledUp) -> None:
    night = auditing(bench)
    (body,) = night.bodies(hours=0)
    part = canonical_json.loads(body)
    part["records"] = [["EXP", "0192a3b4-0000-7000-8000-0000000000ff"], ["PZN", "p-1"], ["SHOP", "shop"]]

    assert night.carried_out(canonical_json.dumps(part)) == Audited()


def test_plan__that_needs_more_than_the_time_of_a_message__fails_by_name(bench: RolledUp) -> None:
    night = replace(auditing(bench), warehouse=SlowWarehouse(bench))
    (body,) = night.bodies(hours=0)

    with pytest.raises(AuditFailedError, match=f"not audited: {EXPERIMENT}$"):
        night.carried_out(body, minutes=2)


def test_shop__that_cannot_be_compared__fails_alone() -> None:
    shops = RolledShops()
    shops.arrive(3)
    shops.counting.count()
    night = night_of(shops)
    assert sorted(audited(night).equal) == sorted(EXPERIMENT_OF.values())
    experiment = EXPERIMENT_OF[SHOPS[1]]
    record = EXPERIMENTS.record(replace(running_of(experiment, SHOPS[1]), version=2))
    shops.catalog.commit(Commit(puts=[Put(record=replace(record, body={}), expected_version=1)]))

    with pytest.raises(AuditFailedError, match=experiment):
        night.run()
    outcomes = [night.carried_out(body) for body in night.bodies() if SHOPS[1] not in body]

    assert sorted(together(outcomes).equal) == sorted(set(EXPERIMENT_OF.values()) - {experiment})


@pytest.mark.parametrize("whole_bytes", [0, 2_000, 1 << 40])
@pytest.mark.parametrize("seed", range(4))
def test_night__while_shops_are_counted_and_events_arrive__finds_the_damaged_roll_up_alone(
    seed: int, whole_bytes: int
) -> None:
    shops, chance = RolledShops(), Random(seed)
    for _ in range(15):
        shops.arrive(chance.randrange(1, 4), *chance.sample(SHOPS, chance.randrange(1, 4)))
        shops.clock.advance(seconds=chance.randrange(1, 40))
        if chance.random() < 0.4:
            shops.counting.count()
    night = night_of(shops, whole_bytes=whole_bytes)
    counted = {id_ for id_ in EXPERIMENT_OF.values() if shops.store.totals(id_, 1)}

    right = audited(night)
    damaged = chance.choice(sorted(counted))
    totals = shops.store.totals(damaged, 1)
    assert totals is not None
    assert shops.store.put({**totals, "generation": totals["generation"] + 1, "multiple_exposure": 1}, {}, {})
    wrong = audited(night)

    assert (set(right.equal), right.different, right.changed) == (counted, [], [])
    assert (set(wrong.equal), wrong.different) == (counted - {damaged}, [damaged])


def test_records__that_cannot_be_read__fail_and_the_others_are_compared(bench: RolledUp) -> None:
    third = "0192a3b4-0000-7000-8000-0000000000e3"
    broken = replace(EXPERIMENTS.record(running(third)), body={})
    bench.world.catalog.commit(Commit(puts=[Put(record=broken, expected_version=0)]))
    night = auditing(bench)
    (body,) = night.bodies(hours=0)

    with pytest.raises(AuditFailedError, match=third):
        night.carried_out(body)

    sums = bench.metrics.sums
    assert (sums["RollupsAudited"], sums["RollupDifference"]) == (2, 1)


def test_roll_up__counted_by_a_manifest_that_lacks_rows__is_a_difference_and_so_is_the_manifest() -> None:
    """The raw ledger is the truth, also where readers of manifests agree with the roll-up."""
    bench = RolledUp()
    lost = bench.arrive(1, 2)
    content = bench.ledger.objects[lost].blob.content
    bench.ledger.delete(lost)
    bench.arrive(3)
    bench.clock.advance(minutes=1)
    bench.roll_up()
    bench.clock.advance(hours=2)
    bench.ledger.put(lost, content, content_type="application/x-ndjson")
    bench.ledger.objects[lost] = replace(bench.ledger.objects[lost], modified=NOON)
    manifest = Manifest(key=lost, sections={}).encoded()
    bench.ledger.put(manifest_key(lost), manifest, content_type="application/json")
    Compacting(clock=bench.clock, ledger=bench.ledger).run()

    outcome = audited(auditing(bench))

    assert (outcome.different, outcome.differing) == ([EXPERIMENT], [lost])
