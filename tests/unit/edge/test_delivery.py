"""The two routes on memory: methods, parameters, headers, limits, failures."""

import gzip
import json
import logging
from base64 import b64decode
from typing import Any

import brotli
import pytest

from abtest.edge.delivery import UNCACHED_PARAMETERS, Delivery
from tests.support.delivered import flag, keep, personalization
from tests.support.invocations import http
from tests.support.preview_links import delivering
from tests.support.storefronts import SHOP_ID, Storefront, experiment, experiment_id

CONFIG, SNIPPET, CHUNK = "edge_config__public", "edge_snippet__first_load", "edge_snippet__chunk"
UNKNOWN = "0192a3b4-0000-7000-8000-0000000000ee"
Answer = dict[str, Any]


@pytest.fixture
def storefront() -> Storefront:
    made = Storefront()
    made.keep(experiment())
    made.publication.publish(SHOP_ID)
    return made


@pytest.fixture
def delivery(storefront: Storefront) -> Delivery:
    return delivering(storefront)


def decoded(answer: Answer) -> bytes:
    body = b64decode(answer["body"]) if answer.get("isBase64Encoded") else answer["body"].encode()
    encoding = answer["headers"].get("Content-Encoding")
    return {"br": brotli.decompress, "gzip": gzip.decompress}[encoding](body) if encoding else body


def error_of(answer: Answer) -> tuple[int, str]:
    return answer["statusCode"], json.loads(answer["body"])["error"]


# ------------------------------------------------------------------ config


def test_config__of_a_shop__is_its_publication_for_every_origin_and_cache(delivery: Delivery) -> None:
    answer = delivery.config(http(CONFIG))
    assert answer["statusCode"] == 200
    assert [each["name"] for each in json.loads(decoded(answer))["experiments"]] == ["Experiment 1"]
    headers = answer["headers"]
    assert headers["Content-Type"] == "application/json"
    assert headers["Content-Encoding"] == "br"
    assert headers["Vary"] == "Accept-Encoding"
    assert headers["Cache-Control"] == "public, max-age=30, stale-while-revalidate=300"
    assert headers["CDN-Cache-Control"] == headers["Platform-CDN-Cache-Control"] == "max-age=30"
    assert headers["X-Service-Config-Cache"] == "miss"
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert delivery.config(http(CONFIG))["headers"]["X-Service-Config-Cache"] == "hit"


@pytest.mark.parametrize(("accepted", "encoding"), [("br", "br"), ("gzip", "gzip"), (None, None), ("br;q=0", None)])
def test_config__in_each_encoding__is_the_same_document(
    delivery: Delivery, accepted: str | None, encoding: str | None
) -> None:
    answer = delivery.config(http(CONFIG, headers={"accept-encoding": accepted}))
    assert answer["headers"].get("Content-Encoding") == encoding
    assert json.loads(decoded(answer))["shop_id"] == SHOP_ID


def test_config__with_the_tag_it_had__is_304_without_a_body(delivery: Delivery) -> None:
    first = delivery.config(http(CONFIG))
    again = delivery.config(http(CONFIG, headers={"if-none-match": first["headers"]["ETag"]}))
    assert (again["statusCode"], again["body"]) == (304, "")
    kept = ("ETag", "Cache-Control", "CDN-Cache-Control", "Vary", "Access-Control-Allow-Origin")
    assert all(again["headers"][name] == first["headers"][name] for name in kept)


def test_config__with_the_tag_of_another_encoding__is_sent(delivery: Delivery) -> None:
    first = delivery.config(http(CONFIG))
    again = delivery.config(
        http(CONFIG, headers={"if-none-match": first["headers"]["ETag"], "accept-encoding": "gzip"})
    )
    assert again["statusCode"] == 200


