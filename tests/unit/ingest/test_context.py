"""Device, country, kind of visitor and source of rows: told by the event, or derived of a browser's request."""

import json
from typing import Any

import pytest

from abtest.domain.credentials.signing import ingest_secret, server_signature
from abtest.domain.ledger.context import device_of, named_source, named_visitor_kind, source_of
from tests.unit.ingest.edge import NOW, ROOTS, SHOP, Edge, event, signed, signed_headers

PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1"
SHOP_PAGE = "https://shop.example/mugs"


def row_of(sent: dict[str, Any], headers: dict[str, str]) -> dict[str, Any]:
    """The row of one event that a browser sends."""
    edge = Edge()
    assert edge.call({"events": [sent], **signed()}, headers=headers).json()["ingested"] == 1
    (row,) = edge.rows()
    return {name: row[name] for name in ("device", "country", "visitor_kind", "source")}


@pytest.mark.parametrize(
    ("agent", "device"),
    [
        (PHONE, "mobile"),
        ("Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) Mobile/15E148", "tablet"),
        ("Mozilla/5.0 (Linux; Android 16; Pixel 11) Chrome/150.0 Mobile Safari/537.36", "mobile"),
        ("Mozilla/5.0 (Linux; Android 16; SM-X910) Chrome/150.0 Safari/537.36", "tablet"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/150.0 Safari/537.36", "desktop"),
        ("Android " * 100_000, "tablet"),
        ("", None),
    ],
)
def test_device__of_a_user_agent__is_what_the_sdk_calls_it(agent: str, device: str | None) -> None:
    assert device_of(agent) == device


@pytest.mark.parametrize(
    ("query", "referrer", "source"),
    [
        ("", None, None),
        ("?color=red", None, None),
        ("", "", "direct"),
        ("", 5, None),
        ("", "https://shop.example/", "internal"),
        ("", "http://SHOP.example:8443/cart", "internal"),
        ("", "https://www.google.com/", "search"),
        ("", "https://mail.google.com/", "email"),
        ("", "https://m.facebook.com/", "social"),
        ("", "https://t.co/x", "social"),
        ("", "https://cat.com/", "referral"),
        ("", "android-app://com.slack/", "direct"),
        ("?utm_medium=cpc&utm_source=google", None, "paid"),
        ("?utm_source=Newsletter", "https://www.google.com/", "email"),
        ("?utm_medium=paid+social", None, "paid"),
        ("?utm_medium=Social", None, "social"),
        ("?utm_campaign=x&fbclid=1", "", "social"),
        ("?utm_source=partner", None, "referral"),
        ("?utm_source=", "", "direct"),
        ("?x=1&gclid=abc", "https://www.google.com/", "paid"),
        ("#?gclid=abc", "", "direct"),
    ],
)
def test_source__of_address_and_referrer__is_what_the_sdk_calls_it(
    query: str, referrer: Any, source: str | None
) -> None:
    assert source_of(SHOP_PAGE + query, referrer) == source


@pytest.mark.parametrize(
    ("told", "source"),
    [
        ("email", "email"),
        ("Email", None),
        (5, None),
        (["email"], None),
        ("-", "direct"),
        ("-color-red", "direct"),
        ("-https-www-google-com-", "search"),
        ("-https-mail-google-com-", "email"),
        ("-https-m-facebook-com-", "social"),
        ("-https-t-co-abc", "social"),
        ("-https-cat-com-", "referral"),
        ("-https-shop-example-cart-", "internal"),
        ("-utm_source-newsletter-utm_medium-x", "email"),
        ("-https-www-google-com-utm_source-google-utm_medium-cpc-utm_campaign-spring-mail", "paid"),
        ("-https-shop-example-utm_medium-social", "social"),
        ("-https-www-google-com-gclid-abc", "paid"),
        ("-https-l-instagram-com-fbclid-abc", "social"),
        ("-https-blog-example-com-utm_source-blog", "referral"),
        ("-utm_medium-utm_source-", "direct"),
        ("-https-" + "a-" * 100_000, "referral"),
    ],
)
def test_source__that_an_event_names_or_hints_at__is_understood(told: Any, source: str | None) -> None:
    assert named_source(told, "https://shop.example/mugs") == source


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ("new", "new"),
        ("returning", "returning"),
        ("1", "new"),
        ("2", "returning"),
        ("z", "returning"),
        ("10", "returning"),
        ("zz", "returning"),
        ("0", None),
        ("vip", None),
        ("", None),
        (1, None),
        ({}, None),
    ],
)
def test_visitor__new_or_returning_or_a_visit_in_base_36__is_understood(told: Any, kind: str | None) -> None:
    assert named_visitor_kind(told) == kind


