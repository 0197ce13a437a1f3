"""The handover function on the template's bucket, table and secret, with no more rights than the template gives it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from abtest.adapters.s3 import S3Blobs
from abtest.adapters.secrets import SecretRootKeys
from abtest.domain.credentials.signing import browser_signature
from abtest.kit.clock import SystemClock
from tests.support.assigning import Answer, checked, event_of
from tests.support.handlers import Handler, fresh_handler
from tests.support.handovers import HERE, THERE, VISITOR, HandoverServer
from tests.support.invocations import Context, http
from tests.support.moto_stack import AwsStack
from tests.support.storefronts import SHOP_ID

OTHER_SHOP = "0192a3b4-0000-7000-8000-00000000000b"


class Edge:
    """The function, and a shop of which it knows where visitors may be handed over to."""

    def __init__(self, stack: AwsStack) -> None:
        self.stack = stack
        published = HandoverServer(clock=SystemClock(), blobs=S3Blobs(stack.name("DeliveryBucket")))  # type: ignore[arg-type]
        published.publish(THERE)
        self.handler: Handler = fresh_handler(stack, "EdgeHandover", "edge_handover")

    def ask(self, path: str, shop_id: str = SHOP_ID, **fields: Any) -> Answer:
        """A request that the shop's snippet signs."""
        roots = SecretRootKeys(self.stack.name("SigningSecret"), SystemClock()).current()
        body = json.dumps({"_shopId": shop_id, "_signature": browser_signature(roots, shop_id), **fields})
        event = event_of("POST", path, query=None, headers={"content-type": "text/plain"}, body=body)
        return checked(self.handler(event, Context()), "POST", path)

    def mint(self, **fields: Any) -> Answer:
        return self.ask("/_svc/handover", **{"visitorId": VISITOR, "destination": THERE, **fields})

    def verify(self, token: str, **fields: Any) -> Answer:
        return self.ask("/_svc/handover/verify", **{"token": token, "host": THERE, **fields})


@pytest.fixture
def edge(aws_stack: AwsStack) -> Edge:
    return Edge(aws_stack)


def test_visitor__is_handed_over_to_the_shops_own_host_only(edge: Edge) -> None:
    token = edge.mint().json["token"]
    assert edge.verify(token).json == {"visitorId": VISITOR}
    assert edge.verify(token).error == (400, "handover_used")
    assert edge.verify(token, host=HERE).error == (400, "handover_invalid")
    assert edge.mint(destination=HERE).error == (400, "destination_not_allowed")


def test_other_shop__gets_nothing_of_this_one(edge: Edge) -> None:
    token = edge.mint().json["token"]
    assert edge.verify(token, shop_id=OTHER_SHOP).error == (400, "handover_invalid")
    assert edge.mint(shop_id=OTHER_SHOP).error == (400, "destination_not_allowed")


def test_request__that_arrives_twice__is_answered_twice(edge: Edge) -> None:
    token = edge.mint().json["token"]
    for _ in range(2):
        assert edge.verify(token, requestId="a" * 32).json == {"visitorId": VISITOR}
    assert edge.verify(token, requestId="b" * 32).error == (400, "handover_used")


@pytest.mark.parametrize(
    ("name", "status"), [("no_credentials", 401), ("no_token", 401), ("preflight", 204), ("wrong_method", 405)]
)
def test_function__given_its_sample_events__answers_them(edge: Edge, name: str, status: int) -> None:
    assert edge.handler(http(f"edge_handover__{name}"), Context())["statusCode"] == status
