"""Runtime settings as they are deployed: written by one function, served by another, announced by a third."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any

import brotli
import pytest

from abtest.adapters.dynamo import DynamoCatalog
from abtest.adapters.s3 import S3Blobs
from abtest.services.publish_requests import publish_message
from tests.integration.edge_snippet.test_function import config_in
from tests.support.client import Client
from tests.support.handlers import Handler, fresh_handler
from tests.support.invocations import Context, http, sample
from tests.support.moto_stack import AwsStack
from tools.admin.__main__ import main

LATER = "2999-01-01T00:00:00.000Z"
ENVIRONMENTS = {
    "activeKey": "staging",
    "items": [
        {
            "key": "production",
            "name": "Production",
            "isDefault": True,
            "subSnippetEnabled": True,
            "domains": ["live.example"],
        },
        {"key": "staging", "name": "Staging", "isDefault": False, "subSnippetEnabled": False, "domains": []},
    ],
}


@pytest.fixture
def handler(aws_stack: AwsStack) -> Handler:
    return fresh_handler(aws_stack, "ApiSettings", "api_settings")


@pytest.fixture
def shop(handler: Handler, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    return told(capsys, "create", "--name", "First", "--domain", "first.example", "--currency", "EUR")


@pytest.fixture
def client(handler: Handler, shop: dict[str, Any]) -> Client:
    return Client(handler, key=shop["api_key"])


def told(capsys: pytest.CaptureFixture[str], *line: str) -> dict[str, Any]:
    """What the operator's tool answers."""
    capsys.readouterr()
    assert main(["shops", *line]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def served(aws_stack: AwsStack, shop: dict[str, Any]) -> dict[str, Any]:
    """The `runtime` in the snippet that a storefront gets without naming an environment."""
    edge = fresh_handler(aws_stack, "EdgeSnippet", "edge_snippet")
    answer = edge(http("edge_snippet__first_load", path={"file": f"{shop['shop_id']}.js"}), Context())
    assert answer["statusCode"] == 200
    runtime: dict[str, Any] = config_in(brotli.decompress(b64decode(answer["body"])).decode())["runtime"]
    return runtime


def test_settings__written__are_in_the_snippet_that_storefronts_get(
    aws_stack: AwsStack, client: Client, shop: dict[str, Any]
) -> None:
    written = [
        client.patch("/settings/environments", {"environments": ENVIRONMENTS}),
        client.patch("/settings/consent", {"consentMode": {"enabled": True, "provider": "provider_a"}}),
        client.patch("/settings/external-tracking", {"externalTracking": {"domains": ["pay.example"]}}),
        client.patch("/settings/install-domains", {"domain": "live.example", "additionalDomains": ["first.example"]}),
    ]
    assert [(each.status, each.json()["precompile"]["status"]) for each in written] == [(200, "ok")] * 4
    runtime = served(aws_stack, shop)
    assert runtime["environment"] == "staging"
    assert runtime["environments"] == [{"key": "production", "domains": ["live.example"]}]
    assert (runtime["consent"]["group"], runtime["consent"]["read"]) == ("C0002", 0), "the reader is a real function"
    assert runtime["handover"]["url"].endswith("/_svc/handover")
    assert runtime["handover"]["domains"] == ["pay.example"]


def test_webhooks__enabled__are_told_also_of_what_the_worker_publishes(
    aws_stack: AwsStack, client: Client, shop: dict[str, Any]
) -> None:
    assert client.patch("/settings/publication", {"webhooks_enabled": True}).status == 200
    first = client.post("/settings/publish").json()
    worker = fresh_handler(aws_stack, "WorkerPublish", "worker_publish")
    event = sample("worker_publish__shop")
    event["Records"][0]["body"] = publish_message(shop["shop_id"], [])
    assert worker(event, Context()) == {"batchItemFailures": []}
    catalog = DynamoCatalog(aws_stack.name("CatalogTable"), S3Blobs(aws_stack.name("BlobsBucket")))
    rows = catalog.outbox("webhook", created_before=LATER, limit=10)
    assert sorted(row.payload["revision"] for row in rows) == [first["revision"], first["revision"] + 1]
    assert catalog.outbox("publish", created_before=LATER, limit=10) == []


def test_signing__turned_off_by_support__is_turned_on_by_the_shop_and_not_off(
    aws_stack: AwsStack, client: Client, shop: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    def write(**fields: Any) -> Any:
        revision = client.get("/settings/external-tracking").json()["revision"]
        return client.patch("/settings/external-tracking", {"externalTracking": fields, "expected_revision": revision})

    write(domains=["pay.example"])
    turned_off = told(capsys, "set-handover-signing", shop["shop_id"], "off")
    assert (turned_off["externalTracking"]["signed"], turned_off["precompile"]["status"]) == (False, "ok")
    assert served(aws_stack, shop)["handover"]["signed"] is False
    assert write(handoverTtlSeconds=60).json()["externalTracking"]["signed"] is False
    assert write(signed=True).json()["externalTracking"]["signed"] is True
    assert (write(signed=False).status, write(signed=False).code) == (403, "signing_required")


def test_sample_event__without_a_key__is_refused(handler: Handler) -> None:
    assert handler(sample("api_settings__no_key"), None)["statusCode"] == 401
