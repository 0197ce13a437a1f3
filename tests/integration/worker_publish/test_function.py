"""The publish worker on the template's tables, bucket and secret."""

import json
from typing import Any

import pytest

from abtest.domain.delivery.manifest import object_key, pointer_key, read_pointer
from abtest.domain.exclusion_groups.model import Member
from abtest.services.publish_requests import publish_message
from tests.support.delivered import (
    PHONES,
    experience,
    flag,
    group,
    item_id,
    keep,
    keep_document,
    page_document,
    personalization,
)
from tests.support.handlers import fresh_handler
from tests.support.invocations import Context, sample
from tests.support.moto_stack import AwsStack
from tests.support.published import PublishedShop, promised
from tests.support.storefronts import SHOP_ID, experiment, experiment_id, variation

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


def config(shop: PublishedShop, environment: str) -> dict[str, Any]:
    pointer = shop.delivery.get(pointer_key(SHOP_ID, environment))
    assert pointer is not None
    found = shop.delivery.get(object_key(read_pointer(pointer.content).config.sha256))
    assert found is not None
    config: dict[str, Any] = json.loads(found.content)
    return config


def test_worker__of_a_shop_with_everything__publishes_each_environment(aws_stack: AwsStack) -> None:
    shop = PublishedShop(aws_stack)
    targeting = {
        "pageRules": [{"id": "r", "pageId": item_id(60)}, {"id": "q", "pageId": item_id(62)}],
        "segmentRules": [{"id": "s", "audienceId": item_id(61)}],
    }
    keep_document(shop.catalog, "PAGE", item_id(60), page_document("/cart", trigger={"type": "delay", "ms": 10}))
    keep_document(shop.catalog, "AUD", item_id(61), {"name": "Phones", "rules": PHONES})
    shop.keep(experiment(targeting=targeting))
    keep(shop.catalog, personalization(targeting=targeting, environment_key="staging"))
    keep(shop.catalog, flag(1, targeting=targeting))
    keep(shop.catalog, flag(2, delivery_type="api"))
    keep(shop.catalog, group(Member(experiment_id=experiment_id(1), share=0.2, ranges=((100, 2100),))))
    handler = fresh_handler(aws_stack, "WorkerPublish", "worker_publish")
    assert handler(sample("worker_publish__shop"), Context()) == {"batchItemFailures": []}

    production, staging = config(shop, "production"), config(shop, "staging")
    cart = {"include": [{"path": r"\/?cart\/?"}], "trigger": "delay:10"}
    restricted = {
        "pages": {"mode": "any", "in": [cart, {"include": [{"re": "[]"}]}], "out": []},
        "audience": {"mode": "any", "in": [{"device": {"$eq": "mobile"}}], "out": []},
    }
    for found in (production["experiments"][0], production["flags"][0], staging["personalizations"][0]):
        assert {name: found[name] for name in restricted} == restricted
    assert production["experiments"][0]["group"]["ranges"] == [[100, 2100]]
    assert [each["key"] for each in production["flags"]] == ["flag-1"]
    assert "personalizations" not in production
    assert "flags" not in staging


def test_worker__after_an_environment_lost_everything__publishes_it_without(aws_stack: AwsStack) -> None:
    shop = PublishedShop(aws_stack)
    keep(shop.catalog, personalization(environment_key="staging"))
    assert shop.publish().ok
    keep(shop.catalog, personalization(environment_key="staging", status="archived"))
    assert shop.publish().ok
    assert "personalizations" not in config(shop, "staging")


def test_worker__with_a_body_that_is_lost__publishes_the_rest_and_says_so(aws_stack: AwsStack) -> None:
    shop = PublishedShop(aws_stack)
    noise = "".join(f"{number * 2654435761 % 2**32:08x}" for number in range(90_000))
    shop.keep(experiment(1, variations=(variation(0), variation(1, custom_css=noise))))
    shop.keep(experiment(2))
    keep(shop.catalog, personalization(experiences=(experience(custom_js="return 1"),)))
    (blob,) = shop.bodies.list("blobs/")
    shop.bodies.delete(blob.key)
    outcome = shop.publish()
    assert outcome.ok
    assert [reason.split(":")[0] for reason in outcome.reasons] == [f"experiment {experiment_id(1)} cannot be read"]
    found = config(shop, "production")
    assert [each["name"] for each in found["experiments"]] == ["Experiment 2"]
    assert found["personalizations"][0]["experiences"][0]["js"] == "return 1"


@pytest.mark.parametrize("body", ["", "no json", "[]", "{}", json.dumps({"outbox": []})])
def test_worker__given_a_message_that_says_nothing__gives_it_back(aws_stack: AwsStack, body: str) -> None:
    handler = fresh_handler(aws_stack, "WorkerPublish", "worker_publish")
    assert handler(message(body), Context()) == {"batchItemFailures": [{"itemIdentifier": "m-1"}]}
