"""The proxy of browsers: every connection is checked, goes to the address that was checked, and has an end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress

import pytest

from abtest.adapters.browser import egress_proxy
from abtest.adapters.browser.egress_proxy import EgressProxy
from abtest.domain.egress.targets import PublicOnly

LOCAL = PublicOnly(allow_loopback=True)
PUBLIC = "93.184.215.14"


class Names:
    """Resolver whose name answers a public address first, and this machine ever after."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self._answers = list(answers)
        self.lookups = 0

    def __call__(self, host: str, port: int) -> Sequence[str]:
        self.lookups += 1
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.write(b"echo " + await reader.read(1000))
    await writer.drain()
    writer.close()


def exchange(
    request: bytes | Callable[[int], bytes],
    *,
    rules: PublicOnly = LOCAL,
    reach: bool = True,
    resolve: Names | None = None,
    proxy: Callable[[EgressProxy], None] = lambda _: None,
) -> tuple[bytes, EgressProxy]:
    """Send bytes to a proxy next to a server that echoes, and return what comes back until the end."""

    async def run() -> tuple[bytes, EgressProxy]:
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        allowed: Collection[str] = {f"127.0.0.1:{port}"} if reach else ()
        tested = EgressProxy(rules=rules, may_reach=allowed, resolve=resolve or Names(["127.0.0.1"]))
        proxy(tested)
        reader, writer = await asyncio.open_connection("127.0.0.1", await tested.start())
        writer.write(request(port) if callable(request) else request)
        answer = await within(reader.read(), 5)
        writer.close()
        await tested.stop()
        server.close()
        return answer, tested

    return asyncio.run(run())


async def within(work: Awaitable[bytes], seconds: float) -> bytes:
    async with asyncio.timeout(seconds):
        return await work


def connect(host: str) -> Callable[[int], bytes]:
    return lambda port: f"CONNECT {host}:{port} HTTP/1.1\r\nHost: x\r\n\r\nhello".encode()


def test_tunnel__to_an_allowed_port_of_this_machine__passes_bytes() -> None:
    answer, _ = exchange(connect("127.0.0.1"))
    assert answer.startswith(b"HTTP/1.1 200 ")


def test_request__to_an_allowed_port__arrives_in_its_own_form_and_alone() -> None:
    def request(port: int) -> bytes:
        head = f"GET http://127.0.0.1:{port}/a?b=c HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
        return f"{head}Proxy-Connection: keep-alive\r\nConnection: keep-alive\r\nX-A: 1\r\n\r\n".encode()

    answer, _ = exchange(request)
    lines = answer.decode().split("\r\n")
    assert lines[0] == "echo GET /a?b=c HTTP/1.1"
    assert [line for line in lines if line.lower().startswith(("proxy-", "connection"))] == ["Connection: close"]
    assert "X-A: 1" in lines


@pytest.mark.parametrize(
    "host",
    [
        "10.0.0.1",
        "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]", "[fd00:ec2::254]", "2130706433", "0x7f.1", "0.0.0.0",
        "127.0.0.1%00.example", "a@127.0.0.1", "localhost.", "LOCALHOST", "metadata.internal", "printer", "shop.local",
    ],
)  # fmt: skip
def test_tunnel__to_an_address_that_is_not_public__is_refused(host: str) -> None:
    answer, proxy = exchange(connect(host))
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert len(proxy.refused) == 1


@pytest.mark.parametrize("is_local_stack", [True, False])
def test_tunnel__to_this_machine__is_refused_unless_the_job_has_it_and_the_deployment_allows_it(
    is_local_stack: bool,
) -> None:
    answer, _ = exchange(connect("127.0.0.1"), rules=PublicOnly(is_local_stack), reach=not is_local_stack)
    assert answer.startswith(b"HTTP/1.1 403 ")


def test_request__that_is_refused__gets_no_response_that_a_page_could_show() -> None:
    answer, proxy = exchange(b"GET http://10.0.0.1/ HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n")
    assert answer == b""
    assert list(proxy.refused) == ["10.0.0.1:80"]