@pytest.mark.parametrize("encoding", ["identity", "gzip", "br"])
def test_config__by_head__is_the_answer_to_get_from_whose_body_the_gateway_takes_the_length(
    delivery: Delivery, encoding: str
) -> None:
    headers = {"accept-encoding": encoding}
    by_get, by_head = (delivery.config(http(CONFIG, method=method, headers=headers)) for method in ("GET", "HEAD"))
    kept = by_get["headers"].keys() - {"X-Service-Config-Cache"}
    assert (by_head["statusCode"], by_head["body"]) == (200, by_get["body"])
    assert all(by_head["headers"][name] == by_get["headers"][name] for name in kept)


@pytest.mark.parametrize("parameter", sorted(UNCACHED_PARAMETERS))
def test_config__with_a_qa_or_debug_parameter__is_kept_by_nobody(delivery: Delivery, parameter: str) -> None:
    answer = delivery.config(http(CONFIG, query={"shopId": SHOP_ID, parameter: "1"}))
    assert answer["statusCode"] == 200
    headers = answer["headers"]
    assert {headers[name] for name in ("Cache-Control", "CDN-Cache-Control", "Platform-CDN-Cache-Control")} == {
        "no-store"
    }
    assert headers["X-Service-Config-Cache"] == "bypass"


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"shopId": ""},
        {"shopId": "x"},
        {"shopId": f"{SHOP_ID},{SHOP_ID}"},
        {"shopId": f"{SHOP_ID}/.."},
        {"shopId": "é" * 36},
    ],
)
def test_config__without_a_valid_shop_id__is_refused(delivery: Delivery, query: dict[str, str]) -> None:
    answer = delivery.config(http(CONFIG, query=query))
    assert error_of(answer) == (400, "invalid_shop_id")
    assert set(json.loads(answer["body"])) == {"error", "message"}
    assert answer["headers"]["Content-Type"] == "application/json"
    assert answer["headers"]["Cache-Control"] == "no-store"
    assert answer["headers"]["Access-Control-Allow-Origin"] == "*"


def test_config__with_the_id_in_capitals__is_the_same(delivery: Delivery) -> None:
    assert delivery.config(http(CONFIG, query={"shopId": SHOP_ID.upper()}))["statusCode"] == 200


@pytest.mark.parametrize(
    "query",
    [
        {"shopId": UNKNOWN},
        {"shopId": SHOP_ID, "env": "staging"},
        {"shopId": SHOP_ID, "environment": "staging"},
        {"shopId": SHOP_ID, "env": "../production"},
        {"shopId": SHOP_ID, "env": "x" * 100},
    ],
)
def test_config__of_an_unknown_shop_or_environment__is_not_found(delivery: Delivery, query: dict[str, str]) -> None:
    assert error_of(delivery.config(http(CONFIG, query=query))) == (404, "not_found")


@pytest.mark.parametrize("name", ["env", "environment"])
def test_config__of_the_environment_that_exists__is_served(delivery: Delivery, name: str) -> None:
    assert delivery.config(http(CONFIG, query={"shopId": SHOP_ID, name: "production"}))["statusCode"] == 200


@pytest.mark.parametrize("name", ["env", "environment"])
def test_config__of_another_environment__is_its_own(storefront: Storefront, delivery: Delivery, name: str) -> None:
    keep(storefront.catalog, flag(environment_key="staging-2_b"))
    storefront.publication.publish(SHOP_ID)
    answer = delivery.config(http(CONFIG, query={"shopId": SHOP_ID, name: "staging-2_b"}))
    found = json.loads(decoded(answer))
    assert (found["runtime"]["environment"], [each["key"] for each in found["flags"]]) == ("staging-2_b", ["flag-1"])
    assert [each["name"] for each in found["experiments"]] == ["Experiment 1"]
    production = delivery.config(http(CONFIG))
    assert "flags" not in json.loads(decoded(production))
    assert production["headers"]["ETag"] != answer["headers"]["ETag"]


