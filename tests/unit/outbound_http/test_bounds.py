"""What the outbound client lets others cost it: time, bytes, memory."""

from __future__ import annotations

import gzip
import socket
import threading
import time
import zlib
from collections.abc import Iterator, Sequence

import pytest

from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.domain.egress.targets import PublicOnly
from abtest.ports.http_sender import HttpAnswer, HttpUnreachableError
from tests.unit.outbound_http.servers import Talk, answer, listening, says

LIMIT = 100_000
SECONDS = 0.6


def fetched(talk: Talk, *, seconds: float = 20) -> HttpAnswer:
    """What the client makes of a server that talks so."""
    sender = OutboundHttp(PublicOnly(allow_loopback=True), Limits(seconds=seconds, body_bytes=LIMIT))
    with listening(talk) as (port, _):
        return sender.get(f"http://127.0.0.1:{port}/", headers={})


def late(talk: Talk) -> float:
    """Seconds after which the client gave up."""
    begun = time.monotonic()
    with pytest.raises(HttpUnreachableError) as failed:
        fetched(talk, seconds=SECONDS)
    assert failed.value.failure == "timeout"
    return time.monotonic() - begun


def drips(first: bytes, drop: bytes) -> Talk:
    """Sends a beginning, and then a drop every twentieth of a second: always in time for a limit of each read."""

    def talk(connection: socket.socket, _head: bytes) -> None:
        connection.sendall(first)
        pause = threading.Event()
        while not pause.wait(0.05):
            connection.sendall(drop)

    return talk


