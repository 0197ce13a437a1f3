"""The function of published pages on the template's bucket, under its policy."""

from __future__ import annotations

import pytest

from abtest.adapters.s3 import S3Blobs
from abtest.domain.delivery.manifest import chunk_key, code_key, object_key, pointer_key
from abtest.domain.pages.routes import html_key, route_key
from tests.support.handlers import fresh_handler
from tests.support.invocations import Context, sample
from tests.support.moto_stack import AwsStack
from tests.support.permissions import Need, allows
from tests.support.routes import flip, publish_id
from tests.support.storefronts import SHOP_ID
from tests.support.template import Stack
from tests.support.waits import never_in_a_hurry


def test_function__given_its_sample_events__answers_with_page_and_404(
    aws_stack: AwsStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    never_in_a_hurry(monkeypatch)
    handler = fresh_handler(aws_stack, "EdgePages", "edge_pages")
    assert handler(sample("edge_pages__page"), Context())["statusCode"] == 404
    flip(S3Blobs(aws_stack.name("DeliveryBucket")))
    handler = fresh_handler(aws_stack, "EdgePages", "edge_pages")
    page = handler(sample("edge_pages__page"), Context())
    assert (page["statusCode"], page["headers"]["Content-Encoding"]) == (200, "br")
    assert page["headers"]["x-svc-landing-page-publish-id"] == publish_id(1)
    assert handler(sample("edge_pages__unknown_address"), Context())["statusCode"] == 404


def test_policy__lets_it_read_what_is_published_and_nothing_else() -> None:
    stack = Stack.planned(endpoint="http://127.0.0.1:1")
    statements, bucket = stack.statements("EdgePages"), stack.resolver.attributes["DeliveryBucket"]["Arn"]

    def may(action: str, key: str) -> bool:
        return allows(statements, Need(action, f"{bucket}/{key}"))

    read = [route_key("shop.example", "/"), html_key("ab", "br"), pointer_key(SHOP_ID), object_key("ab")]
    assert all(may("s3:GetObject", key) for key in read)
    others = [chunk_key(SHOP_ID, "ab.js"), code_key(SHOP_ID), "previews/one/page", "releases/current.json"]
    assert not any(may("s3:GetObject", key) for key in others)
    assert not any(may(action, read[0]) for action in ("s3:PutObject", "s3:DeleteObject"))
    actions = {action for statement in statements for action in statement["Action"]}
    assert actions == {"s3:GetObject", "s3:ListBucket"}
