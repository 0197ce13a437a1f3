"""Published pages at their addresses, and every other address, on memory."""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256

import pytest

from abtest.domain.pages.addresses import RESERVED
from abtest.domain.pages.routes import html_key, route_key
from tests.support.landing_edge import Answer, CountedEdge, body_of
from tests.support.routes import HOST, PAGE_ID, PATH, POLICY, flip, html_of, publish_id
from tests.support.storefronts import SHOP_ID
from tests.support.waits import never_in_a_hurry

BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    never_in_a_hurry(monkeypatch)


@pytest.fixture
def edge() -> CountedEdge:
    made = CountedEdge()
    flip(made.blobs)
    return made


def served(answer: Answer) -> int | None:
    """Return the number of the version that was served whole, by body and headers; None for another answer."""
    if answer["statusCode"] != 200:
        return None
    number = int(answer["headers"]["x-svc-landing-page-version"])
    assert body_of(answer) == html_of(number)
    assert answer["headers"]["x-svc-landing-page-publish-id"] == publish_id(number)
    return number


# ------------------------------------------------------------------ pages


def test_page__at_its_address__is_the_document_with_the_headers_of_its_publish(edge: CountedEdge) -> None:
    answer = edge.get()
    digest = sha256(html_of(1)).hexdigest()
    assert served(answer) == 1
    assert answer["headers"] == {
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": "public, max-age=0, must-revalidate",
        "ETag": f'"{digest}"',
        "Vary": "Accept-Encoding",
        "Content-Security-Policy": POLICY,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "strict-origin-when-cross-origin",
        "Timing-Allow-Origin": "*",
        "Cache-Tag": f"shop-{SHOP_ID}",
        "Surrogate-Key": f"shop-{SHOP_ID}",
        "x-svc-edge": "landing-page",
        "x-svc-landing-page-id": PAGE_ID,
        "x-svc-landing-page-version": "1",
        "x-svc-landing-page-publish-id": publish_id(1),
        "x-svc-landing-page-cache-key": f"shop.example/lamp;{publish_id(1)};base",
    }


@pytest.mark.parametrize(("accepted", "encoding"), [("br, gzip", "br"), ("gzip", "gzip"), ("identity", None)])
def test_page__in_each_encoding__is_the_same_with_a_tag_of_its_own(
    edge: CountedEdge, accepted: str, encoding: str | None
) -> None:
    answer = edge.get(accept_encoding=accepted)
    assert answer["headers"].get("Content-Encoding") == encoding
    assert served(answer) == 1
    tags = {edge.get(accept_encoding=each)["headers"]["ETag"] for each in ("br", "gzip", "identity")}
    assert len(tags) == 3
    repeated = edge.get(accept_encoding=accepted, if_none_match=answer["headers"]["ETag"])
    assert (repeated["statusCode"], repeated["body"]) == (304, "")
    kept = ("ETag", "Cache-Control", "Vary", "Content-Security-Policy", "x-svc-landing-page-publish-id")
    assert all(repeated["headers"][name] == answer["headers"][name] for name in kept)


def test_page__by_head__has_the_headers_of_get(edge: CountedEdge) -> None:
    assert edge.get(method="HEAD")["headers"] == edge.get()["headers"]


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"])
def test_method__that_a_page_does_not_have__is_405(edge: CountedEdge, method: str) -> None:
    answer = edge.get(method=method)
    assert (answer["statusCode"], answer["headers"]["Allow"]) == (405, "GET, HEAD")
    assert answer["headers"]["Cache-Control"] == "no-store"
    assert json.loads(answer["body"])["error"] == "method_not_allowed"
    assert edge.get("/nothing", method=method)["statusCode"] == 404


@pytest.mark.parametrize("host", ["SHOP.example", "shop.example.", "shop.example:8401", "Shop.Example.:443"])
@pytest.mark.parametrize("path", ["/lamp", "/lamp/", "//lamp", "/./lamp", "/x/../lamp"])
def test_page__by_another_spelling_of_its_address__is_served(edge: CountedEdge, host: str, path: str) -> None:
    assert served(edge.get(path, host)) == 1


@pytest.mark.parametrize("host", ["", "other.example", "shop.example.evil.example", "shop.example/x", "shop.example,x"])
def test_page__at_another_host__is_not_found(edge: CountedEdge, host: str) -> None:
    assert edge.get(host=host, x_forwarded_host=HOST, x_host=HOST, forwarded=f"host={HOST}")["statusCode"] == 404


