"""The edge routes of the running stack, held against the edge part of the OpenAPI document."""

import json
from typing import Any

import pytest
import requests

from tests.support.openapi import contract

pytestmark = pytest.mark.stack

UNKNOWN = "0192e4a0-ffff-7000-8000-000000000000"


def check(stack: dict[str, Any], method: str, path: str, **request: Any) -> requests.Response:
    """Call a route and hold the answer against the document."""
    answer = requests.request(method, f"{stack['worker_base_url']}{path}", timeout=10, **request)
    headers = {name.lower(): value for name, value in answer.headers.items()}
    # A method that a route does not have is not in the document; its answer is that of the route's own 405.
    documented = (
        method if method.lower() in contract().item(path) else next(iter(contract().item(path).keys() - {"servers"}))
    )
    contract().check(documented.upper(), path, answer.status_code, headers, answer.content)
    return answer


def batch(stack: dict[str, Any], *events: dict[str, Any]) -> str:
    """A body as the browser sends it."""
    return json.dumps(
        {"events": events, "_shopId": stack["shop_id"], "_signature": stack["ingest_signature"], "sentAt": 0}
    )


@pytest.mark.parametrize("path", ["/events", "/_svc/events"])
def test_ingest__every_kind_of_request__is_answered_as_documented(stack: dict[str, Any], path: str) -> None:
    shop = stack["shop_id"]
    good = {"type": "pageview", "shopId": shop, "visitorId": "v", "sessionId": "s", "ts": 1, "data": {}}
    statuses = [
        check(stack, "POST", path, data=batch(stack, good, good, {"type": "nonsense"})).status_code,
        check(stack, "POST", path, data=batch(stack)).status_code,
        check(stack, "POST", path, data=batch(stack, *[good] * 201)).status_code,
        check(stack, "POST", path, data="{").status_code,
        check(stack, "POST", path, data=json.dumps([good])).status_code,
        check(stack, "POST", path, data="x" * (1024 * 1024 + 1)).status_code,
        check(stack, "POST", path, data="a=b", headers={"Content-Type": "application/xml"}).status_code,
        check(stack, "GET", path).status_code,
    ]
    assert statuses == [202, 400, 413, 400, 401, 413, 415, 405]


def test_config__known_unknown_and_malformed_shop__is_answered_as_documented(stack: dict[str, Any]) -> None:
    found = check(stack, "GET", "/api/exp", params={"shopId": stack["shop_id"]})
    assert found.json()["shop_id"] == stack["shop_id"]
    again = {"If-None-Match": found.headers["ETag"]}
    assert check(stack, "GET", "/api/exp", params={"shopId": stack["shop_id"]}, headers=again).status_code == 304
    assert check(stack, "GET", "/api/exp", params={"shopId": UNKNOWN}).status_code == 404
    assert check(stack, "GET", "/api/exp", params={"shopId": "shop"}).status_code == 400
    assert check(stack, "GET", "/api/exp").status_code == 400
    assert check(stack, "POST", "/api/exp").status_code == 405


def test_snippet__known_unknown_and_malformed_shop__is_always_a_script(stack: dict[str, Any]) -> None:
    assert check(stack, "GET", f"/s/{stack['shop_id']}.js").status_code == 200
    assert check(stack, "GET", f"/s/{UNKNOWN}.js").text.startswith("//")
    assert check(stack, "GET", "/s/shop.js").text.startswith("//")
    assert check(stack, "DELETE", f"/s/{UNKNOWN}.js").status_code == 405


@pytest.mark.parametrize("path", ["/assign", "/_svc/assign"])
def test_assign__every_kind_of_request__is_answered_as_documented(stack: dict[str, Any], path: str) -> None:
    key = {"Authorization": f"Bearer {stack['tracking_key']}"}
    asked = {"user_id": "visitor", "url": "https://shop.example/", "cart_id": "cart", "request_handoff": True}
    found = check(stack, "POST", path, json=asked, headers=key)
    assert (found.json()["user_id"], found.json()["handoff_persisted"]) == ("visitor", True)
    assert found.headers["Cache-Control"] == "no-store"
    by_get = check(stack, "GET", path, params={"user_id": "visitor", "shopId": stack["shop_id"]}, headers=key)
    assert (
        by_get.json()["assignments"]
        == check(stack, "POST", path, json={"user_id": "visitor"}, headers=key).json()["assignments"]
    )
    statuses = [
        check(stack, "GET", path, params={"customer_id": "c"}, headers=key).status_code,
        check(stack, "GET", path, params={"user_id": "v", "env": "nowhere"}, headers=key).status_code,
        check(stack, "GET", path, params={"user_id": "v", "shopId": UNKNOWN}, headers=key).status_code,
        check(stack, "GET", path, params={"user_id": "v"}).status_code,
        check(stack, "POST", path, json={"user": "v"}, headers=key).status_code,
        check(stack, "POST", path, data="{}", headers={**key, "Content-Type": "text/plain"}).status_code,
        check(stack, "POST", path, data=" " * 262_145, headers={**key, "Content-Type": "application/json"}).status_code,
        check(stack, "DELETE", path, headers=key).status_code,
    ]
    assert statuses == [400, 404, 401, 401, 400, 415, 413, 405]


