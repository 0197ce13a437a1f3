"""Certificates that are not right: nothing is sent under them. All are made here, by an authority made here."""

from __future__ import annotations

import datetime
import socket
import ssl
from collections.abc import Callable
from datetime import UTC

import pytest
import trustme

from abtest.adapters.outbound_http import OutboundHttp
from abtest.domain.egress.targets import PublicOnly
from abtest.ports.http_sender import HttpUnreachableError
from tests.unit.outbound_http.servers import PUBLIC_ADDRESS, Net, answer, certified, listening, says

NAME = "hooks.shop.example"
LONG_AGO, YESTERDAY = datetime.datetime(2020, 1, 1, tzinfo=UTC), datetime.datetime(2020, 1, 2, tzinfo=UTC)
FAR_FUTURE, FARTHER = datetime.datetime(2900, 1, 1, tzinfo=UTC), datetime.datetime(2901, 1, 1, tzinfo=UTC)

Served = Callable[[trustme.CA], ssl.SSLContext]


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


def _issued(certificate: trustme.LeafCert) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return context


def _old_protocol(authority: trustme.CA) -> ssl.SSLContext:
    context = certified(authority, NAME)
    context.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1"):
        context.minimum_version = ssl.TLSVersion.TLSv1
    with pytest.warns(DeprecationWarning, match="TLSv1"):
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    return context


FAULTS: dict[str, Served] = {
    "another name": lambda authority: certified(authority, "hooks.other.example"),
    "the name above": lambda authority: certified(authority, "shop.example"),
    "a name beside": lambda authority: certified(authority, "www.shop.example"),
    "a wildcard one level too high": lambda authority: certified(authority, "*.example"),
    "the address in place of the name": lambda authority: certified(authority, PUBLIC_ADDRESS),
    "the name only where browsers stopped looking": lambda authority: _issued(
        authority.issue_cert("other.example", common_name=NAME)
    ),
    "expired": lambda authority: _issued(authority.issue_cert(NAME, not_before=LONG_AGO, not_after=YESTERDAY)),
    "not valid yet": lambda authority: _issued(authority.issue_cert(NAME, not_before=FAR_FUTURE, not_after=FARTHER)),
    "an authority nobody knows": lambda _authority: certified(trustme.CA(), NAME),
    "a protocol of the last century": _old_protocol,
}
RIGHT: dict[str, Served] = {
    "the name": lambda authority: certified(authority, NAME),
    "the name among others": lambda authority: certified(authority, "a.example", NAME),
    "a wildcard": lambda authority: certified(authority, "*.shop.example"),
}


def _net(port: int) -> Net:
    return Net(names={NAME: [PUBLIC_ADDRESS]}, ports={PUBLIC_ADDRESS: port})


@pytest.mark.parametrize("served", FAULTS.values(), ids=FAULTS)
def test_post__certificate_that_is_not_right__sends_nothing_and_says_that_it_is_tls(
    authority: trustme.CA, served: Served
) -> None:
    with listening(says(answer()), served(authority)) as (port, heads):
        net = _net(port)
        with net.sender(authority).session() as sender:
            for _ in range(2):
                with pytest.raises(HttpUnreachableError) as failed:
                    sender.post(f"https://{NAME}/", b"signed", headers={})
                assert failed.value.failure == "tls"
    assert (heads, net.dialled) == ([], [PUBLIC_ADDRESS] * 2)


@pytest.mark.parametrize("served", RIGHT.values(), ids=RIGHT)
def test_post__certificate_that_is_right__arrives(authority: trustme.CA, served: Served) -> None:
    with listening(says(answer("204 No Content")), served(authority)) as (port, heads):
        assert _net(port).sender(authority).post(f"https://{NAME}/", b"signed", headers={}).status == 204
    assert len(heads) == 1


@pytest.mark.parametrize("names", [("93.184.215.14",), ("shop.example", "93.184.215.14")])
def test_post__to_an_address_itself__wants_a_certificate_of_that_address(
    authority: trustme.CA, names: tuple[str, ...]
) -> None:
    with listening(says(answer()), certified(authority, *names)) as (port, _):
        assert _net(port).sender(authority).post(f"https://{PUBLIC_ADDRESS}/", b"", headers={}).status == 200


def test_post__to_an_address_itself_with_a_certificate_of_a_name__sends_nothing(authority: trustme.CA) -> None:
    with listening(says(answer()), certified(authority, NAME)) as (port, heads):
        with pytest.raises(HttpUnreachableError) as failed:
            _net(port).sender(authority).post(f"https://{PUBLIC_ADDRESS}/", b"", headers={})
        assert (failed.value.failure, heads) == ("tls", [])


@pytest.mark.parametrize("said", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\x15\x03\x01\x00\x02\x02\x28", b""])
def test_post__to_what_speaks_no_tls__says_that_it_is_tls(said: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        net = _net(server.getsockname()[1])

        def dial(address: str, port: int, seconds: float) -> socket.socket:
            """Connects, and has the other side say its word and hang up before anything is asked."""
            connected = net.dial(address, port, seconds)
            accepted, _ = server.accept()
            with accepted:
                accepted.sendall(said)
                accepted.shutdown(socket.SHUT_WR)
            return connected

        sender = OutboundHttp(PublicOnly(), resolve=net.resolve, dial=dial)
        with pytest.raises(HttpUnreachableError) as failed:
            sender.post(f"https://{NAME}/", b"signed", headers={})
    assert failed.value.failure == "tls"


def test_post__server_name_and_host__are_the_name_though_an_address_is_dialled(authority: trustme.CA) -> None:
    told: list[str | None] = []
    context = certified(authority, NAME)

    def note(_socket: ssl.SSLObject, name: str, _context: ssl.SSLContext) -> None:
        told.append(name)

    context.sni_callback = note
    with listening(says(answer()), context) as (port, heads):
        _net(port).sender(authority).post(f"https://{NAME}/x", b"", headers={})
    assert told == [NAME]
    assert f"Host: {NAME}\r\n".encode() in heads[0]
