"""How a receiver may end a connection that is kept, and what becomes of the request that meets the end."""

from __future__ import annotations

import itertools
import socket
import ssl
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import trustme

from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.adapters.outbound_http.connections import system_dial
from abtest.domain.egress.targets import PublicOnly
from abtest.ports.http_sender import HttpUnreachableError
from tests.unit.outbound_http.receivers import Last, Receiver, Reset, receiving
from tests.unit.outbound_http.servers import answer, certified

HOST = "127.0.0.1"
OK = answer(body=b"ok")
EACH_WAY = pytest.mark.parametrize("is_secure", [False, True], ids=["plain", "TLS"])

Script = Callable[[int, int], bytes | None]
"""What a request is answered with, by the numbers of its connection and of itself on it."""

authority = trustme.CA()


class Line:
    """A receiver, and a session with it on whose connections something may happen before bytes are sent."""

    def __init__(self, receiver: Receiver, sender: OutboundHttp, url: str) -> None:
        self.receiver = receiver
        self.sender = sender
        self.url = url

    def post(self) -> bytes:
        return self.sender.post(self.url, b"{}", headers={}).body

    def get(self) -> bytes:
        return self.sender.get(self.url, headers={}).body

    def hang_up(self) -> None:
        """The receiver ends its first connection, whatever it was about to do."""
        self.receiver.open[0].shutdown(socket.SHUT_RDWR)

    def close(self, *, is_reset: bool) -> None:
        """The receiver closes its first connection, on which it waits for the next request."""
        connection = self.receiver.open[0]
        if is_reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        socket.socket.shutdown(connection, socket.SHUT_RD)  # ends its wait, and is not seen from here
        while self.receiver.open[0].fileno() != -1:
            time.sleep(0.001)

    def reset(self) -> None:
        """The receiver resets its first connection."""
        self.close(is_reset=True)


@contextmanager
def line(script: Script, *, is_secure: bool, before: dict[int, Callable[[Line], None]] | None = None) -> Iterator[Line]:
    """`before` says what happens as which piece is about to be sent: a POST is two, its head and its body."""
    numbers = itertools.count()

    def sends() -> None:
        if happens := (before or {}).get(next(numbers)):
            happens(found)

    class Plain(socket.socket):
        def send(self, *content: Any) -> int:
            sends()
            return super().send(*content)

    class Secure(ssl.SSLSocket):
        def send(self, *content: Any) -> int:
            sends()
            return super().send(*content)

    def dial(address: str, port: int, seconds: float) -> socket.socket:
        return Plain(fileno=system_dial(address, port, seconds).detach())

    context = ssl.create_default_context()
    authority.configure_trust(context)
    context.sslsocket_class = Secure
    sender = OutboundHttp(PublicOnly(allow_loopback=True), Limits(seconds=5), dial=dial, context=context)
    with (
        receiving(script, certified(authority, HOST) if is_secure else None) as receiver,
        sender.session() as kept,
    ):
        found = Line(receiver, kept, f"http{'s' if is_secure else ''}://{HOST}:{receiver.port}/")
        yield found


def always(content: bytes) -> Script:
    return lambda _connection, _request: content


def second_of_the_first(content: bytes | None) -> Script:
    """The second request on the first connection gets this, all others are answered."""
    return lambda connection, request: content if (connection, request) == (0, 1) else OK


@EACH_WAY
@pytest.mark.parametrize("is_reset", [False, True], ids=["closed", "reset"])
def test_end__while_nothing_is_asked__is_seen_before_anything_is_written(is_reset: bool, is_secure: bool) -> None:
    with line(always(OK), is_secure=is_secure) as found:
        assert found.post() == b"ok"
        found.close(is_reset=is_reset)
        assert [found.post(), found.post()] == [b"ok"] * 2
    assert found.receiver.requests == [0, 1, 1]


def test_end__of_one_direction_while_nothing_is_asked__is_seen_before_anything_is_written() -> None:
    with line(always(OK), is_secure=False) as found:
        found.post()
        found.receiver.open[0].shutdown(socket.SHUT_WR)
        assert found.post() == b"ok"
    assert found.receiver.requests == [0, 1]


def test_end__while_nothing_is_asked_by_both__is_connected_to_anew() -> None:
    with line(always(OK), is_secure=False) as found:
        found.post()
        found.hang_up()
        assert found.post() == b"ok"
    assert found.receiver.requests == [0, 1]


@EACH_WAY
def test_end__as_a_request_is_being_written__has_it_written_on_a_new_one(is_secure: bool) -> None:
    with line(always(OK), is_secure=is_secure, before={2: Line.reset}) as found:
        assert [found.post() for _ in range(3)] == [b"ok"] * 3
    assert found.receiver.requests == [0, 1, 1]


