"""The publish worker on the template's tables, bucket and secret."""

import json
from typing import Any

import pytest

from abtest.domain.delivery.manifest import pointer_key
from abtest.services.sweep import publish_message
from tests.support.handlers import fresh_handler
from tests.support.invocations import Context, sample
from tests.support.moto_stack import AwsStack
from tests.support.published import PublishedShop, promised
from tests.support.storefronts import SHOP_ID, experiment

LATER = "2027-01-01T00:00:00.000Z"
UNKNOWN = "0192a3b4-0000-7000-8000-0000000000ee"


def message(body: str, message_id: str = "m-1") -> dict[str, Any]:
    event = sample("worker_publish__shop")
    event["Records"][0] |= {"body": body, "messageId": message_id}
    return event


def test_worker__given_its_sample_event__publishes_the_shop_and_ticks_the_row_off(aws_stack: AwsStack) -> None:
    shop = PublishedShop(aws_stack)
    shop.keep(experiment())
    shop.promise(promised(1))
    handler = fresh_handler(aws_stack, "WorkerPublish", "worker_publish")
    assert handler(sample("worker_publish__shop"), Context()) == {"batchItemFailures": []}
    assert shop.delivery.get(pointer_key(SHOP_ID)) is not None
    assert list(shop.catalog.outbox("publish", created_before=LATER, limit=10)) == []


def test_worker__given_the_message_twice__is_content(aws_stack: AwsStack) -> None:
    PublishedShop(aws_stack)
    handler = fresh_handler(aws_stack, "WorkerPublish", "worker_publish")
    for _ in range(2):
        assert handler(sample("worker_publish__shop"), Context()) == {"batchItemFailures": []}


def test_worker__that_cannot_publish__gives_the_message_back_and_keeps_the_row(
    aws_stack: AwsStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = PublishedShop(aws_stack)
    shop.promise(promised(1))
    aws_stack.enter("WorkerPublish")
    aws_stack.clients.s3.delete_bucket(Bucket=aws_stack.name("DeliveryBucket"))
    handler = fresh_handler(aws_stack, "WorkerPublish", "worker_publish")
    assert handler(message(publish_message(SHOP_ID, [promised(1)])), Context()) == {
        "batchItemFailures": [{"itemIdentifier": "m-1"}]
    }
    assert len(shop.catalog.outbox("publish", created_before=LATER, limit=10)) == 1


def test_worker__given_an_unknown_shop__lets_the_message_go(aws_stack: AwsStack) -> None:
    shop = PublishedShop(aws_stack)
    row = promised(1, shop_id=UNKNOWN)
    shop.promise(row)
    handler = fresh_handler(aws_stack, "WorkerPublish", "worker_publish")
    assert handler(message(publish_message(UNKNOWN, [row])), Context()) == {"batchItemFailures": []}
    assert list(shop.catalog.outbox("publish", created_before=LATER, limit=10)) == []


@pytest.mark.parametrize("body", ["", "no json", "[]", "{}", json.dumps({"outbox": []})])
def test_worker__given_a_message_that_says_nothing__gives_it_back(aws_stack: AwsStack, body: str) -> None:
    handler = fresh_handler(aws_stack, "WorkerPublish", "worker_publish")
    assert handler(message(body), Context()) == {"batchItemFailures": [{"itemIdentifier": "m-1"}]}
