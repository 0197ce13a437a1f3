"""The deployed function: its environment, its policy, the template's queue."""

import json
import threading
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from abtest.domain.webhooks.deliveries import MAX_ATTEMPTS, Delivery, queued
from abtest.domain.webhooks.endpoint import Webhook
from abtest.domain.webhooks.envelope import secret_of, standard_signature
from abtest.domain.webhooks.health import DISABLED_AFTER, Health
from abtest.kit.clock import SystemClock, parse_timestamp, timestamp
from abtest.ports.catalog import Commit, OutboxRow
from abtest.ports.deliveries import HealthChange
from abtest.services.webhooks.notification import WorkerNotifier
from abtest.wiring.settings import settings
from abtest.wiring.webhook_queue import webhook_notifications
from abtest.wiring.worlds import world_of
from tests.integration.worker_webhooks.office import EVENT, KEY, SHOP, Office
from tests.support.handlers import fresh_handler
from tests.support.inbox import Arrival, Inbox
from tests.support.invocations import Context, sample
from tests.support.moto_stack import AwsStack
from tests.support.timed_queue import TimedQueue

DONE: dict[str, list[Any]] = {"batchItemFailures": []}
LATER = "2999-01-01T00:00:00.000Z"


class Deployed:
    """The functions that have to do with webhooks, in one stack."""

    def __init__(self, stack: AwsStack) -> None:
        self.stack = stack
        stack.enter("WorkerWebhooks")
        self.office = Office.on(stack)
        self._to_the_present()

    def _to_the_present(self) -> None:
        clock = self.office.clock
        clock.advance(seconds=(SystemClock().now() - clock.now()).total_seconds() - 60)

    def endpoint(self, url: str) -> Webhook:
        return self.office.endpoint(url)

    def commit(self, committer: str = "CronLaunch", *, count: int = 1) -> list[OutboxRow]:
        """Events, as another function commits them: it rings by itself."""
        self.stack.enter(committer)
        world = world_of(settings())
        rows = [world.outbox_row(SHOP, "webhook", {"event": EVENT, "number": number}) for number in range(count)]
        with self.stack.guard(committer).running():
            world.catalog.commit(Commit(outbox=[*rows, world.publish_row(SHOP)]))
        return rows

    def received(self) -> list[str]:
        """The messages that can be received now."""
        found: Any = self.stack.clients.sqs.receive_message(
            QueueUrl=self.stack.name("WebhookQueue"), MaxNumberOfMessages=10
        )
        return [message["Body"] for message in found.get("Messages", [])]

    def work(self, *bodies: str) -> Any:
        """The function's answer to messages."""
        event = sample("worker_webhooks__unreadable")
        (record,) = event["Records"]
        event["Records"] = [record | {"body": body, "messageId": str(number)} for number, body in enumerate(bodies)]
        return fresh_handler(self.stack, "WorkerWebhooks", "worker_webhooks")(event, Context())

    def notify_of_events(self) -> None:
        """Send the message of the events that wait."""
        self.stack.enter("CronSweep")
        rows = self.office.catalog.outbox("webhook", created_before=LATER, limit=9)
        webhook_notifications(settings()).events_waiting(rows)

    def sweep(self) -> Any:
        return fresh_handler(self.stack, "CronSweep", "cron_sweep")(sample("cron_sweep__minute"), Context())


@pytest.fixture
def deployed(local_stack: AwsStack) -> Deployed:
    return Deployed(local_stack)


def test_event__committed_by_another_function__arrives(deployed: Deployed, receiver: Inbox) -> None:
    webhook = deployed.endpoint(receiver.url)
    rows = deployed.commit(count=2)
    (called,) = deployed.received()
    assert json.loads(called) == {
        "kind": "events",
        "rows": [{"id": row.id, "created_at": row.created_at} for row in rows],
    }
    assert deployed.work(called) == DONE
    notifications = deployed.received()
    assert json.loads(notifications[0]) == {"kind": "deliveries", "shop_id": SHOP, "webhook_id": webhook.id}
    assert deployed.work(*notifications, called) == DONE
    assert sorted(receiver.ids) == [each.id for each in deployed.office.deliveries(webhook)]
    assert [each.status for each in deployed.office.deliveries(webhook)] == ["delivered"] * 2
    assert deployed.office.catalog.outbox("webhook", created_before=LATER, limit=9) == []
    arrival = receiver.arrived[0]
    assert arrival.headers["webhook-signature"] == standard_signature(
        secret_of(KEY), arrival.body, delivery_id=arrival.delivery_id, at=int(arrival.headers["webhook-timestamp"])
    )


@pytest.mark.parametrize(
    "function",
    ["ApiExperiments", "ApiFlags", "ApiPersonalizations", "ApiSettings", "WorkerPublish", "WorkerDecide"],
)
def test_function__that_commits_events__rings(deployed: Deployed, function: str) -> None:
    deployed.commit(function)
    assert len(deployed.received()) == 1


def test_receiver__that_refuses__is_called_again_in_fifteen_seconds(
    deployed: Deployed, receiver: Inbox, capsys: pytest.CaptureFixture[str]
) -> None:
    webhook = deployed.endpoint(receiver.url)
    receiver.answer = lambda _: 500
    deployed.commit()
    assert deployed.work(*deployed.received()) == DONE
    assert deployed.work(*deployed.received()) == DONE
    delivery = deployed.office.one(webhook)
    assert (delivery.status, delivery.attempts) == ("failed", 1)
    waits = parse_timestamp(str(delivery.next_attempt_at)) - parse_timestamp(delivery.updated_at)
    assert waits == timedelta(seconds=15)
    assert deployed.received() == []
    delayed: Any = deployed.stack.clients.sqs.get_queue_attributes(
        QueueUrl=deployed.stack.name("WebhookQueue"), AttributeNames=["ApproximateNumberOfMessagesDelayed"]
    )
    assert delayed["Attributes"]["ApproximateNumberOfMessagesDelayed"] == "1"
    assert '"WebhooksFailed":1' in capsys.readouterr().out


