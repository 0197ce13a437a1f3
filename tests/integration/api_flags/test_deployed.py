"""The family as it is deployed: the template's handler on DynamoDB and S3, as moto has them."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from abtest.adapters.s3 import S3Blobs
from abtest.domain.delivery.manifest import object_key, pointer_key, read_pointer
from abtest.wiring.settings import settings
from tests.support.client import Client
from tests.support.handlers import Handler, fresh_handler
from tests.support.invocations import Context, sample
from tests.support.moto_stack import AwsStack


@pytest.fixture
def handler(aws_stack: AwsStack) -> Iterator[Handler]:
    """The function in a fresh process."""
    yield fresh_handler(aws_stack, "ApiFlags", "api_flags")
    settings.cache_clear()


@pytest.fixture
def shop(handler: Handler) -> tuple[str, Client]:
    """A new shop's id, and its admin."""
    from abtest.services.shops import Shops
    from abtest.wiring.api import management

    base = management()
    wish = {"name": "Shop", "domain": "shop.example", "currency": "EUR"}
    made, minted = Shops(base.world, base.publication).found(base.world.new_id(), wish)
    return made.id, Client(handler, key=minted.text)


def test_flag__made_activated_edited_moved__is_read_back_published_evaluated(
    shop: tuple[str, Client], aws_stack: AwsStack
) -> None:
    shop_id, client = shop
    large = {"on_value": "x" * 65_000, "off_value": ["y" * 65_000]}
    made = client.post("/flags", {"key": "k", "name": "K", "activate": True, **large}).json()
    assert client.get("/flags/k").json() == client.get(f"/flags/{made['id']}").json() == made
    assert client.post("/flags", {"key": "k", "name": "K"}).code == "key_taken"
    moved = client.patch("/flags/k", {"key": "j", "confirm_live_impact": True}, headers={"if-match": 'W/"1"'})
    assert moved.json()["key"] == "j"
    assert "publication_warning" not in moved.json()
    assert client.get("/flags/k").status == 404
    assert client.post("/flags", {"key": "k", "name": "K", "delivery_type": "api"}).status == 201
    assert {flag["key"] for flag in client.get("/flags", query={"sort": "name"}).json()["data"]} == {"k", "j"}
    assert client.delete("/flags/k").status == 204

    delivery = S3Blobs(aws_stack.name("DeliveryBucket"))
    pointer = delivery.get(pointer_key(shop_id))
    assert pointer is not None
    config = delivery.get(object_key(read_pointer(pointer.content).config.sha256, "identity"))
    assert config is not None
    (flag,) = json.loads(config.content)["flags"]
    assert (flag["key"], flag["on"]) == ("j", large["on_value"])
    assert client.post("/flags/evaluate", {"visitor_id": "v"}).json() == {
        "flags": {"j": {"value": large["on_value"], "reason": "on"}}
    }


def test_sample_event__without_a_key__is_what_the_shelf_says(handler: Handler) -> None:
    answer = handler(sample("api_flags__no_key"), Context())
    assert answer["statusCode"] == 401
