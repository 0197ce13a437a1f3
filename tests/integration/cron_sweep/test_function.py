"""The sweep on the template's tables, bucket and queues."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

from abtest.adapters.dynamo import DynamoLeases
from abtest.domain.jobs.model import JobType
from abtest.kit.clock import ManualClock, SystemClock, timestamp
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Commit, Head, Put, Record
from abtest.services.context import Caller, World
from abtest.services.jobs import Jobs, job_message
from abtest.services.sweep import LEASE
from tests.support.handlers import fresh_handler
from tests.support.invocations import Context, sample
from tests.support.memory import MemoryQueue
from tests.support.moto_stack import AwsStack
from tests.support.published import PublishedShop, promised
from tests.support.storefronts import MOMENT, SHOP_ID

LATER = "2999-01-01T00:00:00.000Z"
JOB_QUEUES: dict[JobType, str] = {"export": "ExportQueue", "refresh": "RefreshQueue", "page_check": "PageQueue"}
CALLER = Caller(key_id="k", kind="shop", user_id="u", shop_id=SHOP_ID, scopes=frozenset(), request_id="r")


def run(stack: AwsStack) -> Any:
    return fresh_handler(stack, "CronSweep", "cron_sweep")(sample("cron_sweep__minute"), Context())


def received(stack: AwsStack, queue: str) -> list[str]:
    answer: Any = stack.clients.sqs.receive_message(QueueUrl=stack.name(queue), MaxNumberOfMessages=10)
    return [message["Body"] for message in answer.get("Messages", [])]


def test_sweep__of_overdue_rows__sends_one_message_a_shop(aws_stack: AwsStack) -> None:
    shop = PublishedShop(aws_stack)
    for number in (1, 2):
        shop.promise(promised(number))
    assert run(aws_stack) == {"shops": 1, "batches": 0, "released": 0, "jobs": 0, "webhooks": 0, "assets": 0}
    (body,) = received(aws_stack, "PublishQueue")
    message = json.loads(body)
    assert message["shop_id"] == SHOP_ID
    assert {row["id"] for row in message["outbox"]} == {promised(1).id, promised(2).id}
    assert len(shop.catalog.outbox("publish", created_before=LATER, limit=10)) == 2


def test_sweep__of_promises_of_landing_pages__sends_them_less_often_as_they_age(aws_stack: AwsStack) -> None:
    shop, now = PublishedShop(aws_stack), SystemClock().now()
    for number, minutes in enumerate((5, 25)):
        row = promised(number, created_at=timestamp(now - timedelta(minutes=minutes, seconds=5)))
        shop.promise(replace(row, payload={"landing_page_id": "p", "publish_id": str(minutes)}))
    run(aws_stack)
    (body,) = received(aws_stack, "PublishQueue")
    assert json.loads(body)["promise"]["payload"]["publish_id"] == "5"


def test_sweep__with_an_asset_that_cannot_be_read__sends_the_rest(aws_stack: AwsStack) -> None:
    shop = PublishedShop(aws_stack)
    shop.promise(promised(1))
    note = Head(
        shop_id=SHOP_ID,
        kind="TRASH",
        id=promised(2).id,
        version=1,
        created_at=MOMENT,
        updated_at=MOMENT,
        due={"TRASH": MOMENT},
    )
    heads = [note, replace(note, kind="ASSET", due={})]
    shop.catalog.commit(Commit(puts=[Put(record=Record(head=head, body={}), expected_version=0) for head in heads]))
    assert run(aws_stack) == {"shops": 1, "batches": 0, "released": 0, "jobs": 0, "webhooks": 0, "assets": 0}
    assert len(received(aws_stack, "PublishQueue")) == 1


def test_sweep__of_young_rows_and_other_topics__sends_nothing(aws_stack: AwsStack) -> None:
    shop = PublishedShop(aws_stack)
    shop.promise(promised(1, created_at=timestamp(SystemClock().now())))
    shop.promise(promised(2, topic="webhook"))
    run(aws_stack)
    assert received(aws_stack, "PublishQueue") == []
    assert len(shop.catalog.outbox("publish", created_before=LATER, limit=10)) == 1
    assert len(shop.catalog.outbox("webhook", created_before=LATER, limit=10)) == 1


def test_sweep__followed_by_the_worker__leaves_nothing_to_do(aws_stack: AwsStack) -> None:
    shop = PublishedShop(aws_stack)
    shop.promise(promised(1))
    run(aws_stack)
    event = sample("worker_publish__shop")
    (event["Records"][0]["body"],) = received(aws_stack, "PublishQueue")
    fresh_handler(aws_stack, "WorkerPublish", "worker_publish")(event, Context())
    run(aws_stack)
    assert received(aws_stack, "PublishQueue") == []


def test_sweep__of_spilled_batches__queues_them_word_for_word_and_removes_them(aws_stack: AwsStack) -> None:
    shop = PublishedShop(aws_stack)
    for number in range(3):
        body = f'{{"batch": {number}, "text": "é"}}'
        shop.ledger.put(f"spill/{number}-a.json", body.encode(), content_type="application/json")
    shop.ledger.put("raw/other.json", b"stays", content_type="application/json")
    run(aws_stack)
    assert sorted(received(aws_stack, "EventQueue")) == [f'{{"batch": {number}, "text": "é"}}' for number in range(3)]
    assert [entry.key for entry in shop.ledger.list("")] == ["raw/other.json"]


def test_sweep__with_a_batch_that_cannot_be_queued__goes_on_with_the_others(aws_stack: AwsStack) -> None:
    shop = PublishedShop(aws_stack)
    shop.ledger.put("spill/0-a.json", b"\xff", content_type="application/json")
    shop.ledger.put("spill/1-a.json", b"x" * (1 << 20) + b"x", content_type="application/json")
    shop.ledger.put("spill/2-a.json", b"{}", content_type="application/json")
    shop.promise(promised(1))
    run(aws_stack)
    assert received(aws_stack, "EventQueue") == ["{}"]
    assert [entry.key for entry in shop.ledger.list("spill/")] == ["spill/0-a.json", "spill/1-a.json"]
    assert len(received(aws_stack, "PublishQueue")) == 1


def test_sweep__of_jobs_whose_message_was_lost__sends_them_to_their_workers(aws_stack: AwsStack) -> None:
    clock = ManualClock(SystemClock().now() - timedelta(minutes=6))
    world = World(catalog=PublishedShop(aws_stack).catalog, clock=clock, random=SystemRandomness())
    lost = MemoryQueue()
    asked = [Jobs(world, kind, lost).create(CALLER, {}) for kind in JOB_QUEUES]
    assert run(aws_stack)["jobs"] == 3
    assert run(aws_stack)["jobs"] == 0
    assert [received(aws_stack, queue) for queue in JOB_QUEUES.values()] == [[job_message(job)] for job in asked]


def test_sweep__of_jobs_that_ended_long_ago__forgets_them(aws_stack: AwsStack) -> None:
    clock = ManualClock(SystemClock().now() - timedelta(days=31))
    world = World(catalog=PublishedShop(aws_stack).catalog, clock=clock, random=SystemRandomness())
    jobs = Jobs(world, "export", MemoryQueue())
    jobs.cancel(CALLER, jobs.create(CALLER, {}).id)
    assert len(jobs.page(SHOP_ID, limit=9, after=None)[0]) == 1
    run(aws_stack)
    assert jobs.page(SHOP_ID, limit=9, after=None) == ([], None)


def test_sweep__while_another_run_is_at_it__does_nothing(aws_stack: AwsStack) -> None:
    shop = PublishedShop(aws_stack)
    shop.promise(promised(1))
    leases = DynamoLeases(aws_stack.name("EphemeralTable"))
    assert leases.acquire(LEASE, owner="other", seconds=60, now=SystemClock().now())
    assert run(aws_stack) == {"skipped": "another run is at it"}
    assert received(aws_stack, "PublishQueue") == []


def test_sweep__after_a_run_that_died__takes_over_when_the_lease_is_out(aws_stack: AwsStack) -> None:
    shop = PublishedShop(aws_stack)
    shop.promise(promised(1))
    leases = DynamoLeases(aws_stack.name("EphemeralTable"))
    leases.acquire(LEASE, owner="died", seconds=60, now=SystemClock().now() - timedelta(seconds=61))
    run(aws_stack)
    assert len(received(aws_stack, "PublishQueue")) == 1
