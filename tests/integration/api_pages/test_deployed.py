"""The family as it is deployed: the template's handler on DynamoDB and S3, as moto has them."""

from __future__ import annotations

from abtest.adapters.dynamo import DynamoCatalog
from abtest.adapters.s3 import S3Blobs
from abtest.ports.catalog import CHILD_KINDS
from tests.support.deployed import DeployedFamily
from tests.support.landing import page as spec_with
from tests.support.landing_qa import approved
from tests.support.moto_stack import AwsStack


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
    run = approved(client, page["id"])
    assert client.get(path).json()["qa_runs"] == [run]
    assert client.get(path).json()["status"] == "ready"

    assert client.delete(path).status == 204
    catalog = DynamoCatalog(aws_stack.name("CatalogTable"), S3Blobs(aws_stack.name("BlobsBucket")))
    for kind in CHILD_KINDS:
        assert catalog.list(shop_id, kind, limit=9, parent_id=page["id"]).heads == []
    assert client.post("/landing-pages", {"name": "Lamp", "slug": "lamp"}).status == 201