def test_config__of_an_environment_that_changed__is_the_new_one(storefront: Storefront, delivery: Delivery) -> None:
    keep(storefront.catalog, flag(environment_key="staging"))
    storefront.publication.publish(SHOP_ID)
    staging = http(CONFIG, query={"shopId": SHOP_ID, "env": "staging"})
    before = delivery.config(staging)
    keep(storefront.catalog, flag(environment_key="staging", status="archived"))
    storefront.publication.publish(SHOP_ID)
    storefront.clock.advance(seconds=1)
    after = delivery.config({**staging, "headers": {**staging["headers"], "if-none-match": before["headers"]["ETag"]}})
    assert after["statusCode"] == 200
    assert "flags" not in json.loads(decoded(after))


def test_config__preflighted__gives_leave(delivery: Delivery) -> None:
    answer = delivery.config(http("edge_config__preflight"))
    assert (answer["statusCode"], answer["body"]) == (204, "")
    assert answer["headers"]["Access-Control-Allow-Methods"] == "GET, HEAD"
    assert answer["headers"]["Access-Control-Allow-Origin"] == "*"
    assert answer["headers"]["Access-Control-Max-Age"] == "86400"


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"])
def test_config__by_another_method__is_refused(delivery: Delivery, method: str) -> None:
    answer = delivery.config(http(CONFIG, method=method))
    assert error_of(answer) == (405, "method_not_allowed")
    assert answer["headers"]["Allow"] == "GET, HEAD"


def test_config__while_the_store_fails__is_served_stale_and_then_refused_to_new_readers(
    storefront: Storefront, delivery: Delivery
) -> None:
    delivery.config(http(CONFIG))
    storefront.blobs.available = False
    storefront.clock.advance(seconds=5)
    stale = delivery.config(http(CONFIG))
    assert (stale["statusCode"], stale["headers"]["X-Service-Config-Cache"]) == (200, "stale")
    refused = delivery.config(http(CONFIG, headers={"accept-encoding": "gzip"}))
    assert error_of(refused) == (503, "service_unavailable")
    assert refused["headers"]["Retry-After"] == "1"


