"""Plans of a shop, read from its own records; and the shops, read from the work index alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from abtest.kit.clock import timestamp
from abtest.ports.catalog import COUNTED_FOR_EVER, Commit, Head, Put, Record
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.rollups import work
from abtest.services.rollups.work import counted_shops, shop_work, work_of
from tests.support.rolled_shops import EXPERIMENT_OF, SHOPS, RolledShops, running

SHOP = SHOPS[0]


def test_digest__of_the_index__is_that_of_the_shops_records() -> None:
    shops = RolledShops()
    world = shops.counting.run.world
    assert set(counted_shops(world)) == set(SHOPS)
    for shop_id in SHOPS:
        assert shop_work(shops.catalog, shop_id, world.now()).digest == counted_shops(world)[shop_id]
    before = counted_shops(world)
    shops.edit(SHOP)
    after = counted_shops(world)
    assert {shop_id for shop_id in SHOPS if before[shop_id] != after[shop_id]} == {SHOP}
    assert shop_work(shops.catalog, SHOP, world.now()).digest == after[SHOP]


def test_work__of_a_shop__reads_its_records_and_knows_those_of_each_plan() -> None:
    shops = RolledShops()
    planned = shop_work(shops.catalog, SHOP, timestamp(shops.clock.now()))
    assert [plan.experiment_id for plan in planned.plans.plans] == [EXPERIMENT_OF[SHOP]]
    assert planned.records == {EXPERIMENT_OF[SHOP]: EXPERIMENT_OF[SHOP]}
    assert (planned.plans.shop_id, planned.plans.currency, planned.failed) == (SHOP, "EUR", ())


def test_work__of_a_shop_that_does_not_exist__has_no_plans() -> None:
    shops = RolledShops()
    planned = shop_work(shops.catalog, "0192a3b4-0000-7000-8000-00000000a999", timestamp(shops.clock.now()))
    assert (planned.plans.plans, planned.plans.currency, planned.digest) == ([], "", "")


def test_experiment__that_cannot_be_read__is_named_and_the_others_are_planned() -> None:
    shops = RolledShops()
    broken = Head(
        shop_id=SHOP,
        kind="EXP",
        id="0192a3b4-0000-7000-8000-0000000000e2",
        version=1,
        created_at="",
        updated_at="",
        due={"COUNT": COUNTED_FOR_EVER},
    )
    shops.catalog.commit(Commit(puts=[Put(record=Record(head=broken, body={"id": 1}), expected_version=0)]))
    planned = work_of(shops.counting.run.world)
    assert planned.failed == [broken.id]
    assert len(planned.shops) == 5


def test_record__that_cannot_be_fetched__is_named_and_the_others_are_planned(monkeypatch: pytest.MonkeyPatch) -> None:
    shops = RolledShops()
    other = "0192a3b4-0000-7000-8000-0000000000e3"
    shops.catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(running(other, SHOP)), expected_version=0)]))
    get, get_many = shops.catalog.get, shops.catalog.get_many

    def failing(shop_id: str, kind: Any, record_id: str, **more: Any) -> Any:
        if record_id == other:
            raise OSError("damaged")
        return get(shop_id, kind, record_id, **more)

    def failing_many(shop_id: str, kind: Any, ids: Any, **more: Any) -> Any:
        if other in ids:
            raise OSError("damaged")
        return get_many(shop_id, kind, ids, **more)

    monkeypatch.setattr(shops.catalog, "get", failing)
    monkeypatch.setattr(shops.catalog, "get_many", failing_many)
    planned = shop_work(shops.catalog, SHOP, timestamp(shops.clock.now()))
    assert planned.failed == (other,)
    assert [plan.experiment_id for plan in planned.plans.plans] == [EXPERIMENT_OF[SHOP]]


def test_shop__with_2000_experiments__is_planned_in_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "_HEADS_A_READ", 7)
    monkeypatch.setattr(work, "_BODIES_A_READ", 3)
    shops = RolledShops()
    for number in range(40):
        record = EXPERIMENTS.record(running(f"0192a3b4-0000-7000-8000-{number:012d}", SHOP))
        shops.catalog.commit(Commit(puts=[Put(record=record, expected_version=0)]))
    planned = shop_work(shops.catalog, SHOP, timestamp(shops.clock.now()))
    assert len({plan.experiment_id for plan in planned.plans.plans}) == 41
    assert planned.digest == counted_shops(shops.counting.run.world)[SHOP]


def test_experiment__whose_counting_has_ended__is_in_neither() -> None:
    shops = RolledShops()
    ended = replace(running(EXPERIMENT_OF[SHOP], SHOP), version=2, status="completed", ended_at=shops_began(shops))
    shops.catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(ended), expected_version=1)]))
    shops.clock.advance(days=60)
    world = shops.counting.run.world
    planned = shop_work(shops.catalog, SHOP, world.now())
    assert planned.plans.plans == []
    assert planned.digest == counted_shops(world)[SHOP]


def shops_began(shops: RolledShops) -> str:
    return timestamp(shops.clock.now())
