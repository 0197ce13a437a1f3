"""What a shop reads in its inbox and audit of an endpoint that failures have stopped."""

from dataclasses import replace
from datetime import timedelta

import pytest

from abtest.domain.webhooks import endpoint
from abtest.domain.webhooks.deliveries import Delivery, queued
from abtest.domain.webhooks.endpoint import Webhook
from abtest.domain.webhooks.health import DISABLED_AFTER, Health
from abtest.kit.clock import parse_timestamp, timestamp
from abtest.kit.ids import uuid7_milliseconds
from abtest.ports.catalog import AuditRow, InboxRow
from abtest.ports.deliveries import HealthChange
from abtest.services.experiments.system import SYSTEM_USER_ID
from tests.integration.worker_webhooks.office import EVENT, OTHER_SHOP, SHOP, Office
from tests.support.inbox import Inbox


def messages(office: Office, shop_id: str = SHOP) -> list[InboxRow]:
    return list(office.catalog.inbox(shop_id, limit=9)[0])


def audit(office: Office, webhook: Webhook) -> list[AuditRow]:
    return list(office.catalog.audit(SHOP, entity_id=webhook.id, limit=9)[0])


def almost_disabled(office: Office, webhook: Webhook) -> None:
    """By two deliveries that died."""
    office.store.put_health(webhook.id, HealthChange(Health(), Health(DISABLED_AFTER - 1, None, 1)))


@pytest.fixture
def failing(office: Office, receiver: Inbox) -> Webhook:
    """An endpoint that the next dead delivery disables, with a secret in its path."""
    receiver.answer = lambda _: 503
    webhook = office.endpoint(f"{receiver.url}/s3cret?token=s3cret")
    almost_disabled(office, webhook)
    return webhook


def test_endpoint__that_is_disabled__is_told_once_in_words_that_help(office: Office, failing: Webhook) -> None:
    office.happens(3)
    office.pass_time(600)
    health = office.health(failing)
    [message] = messages(office)
    assert (message.shop_id, message.role, message.sender_id) == (SHOP, "system", None)
    assert message.created_at == health.disabled_at
    route = f"/webhooks/{failing.id}"
    since = timestamp(parse_timestamp(message.created_at) - timedelta(hours=1))
    assert min(each.created_at for each in office.deliveries(failing)) > since
    assert message.body == (
        f"The webhook at 127.0.0.1 has been disabled since {health.disabled_at}, because 3 deliveries in a row did "
        f"not arrive. The last error: the receiver answered 503. Nothing is sent to it until you enable it. "
        f"GET {route}/deliveries?status=dead lists what did not arrive. Once the receiver is repaired, test it with "
        f'POST {route}/test, enable it with PATCH {route} and {{"active": true}}, and recover missed deliveries of '
        f'up to 14 days with POST {route}/recover and {{"since": "{since}"}}.'
    )
    assert messages(office, OTHER_SHOP) == []


def test_endpoint__that_is_disabled__has_a_row_of_the_audit_by_the_system(office: Office, failing: Webhook) -> None:
    office.happens()
    office.pass_time(600)
    disabled_at = office.health(failing).disabled_at
    [row] = audit(office, failing)
    assert (row.action, row.user_id, row.created_at) == ("webhook.disable", SYSTEM_USER_ID, disabled_at)
    assert row.diff == {"disabledAt": [None, disabled_at], "last_error": [None, "the receiver answered 503"]}
    assert list(office.catalog.audit(SHOP, entity_id=None, limit=9)[0]) == [row]
    assert uuid7_milliseconds(row.id) == uuid7_milliseconds(messages(office)[0].id)
    assert row.id != messages(office)[0].id


def test_notice__repeated__changes_nothing(office: Office, failing: Webhook) -> None:
    office.happens()
    office.pass_time(600)
    before = messages(office), audit(office, failing)
    told = office.health(failing)
    unreported = replace(told, unreported="the receiver answered 503", version=told.version + 1)
    office.store.put_health(failing.id, HealthChange(told, unreported))
    office.clock.advance(seconds=60)
    office.worker.notices.send(SHOP, failing.id)
    assert (messages(office), audit(office, failing)) == before
    assert office.health(failing).unreported is None


def test_tests__that_die__are_never_told(office: Office, failing: Webhook) -> None:
    for _ in range(DISABLED_AFTER):
        office.store.add(replace(one_queued(office, failing), is_test=True))
    office.notifier.deliveries_due(SHOP, failing.id)
    office.pass_time(600)
    assert [each.status for each in office.deliveries(failing)] == ["dead"] * DISABLED_AFTER
    assert messages(office) == []
    assert audit(office, failing) == []


def one_queued(office: Office, webhook: Webhook) -> Delivery:
    return queued(webhook, office.world.new_id(), EVENT, {}, office.world.now())


@pytest.mark.parametrize("is_known", [True, False])
def test_endpoint__deleted_before_anybody_was_told__is_not_told_of(
    office: Office, failing: Webhook, is_known: bool
) -> None:
    delivery = one_queued(office, failing if is_known else replace(failing, id=office.world.new_id()))
    office.store.add(delivery)
    disabled = Health(DISABLED_AFTER, office.world.now(), 2, unreported="refused")
    before = office.store.health(delivery.webhook_id)
    if is_known:
        office.keep(endpoint.archived(failing, "user", office.world.now()))
    office.store.change(delivery, replace(delivery, version=2), HealthChange(before, disabled))
    office.worker.notices.send(SHOP, delivery.webhook_id)
    assert messages(office) == []
    assert office.store.health(delivery.webhook_id).unreported is None
