"""URLs and DNS answers that would lead inside: each is refused, and no socket is opened on the way to the refusal.

Nothing is in the place of the client's own dialling: what is spied on is the `connect` of every socket there is.
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Callable, Iterator, Sequence
from ipaddress import ip_address, ip_network
from typing import Any

import pytest
import trustme

from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.adapters.outbound_http.connections import system_dial
from abtest.domain.egress.networks import REFUSED
from abtest.domain.egress.targets import PublicOnly, UrlNotAllowedError
from abtest.ports.http_sender import HttpUnreachableError
from tests.unit.egress.test_networks import NOT_PUBLIC
from tests.unit.egress.test_targets import HOSTILE
from tests.unit.outbound_http.servers import PUBLIC_ADDRESS, answer, certified, listening

NAME = "shop.example"
PUBLIC_IPV6 = "2606:4700:4700::1111"

Call = Callable[[OutboundHttp, str], object]


def _in_a_session(sender: OutboundHttp, url: str) -> None:
    with sender.session() as kept:
        kept.post(url, b"{}", headers={})


CALLS: dict[str, Call] = {
    "check": lambda sender, url: sender.check(url),
    "post": lambda sender, url: sender.post(url, b"{}", headers={}),
    "get": lambda sender, url: sender.get(url, headers={}, redirects=3),
    "session": _in_a_session,
}

LITERALS = [
    f"https://{f'[{address}]' if ':' in address else address}{path}"
    for address in NOT_PUBLIC
    for path in ("/", ":443/latest/meta-data/")
]
"""The addresses themselves, as URLs."""

SCHEMES = [f"{scheme}://{NAME}/" for scheme in ("http", "ftp", "gopher", "dict", "ldap", "tftp", "jar", "file", "ws")]
PORTS = [f"https://{NAME}:{port}/" for port in (0, 1, 22, 25, 80, 2375, 3306, 5432, 6379, 8080, 8443, 9200, 65535)]
URLS = [*dict.fromkeys([*HOSTILE, *LITERALS, *SCHEMES, *PORTS])]

_ENDS = [str(ip_network(network)[place]) for network, _ in REFUSED for place in (0, -1)]
_INNER = [*dict.fromkeys([*NOT_PUBLIC, *_ENDS, "fe80::1%1", "fe80::1%eth0", f"{PUBLIC_IPV6}%2"])]
ANSWERS: list[list[str]] = [[inner] for inner in _INNER]
"""What a name stands for: an inner address alone, …"""

ANSWERS += [[PUBLIC_ADDRESS, inner] for inner in _INNER] + [[inner, PUBLIC_IPV6] for inner in _INNER[::4]]
"""… or hidden among public ones."""


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Where sockets were connected to, by whomever."""
    found: list[Any] = []

    def connect(_socket: socket.socket, address: Any) -> None:
        found.append(address)
        raise OSError("nothing is connected to here")

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, connect)
    return found


def _resolving(addresses: Sequence[str]) -> OutboundHttp:
    return OutboundHttp(PublicOnly(), Limits(seconds=5), resolve=lambda _host, _port: addresses)


def test_lists__are_as_long_as_they_are_said_to_be() -> None:
    assert len(URLS) >= 150
    assert len(ANSWERS) >= 150


@pytest.mark.parametrize("url", URLS)
def test_hostile_url__though_its_name_were_public__is_refused_with_no_socket_opened(
    connected: list[Any], url: str
) -> None:
    for call in CALLS.values():
        with pytest.raises(UrlNotAllowedError) as refused:
            call(_resolving([PUBLIC_ADDRESS]), url)
        assert (refused.value.status, refused.value.code, connected) == (422, "url_not_allowed", [])


@pytest.mark.parametrize("addresses", ANSWERS, ids=" ".join)
def test_hostile_answer__of_the_resolver__is_refused_with_no_socket_opened(
    connected: list[Any], addresses: list[str]
) -> None:
    for call in CALLS.values():
        with pytest.raises(UrlNotAllowedError) as refused:
            call(_resolving(addresses), f"https://{NAME}/")
        assert (refused.value.code, connected) == ("url_not_allowed", [])


@pytest.mark.parametrize("text", ["", "shop", "1.2.3", "0x7f000001", "127.0.0.1\n", "::ffff:1.2.3.4.5", "[::1]"])
def test_hostile_answer__that_is_no_address__is_refused_with_no_socket_opened(connected: list[Any], text: str) -> None:
    for call in CALLS.values():
        with pytest.raises(UrlNotAllowedError):
            call(_resolving([text]), f"https://{NAME}/")
        with pytest.raises(UrlNotAllowedError):
            call(_resolving([PUBLIC_ADDRESS, text]), f"https://{NAME}/")
    assert connected == []


def test_spy__public_answer__is_seen_to_be_connected_to(connected: list[Any]) -> None:
    """The spy can see: otherwise the tests above would say nothing."""
    for call in (CALLS["post"], CALLS["get"], CALLS["session"]):
        with pytest.raises(HttpUnreachableError):
            call(_resolving([PUBLIC_ADDRESS]), f"https://{NAME}/")
    assert connected == [(PUBLIC_ADDRESS, 443)] * 3


def test_resolver_that_changes_its_mind__after_registration__is_caught_at_sending(connected: list[Any]) -> None:
    answers = iter([[PUBLIC_ADDRESS], ["169.254.169.254"]])
    sender = OutboundHttp(PublicOnly(), resolve=lambda _host, _port: next(answers))
    sender.check(f"https://{NAME}/")
    with pytest.raises(UrlNotAllowedError):
        sender.post(f"https://{NAME}/", b"{}", headers={})
    assert connected == []


@pytest.fixture(scope="module")
def redirecting() -> Iterator[tuple[int, ssl.SSLContext]]:
    """A public shop that sends whoever asks `/?<hex of an address>` to that address; its port, and who trusts it."""
    authority = trustme.CA()

    def talk(connection: socket.socket, head: bytes) -> None:
        told = re.match(rb"GET /\?([0-9a-f]*) ", head)
        location = bytes.fromhex(told[1].decode()).decode() if told else "/"
        connection.sendall(answer("302 Found", Location=location))

    with listening(talk, certified(authority, NAME)) as (port, _):
        yield port, _trusting(authority)


@pytest.mark.parametrize("url", [*LITERALS, *SCHEMES, *PORTS, "https://inner.example/", "//10.0.0.1/", "https://[::1]"])
def test_redirect__to_a_hostile_url__is_refused_with_no_socket_opened(
    redirecting: tuple[int, ssl.SSLContext], url: str
) -> None:
    port, context = redirecting
    dialled: list[str] = []

    def dial(address: str, _port: int, seconds: float) -> socket.socket:
        dialled.append(address)
        return system_dial("127.0.0.1", port, seconds)

    sender = OutboundHttp(
        PublicOnly(),
        resolve=lambda host, _port: ["10.0.0.1"] if host == "inner.example" else [PUBLIC_ADDRESS],
        dial=dial,
        context=context,
    )
    with pytest.raises(UrlNotAllowedError):
        sender.get(f"https://{NAME}/?{url.encode().hex()}", headers={}, redirects=1)
    assert dialled == [PUBLIC_ADDRESS]


def _trusting(authority: trustme.CA) -> ssl.SSLContext:
    context = ssl.create_default_context()
    authority.configure_trust(context)
    return context


def test_inner_addresses__are_addresses_and_none_of_them_twice() -> None:
    assert all(ip_address(inner) for inner in _INNER)
    assert len(set(_INNER)) == len(_INNER)
