"""Large shops: they are counted in units, by many messages that may be lost, late or repeated."""

from __future__ import annotations

import json
from typing import Any

import pytest

from abtest.adapters.warehouse import shop_units
from abtest.adapters.warehouse.rows_in_memory import RowsInMemory
from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.objects import raw_key
from abtest.domain.ledger.partitions import Unit
from abtest.domain.ledger.plans import CountingPlan
from abtest.ports.catalog import Commit, Put
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.rollups.generations import GENERATIONS
from tests.faults.faults import Fate, KilledError
from tests.integration.worker_rollup.test_refresh import Requested
from tests.support.rolled_shops import SHOPS, RolledShops, running
from tests.support.sizes import sized

LARGE = SHOPS[0]
MOST_ROWS = 30


def divided() -> RolledShops:
    """The first shop has 50 visitors, the others two each; everything is counted, the first shop in one piece."""
    shops = RolledShops()
    shops.process(most_rows=MOST_ROWS)
    shops.arrive(50, LARGE)
    shops.arrive(2, *SHOPS[1:])
    shops.counting.count()
    assert shops.visitors() == [50, 2, 2, 2, 2]
    shops.clock.advance(minutes=5)
    shops.arrive(3)
    shops.clock.advance(minutes=5)
    return shops


def units(shops: RolledShops) -> list[str]:
    """Units that wait in the queue."""
    return [document["unit"] for body in shops.counting.queue.bodies if "unit" in (document := json.loads(body))]


def work(shops: RolledShops, number: int = 1) -> None:
    """Carry out so many messages."""
    for _ in range(number):
        assert shops.counting.worker.handle(shops.counting.queue.sent.pop(0).body)


def test_units__of_a_shop_beyond_the_limit__are_ids_then_visitors_then_the_shop() -> None:
    shops = divided()
    shops.counting.dispatch.run(everything=True)
    work(shops, 5)
    assert units(shops) == ["ids-0of1"]
    assert shops.visitors() == [50, 5, 5, 5, 5], "other shops do not wait"
    work(shops)
    assert units(shops) == [f"visitors-{number}of4" for number in range(4)]
    work(shops, 4)
    assert not units(shops)
    assert shops.visitors()[0] == 50, "until all are done nothing is written"
    work(shops)
    assert shops.visitors() == [53, 5, 5, 5, 5]
    progress = shops.store.shop_progress(LARGE)
    assert progress
    assert progress.held == 53
    assert progress.state
    assert progress.state.key.startswith(f"{GENERATIONS}{LARGE}/")


def test_units__with_news__continue_their_states() -> None:
    shops = divided()
    shops.counting.count()
    assert shops.visitors()[0] == 53
    # All that the next process reads of the raw objects is what is new.
    for key in [key for key in shops.ledger.objects if key.startswith("raw/")]:
        shops.ledger.delete(key)
    shops.process(most_rows=MOST_ROWS)
    shops.clock.advance(minutes=5)
    shops.arrive(7, LARGE)
    shops.clock.advance(minutes=5)
    shops.counting.count()
    assert shops.visitors()[0] == 60


def test_units__of_a_shop_below_the_limit_again__are_left_and_their_objects_deleted() -> None:
    shops = divided()
    shops.counting.count()
    shops.process(most_rows=10_000)
    shops.arrive(1, LARGE)
    shops.counting.count()
    assert shops.visitors()[0] == 54
    left = [key for key in shops.ledger.objects if key.startswith((GENERATIONS, f"state/{LARGE}."))]
    assert not left
    progress = shops.store.shop_progress(LARGE)
    assert progress
    assert progress.state
    assert progress.state.key.startswith(f"state/{LARGE}/")


def test_state__of_a_shop_in_one_piece__is_deleted_once_the_shop_is_divided() -> None:
    shops = divided()
    assert [key for key in shops.ledger.objects if key.startswith(f"state/{LARGE}/")]
    shops.counting.count()
    shops.clock.advance(minutes=70)
    shops.arrive(1, LARGE)
    shops.counting.count()
    assert shops.visitors()[0] == 54
    assert not [key for key in shops.ledger.objects if key.startswith(f"state/{LARGE}/")]
    assert [key for key in shops.ledger.objects if key.startswith(f"state/{LARGE}.visitors-")]


