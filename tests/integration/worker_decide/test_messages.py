"""Messages of DecideQueue at the deployed worker: garbage, repetitions, two workers, a record that cannot be read."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from abtest.adapters.dynamo import DynamoCatalog, DynamoLookStore, DynamoRollupStore, keys
from abtest.adapters.s3 import S3Blobs
from abtest.kit import canonical_json
from abtest.kit.clock import timestamp
from abtest.ports.catalog import Commit, Put
from abtest.services.decisions.messages import TASKS, decision_message
from abtest.services.experiments.records import EXPERIMENTS, experiment_in
from abtest.services.shop_records import puts_of
from tests.support.autostopping import CONTROL, TREATMENT, running, totals
from tests.support.deployed_deciders import DeployedDeciders, event_of
from tests.support.invocations import Context, sample
from tests.support.moto_stack import AwsStack
from tests.support.storefronts import SHOP_ID, experiment_id, shop
from tools.local.template.intrinsics import ACCOUNT, REGION

WON = {CONTROL: (2000, 200), TREATMENT: (2000, 300)}
EVEN = {CONTROL: (2000, 200), TREATMENT: (2000, 205)}
BOTH = decision_message(SHOP_ID, TASKS)


class Deployed(DeployedDeciders):
    """A shop whose experiments run since a day."""

    def __init__(self, stack: AwsStack) -> None:
        super().__init__(stack)
        self.stack = stack
        self.catalog = DynamoCatalog(stack.name("CatalogTable"), S3Blobs(stack.name("BlobsBucket")))
        self.rollups = DynamoRollupStore(stack.name("RollupsTable"))
        self.looks = DynamoLookStore(stack.name("RollupsTable"))
        self.catalog.commit(Commit(puts=puts_of(shop())))

    def prepared(self, number: int, arms: Any = EVEN, **fields: Any) -> None:
        began = timestamp(datetime.now(UTC) - timedelta(days=1))
        experiment = replace(running(number, **fields), started_at=began, measurement_started_at=began)
        self.catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(experiment), expected_version=0)]))
        assert self.rollups.put(totals(experiment, 1, arms), {}, {})

    def status(self, number: int) -> str:
        record = self.catalog.get(SHOP_ID, "EXP", experiment_id(number))
        assert record is not None
        return experiment_in(record).status

    def state(self, number: int) -> Any:
        return self.looks.state(experiment_id(number), 1)

    def spoil(self, number: int) -> None:
        """Let the body of a record be what no release has written."""
        key = {"pk": {"S": keys.record(SHOP_ID, "EXP", experiment_id(number))}, "sk": {"S": keys.BODY}}
        self.stack.clients.dynamodb.update_item(
            TableName=self.stack.name("CatalogTable"),
            Key=key,
            UpdateExpression="SET body = :spoiled",
            ExpressionAttributeValues={":spoiled": {"B": b"spoiled"}},
        )

    def delayed(self) -> list[Any]:
        """Bodies of delayed messages, which no receiver gets yet."""
        from moto.sqs.models import sqs_backends

        queues: Any = sqs_backends[ACCOUNT][REGION].queues
        (queue,) = [each for name, each in queues.items() if self.queue.endswith(name)]
        return [canonical_json.loads(message.body) for message in queue._messages if message.delayed]


@pytest.fixture
def deployed(aws_stack: AwsStack) -> Deployed:
    return Deployed(aws_stack)


def test_batch__with_garbage__does_the_other_messages(deployed: Deployed, caplog: pytest.LogCaptureFixture) -> None:
    deployed.prepared(1, WON)
    bodies = ["not a decision", BOTH, '{"shop_id": "x", "tasks": ["tea"]}']
    answer = deployed.worker()(event_of(*bodies), Context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": "m0"}, {"itemIdentifier": "m2"}]}
    assert deployed.status(1) == "paused"
    reasons = [vars(record)["reason"] for record in caplog.records if record.msg == "decisions.unreadable"]
    assert reasons == ["the body is not JSON", "tasks must name at least one of autostop, guardian"]


def test_sample__that_is_unreadable__comes_again_alone(deployed: Deployed) -> None:
    event = sample("worker_decide__unreadable")
    answer = deployed.worker()(event, Context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": event["Records"][0]["messageId"]}]}


def test_message__ten_times__is_one_pause_and_one_look(deployed: Deployed) -> None:
    deployed.prepared(1, WON)
    deployed.prepared(2)
    worker = deployed.worker()
    for _ in range(10):
        assert worker(event_of(BOTH), Context()) == {"batchItemFailures": []}
    assert (deployed.status(1), deployed.status(2)) == ("paused", "running")
    assert [deployed.state(number)["looks"] for number in (1, 2)] == [1, 1]
    events = [row.payload["event"] for row in deployed.catalog.outbox("webhook", created_before="9999", limit=99)]
    assert events == ["experiment.significant", "variation.winning"]


def test_message__at_six_workers_at_once__is_one_pause(deployed: Deployed) -> None:
    deployed.prepared(1, WON)
    worker = deployed.worker()
    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(lambda _: worker(event_of(BOTH), Context()), range(6)))
    assert answers == [{"batchItemFailures": []}] * 6
    rows, _ = deployed.catalog.audit(SHOP_ID, entity_id=experiment_id(1), limit=9)
    assert [row.action for row in rows] == ["experiment.pause"]
    assert deployed.state(1)["looks"] == 1
    assert all(message["experiment_ids"] == [experiment_id(1)] for message in deployed.delayed())


def test_record__that_cannot_be_read__is_tried_again_alone_and_ends_as_a_dead_letter(deployed: Deployed) -> None:
    deployed.prepared(1, WON)
    deployed.prepared(2)
    deployed.spoil(2)
    worker = deployed.worker()
    assert worker(event_of(BOTH), Context()) == {"batchItemFailures": []}
    assert deployed.status(1) == "paused"
    (message,) = deployed.delayed()
    assert message == {"shop_id": SHOP_ID, "tasks": list(TASKS), "experiment_ids": [experiment_id(2)]}
    failed = worker(event_of(canonical_json.dumps(message)), Context())
    assert failed == {"batchItemFailures": [{"itemIdentifier": "m0"}]}
    assert len(deployed.delayed()) == 1
