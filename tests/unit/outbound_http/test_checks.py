"""Whether a URL may be registered: asked of the rules and of the resolver, never of the address itself."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.domain.egress.targets import PublicOnly, UrlNotAllowedError
from tests.unit.outbound_http.servers import PUBLIC_ADDRESS, Net

NAME = "shop.example"


@pytest.fixture
def net() -> Net:
    return Net(names={NAME: [PUBLIC_ADDRESS]})


def test_check__public_name__is_let_through_and_nothing_is_dialled(net: Net) -> None:
    net.sender().check(f"https://{NAME}/hook")
    assert (net.looked_up, net.dialled) == ([NAME], [])


@pytest.mark.parametrize("addresses", [["10.0.0.1"], [PUBLIC_ADDRESS, "::1"], [], [PUBLIC_ADDRESS] * 33])
def test_check__name_that_stands_for_what_may_not_be_called__is_refused(net: Net, addresses: list[str]) -> None:
    net.names[NAME] = addresses
    with pytest.raises(UrlNotAllowedError):
        net.sender().check(f"https://{NAME}/hook")
    assert net.dialled == []


def test_check__name_that_does_not_resolve__says_so(net: Net) -> None:
    with pytest.raises(UrlNotAllowedError, match=r"unknown\.example does not resolve"):
        net.sender().check("https://unknown.example/hook")


def test_check__resolver_that_hangs__is_refused_at_the_deadline() -> None:
    gate = threading.Event()

    def hangs(_host: str, _port: int) -> Sequence[str]:
        gate.wait()
        return [PUBLIC_ADDRESS]

    sender = OutboundHttp(PublicOnly(), Limits(seconds=0.2), resolve=hangs)
    try:
        with pytest.raises(UrlNotAllowedError, match="cannot be called"):
            sender.check(f"https://{NAME}/")
    finally:
        gate.set()


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080/", "https://localhost/"])
def test_check__loopback__is_let_through_only_where_it_is_allowed(url: str) -> None:
    OutboundHttp(PublicOnly(allow_loopback=True)).check(url)
    with pytest.raises(UrlNotAllowedError):
        OutboundHttp(PublicOnly()).check(url)
