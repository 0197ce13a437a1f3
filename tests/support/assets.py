"""Requests for assets, and what answers at their addresses."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from typing import Any

from abtest.edge.assets import PublicAssets
from abtest.ports.asset_files import StoredFiles
from abtest.services.context import Caller
from tests.support.api import Tenant
from tests.support.client import Client
from tests.support.media import SVG

ORIGIN = "https://assets.test"


def caller_of(tenant: Tenant) -> Caller:
    """The shop's admin, for use cases that are called without HTTP."""
    return Caller(
        key_id="k", kind="shop", user_id=tenant.user_id, shop_id=tenant.shop.id, scopes=frozenset(), request_id="r"
    )


def direct(file_name: str = "icon.svg", content: bytes = SVG, **fields: Any) -> dict[str, Any]:
    """The body of a request that has the file with it."""
    return {"file_name": file_name, "content_base64": b64encode(content).decode(), **fields}


def announced(file_name: str, content: bytes, **fields: Any) -> dict[str, Any]:
    """The body of a request for an address to upload a file to."""
    return {"file_name": file_name, "size_bytes": len(content), "sha256": sha256(content).hexdigest(), **fields}


def stored(client: Client, file_name: str = "icon.svg", content: bytes = SVG, **fields: Any) -> dict[str, Any]:
    """A stored asset."""
    response = client.post("/assets", direct(file_name, content, **fields))
    assert response.status == 201, response.body
    body: dict[str, Any] = response.json()
    return body


def fetched(files: StoredFiles, path: str, method: str = "GET", **headers: str) -> dict[str, Any]:
    """Return the response of the function of public files; header names have `_` for `-`."""
    event = {
        "rawPath": path,
        "headers": {name.replace("_", "-"): value for name, value in headers.items()},
        "requestContext": {"http": {"method": method, "sourceIp": "203.0.113.7"}},
    }
    return PublicAssets(files).answer(event)