def test_host__that_only_the_cdn_may_name__is_believed_with_its_proof(edge: CountedEdge) -> None:
    assert served(edge.through_cdn()) == 1
    assert edge.through_cdn(x_svc_cdn="guess")["statusCode"] == 404
    assert edge.get(host="other.example", x_svc_host=HOST, x_svc_viewer="203.0.113.9")["statusCode"] == 404


@pytest.mark.parametrize(
    "path",
    [
        *(f"/{name}" for name in sorted(RESERVED)),
        "/API/lamp",
        "/Checkout",
        "/x/../cart",
        "//api/lamp",
        "/./_svc",
        "",
        "lamp",
        "\\lamp",
        "/la\\mp",
        "/la\x00mp",
        "/la\nmp",
        "/la\u202emp",
        "/\ud800",
        "/" + "x" * 8192,
        "/" + "é" * 300,
    ],
)
def test_path__that_no_page_can_have__is_not_found_without_a_look_into_the_store(edge: CountedEdge, path: str) -> None:
    assert edge.get(path)["statusCode"] in (400, 404)
    assert edge.blobs.reads == []


@pytest.mark.parametrize(
    ("published", "requested"),
    [
        ("/café", "/café"),
        ("/café", "/cafe\u0301"),
        ("/100%25", "/100%"),
        ("/a%2520b", "/a%20b"),
        ("/a%20b", "/a b"),
        ("/%2561pi", "/%61pi"),
        ("/what%3F", "/what?"),
        ("/Lamp", "/Lamp"),
        ("/", "/"),
        ("/", "/" + "../" * 4000),
    ],
)
def test_path__is_decoded_once__because_the_gateway_has_decoded_it(
    edge: CountedEdge, published: str, requested: str
) -> None:
    flip(edge.blobs, 2, path=published)
    assert served(edge.get(requested)) == 2
    assert edge.get("/lAMP")["statusCode"] == 404


def test_cache_key__of_a_path_outside_of_ascii__is_as_browsers_spell_it(edge: CountedEdge) -> None:
    flip(edge.blobs, 2, path="/café")
    key = edge.get("/café")["headers"]["x-svc-landing-page-cache-key"]
    assert key == f"shop.example/caf%C3%A9;{publish_id(2)};base"


def test_page__that_was_unpublished__is_not_found_and_may_come_back(edge: CountedEdge) -> None:
    flip(edge.blobs, 2, status="gone")
    assert edge.get()["statusCode"] == 404
    assert edge.get(method="POST")["statusCode"] == 404
    flip(edge.blobs, 3)
    edge.clock.advance(seconds=1)
    assert served(edge.get()) == 3


# ------------------------------------------------------------------ the cache of the process


def test_flip__is_served_after_a_second(edge: CountedEdge) -> None:
    assert served(edge.get()) == 1
    flip(edge.blobs, 2)
    assert served(edge.get()) == 1
    edge.clock.advance(seconds=1)
    assert served(edge.get()) == 2


def test_page__of_a_second__is_read_once_and_then_only_its_manifest(edge: CountedEdge) -> None:
    route, html = route_key(HOST, PATH), html_key(sha256(html_of(1)).hexdigest())
    assert [served(edge.get()) for _ in range(5)] == [1] * 5
    edge.clock.advance(seconds=1)
    assert served(edge.get()) == 1
    assert edge.blobs.reads == [route, html, route]


def test_absence__is_kept_for_a_second_too(edge: CountedEdge) -> None:
    assert [edge.get("/soon")["statusCode"] for _ in range(5)] == [404] * 5
    assert edge.blobs.reads == [route_key(HOST, "/soon")]
    flip(edge.blobs, 2, path="/soon")
    edge.clock.advance(seconds=1)
    assert served(edge.get("/soon")) == 2


def test_page__while_the_store_fails__is_the_one_that_was_served_last(edge: CountedEdge) -> None:
    assert served(edge.get()) == 1
    edge.blobs.available = False
    edge.clock.advance(hours=1)
    assert served(edge.get()) == 1
    assert edge.get(accept_encoding="br")["statusCode"] == 503
    edge.blobs.available = True
    flip(edge.blobs, 2)
    edge.clock.advance(seconds=1)
    assert served(edge.get()) == 2


def test_flip__whose_document_cannot_be_read__leaves_the_former_page_whole(edge: CountedEdge) -> None:
    assert served(edge.get(accept_encoding="br")) == 1
    digest = flip(edge.blobs, 2).base.sha256
    kept = edge.blobs.objects.pop(html_key(digest, "br"))
    edge.clock.advance(seconds=1)
    assert served(edge.get(accept_encoding="br")) == 1
    edge.blobs.objects[html_key(digest, "br")] = kept
    edge.clock.advance(seconds=1)
    assert served(edge.get(accept_encoding="br")) == 2


