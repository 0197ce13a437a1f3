"""The family as it is deployed: the template's handler on DynamoDB and S3, as moto has them."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from abtest.adapters.dynamo import DynamoCatalog
from abtest.adapters.s3 import S3Blobs
from abtest.domain.settings.install_domains import claim_name
from abtest.ports.blobs import BlobsUnavailableError
from abtest.ports.catalog import CHILD_KINDS, Claim, Commit
from abtest.services.pages.promises import promise_message
from tests.integration.api_pages.publishing import Page, live_at, manifest_at
from tests.support.deployed import DeployedFamily
from tests.support.handlers import fresh_handler
from tests.support.invocations import Context, sample
from tests.support.landing import page as spec_with
from tests.support.moto_stack import AwsStack
from tests.support.previewing import event_of, reply_of

TO_A_PRIVATE_NAME = {
    "type": "cta",
    "id": "order",
    "heading": "Order",
    "links": [{"label": "Order", "href": "https://vault.internal/order"}],
}


def test_page__with_versions__on_real_tables_within_its_policy(aws_stack: AwsStack) -> None:
    deployed = DeployedFamily.started(aws_stack, "ApiPages", "api_pages")
    shop_id, client = deployed.tenant.shop.id, deployed.client
    page = client.post("/landing-pages", {"name": "Lamp", "slug": "lamp"}, headers={"idempotency-key": "1"}).json()
    brief = client.post(
        "/content-briefs", {"format": "landing", "angle": "Light", "landing_page_id": page["id"]}
    ).json()
    path = f"/landing-pages/{page['id']}"
    spec = spec_with("steps", "stats")
    first = client.post(f"{path}/versions", {"spec": spec, "brief_id": brief["id"]})
    second = client.post(f"{path}/versions", {"spec": spec})
    assert (first.status, second.status) == (201, 201)
    html = S3Blobs(aws_stack.name("DeliveryBucket")).get(first.json()["html_key"])
    assert html is not None
    assert html.content.startswith(b"<!doctype html>")
    assert [each["version_number"] for each in client.get(f"{path}/versions").json()["data"]] == [2, 1]
    assert client.post(f"{path}/versions/1/restore").json()["current_version"] == first.json()
    assert client.get(path).json()["content_briefs"] == [brief]

    assert client.delete(path).status == 204
    catalog = DynamoCatalog(aws_stack.name("CatalogTable"), S3Blobs(aws_stack.name("BlobsBucket")))
    for kind in CHILD_KINDS:
        assert catalog.list(shop_id, kind, limit=9, parent_id=page["id"]).heads == []
    assert client.post("/landing-pages", {"name": "Lamp", "slug": "lamp"}).status == 201


def test_preview__of_content_without_a_version__is_shown_without_scripts_until_it_is_revoked(
    aws_stack: AwsStack,
) -> None:
    deployed = DeployedFamily.started(aws_stack, "ApiPages", "api_pages")
    page = deployed.client.post("/landing-pages", {"name": "Lamp", "slug": "lamp"}).json()
    path = f"/landing-pages/{page['id']}"
    opened = deployed.client.post(f"{path}/previews", {"spec": spec_with("steps", "stats")}).json()
    assert deployed.client.get(f"{path}/versions").json()["data"] == []
    address = opened["url"].partition("/api/")
    preview = fresh_handler(aws_stack, "EdgePreview", "edge_preview")
    shown = reply_of(preview(event_of("GET", f"/api/{address[2]}", {}, ""), Context()))
    assert (shown.status, "<h1>Ready in three minutes</h1>" in shown.text) == (200, True)
    assert "<script src" not in shown.text
    assert shown.headers["content-security-policy"].endswith("; sandbox allow-popups allow-popups-to-escape-sandbox")
    others = deployed.calling("ApiExperiments", "api_experiments")
    assert others.get(f"/previews/{opened['session_id']}").json()["opens"] == "landing_page"
    assert others.delete(f"/previews/{opened['session_id']}").status == 204
    preview = fresh_handler(aws_stack, "EdgePreview", "edge_preview")
    gone = reply_of(preview(event_of("GET", f"/api/{address[2]}", {}, ""), Context()))
    assert gone.error == (401, "preview_token_invalid")


def test_publish__that_the_bucket_refused__is_completed_by_the_worker_of_the_outbox(
    aws_stack: AwsStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    deployed = DeployedFamily.started(aws_stack, "ApiPages", "api_pages")
    shop = deployed.tenant.shop
    catalog = DynamoCatalog(aws_stack.name("CatalogTable"), S3Blobs(aws_stack.name("BlobsBucket")))
    delivery = S3Blobs(aws_stack.name("DeliveryBucket"))
    claim = Claim(scope=None, name=claim_name(shop.domain), target_id=shop.id, target_shop_id=shop.id)
    catalog.commit(Commit(claims=[claim]))
    page = Page.created(deployed.client, versions=2, work=partial(work, aws_stack))
    assert page.published()["id"] == live_at(delivery, "/lamp")
    assert page.client.post(f"{page.path}/unpublish").json()["status"] == "unpublished"
    rollback = {"publish_id": page.publishes()[0]["id"]}
    assert page.client.post(f"{page.path}/rollback", rollback).json()["status"] == "published"

    def refuse(blobs: S3Blobs, key: str, *args: object, **options: object) -> str:
        if key.startswith("pages/routes/"):
            raise BlobsUnavailableError
        return put(blobs, key, *args, **options)  # type: ignore[arg-type]

    put = S3Blobs.put
    with monkeypatch.context() as refusing:
        refusing.setattr(S3Blobs, "put", refuse)
        late = page.publish(path="/light").json()
    assert (late["status"], "service_unavailable" in late["error"]) == ("publishing", True)
    assert live_at(delivery, "/light") is None
    (row,) = catalog.outbox("publish", created_before="2100-01-01T00:00:00.000Z", limit=9)
    event = sample("worker_publish__shop")
    event["Records"][0]["body"] = promise_message(row)
    worker = fresh_handler(aws_stack, "WorkerPublish", "worker_publish")
    for _ in range(2):
        assert worker(event, Context()) == {"batchItemFailures": []}
        assert (live_at(delivery, "/light"), live_at(delivery, "/lamp")) == (late["id"], None)
        manifest = manifest_at(delivery, "/light")
        assert manifest is not None
        assert manifest.revision == 1
    assert catalog.outbox("publish", created_before="2100-01-01T00:00:00.000Z", limit=9) == []
    statuses = {each["id"]: each["status"] for each in page.publishes()}
    assert sorted(statuses.values()) == ["published", "superseded", "unpublished"]
    assert statuses[late["id"]] == "published"


def test_qa_run__checked_by_the_worker__on_real_tables_within_its_policy(aws_stack: AwsStack) -> None:
    deployed = DeployedFamily.started(aws_stack, "ApiPages", "api_pages")
    client = deployed.client
    page_id = client.post("/landing-pages", {"name": "Lamp", "slug": "lamp"}).json()["id"]
    spec = spec_with("steps")
    spec["blocks"] += [TO_A_PRIVATE_NAME]
    version = client.post(f"/landing-pages/{page_id}/versions", {"spec": spec}).json()
    assert client.post(f"/landing-pages/{page_id}/qa-runs").json()["status"] == "queued"
    assert client.post(f"/landing-pages/{page_id}/versions/1/render").status == 202
    assert work(aws_stack) == 2
    (run,) = client.get(f"/landing-pages/{page_id}/qa-runs").json()["data"]
    assert (run["status"], run["findings"][0]["check"]) == ("failed", "links_resolve")
    assert "vault.internal is not a name of the public net" in run["findings"][0]["message"]
    report = client.get(f"/landing-pages/{page_id}/versions/1").json()["gate_report"]
    assert report["checked_at"] > version["gate_report"]["checked_at"]
    assert client.delete(f"/landing-pages/{page_id}").status == 204


def test_message__that_names_no_job__comes_again_alone(aws_stack: AwsStack) -> None:
    event = sample("worker_pages__unreadable")
    answer = fresh_handler(aws_stack, "WorkerPages", "worker_pages")(event, Context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": event["Records"][0]["messageId"]}]}


def work(stack: AwsStack) -> int:
    """Carry out the messages of checks, each twice, by the worker without a browser, and return their number."""
    messages: list[Any] = []
    for queue in ("PageQueue", "ScreenshotQueue"):
        answer: Any = stack.clients.sqs.receive_message(QueueUrl=stack.name(queue), MaxNumberOfMessages=10)
        messages += answer.get("Messages", [])
    worker = fresh_handler(stack, "WorkerPages", "worker_pages")
    for message in messages * 2:
        event = sample("worker_pages__unreadable")
        event["Records"][0]["body"] = message["Body"]
        assert worker(event, Context()) == {"batchItemFailures": []}
    return len(messages)


def test_experiment__linked_and_launched__is_published_as_served__within_the_policies(aws_stack: AwsStack) -> None:
    deployed = DeployedFamily.started(aws_stack, "ApiPages", "api_pages")
    page = deployed.client.post("/landing-pages", {"name": "Lamp", "slug": "lamp"}).json()
    path = f"/landing-pages/{page['id']}"
    version = deployed.client.post(f"{path}/versions", {"spec": spec_with("steps", "stats")}).json()["id"]
    experiments = deployed.calling("ApiExperiments", "api_experiments")
    made, other = (experiments.post("/experiments", {"name": name}).json() for name in ("Shown", "Deleted"))
    pages = deployed.calling("ApiPages", "api_pages")

    def link(experiment: dict[str, Any]) -> int:
        versions = {each["id"]: version for each in experiment["variations"]}
        answer = pages.put(f"{path}/experiment", {"experiment_id": experiment["id"], "versions": versions})
        return int(answer.status)

    assert link(other) == 200
    experiments = deployed.calling("ApiExperiments", "api_experiments")
    assert experiments.delete(f"/experiments/{other['id']}").status == 409
    pages = deployed.calling("ApiPages", "api_pages")
    assert link(made) == 200
    experiments = deployed.calling("ApiExperiments", "api_experiments")
    assert experiments.delete(f"/experiments/{other['id']}").status == 204
    assert experiments.post(f"/experiments/{made['id']}/launch").status == 200
    assert [each["served"] for each in deployed.published()["experiments"]] == [True]
