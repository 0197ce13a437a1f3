"""Whose address a request has that came through the CDN."""

from typing import Any

import pytest

from abtest.edge.cdn import behind_cdn
from abtest.edge.gateway import Answer, GatewayEvent, Request
from tests.support.invocations import http

SECRET = "proof"


def address_of(headers: dict[str, str], secret: str = SECRET) -> str:
    def told(event: GatewayEvent, _context: Any) -> Answer:
        return {"address": Request.of(event).address}

    sent = http("edge_snippet__first_load", address="192.0.2.1", headers=headers)
    address: str = behind_cdn(secret, told)(sent, None)["address"]
    return address


@pytest.mark.parametrize("viewer", ["203.0.113.9", "2001:db8::1"])
def test_address__of_a_request_through_the_cdn__is_the_shoppers(viewer: str) -> None:
    assert address_of({"x-svc-cdn": SECRET, "x-svc-viewer": viewer}) == viewer


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"x-svc-cdn": SECRET},
        {"x-svc-viewer": "203.0.113.9"},
        {"x-svc-cdn": "guess", "x-svc-viewer": "203.0.113.9"},
        {"x-svc-cdn": "prüf", "x-svc-viewer": "203.0.113.9"},
    ],
)
def test_address__that_nobody_proves__is_the_one_the_gateway_saw(headers: dict[str, str]) -> None:
    assert address_of(headers) == "192.0.2.1"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({"x-svc-viewer": "203.0.113.9"}, 403),
        ({"x-svc-cdn": "guess", "x-svc-viewer": "203.0.113.9"}, 403),
        ({"x-svc-cdn": "prüf"}, 403),
        ({"x-svc-cdn": SECRET}, 200),
        ({"x-svc-cdn": SECRET, "x-svc-viewer": "203.0.113.9"}, 200),
    ],
)
def test_request__past_a_cdn_that_is_required__is_refused(headers: dict[str, str], status: int) -> None:
    handler = behind_cdn(SECRET, lambda _event, _context: {"statusCode": 200}, is_required=True)
    assert handler(http("edge_snippet__first_load", headers=headers), None)["statusCode"] == status


def test_requirement__without_a_cdn__refuses_nothing() -> None:
    handler = behind_cdn("", lambda _event, _context: {"statusCode": 200}, is_required=True)
    assert handler(http("edge_snippet__first_load", headers={}), None)["statusCode"] == 200


def test_address__without_a_cdn__is_the_one_the_gateway_saw() -> None:
    assert address_of({"x-svc-cdn": "", "x-svc-viewer": "203.0.113.9"}, secret="") == "192.0.2.1"
