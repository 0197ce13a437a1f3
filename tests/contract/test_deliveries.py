"""Deliveries: what is due is never missed, one of two writers wins, health moves with the delivery or not at all."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import pytest

from abtest.adapters.dynamo import deliveries as in_dynamo
from abtest.adapters.dynamo import keys
from abtest.domain.webhooks.deliveries import Delivery, Outcome, claimed, closed, recorded, requeued
from abtest.domain.webhooks.health import Health
from abtest.kit.clock import parse_timestamp
from abtest.kit.ids import before_uuid7
from abtest.ports.deliveries import DeliveryFilter, DeliveryStore, HealthChange, StaleDeliveryError, Waiting
from tests.contract.conftest import Ports
from tests.contract.records import SHOP, concurrent, iso, new_id, race

ALL = DeliveryFilter()
HOOK, OTHER_HOOK = new_id(), new_id()
UNKNOWN = "019c1648-dd80-7000-9334-9207a65a9b79"
SNIPPET = 'é\ud800\u0000{"a": 1}'
"""Answers are cut anywhere and hold anything."""


def queued(seconds: float = 0, webhook_id: str = HOOK, **fields: Any) -> Delivery:
    """A delivery made and due at that moment."""
    moment = iso(seconds)
    told: dict[str, Any] = {"event": "experiment.started", "payload": {"experiment_name": "Ünder"}} | fields
    return Delivery(
        id=new_id(seconds),
        webhook_id=webhook_id,
        shop_id=SHOP,
        created_at=moment,
        updated_at=moment,
        next_attempt_at=moment,
        **told,
    )


def added(store: DeliveryStore, *deliveries: Delivery) -> list[Delivery]:
    """The deliveries, once they are stored."""
    assert all(store.add(delivery) for delivery in deliveries)
    return list(deliveries)


def failed(delivery: Delivery, seconds: float) -> Delivery:
    """After an attempt at that moment that a receiver refused."""
    request = {"url": "https://a.example/hook", "headers": {"X-A": "b"}, "body": "{}"}
    outcome = Outcome(status=500, duration_ms=12, snippet=SNIPPET, request=request)
    return recorded(claimed(delivery, iso(seconds)), outcome, iso(seconds))


def moved(store: DeliveryStore, *states: Delivery) -> Delivery:
    """The last of the states, each stored over the one before."""
    for before, after in pairwise(states):
        store.change(before, after)
    return states[-1]


def walk(store: DeliveryStore, which: DeliveryFilter, limit: int, *, oldest_first: bool = False) -> list[Delivery]:
    """All pages of a list, one after the other."""
    found, after = list[Delivery](), None
    while True:
        page, after = store.page(HOOK, which, limit=limit, after=after, oldest_first=oldest_first)
        assert len(page) <= limit
        found += page
        if after is None:
            return found


def test_add__new__is_read_as_it_was(ports: Ports) -> None:
    [delivery] = added(ports.deliveries, failed(queued(), 1))
    assert ports.another().deliveries.get(HOOK, delivery.id) == delivery


def test_add__id_that_stands__changes_nothing(ports: Ports) -> None:
    [delivery] = added(ports.deliveries, queued())
    assert not ports.another().deliveries.add(replace(delivery, event="experiment.completed"))
    assert ports.deliveries.get(HOOK, delivery.id) == delivery


@pytest.mark.parametrize("delivery_id", ["", "x" * 2000, "\ud800", "HEALTH", UNKNOWN])
def test_get__unknown_or_no_id_at_all__is_none(ports: Ports, delivery_id: str) -> None:
    added(ports.deliveries, queued())
    ports.deliveries.put_health(HOOK, HealthChange(Health(), Health(1, None, 1)))
    assert ports.deliveries.get(HOOK, delivery_id) is None


def test_get__another_webhooks_delivery__is_none(ports: Ports) -> None:
    [delivery] = added(ports.deliveries, queued())
    assert ports.deliveries.get(OTHER_HOOK, delivery.id) is None


@pytest.mark.parametrize(("limit", "cursors"), [(2, [1, None]), (3, [None]), (4, [None])])
def test_page__below_at_and_above_what_there_is__newest_first_until_it_ends(
    ports: Ports, limit: int, cursors: list[int | None]
) -> None:
    made = added(ports.deliveries, *(queued(second) for second in range(3)), queued(5, OTHER_HOOK))
    ports.deliveries.put_health(HOOK, HealthChange(Health(), Health(1, None, 1)))
    after = None
    for number in cursors:
        _, after = ports.deliveries.page(HOOK, ALL, limit=limit, after=after)
        assert after == (None if number is None else made[number].id)
    assert walk(ports.deliveries, ALL, limit) == made[2::-1]


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_page__oldest_first__goes_on_behind_what_was_shown(ports: Ports, limit: int) -> None:
    made = added(ports.deliveries, *(queued(second) for second in (2, 0, 1)), queued(5, OTHER_HOOK))
    in_order = sorted(made[:3], key=lambda delivery: delivery.id)
    ports.deliveries.put_health(HOOK, HealthChange(Health(), Health(1, None, 1)))
    assert walk(ports.deliveries, ALL, limit, oldest_first=True) == in_order
    page = partial(ports.another().deliveries.page, HOOK, ALL, limit=limit, oldest_first=True)
    assert page(after=in_order[1].id) == ([in_order[2]], None)
    assert page(after=in_order[2].id) == ([], None)
    behind, _ = page(after=before_uuid7(parse_timestamp(iso(1))))
    assert behind == in_order[1:][:limit]


def test_page__nothing__is_empty(ports: Ports) -> None:
    for oldest_first in (False, True):
        assert ports.deliveries.page(HOOK, ALL, limit=50, oldest_first=oldest_first) == ([], None)


@pytest.mark.parametrize(
    ("which", "seconds"),
    [
        (DeliveryFilter(status="failed"), [3]),
        (DeliveryFilter(event="experiment.completed"), [5, 4]),
        (DeliveryFilter(since=iso(4)), [5, 4]),
        (DeliveryFilter(until=iso(1)), [1, 0]),
        (DeliveryFilter(since=iso(1), until=iso(4), status="queued"), [4, 2, 1]),
        (DeliveryFilter(status="dead"), []),
    ],
)
def test_page__filtered__shows_what_passes_however_few_rows_a_page_reads(
    ports: Ports, monkeypatch: pytest.MonkeyPatch, which: DeliveryFilter, seconds: list[int]
) -> None:
    events = ["experiment.started"] * 4 + ["experiment.completed"] * 2
    made = added(ports.deliveries, *(queued(second, event=event) for second, event in enumerate(events)))
    ports.deliveries.change(made[3], failed(made[3], 3))
    for rows in (1, 2, 500):
        monkeypatch.setattr(in_dynamo, "ROWS_A_PAGE", rows)
        assert [delivery.created_at for delivery in walk(ports.deliveries, which, 2)] == [iso(each) for each in seconds]
        rising = walk(ports.deliveries, which, 2, oldest_first=True)
        assert [delivery.created_at for delivery in rising] == [iso(each) for each in reversed(seconds)]


def test_due__queued__the_longest_due_first_up_to_the_moment(ports: Ports) -> None:
    made = added(ports.deliveries, queued(3), queued(1), queued(2), queued(0, OTHER_HOOK))
    due = partial(ports.another().deliveries.due, HOOK)
    assert due(iso(3), limit=8) == [made[1], made[2], made[0]]
    assert due(iso(3), limit=2) == [made[1], made[2]]
    assert due(iso(2.999), limit=8) == [made[1], made[2]]
    assert due(iso(0.999), limit=8) == []


def test_due__due_at_the_same_moment__in_the_order_of_their_ids(ports: Ports) -> None:
    made = [replace(queued(second), next_attempt_at=iso(9)) for second in range(5)]
    added(ports.deliveries, *reversed(made))
    assert ports.deliveries.due(HOOK, iso(9), limit=8) == made


def test_due__claimed__not_before_its_worker_must_be_lost(ports: Ports) -> None:
    [delivery] = added(ports.deliveries, queued())
    held = moved(ports.deliveries, delivery, claimed(delivery, iso(5)))
    assert ports.deliveries.due(HOOK, iso(24.999), limit=8) == []
    assert ports.deliveries.waiting(iso(24.999), limit=8) == []
    assert ports.deliveries.due(HOOK, iso(25), limit=8) == [held]
    assert list(ports.deliveries.waiting(iso(25), limit=8)) == [Waiting(SHOP, HOOK)]


def test_due__failed__when_its_next_attempt_is_due(ports: Ports) -> None:
    [delivery] = added(ports.deliveries, queued())
    again = moved(ports.deliveries, delivery, claimed(delivery, iso(5)), failed(delivery, 5))
    assert ports.deliveries.due(HOOK, iso(19.999), limit=8) == []
    assert ports.deliveries.due(HOOK, iso(20), limit=8) == [again]


def test_due__delivered_or_dead__never_until_it_is_requeued(ports: Ports) -> None:
    one, other = added(ports.deliveries, queued(), queued(1))
    held = claimed(one, iso(1))
    moved(ports.deliveries, one, held, recorded(held, Outcome(status=204), iso(1)))
    dead = moved(ports.deliveries, other, closed(other, "webhook_disabled", iso(2)))
    assert ports.deliveries.due(HOOK, iso(9_999_999), limit=8) == []
    assert ports.deliveries.waiting(iso(9_999_999), limit=8) == []
    again = moved(ports.deliveries, dead, requeued(dead, iso(3)))
    assert ports.deliveries.due(HOOK, iso(3), limit=8) == [again]


def test_waiting__endpoints__each_once_while_something_is_due(ports: Ports) -> None:
    made = added(ports.deliveries, *(queued(second) for second in range(3)), queued(1, OTHER_HOOK))
    waiting = ports.another().deliveries.waiting
    assert set(waiting(iso(9), limit=8)) == {Waiting(SHOP, HOOK), Waiting(SHOP, OTHER_HOOK)}
    assert list(waiting(iso(0.999), limit=8)) == [Waiting(SHOP, HOOK)]
    assert list(waiting(iso(9), limit=1)) == [Waiting(SHOP, HOOK)]
    moved(ports.deliveries, made[3], closed(made[3], "webhook_deleted", iso(2)))
    assert list(waiting(iso(9), limit=8)) == [Waiting(SHOP, HOOK)]


@pytest.mark.parametrize("rows", [1, 2, 3, 200])
def test_waiting__one_endpoint_with_many__hides_nobody(
    ports: Ports, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    monkeypatch.setattr(in_dynamo, "ROWS_A_READ", rows)
    monkeypatch.setattr(keys, "WAITING_SHARDS", 1)
    few = [new_id(second) for second in range(8)]
    added(ports.deliveries, *(queued(second) for second in range(10)), *(queued(20, webhook_id) for webhook_id in few))
    for seconds in range(20, 26):  # each moment begins its round elsewhere
        assert {each.webhook_id for each in ports.deliveries.waiting(iso(seconds), limit=100)} == {HOOK, *few}


def test_change__older_version__is_refused_and_changes_nothing(ports: Ports) -> None:
    [delivery] = added(ports.deliveries, queued())
    held = moved(ports.deliveries, delivery, claimed(delivery, iso(1)))
    bad = HealthChange(Health(), Health(1, None, 1))
    for health in (None, bad):
        with pytest.raises(StaleDeliveryError):
            ports.another().deliveries.change(delivery, closed(delivery, "webhook_deleted", iso(2)), health)
    assert ports.deliveries.get(HOOK, delivery.id) == held
    assert ports.deliveries.health(HOOK) == Health()


def test_change__delivery_that_is_not_there__is_refused(ports: Ports) -> None:
    delivery = queued()
    with pytest.raises(StaleDeliveryError):
        ports.deliveries.change(delivery, claimed(delivery, iso(1)))
    assert ports.deliveries.get(HOOK, delivery.id) is None


def test_change__with_health__both_or_neither(ports: Ports) -> None:
    one, other = added(ports.deliveries, queued(), queued(1))
    first = HealthChange(Health(), Health().after_dead(iso(2), "refused"))
    ports.deliveries.change(one, closed(one, "refused", iso(2)), first)
    assert ports.another().deliveries.health(HOOK) == Health(1, None, 1)
    with pytest.raises(StaleDeliveryError):
        ports.deliveries.change(other, closed(other, "refused", iso(3)), first)
    assert ports.deliveries.get(HOOK, other.id) == other
    assert ports.deliveries.health(HOOK) == Health(1, None, 1)
    assert ports.deliveries.health(OTHER_HOOK) == Health()


def disabled(store: DeliveryStore, *deliveries: Delivery) -> Health:
    """The endpoint's health once all of these died, the last of them at the eighth second."""
    for delivery in added(store, *deliveries):
        before = store.health(delivery.webhook_id)
        store.change(
            delivery, closed(delivery, "refused", iso(8)), HealthChange(before, before.after_dead(iso(8), "no"))
        )
    return store.health(deliveries[0].webhook_id)


