"""The function at the CDN: headers that it sets, and the answer to bodies that no HTTP API could map."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest

from abtest.http.body import CODE_LIMIT
from abtest.http.gate import CONTRACT_VERSION, SECURITY_HEADERS
from tests.support.openapi import contract
from tests.support.template import TEMPLATE
from tools.local.template.document import load

CODE = load(TEMPLATE).resources["CdnRequest"]["Properties"]["FunctionCode"]
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
    done = subprocess.run(
        ["node", "-e", f"{CODE}\n{RUN}"], input=json.dumps(event), capture_output=True, text=True, check=True
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.parametrize("length", [None, "0", str(CODE_LIMIT)])
def test_request__up_to_the_largest_body__passes_with_address_and_host(length: str | None) -> None:
    sent = {} if length is None else {"content_length": length}
    passed = handled("/api/v1/experiments", host="api.example", x_svc_viewer="forged", **sent)
    assert "statusCode" not in passed
    assert passed["headers"]["x-svc-viewer"] == {"value": "203.0.113.7"}
    assert passed["headers"]["x-svc-host"] == {"value": "api.example"}


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


def test_request__of_the_edge__is_413_in_its_flat_form() -> None:
    answer = handled("/events", content_length="99999999")
    assert answer["statusCode"] == 413
    message = "the body is too large: at most 5242880 bytes, and about 6 MB as escaped text"
    assert json.loads(answer["body"]["data"]) == {"error": "payload_too_large", "message": message}
