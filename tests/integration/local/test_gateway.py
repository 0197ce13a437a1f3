"""HTTP in, payload 2.0 to the function, HTTP out: what API Gateway does, over real sockets."""

import base64
import http.client
import socket
import threading
from contextlib import closing, suppress
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pytest

from abtest.http.gate import SECURITY_HEADERS
from tests.integration.local.conftest import Answer, Running
from tools.local.gateway.hosts import for_browser
from tools.local.web.messages import Response

pytestmark = pytest.mark.stack


def event_of(answer: Answer) -> dict[str, Any]:
    assert answer.status == 200, answer.body
    event: dict[str, Any] = answer.json["event"]
    return event


@pytest.mark.parametrize(
    ("method", "path", "route", "parameters"),
    [
        ("GET", "/things/static", "GET /things/static", None),
        ("GET", "/things/7", "GET /things/{id}", {"id": "7"}),
        ("DELETE", "/things/7", "ANY /things/{id}", {"id": "7"}),
        ("DELETE", "/things/static", "ANY /things/{id}", {"id": "static"}),
        ("GET", "/things/a%20b%2Fc", "GET /things/{id}", {"id": "a b/c"}),
        ("GET", "/files/a/b%20c", "GET /files/{proxy+}", {"proxy": "a/b c"}),
    ],
)
def test_route__most_specific_wins(
    stack: Running, method: str, path: str, route: str, parameters: dict[str, str] | None
) -> None:
    event = event_of(stack.api(method, path))
    assert event["routeKey"] == event["requestContext"]["routeKey"] == route
    assert event.get("pathParameters") == parameters


def test_route__head_reaches_any_but_never_get(stack: Running) -> None:
    assert stack.api("HEAD", "/things/7").status == 200
    assert stack.api("HEAD", "/files/a").status == 404


def test_route__unmatched_is_404(stack: Running) -> None:
    answer = stack.api("GET", "/nowhere")
    assert (answer.status, answer.json) == (404, {"message": "Not Found"})
    assert stack.api("PUT", "/files/a").status == 404


def test_default_route__serves_any_path_method_and_host(stack: Running) -> None:
    assert stack.edge("PURGE", "/a/b?c", headers={"Host": "shop.example"}).body == b"PURGE /a/b shop.example"


@pytest.mark.parametrize(
    ("requested", "seen"),
    [
        ("shop.example.localhost:8401", "shop.example:8401"),
        ("Shop.Example.LOCALHOST", "Shop.Example"),
        ("127.0.0.1.localhost:1", "127.0.0.1:1"),
        ("shop.localhost:8401", "shop.localhost:8401"),
        ("localhost", "localhost"),
        ("localhost.example", "localhost.example"),
    ],
)
def test_host__below_localhost__is_the_published_host(stack: Running, requested: str, seen: str) -> None:
    assert stack.edge("GET", "/lamp", headers={"Host": requested}).body == f"GET /lamp {seen}".encode()


def test_cookies__for_the_published_host__come_back_for_the_name_of_the_browser() -> None:
    cookies = ["svc_v=a; Path=/; SameSite=Lax; Domain=shop.example", "b=; domain=shop.example; Secure", "c=1"]
    response = for_browser(Response(200, [("set-cookie", each) for each in cookies]))
    assert [value for _, value in response.headers] == [
        "svc_v=a; Path=/; SameSite=Lax; Domain=shop.example.localhost",
        "b=; domain=shop.example.localhost; Secure",
        "c=1",
    ]


def test_event__has_the_shape_of_payload_2(stack: Running) -> None:
    answer = stack.api(
        "GET", "/things/x%20y?b=2&a=1&b=3%204&flag", headers={"X-Twice": "1", "Cookie": "s=1; t=2", "User-Agent": "me"}
    )
    event = event_of(answer)
    assert event["version"] == "2.0"
    assert event["rawPath"] == event["requestContext"]["http"]["path"] == "/things/x y"
    assert event["rawQueryString"] == "b=2&a=1&b=3%204&flag"
    assert event["queryStringParameters"] == {"b": "2,3 4", "a": "1", "flag": ""}
    assert event["cookies"] == ["s=1", "t=2"]
    assert "cookie" not in event["headers"]
    assert event["headers"]["x-twice"] == "1"
    http_part = event["requestContext"]["http"]
    assert (http_part["method"], http_part["sourceIp"], http_part["userAgent"]) == ("GET", "127.0.0.1", "me")
    assert event["requestContext"]["stage"] == "$default"
    assert event["requestContext"]["domainName"] == "127.0.0.1"
    assert event["isBase64Encoded"] is False
    assert {"body", "stageVariables"}.isdisjoint(event)


def test_event__repeated_headers_are_joined(stack: Running) -> None:
    netloc = urlsplit(stack.dev["base_url"]).netloc
    with closing(http.client.HTTPConnection(netloc)) as connection:
        connection.putrequest("GET", "/things/1")
        connection.putheader("X-Many", "1")
        connection.putheader("x-many", "2")
        connection.endheaders()
        answer = connection.getresponse()
        assert b'"x-many": "1,2"' in answer.read()