def test_waiting__endpoint_that_is_disabled__until_its_shop_is_told(ports: Ports) -> None:
    found = disabled(ports.deliveries, *(queued(second) for second in range(3)))
    assert found == Health(3, iso(8), 3, unreported="no")
    waiting = partial(ports.another().deliveries.waiting, limit=8)
    assert (list(waiting(iso(7.999))), list(waiting(iso(8)))) == ([], [Waiting(SHOP, HOOK)])
    assert ports.deliveries.due(HOOK, iso(9), limit=8) == []
    ports.deliveries.put_health(HOOK, HealthChange(found, found.reported()))
    assert ports.deliveries.health(HOOK) == Health(3, iso(8), 4)
    assert waiting(iso(9)) == []


def test_waiting__endpoint_that_is_disabled_where_something_is_due__is_there_once(ports: Ports) -> None:
    found = disabled(ports.deliveries, *(queued(second) for second in range(3)))
    added(ports.deliveries, queued(4), queued(12))
    for seconds in (5, 9, 13):
        assert list(ports.deliveries.waiting(iso(seconds), limit=8)) == [Waiting(SHOP, HOOK)]
    ports.deliveries.put_health(HOOK, HealthChange(found, found.enabled()))
    assert ports.deliveries.health(HOOK) == Health(0, None, 4)