@pytest.mark.parametrize(
    "talk",
    [
        drips(b"", b"H"),
        drips(b"HTTP/1.1 200 OK\r\n", b"X-Drop: 1\r\n"),
        drips(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", b"x"),
        drips(b"HTTP/1.1 200 OK\r\n\r\n", b"x"),
        drips(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
        drips(b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
    ids=["status line", "headers", "body with a length", "body without", "chunks", "interim answers"],
)
def test_get__a_byte_at_a_time__ends_at_the_deadline(talk: Talk) -> None:
    assert SECONDS <= late(talk) < SECONDS + 1


def test_post__a_server_that_reads_nothing__ends_at_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        sender = OutboundHttp(PublicOnly(allow_loopback=True), Limits(seconds=SECONDS))
        begun = time.monotonic()
        with pytest.raises(HttpUnreachableError) as failed:
            sender.post(f"http://127.0.0.1:{silent.getsockname()[1]}/", b"x" * 40_000_000, headers={})
    assert failed.value.failure == "timeout"
    assert time.monotonic() - begun < SECONDS + 1


def test_get__tls_that_never_begins__ends_at_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        sender = OutboundHttp(PublicOnly(allow_loopback=True), Limits(seconds=SECONDS))
        begun = time.monotonic()
        with pytest.raises(HttpUnreachableError) as failed:
            sender.get(f"https://127.0.0.1:{silent.getsockname()[1]}/", headers={})
    assert failed.value.failure == "timeout"
    assert time.monotonic() - begun < SECONDS + 1


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    gate = threading.Event()
    yield gate
    gate.set()


def test_get__resolver_that_hangs__ends_at_the_deadline(gate: threading.Event) -> None:
    def hangs(_host: str, _port: int) -> Sequence[str]:
        gate.wait()
        return ["1.1.1.1"]

    begun = time.monotonic()
    with pytest.raises(HttpUnreachableError) as failed:
        OutboundHttp(PublicOnly(), Limits(seconds=SECONDS), resolve=hangs).get("https://shop.example/", headers={})
    assert failed.value.failure == "timeout"
    assert time.monotonic() - begun < SECONDS + 1


def test_get__redirects_that_dawdle__share_one_deadline() -> None:
    def talk(connection: socket.socket, _head: bytes) -> None:
        threading.Event().wait(SECONDS / 2)
        connection.sendall(answer("302 Found", Location="/"))

    sender = OutboundHttp(PublicOnly(allow_loopback=True), Limits(seconds=SECONDS))
    begun = time.monotonic()
    with listening(talk) as (port, _), pytest.raises(HttpUnreachableError) as failed:
        sender.get(f"http://127.0.0.1:{port}/", headers={}, redirects=20)
    assert failed.value.failure == "timeout"
    assert time.monotonic() - begun < SECONDS + 2


@pytest.mark.parametrize("size", [LIMIT - 1, LIMIT, LIMIT + 1, 50 * LIMIT])
def test_get__body__is_cut_at_the_limit_and_says_so(size: int) -> None:
    found = fetched(says(answer(body=b"x" * size)))
    assert (len(found.body), found.is_whole) == (min(size, LIMIT), size <= LIMIT)


@pytest.mark.parametrize("size", [LIMIT, LIMIT + 1])
def test_get__body_in_chunks__is_cut_at_the_limit(size: int) -> None:
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (size, b"x" * size)
    found = fetched(says(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks))
    assert (len(found.body), found.is_whole) == (LIMIT, size <= LIMIT)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "GZIP"])
@pytest.mark.parametrize("size", [LIMIT, LIMIT + 1, 200 * LIMIT])
def test_get__packed_body__is_cut_at_the_limit_of_what_it_unpacks_to(coding: str, size: int) -> None:
    plain = b"\0" * size
    packed = gzip.compress(plain) if coding.lower() == "gzip" else zlib.compress(plain)
    found = fetched(says(answer(body=packed, Content_Encoding=coding)))
    assert (found.body, found.is_whole) == (plain[:LIMIT], size <= LIMIT)


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip", "gzip"])
def test_get__body_that_cannot_be_unpacked__is_unreachable(coding: str) -> None:
    with pytest.raises(HttpUnreachableError) as failed:
        fetched(says(answer(body=b"not packed at all", Content_Encoding=coding)))
    assert failed.value.failure == "protocol"


def test_get__packed_body_that_ends_early__is_not_whole() -> None:
    packed = gzip.compress(bytes(range(256)) * 20)[:-20]
    assert fetched(says(answer(body=packed, Content_Encoding="gzip"))).is_whole is False


@pytest.mark.parametrize(
    "content",
    [
        b"HTTP/1.1 200 OK\r\n" + b"X-Long: " + b"a" * 70_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: %s\r\n" % (n, b"a" * 2000) for n in range(90)) + b"\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"".join(b"X-%d: a\r\n" % n for n in range(2000)) + b"\r\n",
        b"HTTP/1.1 " + b"2" * 70_000,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1;" + b"e" * 60_000 + b"\r\nx\r\n" * 3,
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 banana\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.1 200 OK\r\nX-Half: a",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
        b"",
    ],
)
def test_get__what_is_not_proper_http_or_too_much_of_it__is_unreachable(content: bytes) -> None:
    with pytest.raises(HttpUnreachableError) as failed:
        fetched(says(content))
    assert failed.value.failure == "protocol"


def test_get__headers_that_come_twice__are_joined() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Policy: a\r\nx-policy: b\r\n\r\n"
    assert fetched(says(head)).headers["x-policy"] == "a, b"


def test_get__line_that_is_quoted_in_an_error__is_quoted_in_part() -> None:
    with pytest.raises(HttpUnreachableError) as failed:
        fetched(says(b"HTTP/1.1 " + b"b" * 60_000 + b"\r\n\r\n"))
    assert failed.value.failure == "protocol"
    assert len(str(failed.value)) <= 500


def test_lookup__error_of_the_system__is_not_quoted() -> None:
    def fails(_host: str, _port: int) -> Sequence[str]:
        raise OSError("no " * 1000)

    with pytest.raises(HttpUnreachableError) as failed:
        OutboundHttp(PublicOnly(), resolve=fails).get("https://shop.example/", headers={})
    assert (failed.value.failure, str(failed.value)) == ("dns", "shop.example does not resolve")