def test_units__whose_messages_come_ten_times__count_once() -> None:
    shops = divided()
    shops.counting.dispatch.run(everything=True)
    for _ in range(200):
        if not shops.counting.queue.sent:
            break
        body = shops.counting.queue.sent.pop(0).body
        for _ in range(10):
            shops.counting.worker.handle(body)
        # Each of the ten may call the next ones, once for all.
        waiting = list(dict.fromkeys(shops.counting.queue.bodies))
        shops.counting.queue.sent = [each for each in shops.counting.queue.sent if each.body in waiting]
        seen: set[str] = set()
        shops.counting.queue.sent = [
            each
            for each in shops.counting.queue.sent
            if not (each.body in seen or seen.add(each.body))  # type: ignore[func-returns-value]
        ]
    assert shops.visitors() == [53, 5, 5, 5, 5]


def test_unit__that_never_ends__stops_its_shop_only_and_is_sent_again(monkeypatch: pytest.MonkeyPatch) -> None:
    shops = divided()
    counted = shop_units.DuckDbShopUnits.count
    fails = True

    def count(self: Any, unit: Unit, *arguments: Any, **more: Any) -> Any:
        if fails and unit.name == "visitors-3of4":
            raise OSError("the store fails")
        return counted(self, unit, *arguments, **more)

    monkeypatch.setattr(shop_units.DuckDbShopUnits, "count", count)
    shops.counting.dispatch.run(everything=True)
    failed = 0
    while shops.counting.queue.sent:
        failed += not shops.counting.worker.handle(shops.counting.queue.sent.pop(0).body)
    assert failed == 1
    assert shops.visitors() == [50, 5, 5, 5, 5]
    shops.clock.advance(minutes=5)
    shops.counting.dispatch.run(everything=True)
    work(shops)
    assert units(shops) == ["visitors-3of4"], "the first worker may have died of anything"
    assert not shops.counting.worker.handle(shops.counting.queue.sent.pop(0).body)
    shops.clock.advance(minutes=14)
    shops.counting.dispatch.run(everything=True)
    work(shops)
    assert not units(shops), "a unit that fails again is tried after a while only"
    shops.clock.advance(minutes=1)
    shops.counting.dispatch.run(everything=True)
    work(shops)
    assert units(shops) == ["visitors-3of4"], "the others are done"
    fails = False
    shops.counting.work()
    assert shops.visitors()[0] == 53


def test_units__that_are_not_done_after_an_hour__are_given_up_for_newer_ones() -> None:
    shops = divided()
    shops.counting.dispatch.run(everything=True)
    work(shops, 5)
    shops.counting.queue.sent.clear()
    shops.clock.advance(minutes=61)
    shops.arrive(1, LARGE)
    shops.clock.advance(minutes=5)
    shops.counting.count()
    assert shops.visitors()[0] == 54


def test_units__that_are_done_one_after_the_other_for_hours__are_not_given_up() -> None:
    shops = divided()
    shops.counting.dispatch.run(everything=True)
    work(shops, 5)
    offset = json.loads(shops.counting.queue.bodies[0])["generation"]["offset"]
    # Other shops flood: each message of this one waits for 40 minutes, and the dispatcher sends it meanwhile.
    for _ in range(5):
        shops.clock.advance(minutes=40)
        work(shops)
        shops.counting.dispatch.run(everything=True)
        assert shops.counting.worker.handle(shops.counting.queue.sent.pop().body)
    progress = shops.store.shop_progress(LARGE)
    assert progress
    assert progress.offset == offset
    assert shops.visitors()[0] == 53


def test_unit__of_a_generation_that_was_given_up__is_left() -> None:
    shops = divided()
    shops.counting.dispatch.run(everything=True)
    work(shops, 5)
    (late,) = shops.counting.queue.bodies
    shops.counting.queue.sent.clear()
    shops.clock.advance(minutes=61)
    shops.arrive(1, LARGE)
    shops.counting.dispatch.run(everything=True)
    work(shops)
    assert shops.counting.worker.handle(late)
    assert not [key for key in shops.ledger.objects if "/done/" in key]
    shops.counting.work()
    assert shops.visitors()[0] == 54


