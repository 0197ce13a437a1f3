"""The packaged OpenAPI document over HTTP, and the page for people that is made of it."""

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
    """The document with the hash of its bytes as ETag."""
    content = _packaged()
    return Response(content, media_type="application/json", headers={"ETag": f'"{sha256(content).hexdigest()[:32]}"'})


def page() -> Response:
    """The page; its policy allows the one style and the one script that stand in it, and nothing else."""
    html, policy = _page()
    return Response(html, media_type="text/html", headers={"Content-Security-Policy": policy})


@cache
def _packaged() -> bytes:
    return files("abtest.http").joinpath("openapi.json").read_bytes()


@cache
def _page() -> tuple[str, str]:
    return render_page(canonical_json.loads(_packaged()))
