"""Shops whose endpoint is disabled find one message that says so, wherever workers die."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from abtest.domain.webhooks.health import DISABLED_AFTER, Health
from abtest.ports.catalog import InboxRow
from abtest.ports.deliveries import HealthChange
from tests.faults.faults import Fate
from tests.faults.webhooks.office import SHOP, Office, Worker
from tests.faults.webhooks.receivers import TAKES, Receiver, says

FAILS = says("500 Internal Server Error")


def messages(office: Office) -> Sequence[InboxRow]:
    """What the shop finds in its inbox."""
    return office.catalog.inbox(SHOP, limit=9)[0]


def about_to_be_disabled(receiver: Receiver) -> Office:
    """One more delivery that dies disables the endpoint, and that one is under way."""
    receiver.behaviours = [FAILS]
    office = Office(receiver)
    almost = Health(DISABLED_AFTER - 1, None, 1)
    office.store.put_health(office.webhook.id, HealthChange(Health(), almost))
    office.happens()
    return office


def settled(receiver: Receiver, fate: Fate) -> Office:
    """The endpoint is disabled by a worker with a fate, or by those who follow it."""
    del receiver.requests[:]
    office = about_to_be_disabled(receiver)
    office.employ(fate)
    office.settle()
    office.check()
    return office


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_worker__that_dies_at_any_call__leaves_one_message_in_the_end(receiver: Receiver, after: bool) -> None:
    whole = Fate()
    settled(receiver, whole)
    assert whole.calls > 30
    for at in range(1, whole.calls + 1):
        office = settled(receiver, Fate(at=at, after=after))
        health = office.store.health(office.webhook.id)
        assert (health.is_disabled, health.unreported) == (True, None), at
        [message] = messages(office)
        assert message.created_at == health.disabled_at, at
        assert len(office.catalog.audit(SHOP, entity_id=office.webhook.id, limit=9)[0]) == 1, at


@pytest.mark.parametrize(("of", "after", "said"), [("commit", False, 0), ("commit", True, 1), ("put_health", False, 1)])
def test_worker__that_dies_while_it_tells__and_whose_message_is_lost__is_made_up_for_by_the_sweep(
    receiver: Receiver, of: str, after: bool, said: int
) -> None:
    office = about_to_be_disabled(receiver)
    office.employ(Fate(of=of, at=1, after=after))
    while not office.store.health(office.webhook.id).is_disabled:
        office.work()
        office.clock.advance(seconds=15)
    assert len(messages(office)) == said
    office.queue.clear()
    office.clock.advance(minutes=1)
    office.sweep()
    assert office.metrics.sums["WebhookEndpointsWaiting"] == 1
    office.work()
    assert len(messages(office)) == 1
    office.clock.advance(minutes=1)
    office.sweep()
    assert office.queue.depth() == 0, "nobody waits any more"


def test_two_workers__that_tell_at_once__leave_one_message(receiver: Receiver) -> None:
    office = about_to_be_disabled(receiver)
    others_come = Fate(of="commit", at=1, happens=lambda: Worker(office).carry_out(office.notification()))
    office.employ(others_come)
    office.settle()
    assert others_come.calls == 1
    assert len(messages(office)) == 1


def test_endpoint__disabled_twice__is_told_twice(receiver: Receiver) -> None:
    office = about_to_be_disabled(receiver)
    office.settle()
    disabled = office.store.health(office.webhook.id)
    office.store.put_health(office.webhook.id, HealthChange(disabled, disabled.enabled()))
    for _ in range(DISABLED_AFTER):
        office.happens()
    office.settle()
    newest, first = messages(office)
    assert newest.created_at > first.created_at == disabled.disabled_at


def test_deliveries__that_die_without_disabling__are_not_told(receiver: Receiver) -> None:
    office = Office(receiver)
    for behaviours in ([FAILS], [FAILS], [TAKES], [FAILS], [FAILS]):
        receiver.behaviours = behaviours
        office.happens()
        office.settle()
    assert office.store.health(office.webhook.id).consecutive_failures == DISABLED_AFTER - 1
    assert messages(office) == []
