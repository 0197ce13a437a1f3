"""OpenAPI document and reference page over HTTP, from files of the package."""

import gzip
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from abtest.http.gate import CONTRACT_VERSION, TITLE
from abtest.http.reference_page import render_page
from abtest.http.route import BASE
from abtest.kit import canonical_json
from abtest.kit.content_coding import accepts_gzip
from abtest.kit.errors import NotFoundError

DOCUMENT: dict[int | str, dict[str, Any]] = {
    200: {"description": "The document", "content": {"application/json": {"schema": {"type": "object"}}}},
    304: {"description": "Not modified since the ETag that If-None-Match names"},
}
PAGE: dict[int | str, dict[str, Any]] = {
    200: {"description": "The page", "content": {"text/html": {"schema": {"type": "string"}}}},
}
IMMUTABLE = {"Cache-Control": "public, max-age=31536000, immutable"}


def document() -> Response:
    """Return the document, with the hash of its bytes as ETag."""
    content = packaged()
    return Response(content, media_type="application/json", headers={"ETag": f'"{sha256(content).hexdigest()[:32]}"'})


def page() -> Response:
    """Return the page. Its policy allows scripts of this host only."""
    html, policy = rendered()
    return Response(html, media_type="text/html", headers={"Content-Security-Policy": policy})


def file(request: Request, name: str) -> Response:
    """Return a file that the page loads: the renderer, or a guide. Raises NotFoundError."""
    if name == script_name():
        return script(request)
    guide = guides().get(name.removesuffix(".json"))
    if guide is None or not name.endswith(".json"):
        raise NotFoundError("there is no such file")
    # A document without routes: the renderer shows its description, which is the guide.
    info = {"title": guide["title"], "version": CONTRACT_VERSION, "description": guide["text"]}
    return Response(
        canonical_json.encode({"openapi": "3.1.0", "info": info, "paths": {}}), media_type="application/json"
    )


def script(request: Request) -> Response:
    """Return the renderer as it is packaged, compressed, and unpacked only for clients that require it."""
    file = folder().joinpath("renderer.js.gz")
    if not file.is_file():
        raise NotFoundError("the renderer is not packaged; make setup does it")
    packed = file.read_bytes()
    if not accepts_gzip(request.headers.get("accept-encoding", "")):
        return Response(gzip.decompress(packed), media_type="text/javascript", headers=IMMUTABLE)
    return Response(packed, media_type="text/javascript", headers={**IMMUTABLE, "Content-Encoding": "gzip"})


@cache
def packaged() -> bytes:
    """Return the bytes of the packaged document."""
    return files("abtest.http").joinpath("openapi.json").read_bytes()


@cache
def templates() -> tuple[str, ...]:
    """Return the addresses of all routes of the management API, with the names of their parameters."""
    # A file of its own: to parse the whole document took 27 ms of the first 404.
    paths = canonical_json.loads(files("abtest.http").joinpath("paths.json").read_bytes(), own=True)
    return tuple(f"{BASE}{path}" for path in paths)


@cache
def rendered() -> tuple[str, str]:
    """Return the page and its content security policy, rendered at the first request."""
    titles = {name: guide["title"] for name, guide in guides().items()}
    return render_page(f"{TITLE} {CONTRACT_VERSION}", f"docs/{script_name()}", titles)


@cache
def guides() -> Mapping[str, Mapping[str, str]]:
    """Return title and text of each guide by its name, or none before `make setup` has packaged them."""
    packaged_guides = folder().joinpath("guides.json")
    return canonical_json.loads(packaged_guides.read_bytes()) if packaged_guides.is_file() else {}


@cache
def script_name() -> str:
    """Return the name of the renderer's script, which has its hash: browsers keep it until the next release."""
    packed = folder().joinpath("renderer.js.gz")
    digest = sha256(packed.read_bytes()).hexdigest()[:16] if packed.is_file() else "missing"
    return f"renderer-{digest}.js"


def folder() -> Traversable:
    """Return the folder of the page's files, which `make setup` writes (tools/reference_files.py)."""
    return files("abtest.http").joinpath("reference_files")