def test_units__after_many_generations_in_which_nothing_was_done__continue_their_states() -> None:
    shops = divided()
    shops.counting.count()
    for key in [key for key in shops.ledger.objects if key.startswith("raw/")]:
        shops.ledger.delete(key)
    shops.process(most_rows=MOST_ROWS)
    for _ in range(5):
        shops.arrive(1, LARGE)
        shops.counting.dispatch.run(everything=True)
        work(shops)
        shops.counting.queue.sent.clear()
        shops.clock.advance(minutes=61)
    shops.counting.count()
    assert shops.visitors()[0] == 58


def test_units__of_plans_that_change_meanwhile__are_counted_by_the_new_ones() -> None:
    shops = divided()
    shops.counting.dispatch.run(everything=True)
    work(shops, 6)
    shops.edit(LARGE)
    shops.counting.work()
    assert shops.visitors()[0] == 53, "the name of an experiment is not part of its plan"


def test_units__of_a_worker_of_another_release__are_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    shops = divided()
    shops.counting.dispatch.run(everything=True)
    work(shops, 8)
    monkeypatch.setattr(shop_units, "counting_release", lambda: "another")
    shops.counting.work()
    assert shops.visitors()[0] == 50
    shops.clock.advance(minutes=5)
    shops.counting.count()
    assert shops.visitors()[0] == 53


def test_sum__of_more_tied_visitors_than_a_worker_can_count__fails_in_time_and_is_noted() -> None:
    shops = divided()
    shops.counting.dispatch.run(everything=True)
    work(shops, 10)
    (body,) = shops.counting.queue.bodies
    shops.counting.queue.sent.clear()
    assert shops.counting.worker.handle(body, shops.clock.now())
    progress = shops.store.shop_progress(LARGE)
    assert progress
    assert progress.failed == {LARGE}
    shops.clock.advance(minutes=15)
    shops.counting.count()
    assert shops.visitors()[0] == 53


def test_unit__that_another_worker_has__is_left_to_it() -> None:
    shops = divided()
    shops.counting.dispatch.run(everything=True)
    work(shops, 5)
    shops.leases.acquire(f"rollup#{LARGE}#ids-0of1", owner="another", seconds=60, now=shops.clock.now())
    shops.counting.work()
    assert shops.visitors()[0] == 50
    shops.clock.advance(minutes=5)
    shops.counting.count()
    assert shops.visitors()[0] == 53


def test_refresh__of_a_divided_shop__waits_for_its_units() -> None:
    shops = divided()
    requested = Requested(shops)

    def sleep(_seconds: float) -> None:
        shops.clock.advance(seconds=5)
        if shops.counting.queue.sent:
            work(shops)

    object.__setattr__(shops.counting.worker.refresh, "sleep", sleep)
    assert shops.counting.worker.handle(requested.body)
    assert requested.job == ("completed", {"generation": 2})
    assert shops.visitors()[0] == 53


def test_refresh__of_units_that_were_sent_before__ends_with_them() -> None:
    shops = divided()
    shops.counting.dispatch.run(everything=True)
    work(shops, 5)
    shops.clock.advance(minutes=1)
    requested = Requested(shops)

    def sleep(_seconds: float) -> None:
        shops.clock.advance(seconds=5)
        shops.counting.work()

    object.__setattr__(shops.counting.worker.refresh, "sleep", sleep)
    assert shops.counting.worker.handle(requested.body)
    assert requested.job == ("completed", {"generation": 2})


def test_refresh__of_units_that_do_not_end_in_time__comes_again_and_is_reached() -> None:
    shops = divided()
    requested = Requested(shops)
    object.__setattr__(shops.counting.worker.refresh, "sleep", lambda _seconds: shops.clock.advance(seconds=5))
    assert not shops.counting.worker.handle(requested.body)
    shops.counting.work()
    shops.clock.advance(minutes=15)
    shops.arrive(1, LARGE)
    shops.clock.advance(minutes=5)
    assert shops.counting.worker.handle(requested.body), "later news do not keep it waiting"
    assert requested.job[0] == "completed"