def test_sweep__of_events_and_deliveries_that_nobody_heard__calls_the_worker(
    deployed: Deployed, receiver: Inbox, capsys: pytest.CaptureFixture[str]
) -> None:
    webhook = deployed.endpoint(receiver.url)
    past = timestamp(SystemClock().now() - timedelta(minutes=2))
    waits = Delivery(
        id=deployed.office.world.new_id(),
        webhook_id=webhook.id,
        shop_id=SHOP,
        event=EVENT,
        payload={},
        created_at=past,
        updated_at=past,
        next_attempt_at=past,
    )
    deployed.office.store.add(waits)
    row = OutboxRow(
        id=deployed.office.world.new_id(), shop_id=SHOP, topic="webhook", payload={"event": EVENT}, created_at=past
    )
    deployed.office.catalog.commit(Commit(outbox=[row]))
    assert deployed.sweep()["webhooks"] == 2
    bodies = deployed.received()
    assert sorted(json.loads(body)["kind"] for body in bodies) == ["deliveries", "events"]
    assert '"WebhookEventsWaiting":1' in capsys.readouterr().out
    assert deployed.work(*bodies) == DONE
    assert receiver.ids == [waits.id]
    assert deployed.sweep()["webhooks"] == 0


def test_receiver__that_refuses_for_the_last_time__is_disabled_and_its_shop_told(
    deployed: Deployed, receiver: Inbox
) -> None:
    webhook, office = deployed.endpoint(receiver.url), deployed.office
    receiver.answer = lambda _: 500
    office.store.put_health(webhook.id, HealthChange(Health(), Health(DISABLED_AFTER - 1, None, 1)))
    last = queued(webhook, office.world.new_id(), EVENT, {}, office.world.now())
    office.store.add(replace(last, status="failed", attempts=MAX_ATTEMPTS - 1))
    bell = TimedQueue(office.clock)
    WorkerNotifier(bell).deliveries_due(SHOP, webhook.id)
    assert deployed.work(bell.receive() or "") == DONE
    assert office.one(webhook).status == "dead"
    assert (office.health(webhook).is_disabled, office.health(webhook).unreported) == (True, None)
    [message] = office.catalog.inbox(SHOP, limit=9)[0]
    assert "the receiver answered 500" in message.body
    [row] = office.catalog.audit(SHOP, entity_id=None, limit=9)[0]
    assert (row.entity_id, row.action) == (webhook.id, "webhook.disable")


@pytest.mark.parametrize("body", ["not a message", "[]", "{}", '{"kind":"other"}', '{"kind":"events"}', "null"])
def test_message__that_is_none__comes_again_alone(deployed: Deployed, receiver: Inbox, body: str) -> None:
    deployed.endpoint(receiver.url)
    deployed.commit()
    (called,) = deployed.received()
    assert deployed.work(body, called) == {"batchItemFailures": [{"itemIdentifier": "0"}]}
    assert len(deployed.received()) == 1


def test_message__that_fails__says_why_in_the_log(deployed: Deployed, caplog: pytest.LogCaptureFixture) -> None:
    """The function itself has no error then: whoever is called by an alarm finds the reason nowhere else."""
    deployed.work('{"kind":"other"}')
    [record] = caplog.records
    assert record.levelname == "WARNING"
    assert "a message of kind 'other'" in str(record.exc_info)


def test_message__of_things_that_are_gone__is_done(deployed: Deployed) -> None:
    bell = TimedQueue(deployed.office.clock)
    WorkerNotifier(bell).deliveries_due(SHOP, "01890a5d-ac96-774b-bcce-b302099a8059")
    WorkerNotifier(bell).events_waiting([deployed.office.world.outbox_row(SHOP, "webhook", {"event": EVENT})])
    bodies = [bell.receive() or "" for _ in range(2)]
    assert deployed.work(*bodies) == DONE


def test_receiver__that_hangs__leaves_its_worker_to_others(deployed: Deployed, receiver: Inbox) -> None:
    """One worker only, and the message of the other endpoint is in the queue until it takes it."""
    hanging = deployed.endpoint(receiver.url)
    other = deployed.office.endpoint(receiver.url, ("experiment.completed",))
    has_arrived = threading.Event()

    def answer(arrival: Arrival) -> int:
        if arrival.event == EVENT:
            return 200 if has_arrived.wait(8) else 500
        has_arrived.set()
        return 200

    receiver.answer = answer
    deployed.commit()
    assert deployed.work(*deployed.received()) == DONE
    (called,) = deployed.received()
    deployed.office.happens(event="experiment.completed", is_rung=False)
    deployed.notify_of_events()
    assert deployed.work(called) == DONE
    assert [deployed.office.one(each).status for each in (hanging, other)] == ["delivered"] * 2
    assert deployed.received() == []


def test_endpoint__on_this_machine__is_not_called_in_the_cloud(aws_stack: AwsStack, receiver: Inbox) -> None:
    deployed = Deployed(aws_stack)
    webhook = deployed.endpoint(receiver.url)
    deployed.commit()
    assert deployed.work(*deployed.received()) == DONE
    assert deployed.work(*deployed.received()) == DONE
    assert deployed.office.one(webhook).last_error == "the address must begin with https://"
    assert receiver.arrived == []
