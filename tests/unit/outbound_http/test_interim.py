"""Answers that only say that one will come."""

from __future__ import annotations

import pytest
import trustme

from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.domain.egress.targets import PublicOnly
from abtest.ports.http_sender import HttpAnswer, HttpUnreachableError
from tests.unit.outbound_http.receivers import Last, receiving
from tests.unit.outbound_http.servers import PUBLIC_ADDRESS, Net, answer, certified

NAME = "shop.example"
OK = answer(body=b"ok")
HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"


def posted(said: bytes, *, seconds: float = 5, times: int = 1) -> tuple[list[HttpAnswer], list[int]]:
    """Answers of a receiver that says this each time, and the connections on which requests came."""
    sender = OutboundHttp(PublicOnly(allow_loopback=True), Limits(seconds=seconds))
    with receiving(lambda _connection, _request: said) as receiver, sender.session() as kept:
        url = f"http://127.0.0.1:{receiver.port}/"
        return [kept.post(url, b"{}", headers={}) for _ in range(times)], receiver.requests


@pytest.mark.parametrize(
    "interim",
    [
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 102 Processing\r\n\r\n",
        HINTS,
        b"HTTP/1.1 199 Odd\r\n\r\n",
        b"HTTP/1.1 103 Early Hints\r\nContent-Length: 7\r\nConnection: close\r\n\r\n",
        b"HTTP/1.1 102 Processing\r\n\r\n" * 20 + HINTS,
    ],
    ids=["100", "102", "103", "one that nobody knows", "with headers of an answer", "many"],
)
def test_interim__before_the_answer__is_read_past(interim: bytes) -> None:
    answers, connections = posted(interim + OK, times=3)
    assert [(found.status, found.body, "link" in found.headers) for found in answers] == [(200, b"ok", False)] * 3
    assert connections == [0] * 3


def test_interim__before_the_answer_under_tls__is_read_past() -> None:
    authority = trustme.CA()
    net = Net(names={NAME: [PUBLIC_ADDRESS]})
    with receiving(lambda _connection, _request: HINTS + OK, certified(authority, NAME)) as receiver:
        net.ports[PUBLIC_ADDRESS] = receiver.port
        assert net.sender(authority).post(f"https://{NAME}/", b"{}", headers={}).status == 200


def test_interim__before_what_is_fetched__is_read_past() -> None:
    with receiving(lambda _connection, _request: HINTS + OK) as receiver:
        sender = OutboundHttp(PublicOnly(allow_loopback=True))
        assert sender.get(f"http://127.0.0.1:{receiver.port}/", headers={}).body == b"ok"


def test_interim__as_much_as_headers_may_be__is_read_past() -> None:
    ((answered,), _) = posted(HINTS * 1000 + OK)
    assert answered.status == 200


@pytest.mark.parametrize(
    ("said", "failure"),
    [
        (Last(HINTS), "protocol"),
        (Last(HINTS[:-2]), "protocol"),
        (HINTS, "timeout"),
        (HINTS * 2000, "protocol"),
        (b"HTTP/1.1 102 Processing\r\n" + b"X-Much: a\r\n" * 200 + b"\r\n" + OK, "protocol"),
    ],
    ids=["nothing", "an end amid its headers", "silence", "more than headers may be", "too many headers"],
)
def test_interim__without_an_answer_within_bounds__is_unreachable(said: bytes, failure: str) -> None:
    with pytest.raises(HttpUnreachableError) as failed:
        posted(said, seconds=0.5 if failure == "timeout" else 5)
    assert failed.value.failure == failure
