"""The family as it is deployed, on DynamoDB, S3 and Secrets Manager as moto has them, begun by the operator's tool."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from abtest.domain.credentials.api_keys import digest
from abtest.domain.credentials.signing import server_signature
from abtest.wiring.api import Management
from abtest.wiring.settings import settings
from tests.support.client import Client
from tests.support.handlers import Handler, fresh_handler
from tests.support.moto_stack import AwsStack
from tools.admin.__main__ import main

Admin = Callable[..., dict[str, Any]]


@pytest.fixture
def handler(aws_stack: AwsStack) -> Handler:
    return fresh_handler(aws_stack, "ApiSettings", "api_settings")


@pytest.fixture
def admin(handler: Handler, capsys: pytest.CaptureFixture[str]) -> Admin:
    """The operator's command line; its answer, or its refusal as `{"refused": words}`."""

    def run(*line: str) -> dict[str, Any]:
        capsys.readouterr()
        status = main(list(line))
        told = capsys.readouterr()
        answer: dict[str, Any] = json.loads(told.out) if status == 0 else {"refused": told.err}
        return answer

    return run


@pytest.fixture
def shop(admin: Admin) -> dict[str, Any]:
    """A shop with a key of each kind."""
    return admin("shops", "create", *NAMED, "--with", "user", "--with", "tracking")


NAMED: Sequence[str] = ("--name", "First", "--domain", "first.example", "--currency", "EUR")


def test_shop__made_by_the_operator__answers_to_its_keys(handler: Handler, shop: dict[str, Any]) -> None:
    assert Client(handler, key=shop["api_key"]).get("/shop").json()["id"] == shop["shop_id"]
    users = Client(handler, key=shop["user_key"]).get("/shops").json()["data"]
    assert [entry["id"] for entry in users] == [shop["shop_id"]]
    tracking = Client(handler, key=shop["tracking_key"])
    assert (tracking.get("/ping").status, tracking.get("/shop").code) == (200, "insufficient_scope")


def test_shop__made_with_wrong_words__is_refused_in_words(admin: Admin) -> None:
    assert (
        "currency" in admin("shops", "create", "--name", "S", "--domain", "s.example", "--currency", "XXX")["refused"]
    )
    assert "no such shop" in admin("shops", "show", "0192e4a0-0000-7000-8000-000000000000")["refused"]


def test_operator__sets_tier_and_owner__api_shows_both(handler: Handler, admin: Admin, shop: dict[str, Any]) -> None:
    admin("shops", "set-tier", shop["shop_id"], "service_managed")
    admin("shops", "set-operator", shop["shop_id"], "on")
    client = Client(handler, key=shop["api_key"])
    seen = client.get("/shop").json()
    assert (seen["tier"], seen["operator_enabled"]) == ("service_managed", True)
    assert client.get("/shop/defaults").json()["require_approval"] is True
    new_owner = admin("keys", "create-user")
    admin("shops", "set-owner", shop["shop_id"], new_owner["user_id"])
    owned = [Client(handler, key=key).get("/shops").json()["data"] for key in (shop["user_key"], new_owner["user_key"])]
    assert [len(shops) for shops in owned] == [0, 1]


def test_operator__keys__are_made_limited_and_revoked(handler: Handler, admin: Admin, shop: dict[str, Any]) -> None:
    made = admin("keys", "create", shop["shop_id"], "--preset", "read_only")
    prefix = made["api_key"].rpartition("_")[0]
    admin("keys", "set-rate-limit", prefix, "7")
    client = Client(handler, key=made["api_key"])
    assert client.get("/me").json()["rate_limit"]["limit"] == 7
    for wrong in (-1, 1_000_001):
        assert "requests a minute" in admin("keys", "set-rate-limit", "--", prefix, str(wrong))["refused"]
    catalog = Management(settings()).world.catalog
    rows, _ = catalog.audit(shop["shop_id"], entity_id=made["key_id"], limit=10)
    assert [row.diff for row in rows if row.action == "api_key.set_rate_limit"] == [
        {"rate_limit_per_minute": [None, 7]}
    ]
    admin("keys", "revoke", prefix)
    assert client.post("/shops", {}).status == 401
    assert "no key" in admin("keys", "revoke", "svc_sk_AAAAAAAAAAAA")["refused"]


def test_operator__creates_a_shop_of_any_tier(admin: Admin) -> None:
    made = admin("shops", "create", *NAMED, "--tier", "service_managed")
    assert admin("shops", "show", made["shop_id"])["tier"] == "service_managed"


