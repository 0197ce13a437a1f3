"""Requests of others that are sent on: any method, each response whole or none."""

from __future__ import annotations

import gzip
import socket

import pytest

from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.domain.egress.targets import PublicOnly, UrlNotAllowedError
from abtest.ports.http_sender import HttpForwarder, HttpUnreachableError
from tests.unit.outbound_http.servers import Talk, answer, listening, says

LIMIT = 64 * 1024


def forwarder(seconds: float = 5) -> HttpForwarder:
    return OutboundHttp(PublicOnly(allow_loopback=True), Limits(seconds=seconds, body_bytes=LIMIT))


def endless(connection: socket.socket, _: bytes) -> None:
    """Send a page without end, until the other side closes."""
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        connection.sendall(b"x" * 10_000)


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_forward__any_method__arrives_as_it_is(method: str) -> None:
    with listening(says(answer("201 Created", b"" if method == "HEAD" else b"made"))) as (port, heads):
        body = b"a=1" if method in ("POST", "PUT", "PATCH") else None
        response = forwarder().forward(method, f"http://127.0.0.1:{port}/p?q=1", body, headers={"x-own": "1"})
    assert (response.status, response.body, response.is_whole) == (201, b"" if method == "HEAD" else b"made", True)
    assert heads[0].startswith(f"{method} /p?q=1 HTTP/1.1\r\n".encode())
    assert b"x-own: 1\r\n" in heads[0]


def test_forward__redirect__is_not_followed() -> None:
    with listening(says(answer("302 Found", Location="https://10.0.0.1/"))) as (port, heads):
        response = forwarder().forward("GET", f"http://127.0.0.1:{port}/", None, headers={})
    assert (response.status, response.headers["location"], len(heads)) == (302, "https://10.0.0.1/", 1)


def test_forward__cookies__are_kept_apart_though_their_dates_have_commas() -> None:
    lines = (b"a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT", b"b=2, 3")
    sent = b"HTTP/1.1 200 OK\r\n" + b"".join(b"Set-Cookie: " + line + b"\r\n" for line in lines) + b"\r\n"
    with listening(says(sent)) as (port, _):
        response = forwarder().forward("GET", f"http://127.0.0.1:{port}/", None, headers={})
    assert [line.encode() for line in response.cookies] == list(lines)


BROKEN: dict[str, tuple[bytes, str]] = {
    "less than its length": (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", "protocol"),
    "gzip that is none": (answer(body=b"taken", Content_Encoding="gzip"), "protocol"),
    "not HTTP": (b"SSH-2.0-OpenSSH_9.2\r\n", "protocol"),
}


@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_forward__broken_response__raises(what: str, method: str) -> None:
    sent, failure = BROKEN[what]
    with listening(says(sent)) as (port, _), pytest.raises(HttpUnreachableError) as refused:
        forwarder().forward(method, f"http://127.0.0.1:{port}/", None, headers={})
    assert refused.value.failure == failure


@pytest.mark.parametrize(
    "talk",
    [endless, says(answer(body=gzip.compress(bytes(100 * LIMIT)), Content_Encoding="gzip"))],
    ids=["plain", "gzip"],
)
def test_forward__too_much__is_cut_at_the_limit(talk: Talk) -> None:
    with listening(talk) as (port, _):
        response = forwarder().forward("POST", f"http://127.0.0.1:{port}/", b"", headers={})
    assert (len(response.body), response.is_whole) == (LIMIT, False)


def test_forward__to_a_private_address__is_not_sent() -> None:
    with pytest.raises(UrlNotAllowedError):
        forwarder().forward("DELETE", "https://10.0.0.1/", None, headers={})