def test_health__of_a_running_stack__is_good(stack: dict[str, Any]) -> None:
    found = check(stack, "GET", "/health")
    assert found.status_code == 200
    assert found.headers["Cache-Control"] == "no-store"
    assert found.json()["ok"] is True


@pytest.mark.parametrize("file", ["a/b.js", "a/b/c.js", "a%2Fb.js", "a%2Fb%2Fc.js", "/", ""])
def test_snippet__of_an_id_with_slashes__is_a_comment(stack: dict[str, Any], file: str) -> None:
    answer = requests.get(f"{stack['worker_base_url']}/s/{file}", timeout=10)
    assert answer.status_code == 400
    assert answer.headers["Content-Type"].startswith("application/javascript")
    assert answer.text.startswith("// invalid_shop_id")


@pytest.mark.parametrize("path", ["/api/exp?shopId={shop_id}", "/s/{shop_id}.js"])
def test_entity_tag__is_strong_and_differs_by_encoding(stack: dict[str, Any], path: str) -> None:
    address, tags = stack["worker_base_url"] + path.format(**stack), {}
    for encoding in ("identity", "gzip", "br"):
        answer = requests.get(address, headers={"Accept-Encoding": encoding}, timeout=10)
        assert answer.headers.get("Content-Encoding", "identity") == encoding
        assert answer.headers["Vary"] == "Accept-Encoding"
        tags[encoding] = answer.headers["ETag"]
    assert len(set(tags.values())) == 3
    assert all(tag.startswith('"') for tag in tags.values())
    for encoding, tag in tags.items():
        for held, known in tags.items():
            headers = {"Accept-Encoding": encoding, "If-None-Match": known}
            answer = requests.get(address, headers=headers, timeout=10)
            assert (answer.status_code, answer.headers["ETag"]) == (304 if held == encoding else 200, tag)


@pytest.mark.parametrize("encoding", ["identity", "gzip", "br"])
@pytest.mark.parametrize(
    "url",
    [
        "{worker_base_url}/api/exp?shopId={shop_id}",
        "{worker_base_url}/api/exp?shopId=shop",
        "{worker_base_url}/s/{shop_id}.js",
        "{worker_base_url}/s/shop.js",
        "{worker_base_url}/assign?user_id=visitor",
        "{worker_base_url}/events",
        "{worker_base_url}/health",
        "{worker_base_url}/nothing",
        "{base_url}/ping",
        "{base_url}/openapi.json",
        "{base_url}/docs",
        "{base_url}/experiments?limit=1",
        "{base_url}/experiments/" + UNKNOWN,
        "{base_url}/nothing",
    ],
)
def test_head__is_the_head_of_get(stack: dict[str, Any], url: str, encoding: str) -> None:
    key = stack["tracking_key"] if "/assign" in url else stack["api_key"]
    headers = {"Authorization": f"Bearer {key}", "Accept-Encoding": encoding}
    answers = [requests.request(method, url.format(**stack), headers=headers, timeout=10) for method in ("GET", "HEAD")]
    by_get, by_head = ({name.lower(): value for name, value in each.headers.items()} for each in answers)
    of_one_request = {
        "date",
        "apigw-requestid",
        "x-request-id",
        "x-ratelimit-remaining",
        "x-ratelimit-reset",
        "x-service-config-cache",
    }
    assert answers[0].status_code == answers[1].status_code
    assert {name: value for name, value in by_get.items() if name not in of_one_request} == {
        name: value for name, value in by_head.items() if name not in of_one_request
    }
    assert int(by_head["content-length"]) > 0
    assert answers[1].content == b""
