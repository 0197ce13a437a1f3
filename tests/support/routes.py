"""Routes of published pages written straight into a delivery bucket, as a publish leaves them."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from abtest.domain.delivery.encodings import ENCODERS
from abtest.domain.pages.routes import (
    PAGE_CONTENT_TYPE,
    ROUTE_CONTENT_TYPE,
    PageDocument,
    RouteManifest,
    html_key,
    route_key,
    write_route,
)
from abtest.ports.blobs import Blobs
from tests.support.storefronts import MOMENT, SHOP_ID

HOST, PATH = "shop.example", "/lamp"
PAGE_ID = "0192a3b4-0000-7000-8000-0000000007aa"
POLICY = "default-src 'none'; script-src https://edge.example"


def html_of(number: int, mark: str = "") -> bytes:
    """Return a page that names its version in several places, so that a mixed one shows."""
    meta = f'<meta name="svc-served" content="{mark}">' if mark else ""
    line = f"<p>version {number}</p>"
    return f"<!doctype html><html lang=en><head>{meta}</head><body>{line * 200}</body></html>".encode()


def publish_id(number: int) -> str:
    """Return the id of a publish, in the order of their numbers."""
    return f"0192a3b4-0000-7000-8000-{number:012d}"


def put_document(blobs: Blobs, html: bytes, number: int = 1) -> PageDocument:
    """Store a document in all encodings."""
    digest = sha256(html).hexdigest()
    for encoding, encode in ENCODERS.items():
        blobs.put(html_key(digest, encoding), encode(html), content_type=PAGE_CONTENT_TYPE)
    version_id = f"0192a3b4-0000-7000-8000-00000000{number:04d}"
    return PageDocument(sha256=digest, bytes=len(html), policy=POLICY, version_id=version_id, version_number=number)


def flip(blobs: Blobs, number: int = 1, *, host: str = HOST, path: str = PATH, **fields: Any) -> RouteManifest:
    """Publish this version at an address, and return its manifest."""
    variants: Mapping[str, PageDocument] = fields.pop("variants", {})
    route = RouteManifest(
        **{
            "revision": number,
            "status": "live",
            "shop_id": SHOP_ID,
            "landing_page_id": PAGE_ID,
            "publish_id": publish_id(number),
            "base": put_document(blobs, html_of(number), number),
            "variants": variants,
            "flipped_at": MOMENT,
            **fields,
        }
    )
    blobs.put(route_key(host, path), write_route(route), content_type=ROUTE_CONTENT_TYPE)
    return route
