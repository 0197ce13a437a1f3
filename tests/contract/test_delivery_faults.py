"""Deliveries where answers are lost, rows move between two reads, and the service is silent; how long rows live."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from abtest.adapters.dynamo import DynamoDeliveryStore
from abtest.adapters.dynamo.table import Item, Table
from abtest.domain.webhooks.deliveries import claimed, closed
from abtest.domain.webhooks.health import Health
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.deliveries import DeliveryFilter, HealthChange, StaleDeliveryError
from tests.contract.conftest import Ports
from tests.contract.records import at, iso
from tests.contract.spoiling import CONFLICT, THROTTLED, instead, lose_first_answer, over_http, times
from tests.contract.test_deliveries import HOOK, added, queued
from tests.support.moto_stack import AwsStack
from tests.support.waits import only_one_attempt

ONE_DEAD = HealthChange(Health(), Health(1, None, 1))


@pytest.fixture
def store(aws_stack: AwsStack) -> DynamoDeliveryStore:
    return DynamoDeliveryStore(aws_stack.name("DeliveriesTable"))


@over_http
def test_add__answer_lost__is_still_known_to_be_new(interrupted: Ports) -> None:
    delivery = queued()
    instead("PutItem", lose_first_answer())
    assert interrupted.deliveries.add(delivery)
    assert not interrupted.deliveries.add(delivery)


@over_http
def test_change__answer_lost__is_held_by_who_asked(interrupted: Ports) -> None:
    [delivery] = added(interrupted.deliveries, queued())
    instead("PutItem", lose_first_answer())
    held = claimed(delivery, iso(1))
    interrupted.deliveries.change(delivery, held)
    with pytest.raises(StaleDeliveryError):
        interrupted.deliveries.change(delivery, claimed(delivery, iso(1)))
    assert interrupted.deliveries.get(HOOK, delivery.id) == held


@over_http
def test_change__with_health_and_its_answer_lost__is_counted_once(interrupted: Ports) -> None:
    [delivery] = added(interrupted.deliveries, queued())
    instead("TransactWriteItems", lose_first_answer())
    interrupted.deliveries.change(delivery, closed(delivery, "refused", iso(1)), ONE_DEAD)
    assert interrupted.deliveries.health(HOOK) == Health(1, None, 1)


@over_http
def test_change__conflicts_that_pass__succeeds(interrupted: Ports) -> None:
    [delivery] = added(interrupted.deliveries, queued())
    instead("TransactWriteItems", times(3, CONFLICT))
    interrupted.deliveries.change(delivery, closed(delivery, "refused", iso(1)), ONE_DEAD)
    assert interrupted.deliveries.health(HOOK) == Health(1, None, 1)


@over_http
def test_any_call__throttled__is_busy(interrupted: Ports, monkeypatch: pytest.MonkeyPatch) -> None:
    only_one_attempt(monkeypatch)
    deliveries, delivery = interrupted.deliveries, queued()
    after = claimed(delivery, iso(1))
    calls: Sequence[Callable[[], object]] = [
        lambda: deliveries.add(delivery),
        lambda: deliveries.get(HOOK, delivery.id),
        lambda: deliveries.page(HOOK, DeliveryFilter(), limit=1),
        lambda: deliveries.due(HOOK, iso(), limit=1),
        lambda: deliveries.waiting(iso(), limit=1),
        lambda: deliveries.change(delivery, after),
        lambda: deliveries.change(delivery, after, ONE_DEAD),
        lambda: deliveries.health(HOOK),
        lambda: deliveries.put_health(HOOK, ONE_DEAD),
    ]
    instead("*", times(99, THROTTLED))
    for call in calls:
        with pytest.raises(DatabaseBusyError):
            call()


def test_due__first_rows_move_between_two_reads__those_behind_are_found(
    store: DynamoDeliveryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = added(store, queued(1), queued(2))
    read, moves = Table.get_many, iter([first])

    def overtaken(table: Table, keys: Sequence[tuple[str, str]]) -> list[Item]:
        for delivery in moves:
            store.change(delivery, claimed(delivery, iso(3)))
        return read(table, keys)

    monkeypatch.setattr(Table, "get_many", overtaken)
    assert store.due(HOOK, iso(3), limit=1) == [second]


def test_rows__of_deliveries__end_thirty_days_after_they_were_made(
    store: DynamoDeliveryStore, aws_stack: AwsStack
) -> None:
    [delivery] = added(store, queued())
    store.change(delivery, closed(delivery, "refused", iso(86400)), ONE_DEAD)
    table = aws_stack.name("DeliveriesTable")
    items = aws_stack.clients.dynamodb.scan(TableName=table)["Items"]
    ends = {str(item["sk"]["S"]): item.get("expires") for item in items}
    assert ends == {f"D#{delivery.id}": {"N": str(int(at(30 * 86400).timestamp()) + 1)}, "HEALTH": None}
    told = aws_stack.clients.dynamodb.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
    assert told == {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}
