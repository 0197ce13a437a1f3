"""The ingest function on the template's queue, buckets and secret."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from abtest.adapters.dynamo import DynamoCatalog
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.secrets import SecretRootKeys
from abtest.domain.credentials.signing import RootKeys, browser_signature
from abtest.kit.clock import SystemClock
from abtest.kit.ids import SystemRandomness
from abtest.services.context import World
from abtest.services.keys import mint
from tests.support.handlers import fresh_handler
from tests.support.keys import stored_keys
from tests.support.moto_stack import AwsStack, moto_stack
from tests.unit.ingest.edge import SHOP, event


def roots(stack: AwsStack) -> RootKeys:
    return SecretRootKeys(stack.name("SigningSecret"), SystemClock()).current()


def request(stack: AwsStack, *events: Any) -> dict[str, Any]:
    batch = {"events": list(events), "_shopId": SHOP, "_signature": browser_signature(roots(stack), SHOP)}
    return {
        "rawPath": "/events",
        "headers": {"content-type": "text/plain"},
        "requestContext": {"http": {"method": "POST", "path": "/events", "sourceIp": "203.0.113.7"}},
        "body": json.dumps(batch),
        "isBase64Encoded": False,
    }


def now() -> int:
    return int(time.time() * 1000)


def objects(stack: AwsStack, prefix: str) -> list[bytes]:
    bucket = stack.name("LedgerBucket")
    found = stack.clients.s3.list_objects_v2(Bucket=bucket, Prefix=prefix).get("Contents", [])
    return [stack.clients.s3.get_object(Bucket=bucket, Key=entry["Key"])["Body"].read() for entry in found]


def test_batch__is_queued_and_what_is_bad_is_kept_for_the_listing(aws_stack: AwsStack) -> None:
    handler = fresh_handler(aws_stack, "EdgeEvents", "edge_events")
    answer = handler(request(aws_stack, event(ts=now()), event(eventId="e-2", ts=1)), None)
    assert (answer["statusCode"], json.loads(answer["body"])["ingested"]) == (202, 1)
    received = aws_stack.clients.sqs.receive_message(QueueUrl=aws_stack.name("EventQueue"))["Messages"]
    assert [row["event_id"] for row in json.loads(received[0]["Body"])["rows"]] == ["e-1"]
    (sample,) = objects(aws_stack, "quarantine/dt=")
    assert json.loads(gzip.decompress(sample))["reason"] == "ts_too_old"


def test_queue__that_is_gone__spills_the_message_word_for_word(aws_stack: AwsStack) -> None:
    handler = fresh_handler(aws_stack, "EdgeEvents", "edge_events")
    aws_stack.clients.sqs.delete_queue(QueueUrl=aws_stack.name("EventQueue"))
    assert handler(request(aws_stack, event(ts=now())), None)["statusCode"] == 202
    (body,) = objects(aws_stack, "spill/")
    assert [row["event_id"] for row in json.loads(body)["rows"]] == ["e-1"]


def test_batch__with_a_tracking_source_key__is_taken_from_what_the_claim_says(aws_stack: AwsStack) -> None:
    catalog = DynamoCatalog(aws_stack.name("CatalogTable"), S3Blobs(aws_stack.name("BlobsBucket")))
    world = World(catalog=catalog, clock=SystemClock(), random=SystemRandomness())
    minted = mint(world, kind="tracking_source", shop_id=SHOP, user_id=world.new_id(), name="Till", scopes=())
    catalog.commit(stored_keys(catalog, [minted.key], world.now()))
    handler = fresh_handler(aws_stack, "EdgeEvents", "edge_events")
    sent = request(aws_stack) | {"body": json.dumps([event(ts=now())])}
    assert handler(sent | {"headers": {"authorization": f"Bearer {minted.text}"}}, None)["statusCode"] == 202


def test_batch__without_credentials__is_refused(aws_stack: AwsStack) -> None:
    handler = fresh_handler(aws_stack, "EdgeEvents", "edge_events")
    sent = request(aws_stack, event(ts=now())) | {"body": "[{}]"}
    assert handler(sent, None)["statusCode"] == 401


@pytest.fixture
def stack_without_queue(monkeypatch: pytest.MonkeyPatch) -> Iterator[AwsStack]:
    with moto_stack(monkeypatch, {"EventQueueEnabled": "false"}) as stack:
        yield stack


def test_batch__with_neither_queue_nor_store_configured__is_503(stack_without_queue: AwsStack) -> None:
    handler = fresh_handler(stack_without_queue, "EdgeEvents", "edge_events")
    assert handler(request(stack_without_queue, event(ts=now())), None)["statusCode"] == 503