@EACH_WAY
def test_end__before_the_last_piece_that_could_still_be_written__is_a_failed_attempt(is_secure: bool) -> None:
    """Whether it was heard cannot be told from here."""
    with line(always(OK), is_secure=is_secure, before={3: Line.hang_up}) as found:
        found.post()
        with pytest.raises(HttpUnreachableError) as failed:
            found.post()
    assert (failed.value.failure, found.receiver.requests) == ("protocol", [0])


@EACH_WAY
@pytest.mark.parametrize("end", [None, Reset(b"")], ids=["closed", "reset"])
def test_end__in_place_of_an_answer__is_a_failed_attempt_and_one_request(end: bytes | None, is_secure: bool) -> None:
    with line(second_of_the_first(end), is_secure=is_secure) as found:
        found.post()
        with pytest.raises(HttpUnreachableError) as failed:
            found.post()
        assert (failed.value.failure, found.receiver.requests) == ("protocol", [0, 0])
        assert found.post() == b"ok"
    assert found.receiver.requests == [0, 0, 1]


@EACH_WAY
@pytest.mark.parametrize("end", [None, Reset(b"")], ids=["closed", "reset"])
def test_end__in_place_of_what_is_fetched__is_asked_once_more_on_a_new_one(end: bytes | None, is_secure: bool) -> None:
    with line(second_of_the_first(end), is_secure=is_secure) as found:
        assert [found.get() for _ in range(3)] == [b"ok"] * 3
    assert found.receiver.requests == [0, 0, 1, 1]


def test_end__in_place_of_what_is_fetched_on_the_new_one_too__is_unreachable_after_two() -> None:
    def script(connection: int, request: int) -> bytes | None:
        return OK if (connection, request) == (0, 0) else None

    with line(script, is_secure=False) as found:
        found.get()
        with pytest.raises(HttpUnreachableError) as failed:
            found.get()
    assert (failed.value.failure, found.receiver.requests) == ("protocol", [0, 0, 1])


@pytest.mark.parametrize("ask", [Line.post, Line.get], ids=["POST", "GET"])
def test_end__of_a_new_connection_in_place_of_an_answer__is_not_asked_again(ask: Callable[[Line], bytes]) -> None:
    with line(lambda _connection, _request: None, is_secure=False) as found, pytest.raises(HttpUnreachableError):
        ask(found)
    assert found.receiver.requests == [0]


@pytest.mark.parametrize("ask", [Line.post, Line.get], ids=["POST", "GET"])
@pytest.mark.parametrize("begun", [b"H", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nX"])
def test_end__amid_the_headers_of_an_answer__is_not_asked_again(ask: Callable[[Line], bytes], begun: bytes) -> None:
    with line(second_of_the_first(Last(begun)), is_secure=False) as found:
        ask(found)
        with pytest.raises(HttpUnreachableError) as failed:
            ask(found)
    assert (failed.value.failure, found.receiver.requests) == ("protocol", [0, 0])


def test_end__amid_a_body_that_is_fetched__is_not_asked_again() -> None:
    begun = Last(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
    with line(second_of_the_first(begun), is_secure=False) as found:
        found.get()
        with pytest.raises(HttpUnreachableError) as failed:
            found.get()
    assert (failed.value.failure, found.receiver.requests) == ("protocol", [0, 0])


def test_end__that_never_comes__is_the_deadline_and_not_asked_again() -> None:
    sender = OutboundHttp(PublicOnly(allow_loopback=True), Limits(seconds=0.5))
    with receiving(second_of_the_first(b"")) as receiver, sender.session() as kept:
        found = Line(receiver, kept, f"http://{HOST}:{receiver.port}/")
        found.post()
        with pytest.raises(HttpUnreachableError) as failed:
            found.post()
    assert (failed.value.failure, receiver.requests) == ("timeout", [0, 0])


class Breaking(socket.socket):
    """A connection that is reset once so many reads brought something."""

    reads_left = 2

    def recv_into(self, *into: Any, **more: Any) -> int:
        if self.reads_left == 0:
            raise ConnectionResetError("reset")
        self.reads_left -= 1
        return super().recv_into(*into, **more)


def test_end__by_a_reset_amid_an_answer__is_not_asked_again() -> None:
    def dial(address: str, port: int, seconds: float) -> socket.socket:
        return Breaking(fileno=system_dial(address, port, seconds).detach())

    sender = OutboundHttp(PublicOnly(allow_loopback=True), dial=dial)
    with (
        receiving(lambda _connection, request: b"HTTP/1.1 200" if request else OK) as receiver,
        sender.session() as kept,
    ):
        found = Line(receiver, kept, f"http://{HOST}:{receiver.port}/")
        found.post()
        with pytest.raises(HttpUnreachableError) as failed:
            found.post()
    assert (failed.value.failure, receiver.requests) == ("protocol", [0, 0])