@pytest.mark.parametrize(
    ("type_", "body", "encoded"),
    [
        ("application/json", b'{"a": "\xc3\xa9"}', False),
        ("text/plain; charset=utf-8", b"text", False),
        ("application/problem+json", b"{}", False),
        ("application/octet-stream", b"\x00\xff", True),
        ("application/x-www-form-urlencoded", b"a=1", True),
        ("text/plain", b"\xff\xfe", True),
    ],
)
def test_event__body_is_text_or_base64_by_type(stack: Running, type_: str, body: bytes, encoded: bool) -> None:
    event = event_of(stack.api("PUT", "/things/1", body, {"Content-Type": type_}))
    assert event["isBase64Encoded"] is encoded
    assert (base64.b64decode(event["body"]) if encoded else event["body"].encode()) == body


def test_event__chunked_body_arrives_whole(stack: Running) -> None:
    event = event_of(stack.api("PUT", "/things/1", iter([b"one ", b"two"]), encode_chunked=True))
    assert event["body"] == "one two"


def test_response__cookies_and_headers(stack: Running) -> None:
    answer = stack.act("cookies")
    assert answer.status == 201
    assert answer.headers.get_all("set-cookie") == ["a=1; Path=/", "b=2"]
    assert answer.headers["x-many"] == "1,2"
    assert answer.headers["content-type"] == "text/plain;charset=UTF-8"


def test_response__base64_becomes_bytes(stack: Running) -> None:
    answer = stack.act("binary")
    assert (answer.body, answer.headers["content-type"]) == (b"\x00\x01\x02\xff", "image/png")


def test_response__without_a_status_is_inferred(stack: Running) -> None:
    answer = stack.act("inferred")
    assert (answer.status, answer.json, answer.headers["content-type"]) == (
        200,
        {"message": "hello"},
        "application/json",
    )
    assert stack.act("plain").body == b"hello"
    assert stack.act("empty").status == 204


@pytest.mark.parametrize("action", ["malformed", "split", "unserialisable", "large"])
def test_response__that_cannot_be_sent_is_500(stack: Running, action: str) -> None:
    answer = stack.act(action)
    assert (answer.status, answer.json) == (500, {"message": "Internal Server Error"})


def test_limits__six_megabytes(stack: Running) -> None:
    """Over Lambda's limit and over the gateway's, the answer is the service's own."""
    message = "the body must have at most 1048576 bytes"
    flat = {"error": "payload_too_large", "message": message}
    # The third is the shortest, but Lambda's event has two bytes for each quote and each backslash.
    for body in (b"x" * 6_291_456, b"x" * (11 * 1024 * 1024), b'\\"' * (3 << 19)):
        answer = stack.api("PUT", "/things/1", body)
        assert (answer.status, answer.json) == (413, flat)
        answer = stack.api("PUT", "/api/v1/large", body, {"X-Request-Id": "large-body"})
        error = {"message": flat["message"], "status": 413, "code": "payload_too_large", "request_id": "large-body"}
        assert (answer.status, answer.json) == (413, {"error": error})
        assert {name: answer.headers[name] for name in SECURITY_HEADERS} == SECURITY_HEADERS
        assert (answer.headers["x-service-api-version"], answer.headers["x-request-id"]) == ("1.0.0", "large-body")
    assert len(stack.act("large-but-allowed").body) == 6_000_000


def test_connection__is_kept_alive(stack: Running) -> None:
    netloc = urlsplit(stack.dev["base_url"]).netloc
    with closing(http.client.HTTPConnection(netloc)) as connection:
        for _ in range(3):
            connection.request("GET", "/things/1")
            before = connection.sock
            assert connection.getresponse().read()
            assert connection.sock is before


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", 400),
        (b"GET\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
        (b"GET / HTTP/9.9\r\nHost: a\r\n\r\n", 505),
        (b"GET / HTTP/1.1\r\nHost: a\r\n folded: x\r\n\r\n", 400),
        (b"GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 70_000 + b"\r\n\r\n", 431),
    ],
)
def test_malformed_http__is_refused_and_hurts_nobody(stack: Running, raw: bytes, status: int) -> None:
    port = urlsplit(stack.dev["base_url"]).port
    with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
        client.sendall(raw)
        assert client.recv(12) == f"HTTP/1.1 {status}".encode()
    assert stack.api("GET", "/things/1").status == 200


def test_garbage__never_breaks_the_server(stack: Running) -> None:
    random = Random(7)
    port = urlsplit(stack.dev["worker_base_url"]).port
    whole = b"POST /a?b=%zz HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nCookie: a=b;;c\r\n\r\nhello"
    chunked = b"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
    for _ in range(500):
        garbage = bytearray(random.choice([whole, chunked]))
        for _ in range(random.randint(1, 6)):
            at = random.randrange(len(garbage))
            garbage[at : at + random.randint(0, 4)] = random.choices(b"\r\n \x00:%,;\xff0", k=random.randint(0, 3))
        with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
            client.sendall(garbage)
            client.shutdown(socket.SHUT_WR)
            with suppress(ConnectionResetError):
                assert client.recv(9) in {b"", b"HTTP/1.1 "}
    assert stack.edge("GET", "/still/there").status == 200
    assert "Traceback" not in (stack.directory / "output.txt").read_text()


def test_connection__that_breaks_off_hurts_nobody(stack: Running) -> None:
    port = urlsplit(stack.dev["base_url"]).port
    for part in (b"", b"GET / HT", b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx"):
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(part)
    assert stack.api("GET", "/things/1").status == 200


def test_concurrency__requests_share_a_pool(stack: Running) -> None:
    pids: list[int] = []

    def call() -> None:
        pids.append(stack.act("pid").json["pid"])

    threads = [threading.Thread(target=call) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(pids) == 20
    assert 1 <= len(set(pids)) <= 4