@pytest.mark.parametrize("after", [False, True])
def test_units__whose_processes_die_at_any_call__count_the_same(after: bool) -> None:
    for at in range(1, 300, sized(7, 61)):
        shops = divided()
        fate = Fate()
        shops.process(fate, most_rows=MOST_ROWS)
        fate.at, fate.after, fate.calls = at, after, 0
        try:
            shops.counting.count()
        except KilledError:
            shops.clock.advance(minutes=15)
            shops.process(most_rows=MOST_ROWS)
            shops.counting.count()
        assert shops.visitors() == [53, 5, 5, 5, 5], at


def test_units__built_over_an_object_too_old_for_the_feed__count_its_rows() -> None:
    shops = RolledShops()
    shops.process(most_rows=MOST_ROWS)
    shops.arrive(50, LARGE)
    # Its manifest and its entry have expired.
    manifests = [key for key in shops.ledger.objects if key.startswith("manifests/")]
    raw = [key for key in shops.ledger.objects if key.startswith("raw/")]
    content = shops.ledger.objects[raw[0]].blob.content
    for key in (*manifests, *raw):
        shops.ledger.delete(key)
    shops.ledger.put(raw_key(["old"], shops.now() - 5 * DAY_MS), content, content_type="application/x-ndjson")
    shops.counting.count()
    assert shops.visitors()[0] == 50
    shops.arrive(3, LARGE)
    shops.clock.advance(minutes=5)
    shops.counting.count()
    progress = shops.store.shop_progress(LARGE)
    assert progress
    assert progress.state
    assert progress.state.key.startswith(GENERATIONS)
    assert shops.visitors()[0] == 53


BROKEN = "0192a3b4-0000-7000-8000-00000000e999"


def with_a_plan_that_fails(shops: RolledShops, monkeypatch: pytest.MonkeyPatch) -> None:
    """The large shop runs a second experiment, which no engine can count."""
    experiment = running(BROKEN, LARGE)
    shops.catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(experiment), expected_version=0)]))
    counted = RowsInMemory.count

    def count(self: RowsInMemory, plan: CountingPlan) -> Counts:
        if plan.experiment_id == BROKEN:
            raise ValueError("cannot be counted")
        return counted(self, plan)

    monkeypatch.setattr(RowsInMemory, "count", count)


def test_plan__that_fails_in_a_divided_shop__does_not_keep_the_others_from_being_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shops = divided()
    with_a_plan_that_fails(shops, monkeypatch)
    shops.counting.dispatch.run(everything=True)
    shops.counting.work()
    assert shops.visitors()[0] == 53
    progress = shops.store.shop_progress(LARGE)
    assert progress
    assert progress.failed == {BROKEN}


def handled_twice(shops: RolledShops, *, at_most: int) -> int:
    """Deliver every message twice until none waits; return how many there were."""
    handled = 0
    while shops.counting.queue.sent:
        body = shops.counting.queue.sent.pop(0).body
        for _ in range(2):
            assert shops.counting.worker.handle(body)
        handled += 1
        assert handled <= at_most, "messages call for more and more messages"
    return handled


def test_units__whose_messages_all_come_twice__do_not_multiply() -> None:
    shops = divided()
    shops.counting.dispatch.run(everything=True)
    # Five shops, of the divided one twice the unit of ids, four units of visitors, and the shop at the end.
    assert handled_twice(shops, at_most=20) <= 13
    assert shops.visitors() == [53, 5, 5, 5, 5]


def test_units__of_a_shop_with_a_plan_that_fails__end_where_all_messages_come_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shops = divided()
    with_a_plan_that_fails(shops, monkeypatch)
    shops.counting.dispatch.run(everything=True)
    handled_twice(shops, at_most=50)
    assert shops.visitors() == [53, 5, 5, 5, 5]