def test_manifest__that_cannot_be_read__costs_no_page_that_was_served(edge: CountedEdge) -> None:
    assert served(edge.get()) == 1
    for broken in (b"", b"{}", b'{"revision":1}', b"\xff", b"[" * 100_000):
        edge.blobs.put(route_key(HOST, PATH), broken, content_type="application/json")
        edge.clock.advance(seconds=1)
        assert served(edge.get()) == 1
    assert edge.get(accept_encoding="gzip")["statusCode"] == 503


def test_flood_of_paths__costs_bounded_memory(edge: CountedEdge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("abtest.edge.cached_reads.CACHE_BYTES", 64 << 10)
    for number in range(200):
        assert edge.get(f"/flood-{number}")["statusCode"] == 404
    edge.blobs.reads.clear()
    assert edge.get("/flood-199")["statusCode"] == 404
    assert edge.blobs.reads == []
    assert edge.get("/flood-0")["statusCode"] == 404
    assert len(edge.blobs.reads) == 1


# ------------------------------------------------------------------ the CDN


def test_page__for_the_cdn__is_kept_there_until_a_publish_invalidates_it(edge: CountedEdge) -> None:
    answer = edge.through_cdn()
    assert served(answer) == 1
    assert answer["headers"]["Cache-Control"] == "public, max-age=0, s-maxage=3600, stale-if-error=86400"


def test_page__for_the_cdn__is_never_one_of_a_second_ago(edge: CountedEdge) -> None:
    assert served(edge.through_cdn()) == 1
    flip(edge.blobs, 2)
    assert served(edge.through_cdn()) == 2


@pytest.mark.parametrize("spelled", ["/lamp/", "//lamp", "/%6Camp", "/LAMP/../lamp", "lamp"])
def test_page__by_a_spelling_that_no_publish_invalidates__is_not_kept_by_the_cdn(
    edge: CountedEdge, spelled: str
) -> None:
    answer = edge.through_cdn(PATH, spelled)
    assert served(answer) == 1
    assert answer["headers"]["Cache-Control"] == "public, max-age=0, must-revalidate"


def test_stale_page__is_not_kept_by_the_cdn(edge: CountedEdge) -> None:
    assert served(edge.through_cdn()) == 1
    edge.blobs.available = False
    edge.clock.advance(seconds=1)
    answer = edge.through_cdn()
    assert served(answer) == 1
    assert answer["headers"]["Cache-Control"] == "public, max-age=0, must-revalidate"


# ------------------------------------------------------------------ all other addresses


def test_address__that_is_unknown__is_404_in_the_workers_form(edge: CountedEdge) -> None:
    for path in ("/nothing", "/api/nothing"):
        answer = edge.get(path)
        assert (answer["statusCode"], json.loads(answer["body"])["error"]) == (404, "not_found")
        assert answer["headers"]["Cache-Control"] == "no-store"


def test_address__that_is_unknown__is_a_small_page_for_browsers(edge: CountedEdge) -> None:
    answer = edge.get("/nothing", **BROWSER)
    assert (answer["statusCode"], answer["headers"]["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert "<h1>Page not found</h1>" in answer["body"]
    assert "<script" not in answer["body"]
    policy = answer["headers"]["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    style = answer["body"].partition("<style>")[2].partition("</style>")[0]
    assert b64encode(sha256(style.encode()).digest()).decode() in policy
    assert answer["headers"]["Cache-Control"] == "no-store"
    assert "nothing" not in answer["body"]


def test_page__that_cannot_be_read_at_all__is_503_with_the_time_to_return(edge: CountedEdge) -> None:
    edge.blobs.available = False
    for headers in ({}, BROWSER):
        answer = edge.get(**headers)
        assert (answer["statusCode"], answer["headers"]["Retry-After"]) == (503, "1")
        assert answer["headers"]["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("path", "media_type", "opening"),
    [
        ("/s/a/b/c.js", "application/javascript", "// invalid_shop_id"),
        ("/s/a/b/c.css", "text/css", "/* invalid_shop_id"),
        ("/s/", "application/javascript", "// invalid_shop_id"),
    ],
)
def test_address__of_a_snippet_with_slashes_in_its_id__is_a_comment(
    edge: CountedEdge, path: str, media_type: str, opening: str
) -> None:
    answer = edge.get(path, **BROWSER)
    assert answer["statusCode"] == 400
    assert answer["headers"]["Content-Type"].startswith(media_type)
    assert answer["headers"]["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert answer["body"].startswith(opening)
