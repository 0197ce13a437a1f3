"""The roll-up schedule: which shops it sends to workers, and what becomes of them when processes die."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from abtest.domain.ledger.manifests import manifest_key
from abtest.domain.ledger.objects import is_raw
from abtest.kit.clock import timestamp
from abtest.ports.rollup_store import Reach
from abtest.services.rollups import dispatch
from tests.faults.faults import Fate, KilledError
from tests.support.rolled_shops import EXPERIMENT_OF, SHOPS, RolledShops


def sent(shops: RolledShops, *, everything: bool = False) -> list[str]:
    """Shops that a dispatch sends; nothing is counted."""
    shops.counting.queue.sent.clear()
    shops.counting.dispatch.run(everything=everything)
    messages = [json.loads(body)["shop_id"] for body in shops.counting.queue.bodies]
    assert [message.group for message in shops.counting.queue.sent] == messages, "one shop does not crowd out others"
    return messages


def test_dispatch__first_of_all__sends_every_shop_with_plans_or_rows() -> None:
    shops = RolledShops()
    shops.arrive(3, SHOPS[4])
    assert sent(shops) == [SHOPS[4], *SHOPS[:4]], "those whose rows wait come first"


def test_dispatch__nothing_new__sends_nothing_and_costs_no_read_of_a_shop() -> None:
    shops = RolledShops()
    shops.counting.count()
    shops.clock.advance(minutes=5)
    assert sent(shops) == []


def test_dispatch__news_of_one_shop_that_is_read__sends_that_one() -> None:
    shops = RolledShops()
    shops.counting.count()
    shops.clock.advance(minutes=5)
    shops.arrive(2, SHOPS[1], SHOPS[2])
    shops.clock.advance(minutes=5)
    shops.read(SHOPS[1], SHOPS[3])
    assert sent(shops) == [SHOPS[1]]


def test_dispatch__many_rows_of_a_young_shop__are_sent_without_a_reader() -> None:
    shops = RolledShops()
    shops.counting.count()
    shops.clock.advance(minutes=5)
    shops.arrive(200, SHOPS[1])
    shops.arrive(199, SHOPS[2])
    shops.clock.advance(minutes=5)
    assert sent(shops) == [SHOPS[1]]


def test_dispatch__few_rows_of_a_shop__wait_for_a_reader_or_the_end_of_the_day() -> None:
    shops = RolledShops()
    shops.counting.count()
    shops.clock.advance(days=20)
    shops.arrive(2, SHOPS[1])
    assert sent(shops) == []
    assert sent(shops, everything=True) == [SHOPS[1]]
    shops.clock.advance(minutes=31)
    assert sent(shops) == []
    shops.read(SHOPS[1])
    assert sent(shops) == [SHOPS[1]]
    shops.clock.advance(minutes=66)
    assert sent(shops) == [], "the reader has left"
    shops.clock.advance(hours=24)
    assert sent(shops) == [SHOPS[1]]


def test_dispatch__experiment_that_was_edited__sends_its_shop_without_any_rows_once_it_is_read() -> None:
    shops = RolledShops()
    shops.counting.count()
    shops.edit(SHOPS[2])
    assert sent(shops) == []
    assert sent(shops, everything=True) == [SHOPS[2]]
    shops.read(SHOPS[2])
    assert sent(shops) == [SHOPS[2]]
    shops.counting.work()
    assert sent(shops) == []


def test_dispatch__shop_that_its_workers_never_count__is_overdue() -> None:
    shops = RolledShops()
    shops.counting.count()
    shops.arrive(2_000, SHOPS[1])
    for minutes in range(0, 30, 5):
        done = shops.counting.dispatch.run()
        assert done is not None
        assert done.overdue_seconds == minutes * 60
        shops.clock.advance(minutes=5)
    shops.counting.work()
    done = shops.counting.dispatch.run()
    assert done is not None
    assert (done.sent, done.overdue_seconds) == (0, 0)


def test_progress__after_a_pause__does_not_make_the_shop_young() -> None:
    shops = RolledShops()
    shops.counting.count()
    first = shops.store.shop_progress(SHOPS[2])
    shops.clock.advance(days=3)
    shops.edit(SHOPS[2], status="paused")
    shops.counting.count()
    paused = shops.store.shop_progress(SHOPS[2])
    assert first is not None
    assert paused is not None
    assert paused.plans != first.plans
    assert paused.plans_since <= first.plans_since


def test_dispatch__while_another_one_is_at_it__does_nothing() -> None:
    shops = RolledShops()
    shops.leases.acquire(dispatch.LEASE, owner="another", seconds=60, now=shops.clock.now())
    assert shops.counting.dispatch.run() is None
    shops.clock.advance(seconds=61)
    assert shops.counting.dispatch.run() is not None


def test_dispatch__without_time__reports_what_is_left_and_sends_it_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(dispatch, "MESSAGES_AT_ONCE", 2)
    shops = RolledShops()
    done = shops.counting.dispatch.run(until=shops.clock.now())
    assert done is not None
    assert (done.sent, done.left) == (0, 5)
    assert shops.metrics.sums["ShopsLeft"] == 5
    assert len(sent(shops)) == 5


def test_dispatch__with_rows_that_wait__reports_the_age_of_the_oldest() -> None:
    shops = RolledShops()
    shops.counting.count()
    shops.metrics.sums.clear()
    shops.arrive(1, SHOPS[0])
    shops.clock.advance(minutes=2)
    shops.arrive(1, SHOPS[3])
    shops.counting.dispatch.run()
    shops.clock.advance(minutes=3)
    done = shops.counting.dispatch.run()
    assert done is not None
    assert done.oldest_seconds == 300
    assert shops.metrics.sums["OldestWaitingSeconds"] == 120 + 300


def test_dispatch__object_that_cannot_be_read__is_reported_until_it_is_restored() -> None:
    shops = RolledShops()
    shops.arrive(1, SHOPS[0])
    shops.counting.count()
    shops.clock.advance(minutes=5)
    before = set(shops.ledger.objects)
    shops.arrive(2, SHOPS[1])
    (key,) = (key for key in set(shops.ledger.objects) - before if is_raw(key))
    content = shops.ledger.objects[key].blob.content
    shops.ledger.delete(manifest_key(key))
    shops.ledger.put(key, content[:20], content_type="application/x-ndjson")
    for _ in range(2):
        shops.metrics.sums.clear()
        done = shops.counting.dispatch.run()
        assert done is not None
        assert done.unread == shops.metrics.sums["UnreadObjects"] == 1
    shops.ledger.put(key, content, content_type="application/x-ndjson")
    shops.metrics.sums.clear()
    shops.counting.count()
    assert shops.metrics.sums["UnreadObjects"] == 0
    assert shops.visitors()[:2] == [1, 2]


def test_reach__of_a_shop_without_uncounted_rows__is_the_newest_listing() -> None:
    shops = RolledShops()
    shops.arrive(1, SHOPS[0], SHOPS[1])
    shops.counting.count()
    counted_at = timestamp(shops.clock.now())
    shops.clock.advance(minutes=5)
    shops.arrive(1, SHOPS[1])
    shops.counting.dispatch.run(everything=True)
    reaches = shops.counting.reaches
    listing = reaches.listing()
    assert reaches.of(SHOPS[0], listing) == Reach(until=timestamp(shops.clock.now()))
    assert reaches.of(SHOPS[1], listing) == Reach(until=counted_at), "its new row is not counted yet"
    assert reaches.of("another", listing) is None
    shops.counting.work()
    assert reaches.of(SHOPS[1], listing) == Reach(until=timestamp(shops.clock.now()))


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_processes__killed_at_each_call_in_turn__lose_and_double_nothing(after: bool) -> None:
    """No reach claims rows that are not counted, and one run of another process makes everything right."""
    call, died = 0, True
    while died:
        call, shops = call + 1, RolledShops()
        shops.arrive(2)
        shops.counting.count()
        shops.clock.advance(minutes=5)
        shops.arrive(3)
        arrived = timestamp(shops.clock.now())
        shops.clock.advance(seconds=1)
        shops.process(Fate(at=call, after=after))
        try:
            shops.counting.count()
            died = False
        except KilledError:
            shops.clock.advance(seconds=61)
        counted = dict(zip(SHOPS, shops.visitors(), strict=True))
        reaches = shops.counting.reaches
        listing = RolledShops.process(shops).reaches.listing()
        for shop_id in SHOPS:
            reach = shops.counting.reaches.of(shop_id, listing)
            assert counted[shop_id] == 5 or reach is None or reach.until < arrived
        shops.counting.count()
        assert shops.visitors() == [5] * 5
        assert reaches is not shops.counting.reaches
    assert call > 40, "every call was met, and in the last round none"


def test_shop__that_kills_each_process__keeps_no_other_from_being_counted() -> None:
    shops = RolledShops()
    shops.arrive(2)

    def kill(shop_id: str) -> None:
        if shop_id == SHOPS[1]:
            raise KilledError

    shops.counting.dispatch.run()
    for body in shops.counting.queue.bodies:
        shops.counter.happens = kill
        try:
            shops.counting.worker.handle(body)
        except KilledError:
            shops.process()
    assert shops.visitors() == [2, -1, 2, 2, 2]


def test_shop__held_by_another_worker__is_left_to_it_and_sent_again_while_it_is_behind() -> None:
    shops = RolledShops()
    shops.arrive(2)
    shops.leases.acquire(f"rollup#{SHOPS[0]}", owner="dead", seconds=60, now=shops.clock.now())
    shops.counting.dispatch.run()
    shops.counting.work()
    assert shops.visitors() == [-1, 2, 2, 2, 2]
    shops.clock.advance(seconds=61)
    shops.counting.count(everything=False)
    assert shops.visitors() == [2] * 5


def test_shop__with_more_news_than_a_run_may_take__goes_behind_the_others_for_the_rest() -> None:
    shops = RolledShops()
    shops.process(entries=1)
    for _ in range(3):
        shops.arrive(1, SHOPS[0])
        shops.counting.dispatch.run(until=shops.clock.now() - timedelta(seconds=1))
    shops.arrive(1, *SHOPS[1:])
    shops.counting.count()
    order = [shop_id for shop_id in shops.counter.shops if shop_id == SHOPS[0]]
    assert len(order) == 3
    assert shops.counter.shops[:5].count(SHOPS[0]) == 1, "the others had their turn between"
    assert shops.visitors() == [3, 1, 1, 1, 1]


def test_message__that_comes_ten_times__is_counted_once() -> None:
    shops = RolledShops()
    shops.arrive(2)
    shops.counting.dispatch.run()
    for body in [body for body in shops.counting.queue.bodies for _ in range(10)]:
        assert shops.counting.worker.handle(body)
    assert shops.visitors() == [2] * 5
    assert shops.counter.shops == sorted(SHOPS)
    assert [each["experiment_ids"] for each in map(json.loads, shops.counting.decisions.bodies)] == [
        [EXPERIMENT_OF[shop_id]] for shop_id in SHOPS
    ]


def test_message__that_is_older_than_what_is_counted__changes_nothing() -> None:
    shops = RolledShops()
    shops.arrive(1, SHOPS[0])
    shops.counting.dispatch.run()
    (old,) = [body for body in shops.counting.queue.bodies if SHOPS[0] in body]
    shops.counting.queue.sent.clear()
    shops.arrive(1, SHOPS[0])
    shops.counting.count()
    before = shops.store.shop_progress(SHOPS[0])
    assert shops.counting.worker.handle(old)
    assert shops.store.shop_progress(SHOPS[0]) == before
    assert shops.visitors()[0] == 2


def test_shop__that_cannot_be_counted__is_named_and_tried_again_after_a_while() -> None:
    shops = RolledShops()
    shops.arrive(2)

    def fail(shop_id: str) -> None:
        if shop_id == SHOPS[3]:
            raise OSError("damaged")

    shops.counter.happens = fail
    shops.counting.count(everything=False)
    assert shops.visitors() == [2, 2, 2, -1, 2]
    assert shops.metrics.sums["ExperimentsNotCounted"] == 1
    reach = shops.counting.reaches.of(SHOPS[3], shops.counting.reaches.listing())
    assert reach == Reach(until="", missing=frozenset({SHOPS[3]}))
    shops.counter.happens = lambda _: None
    assert sent(shops) == []
    shops.clock.advance(minutes=15)
    assert sent(shops) == [SHOPS[3]]
    shops.counting.work()
    assert shops.visitors() == [2] * 5
