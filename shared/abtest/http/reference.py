"""OpenAPI document and reference page over HTTP, from the packaged document."""

from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from starlette.responses import Response

from abtest.http.reference_page import render_page
from abtest.kit import canonical_json

DOCUMENT: dict[int | str, dict[str, Any]] = {
    200: {"description": "The document", "content": {"application/json": {"schema": {"type": "object"}}}},
    304: {"description": "Not modified since the ETag that If-None-Match names"},
}
PAGE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The page", "content": {"text/html": {"schema": {"type": "string"}}}},
}


def document() -> Response:
    """Return the document, with the hash of its bytes as ETag."""
    content = packaged()
    return Response(content, media_type="application/json", headers={"ETag": f'"{sha256(content).hexdigest()[:32]}"'})


def page() -> Response:
    """Return the page. Its policy allows only the style and the script inside it."""
    html, policy = rendered()
    return Response(html, media_type="text/html", headers={"Content-Security-Policy": policy})


@cache
def packaged() -> bytes:
    """Return the bytes of the packaged document."""
    return files("abtest.http").joinpath("openapi.json").read_bytes()


@cache
def templates() -> tuple[str, ...]:
    """Return the addresses of all routes of the management API, with the names of their parameters."""
    paths = canonical_json.loads(packaged(), own=True)["paths"]
    return tuple(f"/api/v1{path}" for path, item in paths.items() if "servers" not in item)


@cache
def rendered() -> tuple[str, str]:
    """Return the page and its content security policy, rendered at the first request."""
    return render_page(canonical_json.loads(packaged()))
