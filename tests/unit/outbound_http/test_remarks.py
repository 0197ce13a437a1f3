"""Bodies of answers to what was posted: the status has said it all, so nothing that is wrong with them is a failure."""

from __future__ import annotations

import gzip
import zlib

import pytest
import trustme

from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.domain.egress.targets import PublicOnly
from abtest.ports.http_sender import HttpAnswer, HttpUnreachableError
from tests.unit.outbound_http.receivers import Last, Reset, receiving
from tests.unit.outbound_http.servers import PUBLIC_ADDRESS, Net, answer, certified

NAME = "shop.example"
LIMIT = 64 * 1024
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
PACKED = gzip.compress(bytes(range(256)) * 100)

ODD: dict[str, tuple[bytes, bytes | None]] = {
    "a coding that is none": (answer(body=b"taken", Content_Encoding="utf-8"), b"taken"),
    "a coding that was not asked for": (answer(body=b"\x0b\x02", Content_Encoding="br"), b"\x0b\x02"),
    "several codings": (answer(body=PACKED, Content_Encoding="gzip, gzip"), PACKED),
    "a coding of its own": (b"HTTP/1.1 200 OK\r\nContent-Encoding: " + b"z" * 60_000 + b"\r\n\r\n", b""),
    "gzip that is none": (answer(body=b"taken", Content_Encoding="gzip"), b""),
    "deflate that is none": (answer(body=b"taken", Content_Encoding="deflate"), b""),
    "gzip that breaks off": (answer(body=PACKED[: len(PACKED) // 2], Content_Encoding="gzip"), None),
    "gzip that goes wrong": (answer(body=PACKED[:-8] + b"\0" * 8, Content_Encoding="gzip"), None),
    "raw deflate": (answer(body=zlib.compress(b"taken")[2:-4], Content_Encoding="deflate"), b""),
    "less than its length": (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", b"half"),
    "none of its length": (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", b""),
    "a chunk of no length": (CHUNKED + b"\r\nzz\r\ntaken\r\n", b""),
    "a chunk of no length after one": (CHUNKED + b"\r\n2\r\nok\r\nzz\r\n", b"ok"),
    "a chunk of less than no length": (CHUNKED + b"\r\n-5\r\ntaken\r\n0\r\n\r\n", None),
    "a chunk line without end": (CHUNKED + b"\r\n2\r\nok\r\n2;" + b"e" * 70_000, b"ok"),
    "a chunk that breaks off": (CHUNKED + b"\r\n5\r\nok", b"ok"),
    "no last chunk": (CHUNKED + b"\r\n2\r\nok\r\n", b"ok"),
    "no chunks though it says so": (CHUNKED + b"\r\nDone, thank you", b""),
    "chunks of a byte each": (CHUNKED + b"\r\n" + b"1\r\nx\r\n" * 60_000 + b"0\r\n\r\n", None),
}


def sender() -> OutboundHttp:
    return OutboundHttp(PublicOnly(allow_loopback=True), Limits(seconds=5, body_bytes=LIMIT))


def posted(said: bytes, *, times: int = 1) -> tuple[list[HttpAnswer], list[int]]:
    """Answers of a receiver that says this each time, and the connections on which requests came."""
    with receiving(lambda _connection, _request: said) as receiver, sender().session() as kept:
        url = f"http://127.0.0.1:{receiver.port}/"
        return [kept.post(url, b"{}", headers={}) for _ in range(times)], receiver.requests


@pytest.mark.parametrize("status", [b"200 OK", b"500 Oh No"])
@pytest.mark.parametrize("what", ODD)
def test_post__odd_body__leaves_the_status_and_what_came(what: str, status: bytes) -> None:
    said, came = ODD[what]
    ((found,), connections) = posted(Last(said.replace(b"200 OK", status)))
    assert (found.status, found.is_whole, connections) == (int(status[:3]), False, [0])
    assert found.body == came or (came is None and len(found.body) <= LIMIT)


@pytest.mark.parametrize(
    "what",
    [
        "a coding that was not asked for",
        "gzip that is none",
        "gzip that goes wrong",
        "a chunk of no length",
        "a chunk of no length after one",
        "chunks of a byte each",
    ],
)
def test_post__odd_body_of_who_stays__is_the_last_of_its_connection(what: str) -> None:
    """Who cannot say where an answer ends is not asked again behind it."""
    _, connections = posted(ODD[what][0], times=2)
    assert connections == [0, 1]


@pytest.mark.parametrize("what", ["a coding that is none", "less than its length", "a chunk of no length after one"])
def test_post__odd_body_under_tls__leaves_the_status_and_what_came(what: str) -> None:
    authority = trustme.CA()
    net = Net(names={NAME: [PUBLIC_ADDRESS]})
    said, came = ODD[what]
    with receiving(lambda _connection, _request: Last(said), certified(authority, NAME)) as receiver:
        net.ports[PUBLIC_ADDRESS] = receiver.port
        found = net.sender(authority).post(f"https://{NAME}/", b"{}", headers={})
    assert (found.status, found.body, found.is_whole) == (200, came, False)


@pytest.mark.parametrize("what", sorted(set(ODD) - {"gzip that breaks off", "chunks of a byte each"}))
def test_get__odd_body__is_unreachable(what: str) -> None:
    """A page is what was asked for: half of one is none."""
    said, _ = ODD[what]
    with receiving(lambda _connection, _request: Last(said)) as receiver, pytest.raises(HttpUnreachableError) as failed:
        sender().get(f"http://127.0.0.1:{receiver.port}/", headers={})
    assert failed.value.failure == "protocol"


@pytest.mark.parametrize(
    "head", [b"Content-Encoding: br", b"Content-Encoding: gzip", b"Transfer-Encoding: chunked", b"Content-Length: 7"]
)
def test_post__nothing_to_come__is_whole_whatever_is_said_of_it(head: bytes) -> None:
    ((found,), _) = posted(b"HTTP/1.1 204 No Content\r\n" + head + b"\r\n\r\n")
    assert (found.status, found.body, found.is_whole) == (204, b"", True)


def test_post__nothing_to_come_and_a_chunk_all_the_same__is_the_last_of_its_connection() -> None:
    said = b"HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    answers, connections = posted(said, times=2)
    assert ([found.status for found in answers], connections) == ([204, 204], [0, 1])


def test_post__reset_amid_a_body__leaves_the_status() -> None:
    said = Reset(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
    with receiving(lambda _connection, _request: b"") as receiver, sender().session() as kept:
        receiver.script = lambda _connection, _request: said
        found = kept.post(f"http://127.0.0.1:{receiver.port}/", b"{}", headers={})
    assert (found.status, found.is_whole) == (200, False)


@pytest.mark.parametrize("head", [b"Content-Length: 100", b"Transfer-Encoding: chunked", b"X-Unframed: yes"])
def test_post__body_that_does_not_come__is_a_timeout(head: bytes) -> None:
    brief = OutboundHttp(PublicOnly(allow_loopback=True), Limits(seconds=0.4))
    said = b"HTTP/1.1 200 OK\r\n" + head + b"\r\n\r\n"
    with receiving(lambda _connection, _request: said) as receiver, pytest.raises(HttpUnreachableError) as failed:
        brief.post(f"http://127.0.0.1:{receiver.port}/", b"{}", headers={})
    assert failed.value.failure == "timeout"