def test_name__that_resolves_to_an_inner_address_among_public_ones__is_refused() -> None:
    answer, _ = exchange(b"CONNECT rebind.example:443 HTTP/1.1\r\n\r\n", resolve=Names([PUBLIC, "10.0.0.1"]))
    assert answer.startswith(b"HTTP/1.1 403 ")


def test_name__that_resolves_next_to_this_machine__is_connected_to_where_it_was_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    connected: list[tuple[str, int]] = []

    async def dial(address: str, port: int, **_: object) -> None:
        connected.append((address, port))
        raise OSError("no route")

    names = Names([PUBLIC], ["127.0.0.1"])
    real = asyncio.open_connection

    async def open_connection(host: str, port: int, **options: int) -> object:
        return await (real(host, port) if not options else dial(host, port))

    monkeypatch.setattr(asyncio, "open_connection", open_connection)
    request = b"CONNECT rebind.example:443 HTTP/1.1\r\n\r\n"
    first, _ = exchange(request, resolve=names)
    second, _ = exchange(request, resolve=names)
    assert (first[:13], second[:13]) == (b"HTTP/1.1 502 ", b"HTTP/1.1 403 ")
    assert (connected, names.lookups) == ([(PUBLIC, 443)], 2)


@pytest.mark.parametrize(
    "request_",
    [
        b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"CONNECT\r\n\r\n",
        b"CONNECT 127.0.0.1:x HTTP/1.1\r\n\r\n",
        b"GET ftp://127.0.0.1/ HTTP/1.1\r\n\r\n",
        b"GET http://127.0.0.1/ HTTP/2\r\n\r\n",
        b"\xff\xfe http://127.0.0.1/ HTTP/1.1\r\n\r\n",
        b"GET http://x/ HTTP/1.1\r\nA: " + b"a" * egress_proxy.MAX_HEAD_BYTES + b"\r\n\r\n",
    ],
    ids=range(8),
)
def test_bytes__that_are_not_a_request_to_a_proxy__end_the_connection(request_: bytes) -> None:
    answer, proxy = exchange(request_)
    assert b" 200 " not in answer
    assert proxy.transferred == 0


def test_head__that_does_not_end__ends_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(egress_proxy, "HEAD_SECONDS", 0.2)
    answer, _ = exchange(b"CONNECT 127.0.0.1:443 HT")
    assert answer == b""


def test_tunnel__in_which_nothing_moves__ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(egress_proxy, "SILENCE_SECONDS", 0.2)
    answer, _ = exchange(lambda port: f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode())
    assert answer == b"HTTP/1.1 200 Connection established\r\n\r\n"


def test_bytes__beyond_the_limit_of_a_job__are_not_passed_on() -> None:
    def nearly_full(proxy: EgressProxy) -> None:
        proxy.max_bytes, proxy.transferred = 1000, 990

    answer, _ = exchange(lambda port: connect("127.0.0.1")(port) + b"x" * 100, proxy=nearly_full)
    assert b"echo" not in answer


def test_connections__after_the_limit_of_bytes__are_refused() -> None:
    def full(proxy: EgressProxy) -> None:
        proxy.transferred = proxy.max_bytes

    answer, proxy = exchange(connect("127.0.0.1"), proxy=full)
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert "transferred too much" in next(iter(proxy.refused.values()))


def test_connections__beyond_the_limit__are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(egress_proxy, "MAX_CONNECTIONS", 0)
    answer, _ = exchange(connect("127.0.0.1"))
    assert b"too many connections" in answer


def test_reasons__of_any_number_of_hosts__are_kept_for_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(egress_proxy, "MAX_REASONS", 0)
    _, proxy = exchange(connect("10.0.0.1"))
    assert not proxy.refused


def test_stop__ends_open_tunnels() -> None:
    async def run() -> bytes:
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        proxy = EgressProxy(rules=LOCAL, may_reach={f"127.0.0.1:{port}"})
        reader, writer = await asyncio.open_connection("127.0.0.1", await proxy.start())
        writer.write(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode())
        await within(reader.readuntil(b"\r\n\r\n"), 5)
        await proxy.stop()
        server.close()
        left = b""
        with suppress(ConnectionError):
            left = await within(reader.read(), 5)
        writer.close()
        return left

    assert asyncio.run(run()) == b""
