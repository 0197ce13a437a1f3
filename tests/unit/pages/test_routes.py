"""Stored form of routes and the keys of published pages."""

from __future__ import annotations

from hashlib import sha256

from abtest.domain.pages.routes import PageDocument, RouteManifest, html_key, read_route, route_key, write_route

DOCUMENT = PageDocument(sha256="ab" * 32, bytes=5120, policy="default-src 'none'", version_id="v1", version_number=1)


def manifest(**more: object) -> RouteManifest:
    fields = {"revision": 3, "status": "live", "shop_id": "s", "landing_page_id": "p", "publish_id": "b"}
    return RouteManifest(**{**fields, "base": DOCUMENT, "flipped_at": "2026-03-02T09:30:00.000Z", **more})  # type: ignore[arg-type]  # fields by name


def test_manifest__written_and_read__is_the_same() -> None:
    with_variants = manifest(experiment_id="e", variants={"a": DOCUMENT, "b": DOCUMENT})
    for each in (manifest(), with_variants, manifest(status="gone")):
        assert read_route(write_route(each)) == each


def test_keys__of_a_route_and_its_documents() -> None:
    digest = sha256("/schöne-lampe".encode()).hexdigest()
    assert route_key("shop.example", "/schöne-lampe") == f"pages/routes/shop.example/{digest}.json"
    assert [html_key("ab", encoding) for encoding in ("identity", "gzip", "br")] == [
        "pages/html/ab",
        "pages/html/ab.gz",
        "pages/html/ab.br",
    ]
