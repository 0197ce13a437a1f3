"""The family as it is deployed: the template's handler on DynamoDB, KMS and SQS, as moto has them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from abtest.adapters.dynamo import DynamoCatalog, DynamoDeliveryStore
from abtest.adapters.kms import KmsSealer
from abtest.adapters.s3 import S3Blobs
from abtest.domain.webhooks.deliveries import DISABLED, closed
from abtest.domain.webhooks.health import Health
from abtest.kit.clock import SystemClock
from abtest.ports.deliveries import HealthChange
from abtest.services.webhooks.records import read_webhook
from tests.support.deployed import DeployedFamily
from tests.support.invocations import Context, sample
from tests.support.moto_stack import AwsStack

URL = "https://93.184.216.34/in"
"""An address that needs no lookup."""


@pytest.fixture
def deployed(aws_stack: AwsStack) -> DeployedFamily:
    return DeployedFamily.started(aws_stack, "ApiWebhooks", "api_webhooks")


def test_webhook__its_whole_life__on_real_tables_within_its_policy(
    deployed: DeployedFamily, aws_stack: AwsStack
) -> None:
    shop_id, client = deployed.tenant.shop.id, deployed.client
    store = DynamoDeliveryStore(aws_stack.name("DeliveriesTable"))
    made = client.post("/webhooks", {"url": URL, "events": ["experiment.started"]}, headers={"idempotency-key": "1"})
    assert made.status == 201
    webhook_id, secret = made.json()["id"], made.json()["secret"]
    path = f"/webhooks/{webhook_id}"
    assert client.post("/webhooks", {"url": "https://10.0.0.1/", "events": ["experiment.started"]}).status == 422

    catalog = DynamoCatalog(aws_stack.name("CatalogTable"), S3Blobs(aws_stack.name("BlobsBucket")))
    stored = read_webhook(catalog, shop_id, webhook_id)
    sealer = KmsSealer(aws_stack.environment("ApiWebhooks")["WEBHOOK_KEY_ARN"], SystemClock())
    assert sealer.open(stored.secret, {"shop_id": shop_id, "webhook_id": webhook_id}) == secret
    rotated = client.post(f"{path}/rotate-secret", {"grace_seconds": 60}).json()["secret"]
    assert rotated != secret

    tested = client.post(f"{path}/test").json()
    again = client.post(f"{path}/deliveries/{tested['id']}/redeliver").json()
    assert again["redelivery_of"] == tested["id"]
    listed = client.get(f"{path}/deliveries", query={"limit": 1}).json()
    cursor = listed["pagination"]["next_cursor"]
    rest = client.get(f"{path}/deliveries", query={"limit": 1, "cursor": cursor}).json()
    assert [item["id"] for item in listed["data"] + rest["data"]] == [again["id"], tested["id"]]
    assert client.get(f"{path}/deliveries/{tested['id']}").json()["attempt_log"] == []

    delivery = store.get(webhook_id, again["id"])
    assert delivery is not None
    event = replace(delivery, id=again["id"][:-1] + ("0" if again["id"][-1] != "0" else "1"), is_test=False)
    assert store.add(event)
    store.change(event, closed(event, DISABLED, event.created_at))
    assert client.get(f"{path}/stats").json()["counts"]["dead"] == 1
    recovered = client.post(f"{path}/recover", {"since": made.json()["created_at"]})
    assert (recovered.status, recovered.json()["requeued"]) == (202, 1)
    assert client.get(f"{path}/deliveries", query={"status": "dead"}).json()["data"] == []

    assert client.patch(path, {"active": False}).json()["active"] is False
    assert client.patch(path, {"active": True}).json()["active"] is True
    assert client.delete(path).status == 204
    assert client.get(path).json()["archived_at"] is not None
    messages = aws_stack.clients.sqs.receive_message(QueueUrl=aws_stack.name("WebhookQueue"), MaxNumberOfMessages=10)[
        "Messages"
    ]
    notifier = {"kind": "deliveries", "shop_id": shop_id, "webhook_id": webhook_id}
    assert [json.loads(message["Body"]) for message in messages] == [notifier] * 4


def test_health__disabled_in_the_table__is_shown_and_cleared(deployed: DeployedFamily, aws_stack: AwsStack) -> None:
    client = deployed.client
    webhook_id = client.post("/webhooks", {"url": URL, "events": ["experiment.started"]}).json()["id"]
    store = DynamoDeliveryStore(aws_stack.name("DeliveriesTable"))
    disabled = Health(consecutive_failures=3, disabled_at="2026-03-02T09:00:00.000Z", version=1)
    store.put_health(webhook_id, HealthChange(Health(), disabled))
    shown = client.get(f"/webhooks/{webhook_id}")
    assert (shown.json()["active"], shown.json()["disabledAt"]) == (False, disabled.disabled_at)
    enabled = client.patch(
        f"/webhooks/{webhook_id}", {"active": True}, headers={"if-match": shown.headers["etag"]}
    ).json()
    assert (enabled["active"], enabled["disabledAt"], enabled["consecutiveFailures"]) == (True, None, 0)
    assert store.health(webhook_id) == Health(version=2)


def test_places__all_twenty_taken__refuse_until_one_is_given_back(deployed: DeployedFamily) -> None:
    client = deployed.client
    wish = {"url": URL, "events": ["experiment.started"]}
    made = [client.post("/webhooks", wish) for _ in range(20)]
    assert {answer.status for answer in made} == {201}
    assert client.post("/webhooks", wish).code == "limit_reached"
    assert client.delete(f"/webhooks/{made[3].json()['id']}").status == 204
    assert client.post("/webhooks", wish).status == 201
    assert client.post("/webhooks", wish).code == "limit_reached"


def test_sample_event__without_a_key__is_what_the_shelf_says(deployed: DeployedFamily) -> None:
    answer = deployed.handler(sample("api_webhooks__no_key"), Context())
    assert answer["statusCode"] == 401