def test_put_health__older_version__is_refused(ports: Ports) -> None:
    disabled = Health(3, iso(3), 3)
    ports.deliveries.put_health(HOOK, HealthChange(Health(), disabled))
    assert ports.deliveries.health(HOOK) == disabled
    ports.deliveries.put_health(HOOK, HealthChange(disabled, disabled.enabled()))
    for stale in (Health(), disabled):
        with pytest.raises(StaleDeliveryError):
            ports.another().deliveries.put_health(HOOK, HealthChange(stale, Health(9, None, 9)))
    assert ports.deliveries.health(HOOK) == Health(0, None, 4)


@concurrent
def test_change__two_claim_at_once__one_has_it(ports: Ports) -> None:
    for _ in range(5):
        [delivery] = added(ports.deliveries, queued())
        calls = [partial(ports.another().deliveries.change, delivery, claimed(delivery, iso(1))) for _ in range(4)]
        found = race(*calls)
        assert [result for result in found if result is None] == [None]
        assert sum(isinstance(result, StaleDeliveryError) for result in found) == 3


@concurrent
def test_change__many_die_at_once__every_one_that_was_stored_is_counted(ports: Ports) -> None:
    made = added(ports.deliveries, *(queued(second) for second in range(6)))

    def die(delivery: Delivery) -> None:
        store = ports.another().deliveries
        while True:
            before = store.health(HOOK)
            try:
                change = HealthChange(before, before.after_dead(iso(9), "refused"))
                return store.change(delivery, closed(delivery, "refused", iso(9)), change)
            except StaleDeliveryError:
                assert store.get(HOOK, delivery.id) == delivery

    assert race(*(partial(die, delivery) for delivery in made)) == [None] * 6
    assert ports.deliveries.health(HOOK) == Health(6, iso(9), 6, unreported="refused")