def test_operator__names_a_user_otherwise_than_by_a_uuid__is_refused(admin: Admin, shop: dict[str, Any]) -> None:
    for line in (
        ("shops", "set-owner", shop["shop_id"], "me"),
        ("shops", "create", *NAMED, "--user-id", "me"),
        ("keys", "create-user", "--user-id", "me"),
    ):
        assert "UUID" in admin(*line)["refused"]


def test_ingest_secret__of_a_shop__is_its_own(admin: Admin, shop: dict[str, Any]) -> None:
    other = admin("shops", "create", *NAMED)
    secrets = {admin("ingest-secret", made["shop_id"])["ingest_secret"] for made in (shop, other)}
    assert len(secrets) == 2
    assert all(len(secret) == 64 for secret in secrets)


def test_ingest_secret__rotated_without_a_grace__ends_the_former_one_of_this_shop_alone(
    admin: Admin, shop: dict[str, Any], aws_stack: AwsStack
) -> None:
    shops = [shop["shop_id"], admin("shops", "create", *NAMED)["shop_id"]]
    former = [admin("ingest-secret", shop_id)["ingest_secret"] for shop_id in shops]
    rotated = admin("ingest-secret", shops[0], "--rotate", "--grace-seconds", "0")["ingest_secret"]
    assert admin("ingest-secret", shops[0])["ingest_secret"] == rotated
    assert "604800" in admin("ingest-secret", shops[0], "--rotate", "--grace-seconds", "604801")["refused"]
    edge = fresh_handler(aws_stack, "EdgeEvents", "edge_events")

    def status(shop_id: str, secret: str) -> int:
        signature = server_signature(secret, int(time.time()), b"[]")
        headers = {"x-svc-shop": shop_id, "x-svc-signature": signature}
        context = {"http": {"method": "POST", "path": "/events", "sourceIp": "203.0.113.7"}}
        event = {"rawPath": "/events", "headers": headers, "requestContext": context, "body": "[]"}
        return int(edge({**event, "isBase64Encoded": False}, None)["statusCode"])

    # An empty batch is refused only after its sender was recognised.
    assert [status(shops[0], secret) for secret in (former[0], rotated)] == [401, 400]
    assert status(shops[1], former[1]) == 400


def test_key__whole_life__on_the_real_stores(handler: Handler, shop: dict[str, Any], aws_stack: AwsStack) -> None:
    client = Client(handler, key=shop["api_key"])
    once = {"Idempotency-Key": "make-one"}
    made = client.post("/api-keys", {"name": "K", "preset": "editor"}, headers=once).json()
    again = client.post("/api-keys", {"name": "K", "preset": "editor"}, headers=once)
    assert again.json() == made
    successor = client.post(f"/api-keys/{made['id']}/rotate", {"grace_seconds": 0}).json()
    assert [Client(handler, key=key["secret"]).get("/me").status for key in (made, successor)] == [401, 200]
    client.post(f"/api-keys/{successor['id']}/revoke")
    assert Client(handler, key=successor["secret"]).get("/me").status == 401
    names = [key["name"] for key in client.get("/api-keys", query={"archived": "all"}).json()["data"]]
    assert sorted(names) == ["First key", "K", "K", "Tracking key"]
    assert int(client.get("/ping").headers["x-ratelimit-remaining"]) < 600


def test_secrets__in_every_table__are_hashes_only(handler: Handler, shop: dict[str, Any], aws_stack: AwsStack) -> None:
    client = Client(handler, key=shop["api_key"])
    once = {"Idempotency-Key": "make-one"}
    made = client.post("/api-keys", {"name": "K", "preset": "editor"}, headers=once).json()
    dynamo = aws_stack.clients.dynamodb
    items = [item for table in ("CatalogTable", "EphemeralTable") for item in _items(dynamo, aws_stack.name(table))]
    stored = repr(items)
    assert len(items) > 10
    assert digest(made["secret"]) in stored
    for text in (made["secret"], shop["api_key"], shop["user_key"], shop["tracking_key"]):
        assert text not in stored
        assert text[20:] not in stored


def _items(dynamo: Any, table: str) -> Iterator[Any]:
    for page in dynamo.get_paginator("scan").paginate(TableName=table):
        yield from page["Items"]


def test_user__disabled_and_enabled_by_the_operator__is_shown(admin: Admin, shop: dict[str, Any]) -> None:
    user_id = shop["user_id"]
    unknown = {"user_id": user_id, "email": None, "name": None, "passkeys": 0, "disabled_at": None}
    assert admin("users", "show", user_id) == unknown
    assert admin("users", "disable", user_id)["disabled_at"] is not None
    assert admin("users", "enable", user_id) == unknown
    assert "refused" in admin("users", "disable", "nobody")