def test_config__when_something_unforeseen_happens__is_an_error_that_tells_nothing(
    delivery: Delivery, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        answer = delivery.config(http(CONFIG, query={"shopId": None}))
    assert error_of(answer) == (500, "internal_error")
    assert "Traceback" not in answer["body"]
    assert "delivery.failed" in caplog.text


# ------------------------------------------------------------------ snippet


def test_snippet__of_a_shop__is_a_script_for_every_cache(delivery: Delivery) -> None:
    answer = delivery.snippet(http(SNIPPET))
    assert answer["statusCode"] == 200
    assert experiment_id(1).encode() in decoded(answer)
    headers = answer["headers"]
    assert headers["Content-Type"] == "application/javascript; charset=utf-8"
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert headers["Cache-Tag"] == headers["Surrogate-Key"] == f"shop-{SHOP_ID}"
    assert headers["Cache-Control"] == "public, max-age=60"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Timing-Allow-Origin"] == "*"
    assert headers["Vary"] == "Accept-Encoding"
    again = delivery.snippet(http(SNIPPET, headers={"if-none-match": headers["ETag"]}))
    assert (again["statusCode"], again["body"]) == (304, "")


@pytest.mark.parametrize(
    "file",
    [
        "shop.js",
        "",
        f"{SHOP_ID}",
        f"{SHOP_ID}.css",
        f"{SHOP_ID}.js.js",
        "-" * 36 + ".js",
        f"x{SHOP_ID}.js",
        f"{SHOP_ID}.js\n",
    ],
)
def test_snippet__of_an_invalid_shop_id__is_a_comment(delivery: Delivery, file: str) -> None:
    answer = delivery.snippet(http(SNIPPET, path={"file": file}))
    assert answer["statusCode"] == 400
    assert answer["body"].startswith("// invalid_shop_id: ")
    assert answer["body"].count("\n") == 1
    assert answer["headers"]["Content-Type"] == "application/javascript; charset=utf-8"


def test_snippet__of_an_unknown_shop__is_a_comment(delivery: Delivery) -> None:
    answer = delivery.snippet(http(SNIPPET, path={"file": f"{UNKNOWN}.js"}))
    assert answer["statusCode"] == 404
    assert answer["body"].startswith("// not_found: ")
    assert answer["headers"]["Cache-Control"] == "no-store"


@pytest.mark.parametrize("name", ["env", "environment"])
def test_snippet__of_another_environment__holds_its_own(storefront: Storefront, delivery: Delivery, name: str) -> None:
    keep(storefront.catalog, personalization(environment_key="staging"))
    storefront.publication.publish(SHOP_ID)
    assert b"personalization-1" in decoded(delivery.snippet(http(SNIPPET, query={name: "staging"})))
    assert b"personalization-1" not in decoded(delivery.snippet(http(SNIPPET)))


@pytest.mark.parametrize("environment", ["staging", "../production", "x" * 49, "Production"])
def test_snippet__of_an_unknown_environment__is_a_comment(delivery: Delivery, environment: str) -> None:
    answer = delivery.snippet(http(SNIPPET, query={"env": environment}))
    assert (answer["statusCode"], answer["body"][:14]) == (404, "// not_found: ")


@pytest.mark.parametrize("method", ["POST", "DELETE", "OPTIONS"])
def test_snippet__by_another_method__is_a_comment(delivery: Delivery, method: str) -> None:
    answer = delivery.snippet(http(SNIPPET, method=method))
    assert (answer["statusCode"], answer["headers"]["Allow"]) == (405, "GET, HEAD")
    assert answer["body"].startswith("// method_not_allowed: ")


# ------------------------------------------------------------------ limits


def test_requests__of_one_address__are_limited_over_both_routes(storefront: Storefront, delivery: Delivery) -> None:
    for _ in range(150):
        assert delivery.config(http(CONFIG))["statusCode"] == 200
        assert delivery.snippet(http(SNIPPET))["statusCode"] == 200
    refused = delivery.config(http(CONFIG))
    assert error_of(refused) == (429, "rate_limited")
    assert int(refused["headers"]["Retry-After"]) >= 1
    comment = delivery.snippet(http(SNIPPET))
    assert (comment["statusCode"], comment["body"][:3]) == (429, "// ")
    assert delivery.snippet(http(SNIPPET, address="203.0.113.8"))["statusCode"] == 200
    storefront.clock.advance(seconds=int(refused["headers"]["Retry-After"]))
    assert delivery.config(http(CONFIG))["statusCode"] == 200


def test_requests__of_one_ipv6_subscriber__are_limited_together(delivery: Delivery) -> None:
    for number in range(300):
        assert delivery.config(http(CONFIG, address=f"2001:db8:0:1::{number:x}"))["statusCode"] == 200
    assert delivery.config(http(CONFIG, address="2001:db8:0:1:ffff::"))["statusCode"] == 429
    assert delivery.config(http(CONFIG, address="2001:db8:0:2::1"))["statusCode"] == 200


def test_snippet__through_the_cdn__is_kept_there_until_it_is_invalidated(delivery: Delivery) -> None:
    answer = delivery.snippet(http(SNIPPET, headers={"x-svc-cdn": "anything"}))
    assert answer["headers"]["Cache-Control"].startswith("public, max-age=60, s-maxage=3600, stale-while-revalidate=")


# ------------------------------------------------------------------ chunks


LARGE = f"return '{'x' * 10_240}'"
STYLE = "a{}" * 4000


@pytest.fixture
def files(storefront: Storefront) -> dict[str, str]:
    """The last part of the address of the shop's chunks, by kind."""
    storefront.keep(experiment(experiment_js=LARGE, experiment_css=STYLE))
    storefront.publication.publish(SHOP_ID)
    keys = [entry.key for entry in storefront.blobs.list(f"chunks/{SHOP_ID}/") if entry.key.endswith(("js", "css"))]
    return {key.rpartition(".")[2]: key.rpartition("/")[2] for key in keys}


def chunk(delivery: Delivery, file: str, shop_id: str = SHOP_ID, **changes: Any) -> Answer:
    return delivery.snippet(http(CHUNK, path={"shop_id": shop_id, "file": file}, **changes))


@pytest.mark.parametrize(("kind", "content_type"), [("js", "application/javascript"), ("css", "text/css")])
def test_chunk__of_a_shop__never_changes(
    delivery: Delivery, files: dict[str, str], kind: str, content_type: str
) -> None:
    answer = chunk(delivery, files[kind])
    assert answer["statusCode"] == 200
    headers = answer["headers"]
    assert headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert headers["Content-Type"] == f"{content_type}; charset=utf-8"
    assert headers["Access-Control-Allow-Origin"] == headers["Timing-Allow-Origin"] == "*"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["ETag"].startswith('"' + files[kind].partition(".")[0])
    again = chunk(delivery, files[kind], headers={"if-none-match": headers["ETag"]})
    assert (again["statusCode"], again["body"]) == (304, "")
    assert chunk(delivery, files[kind], method="HEAD") == answer


@pytest.mark.parametrize("accepted", ["br", "gzip", None])
def test_chunk__in_each_encoding__is_the_same_file(
    delivery: Delivery, files: dict[str, str], accepted: str | None
) -> None:
    answer = chunk(delivery, files["css"], headers={"accept-encoding": accepted})
    assert answer["headers"].get("Content-Encoding") == accepted
    assert decoded(answer).decode() == STYLE
    assert LARGE.encode() in decoded(chunk(delivery, files["js"], headers={"accept-encoding": accepted}))


def test_chunk__is_read_once(storefront: Storefront, delivery: Delivery, files: dict[str, str]) -> None:
    chunk(delivery, files["js"])
    storefront.blobs.available = False
    assert chunk(delivery, files["js"])["statusCode"] == 200
    assert chunk(delivery, files["css"])["statusCode"] == 503


def test_chunk__of_another_shop__is_not_there(delivery: Delivery, files: dict[str, str]) -> None:
    answer, unknown = chunk(delivery, files["js"], UNKNOWN), chunk(delivery, "0" * 64 + ".js")
    assert (answer["statusCode"], answer["body"]) == (404, unknown["body"])
    assert answer["headers"]["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "file",
    [
        "",
        "x.js",
        "A" * 64 + ".js",
        "0" * 64,
        "0" * 64 + ".html",
        "0" * 64 + ".js.br",
        "0" * 63 + "/.js",
        "../" + "0" * 61 + ".js",
        "0" * 64 + ".js\n",
        "*/alert(1)/*.css",
        "\u2028alert(1)",
    ],
)
def test_chunk__of_a_hostile_name__is_a_comment_that_tells_nothing(delivery: Delivery, file: str) -> None:
    answer = chunk(delivery, file)
    comment = (
        "/* not_found: there is no such file */\n" if file.endswith("css") else "// not_found: there is no such file\n"
    )
    assert (answer["statusCode"], answer["body"]) == (404, comment)


@pytest.mark.parametrize("shop_id", ["", "x", "../pointers", f"{SHOP_ID}/..", "é" * 36])
def test_chunk__of_no_shop__is_refused(delivery: Delivery, files: dict[str, str], shop_id: str) -> None:
    answer = chunk(delivery, files["js"], shop_id)
    assert (answer["statusCode"], answer["body"][:20]) == (400, "// invalid_shop_id: ")


def test_chunk__by_another_method__is_refused(delivery: Delivery, files: dict[str, str]) -> None:
    assert chunk(delivery, files["js"], method="POST")["statusCode"] == 405
