"""The function at the CDN: headers that it sets, and the answer to bodies that no HTTP API could map."""

from __future__ import annotations

import json
import re
import subprocess
from typing import Any

import pytest

from abtest.domain.ledger.events import MAX_BODY_BYTES
from abtest.edge.assign_request import MAX_BODY_BYTES as MAX_ASSIGN_BYTES
from abtest.edge.cors import CORS
from abtest.edge.delivery import CDN_SNIPPET_CACHING, CONFIG_UNCACHED, SNIPPET_CACHING
from abtest.edge.gateway import BodyTooLargeError
from abtest.edge.handover_request import MAX_BODY_BYTES as MAX_HANDOVER_BYTES
from abtest.edge.preview import MAX_STATE_BYTES
from abtest.http.body import CODE_LIMIT
from abtest.http.gate import CONTRACT_VERSION, SECURITY_HEADERS
from abtest.http.route import Route
from tests.support.openapi import contract
from tests.support.template import TEMPLATE
from tools.local.gateway.too_large import message_of, too_large
from tools.local.template.document import load
from tools.local.web.messages import Request
from tools.openapi import routers

CODE = load(TEMPLATE).resources["CdnRequest"]["Properties"]["FunctionCode"]
SNIPPET_CODE = load(TEMPLATE).resources["CdnSnippetResponse"]["Properties"]["FunctionCode"]
RUN = "console.log(JSON.stringify(handler(JSON.parse(require('node:fs').readFileSync(0, 'utf8')))))"


def handled(uri: str, **headers: str) -> dict[str, Any]:
    """Return what the function makes of a viewer's request."""
    request = {
        "method": "POST",
        "uri": uri,
        "querystring": {},
        "headers": {name.replace("_", "-"): {"value": value} for name, value in headers.items()},
    }
    event = {
        "viewer": {"ip": "203.0.113.7"},
        "context": {"requestId": "4TyzHTaYWb1GX1qTfsHhEqV6HUDd=="},
        "request": request,
    }
    return run(CODE, event)


