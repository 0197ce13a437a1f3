"""Connections that a session keeps: used again only where that is safe, and never at the price of a request."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
import trustme

from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.domain.egress.targets import PublicOnly, UrlNotAllowedError
from abtest.ports.http_sender import HttpUnreachableError
from tests.unit.outbound_http.receivers import Last, Receiver, receiving
from tests.unit.outbound_http.servers import PUBLIC_ADDRESS, Net, answer, certified, listening, says

NAME = "shop.example"
OTHER_ADDRESS = "93.184.215.15"
OK = answer(body=b"ok")


def always(content: bytes) -> Callable[[int, int], bytes | None]:
    return lambda _connection, _request: content


def local(**limits: float) -> OutboundHttp:
    return OutboundHttp(PublicOnly(allow_loopback=True), Limits(**{"seconds": 5, **limits}))  # type: ignore[arg-type]


def posted(receiver: Receiver, times: int) -> list[bytes]:
    """Bodies that came back for so many requests of one session."""
    with local().session() as sender:
        return [sender.post(f"http://127.0.0.1:{receiver.port}/", b"{}", headers={}).body for _ in range(times)]


def test_session__receiver_that_stays__is_connected_to_once() -> None:
    with receiving(always(OK)) as receiver:
        assert posted(receiver, 5) == [b"ok"] * 5
    assert receiver.requests == [0] * 5


def test_session__over_tls__shakes_hands_once() -> None:
    authority = trustme.CA()
    net = Net(names={NAME: [PUBLIC_ADDRESS]})
    with receiving(always(OK), certified(authority, NAME)) as receiver:
        net.ports[PUBLIC_ADDRESS] = receiver.port
        with net.sender(authority).session() as sender:
            assert [sender.post(f"https://{NAME}/", b"{}", headers={}).status for _ in range(4)] == [200] * 4
    assert (net.dialled, len(net.looked_up), receiver.requests) == ([PUBLIC_ADDRESS], 4, [0] * 4)


def test_post__outside_a_session__keeps_nothing() -> None:
    with receiving(always(OK)) as receiver:
        sender = local()
        for _ in range(3):
            sender.post(f"http://127.0.0.1:{receiver.port}/", b"{}", headers={})
    assert receiver.requests == [0, 1, 2]


@pytest.mark.parametrize(
    "said",
    [
        Last(answer(body=b"ok", Connection="close")),
        answer(body=b"ok", Connection="close"),
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nsurplus",
    ],
    ids=[
        "says close",
        "says close and stays",
        "HTTP/1.0",
        "a second answer nobody asked for",
        "more than the last chunk",
    ],
)
def test_session__answer_after_which_nothing_is_sure__is_the_last_of_its_connection(said: bytes) -> None:
    with receiving(always(said)) as receiver:
        assert posted(receiver, 3) == [b"ok"] * 3
    assert receiver.requests == [0, 1, 2]


@pytest.mark.parametrize(
    "said",
    [
        answer("204 No Content"),
        answer("500 Oh No", body=b"x" * 100),
        answer("302 Found", Location="http://10.0.0.1/"),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nTrailer: x\r\n\r\n",
    ],
    ids=["empty", "an error", "a redirect", "chunks"],
)
def test_session__whole_answer_of_any_kind__leaves_the_connection_usable(said: bytes) -> None:
    with receiving(always(said)) as receiver:
        posted(receiver, 3)
    assert receiver.requests == [0, 0, 0]


def test_session__body_that_was_cut__is_the_last_of_its_connection() -> None:
    with receiving(always(answer(body=b"x" * 5000))) as receiver, local(body_bytes=1000).session() as sender:
        url = f"http://127.0.0.1:{receiver.port}/"
        assert [sender.post(url, b"{}", headers={}).is_whole for _ in range(2)] == [False, False]
    assert receiver.requests == [0, 1]


def test_session__answer_that_nobody_asked_for_arrives_later__is_never_taken_for_an_answer() -> None:
    with receiving(always(OK)) as receiver, local().session() as sender:
        url = f"http://127.0.0.1:{receiver.port}/"
        sender.post(url, b"{}", headers={})
        receiver.open[0].sendall(answer(body=b"evil"))
        assert sender.post(url, b"{}", headers={}).body == b"ok"
    assert receiver.requests == [0, 1]


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def net() -> Net:
    return Net(names={NAME: [PUBLIC_ADDRESS]})


def _asked_as_the_name_changes(
    net: Net, authority: trustme.CA, answers: Sequence[Sequence[str]]
) -> tuple[list[int], list[str]]:
    """On which connections requests arrived while the name stood for these addresses, one answer a request."""
    with receiving(always(OK), certified(authority, NAME)) as receiver:
        net.ports |= {PUBLIC_ADDRESS: receiver.port, OTHER_ADDRESS: receiver.port}
        with net.sender(authority).session() as sender:
            for addresses in answers:
                net.names[NAME] = addresses
                sender.post(f"https://{NAME}/", b"{}", headers={})
    return receiver.requests, net.dialled


def test_session__name_that_moves__is_followed_and_the_old_connection_closed(net: Net, authority: trustme.CA) -> None:
    moves = [[PUBLIC_ADDRESS], [OTHER_ADDRESS], [OTHER_ADDRESS], [PUBLIC_ADDRESS]]
    assert _asked_as_the_name_changes(net, authority, moves) == (
        [0, 1, 1, 2],
        [PUBLIC_ADDRESS, OTHER_ADDRESS, PUBLIC_ADDRESS],
    )


def test_session__name_whose_addresses_change_places__keeps_its_connection(net: Net, authority: trustme.CA) -> None:
    moves = [[PUBLIC_ADDRESS, OTHER_ADDRESS], [OTHER_ADDRESS, PUBLIC_ADDRESS]]
    assert _asked_as_the_name_changes(net, authority, moves) == ([0, 0], [PUBLIC_ADDRESS])


@pytest.mark.parametrize("inner", [["10.0.0.1"], [PUBLIC_ADDRESS, "169.254.169.254"], ["::ffff:127.0.0.1"]])
def test_session__name_that_moves_inside__is_refused_though_a_connection_is_kept(
    net: Net, authority: trustme.CA, inner: list[str]
) -> None:
    with pytest.raises(UrlNotAllowedError):
        _asked_as_the_name_changes(net, authority, [[PUBLIC_ADDRESS], inner])
    assert net.dialled == [PUBLIC_ADDRESS]


def test_session__name_that_is_no_more__is_unreachable_though_a_connection_is_kept(
    net: Net, authority: trustme.CA
) -> None:
    with pytest.raises(HttpUnreachableError) as failed:
        _asked_as_the_name_changes(net, authority, [[PUBLIC_ADDRESS], []])
    assert failed.value.failure == "dns"


def test_session__other_name_of_the_same_address__gets_a_connection_of_its_own(net: Net, authority: trustme.CA) -> None:
    net.names["other.example"] = [PUBLIC_ADDRESS]
    with receiving(always(OK), certified(authority, NAME)) as receiver:
        net.ports[PUBLIC_ADDRESS] = receiver.port
        with net.sender(authority).session() as sender:
            sender.post(f"https://{NAME}/", b"{}", headers={})
            with pytest.raises(HttpUnreachableError) as failed:
                sender.post("https://other.example/", b"{}", headers={})
    assert (failed.value.failure, receiver.requests) == ("tls", [0])


def test_session__threads__never_share_a_connection_at_the_same_time() -> None:
    meeting = threading.Barrier(6, timeout=10)

    def script(_connection: int, _request: int) -> bytes:
        meeting.wait()  # six requests are under way at once, or nobody is answered
        return OK

    with receiving(script) as receiver, local(seconds=15).session() as sender, ThreadPoolExecutor(6) as pool:
        url = f"http://127.0.0.1:{receiver.port}/"
        for _ in range(5):
            assert [found.status for found in pool.map(lambda _: sender.post(url, b"{}", headers={}), range(6))] == [
                200
            ] * 6
    assert len(receiver.requests) == 30
    assert set(receiver.requests) == set(range(6))


def test_session__when_it_ends__hangs_up() -> None:
    with receiving(always(OK)) as receiver:
        posted(receiver, 1)
        assert receiver.left.wait(5)


def test_session__body_that_was_cut_before_the_rest_came__is_the_last_of_its_connection() -> None:
    begun = b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + b"x" * 1001
    with receiving(always(begun)) as receiver, local(body_bytes=1000).session() as sender:
        url = f"http://127.0.0.1:{receiver.port}/"
        assert [sender.post(url, b"{}", headers={}).is_whole for _ in range(2)] == [False, False]
    assert receiver.requests == [0, 1]


def test_session__answer_that_ends_http__is_the_last_of_its_connection() -> None:
    with receiving(always(b"HTTP/1.1 101 Switching Protocols\r\n\r\n")) as receiver:
        posted(receiver, 2)
    assert receiver.requests == [0, 1]


def test_session__asks_receivers_to_stay() -> None:
    with listening(says(OK)) as (port, heads), local().session() as sender:
        sender.post(f"http://127.0.0.1:{port}/", b"{}", headers={})
    assert b"\r\nConnection: keep-alive\r\n" in heads[0]
