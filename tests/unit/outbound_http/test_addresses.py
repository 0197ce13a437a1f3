"""What the outbound client connects to: what was checked, and nothing else."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence

import pytest
import trustme

from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.domain.egress.targets import PublicOnly, UrlNotAllowedError, endpoints
from abtest.ports.http_sender import HttpUnreachableError
from tests.unit.outbound_http.servers import PUBLIC_ADDRESS, Net, answer, certified, listening, says

NAME = "shop.example"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def net() -> Net:
    return Net(names={NAME: [PUBLIC_ADDRESS]})


@pytest.fixture
def heads(net: Net, authority: trustme.CA) -> Iterator[list[bytes]]:
    """What a shop under TLS was asked; it says hello."""
    with listening(says(answer(body=b"hello", Content_Type="text/html")), certified(authority, NAME)) as (port, heads):
        net.ports[PUBLIC_ADDRESS] = port
        yield heads


def test_get__over_tls__reaches_the_checked_address_under_its_name(
    net: Net, authority: trustme.CA, heads: list[bytes]
) -> None:
    found = net.sender(authority).get(f"https://{NAME}/a?b=c#d", headers={"User-Agent": "check"})
    assert (found.status, found.content_type, found.body, found.is_whole) == (200, "text/html", b"hello", True)
    assert found.url == f"https://{NAME}/a?b=c"
    assert (net.looked_up, net.dialled) == ([NAME], [PUBLIC_ADDRESS])
    lines = heads[0].decode().split("\r\n")
    assert lines[0] == "GET /a?b=c HTTP/1.1"
    assert {f"Host: {NAME}", "User-Agent: check", "Accept-Encoding: identity", "Connection: close"} <= set(lines)


def test_get__certificate_of_another_name__is_unreachable(net: Net, authority: trustme.CA) -> None:
    with listening(says(answer()), certified(authority, "other.example")) as (port, heads):
        net.ports[PUBLIC_ADDRESS] = port
        with pytest.raises(HttpUnreachableError) as failed:
            net.sender(authority).get(f"https://{NAME}/", headers={})
    assert (failed.value.failure, heads) == ("tls", [])


def test_get__certificate_of_an_unknown_authority__is_unreachable(net: Net, heads: list[bytes]) -> None:
    with pytest.raises(HttpUnreachableError) as failed:
        net.sender().get(f"https://{NAME}/", headers={})
    assert (failed.value.failure, heads) == ("tls", [])


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fd00:ec2::254", "fe80::1%2"])
def test_get__name_of_a_private_address__is_refused_before_anything_is_dialled(net: Net, address: str) -> None:
    net.names[NAME] = [PUBLIC_ADDRESS, address]
    with pytest.raises(UrlNotAllowedError):
        net.sender().get(f"https://{NAME}/", headers={})
    assert net.dialled == []


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "10.0.0.1", "[::ffff:a00:1]", "169.254.169.254"])
def test_get__private_address_itself__is_refused_before_anything_is_dialled(net: Net, host: str) -> None:
    with pytest.raises(UrlNotAllowedError):
        net.sender().get(f"https://{host}/", headers={})
    assert (net.looked_up, net.dialled) == ([], [])


def test_get__resolver_that_answers_differently_the_second_time__gets_no_second_time(
    net: Net, authority: trustme.CA, heads: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([[PUBLIC_ADDRESS], ["127.0.0.1"], ["127.0.0.1"]])

    def rebinding(_host: str, _port: int) -> Sequence[str]:
        return next(answers)

    monkeypatch.setattr(net, "resolve", rebinding)
    assert net.sender(authority).get(f"https://{NAME}/", headers={}).body == b"hello"
    assert net.dialled == [PUBLIC_ADDRESS]
    with pytest.raises(UrlNotAllowedError):
        net.sender(authority).get(f"https://{NAME}/", headers={})
    assert net.dialled == [PUBLIC_ADDRESS]


def test_get__first_address_does_not_answer__tries_the_next(
    net: Net, authority: trustme.CA, heads: list[bytes]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        net.ports["1.0.0.1"] = closed.getsockname()[1]
    net.names[NAME] = ["1.0.0.1", PUBLIC_ADDRESS]
    assert net.sender(authority).get(f"https://{NAME}/", headers={}).body == b"hello"
    assert net.dialled == ["1.0.0.1", PUBLIC_ADDRESS]


def test_get__name_that_does_not_resolve__is_unreachable(net: Net) -> None:
    unusable: list[dict[str, Sequence[str]]] = [{}, {NAME: []}, {NAME: [PUBLIC_ADDRESS] * 33}]
    for names in unusable:
        net.names = names
        with pytest.raises(HttpUnreachableError) as failed:
            net.sender().get(f"https://{NAME}/", headers={})
        assert failed.value.failure == "dns"


def test_get__proxy_and_netrc_of_the_environment__are_not_asked(
    net: Net, authority: trustme.CA, heads: list[bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    (tmp_path / ".netrc").write_text(f"machine {NAME} login somebody password secret\n")  # type: ignore[operator]
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "HTTP_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert net.sender(authority).get(f"https://{NAME}/", headers={}).status == 200
    assert b"uthorization" not in heads[0]


def test_get__redirect__is_not_followed_unless_asked(net: Net, authority: trustme.CA) -> None:
    with listening(says(answer("302 Found", Location="/next")), certified(authority, NAME)) as (port, heads):
        net.ports[PUBLIC_ADDRESS] = port
        found = net.sender(authority).get(f"https://{NAME}/", headers={})
    assert (found.status, found.headers["location"], len(heads)) == (302, "/next", 1)


def _leads(net: Net, authority: trustme.CA, places: dict[str, bytes], redirects: int) -> tuple[bytes, str, int]:
    """Body and address that were reached by following from `/`, and how many requests came."""

    def talk(connection: socket.socket, head: bytes) -> None:
        connection.sendall(places[head.split(b" ")[1].decode()])

    with listening(talk, certified(authority, NAME, "www.shop.example")) as (port, heads):
        net.ports[PUBLIC_ADDRESS] = port
        found = net.sender(authority).get(f"https://{NAME}/", headers={}, redirects=redirects)
        return found.body, found.url, len(heads)


def test_get__redirects_within_what_is_allowed__are_followed_to_the_end(net: Net, authority: trustme.CA) -> None:
    net.names["www.shop.example"] = [PUBLIC_ADDRESS]
    places = {
        "/": answer("301 Moved", Location="https://www.shop.example/1"),
        "/1": answer("307 Temporary", Location="2?x"),
        "/2?x": answer("303 Other", Location="/3"),
        "/3": answer(body=b"there"),
    }
    assert _leads(net, authority, places, 3) == (b"there", "https://www.shop.example/3", 4)
    assert net.looked_up == [NAME, "www.shop.example", "www.shop.example", "www.shop.example"]


def test_get__one_redirect_too_many__is_unreachable(net: Net, authority: trustme.CA) -> None:
    with pytest.raises(HttpUnreachableError) as failed:
        _leads(net, authority, {"/": answer("302 Found", Location="/")}, 3)
    assert failed.value.failure == "redirects"


@pytest.mark.parametrize(
    "location",
    [
        *(
            "https://10.0.0.1/",
            "https://169.254.169.254/latest/",
            "https://[::1]/",
            "http://shop.example/",
            "https://a@b.example",
        ),
        *(
            "https://shop.example:8443/",
            "https://inner.example/",
            "file:///etc/passwd",
            "https://0x7f.1/",
            "\\\\evil.example",
        ),
        *("https://localhost/", "gopher://shop.example/", "https://metadata.google.internal/"),
    ],
)
def test_get__redirect_to_where_none_may_go__is_refused(net: Net, authority: trustme.CA, location: str) -> None:
    net.names |= {"inner.example": ["10.0.0.1"], "localhost": ["127.0.0.1"]}
    with pytest.raises(UrlNotAllowedError):
        _leads(net, authority, {"/": answer("302 Found", Location=location)}, 3)
    assert net.dialled == [PUBLIC_ADDRESS]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_get__loopback_by_http__works_only_where_it_is_allowed(host: str) -> None:
    with listening(says(answer(body=b"local"))) as (port, heads):
        url = f"http://{host}:{port}/"
        local = OutboundHttp(PublicOnly(allow_loopback=True), Limits(seconds=5))
        assert local.get(url, headers={}).body == b"local"
        with pytest.raises(UrlNotAllowedError):
            OutboundHttp(PublicOnly()).get(url, headers={})
        assert f"Host: {host}:{port}".encode() in heads[0]
        assert len(heads) == 1


@pytest.mark.parametrize("header", ["a\r\nX-Evil: b", "a\nb"])
def test_post__header_with_a_line_break__is_not_sent(
    net: Net, authority: trustme.CA, heads: list[bytes], header: str
) -> None:
    with pytest.raises(HttpUnreachableError):
        net.sender(authority).post(f"https://{NAME}/", b"{}", headers={"X-Name": header})
    assert all(b"X-Evil" not in head for head in heads)


def test_endpoints__are_host_and_port_of_each_address_that_a_request_may_have() -> None:
    urls = ["https://lamps.example/a", "http://127.0.0.1:8402/b", "https://[2001:db8::1]/", "https://u@x.example/", "?"]
    assert endpoints(urls) == {"lamps.example:443", "127.0.0.1:8402", "2001:db8::1:443"}