def run(code: str, event: dict[str, Any]) -> dict[str, Any]:
    """Return what a function makes of an event."""
    done = subprocess.run(
        ["node", "-e", f"{code}\n{RUN}"], input=json.dumps(event), capture_output=True, text=True, check=True
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize(
    ("sent", "seen"),
    [
        (CDN_SNIPPET_CACHING["Cache-Control"], "public, max-age=60"),
        (SNIPPET_CACHING["Cache-Control"], "public, max-age=60"),
        (CONFIG_UNCACHED["Cache-Control"], "no-store"),
        (None, None),
    ],
)
def test_snippet__for_browsers__is_kept_for_a_minute_and_a_preview_never(sent: str | None, seen: str | None) -> None:
    def headers(caching: str | None) -> dict[str, Any]:
        return {"etag": {"value": '"x"'}} | ({} if caching is None else {"cache-control": {"value": caching}})

    response = {"statusCode": 200, "headers": headers(sent)}
    assert run(SNIPPET_CODE, {"response": response}) == {**response, "headers": headers(seen)}


@pytest.mark.parametrize("length", [None, "0", str(CODE_LIMIT)])
def test_request__up_to_the_largest_body__passes_with_address_and_host(length: str | None) -> None:
    sent = {} if length is None else {"content_length": length}
    passed = handled("/api/v1/experiments", host="api.example", x_svc_viewer="forged", **sent)
    assert "statusCode" not in passed
    assert passed["headers"]["x-svc-viewer"] == {"value": "203.0.113.7"}
    assert passed["headers"]["x-svc-host"] == {"value": "api.example"}


@pytest.mark.parametrize(
    ("uri", "named"),
    [
        ("/caf%C3%A9", "/caf%C3%A9"),
        ("//a/../b", "//a/../b"),
        ("/café", None),
        ("/a b", None),
        ("/" + "x" * 1599, "/" + "x" * 1599),
        ("/" + "x" * 1600, None),
    ],
)
def test_request__of_a_page__passes_with_the_spelling_of_its_path(uri: str, named: str | None) -> None:
    passed = handled(uri, x_svc_path="forged")
    assert passed["uri"] == uri
    assert passed["headers"].get("x-svc-path", {}).get("value") == named


@pytest.mark.parametrize(("sent", "used"), [("a-request", "a-request"), ("<script>", "4TyzHTaYWb1GX1qTfsHhEqV6HUDd")])
def test_request__over_the_largest_body__is_413_in_the_envelope(sent: str, used: str) -> None:
    answer = handled("/api/v1/experiments", content_length=str(CODE_LIMIT + 1), x_request_id=sent)
    headers = {name: entry["value"] for name, entry in answer["headers"].items()}
    assert answer["statusCode"] == 413
    contract().check("POST", "/experiments", 413, headers, answer["body"]["data"].encode())
    error = json.loads(answer["body"]["data"])["error"]
    assert (error["code"], error["status"], error["request_id"]) == ("payload_too_large", 413, used)
    assert headers == {
        **{name.lower(): value for name, value in SECURITY_HEADERS.items()},
        "content-type": "application/json",
        "x-service-api-version": CONTRACT_VERSION,
        "x-request-id": used,
    }


EDGE = {
    "/events": (MAX_BODY_BYTES, True),
    "/_svc/events": (MAX_BODY_BYTES, True),
    "/assign": (MAX_ASSIGN_BYTES, False),
    "/_svc/assign": (MAX_ASSIGN_BYTES, False),
    "/_svc/handover": (MAX_HANDOVER_BYTES, True),
    "/_svc/handover/verify": (MAX_HANDOVER_BYTES, True),
    "/api/preview/state": (MAX_STATE_BYTES, False),
}
"""Limits of the edge routes with bodies, and whether pages of other origins read their answers."""


@pytest.mark.parametrize("path", EDGE)
def test_request__of_the_edge__is_413_with_the_limit_and_headers_of_its_route(path: str) -> None:
    limit, is_shared = EDGE[path]
    at_cdn = handled(path, content_length="99999999")
    headers = {name: entry["value"] for name, entry in at_cdn["headers"].items()}
    local = too_large(request_to("POST", path))
    for body, given in ((at_cdn["body"]["data"], headers), (local.body, dict(local.headers))):
        assert json.loads(body) == {"error": "payload_too_large", "message": BodyTooLargeError(limit).message}
        expected = {name.lower(): value for name, value in CORS.items()} if is_shared else {}
        assert {name: value for name, value in given.items() if name.startswith("access-control")} == expected
    assert (at_cdn["statusCode"], local.status) == (413, 413)


def test_edge__routes_with_bodies__have_a_limit_here() -> None:
    of_edge = {path: item for path, item in contract().document["paths"].items() if "servers" in item}
    assert {path for path, item in of_edge.items() if "requestBody" in item.get("post", {})} == set(EDGE)


def test_request__of_each_route_with_a_body__is_413_with_the_limit_of_the_route() -> None:
    writing = [
        (re.sub("{[^}]+}", "an-id", route.path), route.operation.body_rule.limit)
        for router in routers()
        for route in router.routes
        if isinstance(route, Route) and route.methods not in ({"GET"}, {"DELETE"})
    ]
    assert len(writing) > 80
    code = f"{CODE}\nconsole.log(JSON.stringify(JSON.parse(require('node:fs').readFileSync(0, 'utf8')).map(limitOf)))"
    paths = json.dumps([path for path, _ in writing])
    done = subprocess.run(["node", "-e", code], input=paths, capture_output=True, text=True, check=True)
    for (path, limit), at_cdn in zip(writing, json.loads(done.stdout), strict=True):
        assert at_cdn == limit, path
        assert message_of(path).startswith(f"the body must have at most {limit} bytes"), path


def request_to(method: str, path: str) -> Request:
    return Request(method, path, "", [], b"", "203.0.113.7", 1, "HTTP/1.1")
