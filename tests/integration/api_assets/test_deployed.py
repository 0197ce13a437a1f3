"""The family as it is deployed: the template's handlers on DynamoDB and S3, as moto has them."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.support.assets import announced, direct
from tests.support.deployed import DeployedFamily
from tests.support.handlers import fresh_handler
from tests.support.media import encoded, gradient
from tests.support.moto_stack import AwsStack

PHOTO = encoded(gradient(size=(600, 400)), "JPEG")


def event_for(path: str, **headers: str) -> dict[str, Any]:
    """The event of a GET of a public file."""
    http = {"method": "GET", "sourceIp": "203.0.113.7"}
    return {"rawPath": path, "headers": headers, "requestContext": {"http": http}}


def test_asset__with_its_renditions__on_real_tables_within_its_policy(aws_stack: AwsStack) -> None:
    deployed = DeployedFamily.started(aws_stack, "ApiAssets", "api_assets")
    client = deployed.client
    drawing = client.post("/assets", direct(), headers={"idempotency-key": "1"}).json()
    asset = client.post("/assets", announced("photo.jpg", PHOTO)).json()
    upload = asset["upload"]
    signed = parse_qs(urlsplit(upload["url"]).query)
    assert signed["X-Amz-SignedHeaders"] == ["content-length;content-type;host;x-amz-checksum-sha256"]
    assert signed["X-Amz-Expires"] == ["900"]
    assert client.post(f"/assets/{asset['id']}/complete").status == 422
    s3, bucket = aws_stack.clients.s3, aws_stack.name("AssetsBucket")
    s3.put_object(Bucket=bucket, Key=f"uploads/{asset['id']}", Body=PHOTO)
    completed = client.post(f"/assets/{asset['id']}/complete").json()
    stored = s3.list_objects_v2(Bucket=bucket)["Contents"]
    addresses = [each["public_url"].partition(".com/")[2] for each in (drawing, completed)]
    assert {each["Key"] for each in stored} >= set(addresses)
    assert not [each for each in stored if each["Key"].startswith("uploads/")]
    head = s3.head_object(Bucket=bucket, Key=addresses[0])
    assert (head["CacheControl"], head["ContentDisposition"], head["ContentType"]) == (
        "public, max-age=31536000, immutable",
        "attachment",
        "image/svg+xml",
    )
    assert client.delete(f"/assets/{asset['id']}").status == 204
    assert [each["id"] for each in client.get("/assets").json()["data"]] == [drawing["id"]]


def test_file__of_an_asset__is_served_within_the_policy(aws_stack: AwsStack) -> None:
    deployed = DeployedFamily.started(aws_stack, "ApiAssets", "api_assets")
    address = deployed.client.post("/assets", direct()).json()["public_url"]
    serve = fresh_handler(aws_stack, "EdgeAssets", "edge_assets")

    def response_of(path: str, **headers: str) -> dict[str, Any]:
        answer: dict[str, Any] = serve(event_for(path, **headers), None)
        return answer

    path = urlsplit(address).path
    whole, part = response_of(path), response_of(path, range="bytes=0-3")
    assert (whole["statusCode"], part["statusCode"], part["body"]) == (200, 206, "PHN2Zw==")
    assert response_of(path, range="bytes=99999-")["statusCode"] == 416
    unknown = response_of(path.replace("icon", "other"))
    assert (unknown["statusCode"], json.loads(unknown["body"])["error"]) == (404, "not_found")
    assert response_of(path, **{"if-none-match": whole["headers"]["ETag"]})["statusCode"] == 304


def test_file__past_a_cdn_that_is_required__is_403(aws_stack: AwsStack, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = aws_stack.environment("EdgeAssets") | {"CDN_SECRET": "proof", "CDN_REQUIRED": "true"}
    monkeypatch.setattr(aws_stack, "environment", lambda _: environment)
    serve = fresh_handler(aws_stack, "EdgeAssets", "edge_assets")
    # Through the CDN the request is answered, here with 404, because there is no such file.
    statuses = [serve(event_for("/a/x", **sent), None)["statusCode"] for sent in ({}, {"x-svc-cdn": "proof"})]
    assert statuses == [403, 404]