def test_browser__that_says_nothing_itself__is_described_by_its_request() -> None:
    headers = {"user-agent": PHONE, "cloudfront-viewer-country": "DE"}
    expected = {"device": "mobile", "country": "DE", "visitor_kind": None, "source": "search"}
    assert row_of(event(data={"referrer": "https://www.google.com/"}), headers) == expected


def test_event__that_says_more_than_its_request__is_believed() -> None:
    said = {"device": "tablet", "country": "at", "visitor": "returning", "source": "email", "referrer": ""}
    expected = {"device": "tablet", "country": "AT", "visitor_kind": "returning", "source": "email"}
    assert row_of(event(data=said), {"user-agent": PHONE, "cloudfront-viewer-country": "DE"}) == expected


def test_event__whose_properties_only_have_such_names__is_described_by_its_request() -> None:
    said = {"device": "kettle", "country": "Austria", "visitor": {"id": 1}, "source": "homepage", "referrer": []}
    expected = {"device": "mobile", "country": None, "visitor_kind": None, "source": None}
    assert row_of(event(data=said), {"user-agent": PHONE, "cloudfront-viewer-country": "?"}) == expected


def test_server__that_sends_for_many_visitors__is_none_of_them() -> None:
    edge = Edge()
    body = json.dumps([event(url=SHOP_PAGE + "?gclid=1", data={"country": "AT"})])
    seconds = int(NOW.timestamp())
    signature = server_signature(ingest_secret(ROOTS, SHOP), seconds, body.encode())
    headers = {"x-svc-shop": SHOP, "x-svc-signature": signature, "user-agent": PHONE, "cloudfront-viewer-country": "DE"}
    assert edge.call(body, headers=headers).status == 202
    assert [(row["device"], row["country"], row["source"]) for row in edge.rows()] == [(None, "AT", None)]
    edge.call(body, headers=signed_headers() | {"user-agent": PHONE})
    assert edge.rows()[1]["device"] == "mobile"


@pytest.mark.parametrize(
    ("sent", "of_server", "of_browser"),
    [
        ({}, "without_sticky", None),
        ({"is_sticky": False}, "without_sticky", None),
        ({"is_sticky": None}, "without_sticky", None),
        ({"is_sticky": True}, None, None),
        ({"data": {"is_sticky": True, "event_name": "x"}}, None, None),
    ],
)
def test_exposure__of_a_server_without_sticky__has_a_name_of_its_own(
    sent: dict[str, Any], of_server: str | None, of_browser: str | None
) -> None:
    edge = Edge()
    body = json.dumps([event(type="experiment_viewed", experimentId="x", variationId="v", **sent)])
    signature = server_signature(ingest_secret(ROOTS, SHOP), int(NOW.timestamp()), body.encode())
    edge.call(body, headers={"x-svc-shop": SHOP, "x-svc-signature": signature})
    edge.call(body, headers=signed_headers())
    assert [row["event_name"] for row in edge.rows()] == [of_server, of_browser]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ({"kind": "selector_missing", "message": "#buy"}, "selector_missing"),
        ({"kind": "selector_missing", "event_name": "x"}, "selector_missing"),
        ({"kind": ["selector_missing"]}, None),
        ({"source": "mutation"}, None),
    ],
)
def test_error__that_only_warns__has_a_name_of_its_own(data: dict[str, Any], name: str | None) -> None:
    edge = Edge()
    edge.call(json.dumps([event(type="sdk_error", data=data)]), headers=signed_headers())
    assert [row["event_name"] for row in edge.rows()] == [name]
