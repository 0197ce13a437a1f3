"""Connections that wait for the next request of a session, and how they are made."""

from __future__ import annotations

import socket

from abtest.adapters.outbound_http.connections import MAX_IDLE, Connection, Idle, Origin, system_dial

NAME = "shop.example"


def _pair(address: str = "1.1.1.1", host: str = NAME) -> tuple[Connection, socket.socket]:
    ours, theirs = socket.socketpair()
    return Connection(ours, Origin("https", host, 443), address), theirs


def _is_hung_up(theirs: socket.socket) -> bool:
    theirs.setblocking(False)
    try:
        return theirs.recv(1) == b""
    except BlockingIOError:
        return False


def test_idle__more_than_fit__are_closed_and_another_origin_has_room_of_its_own() -> None:
    idle = Idle()
    pairs = [_pair() for _ in range(MAX_IDLE + 1)] + [_pair(host="other.example")]
    for connection, _ in pairs:
        idle.give(connection)
    assert [_is_hung_up(theirs) for _, theirs in pairs] == [False] * MAX_IDLE + [True, False]
    idle.close()
    for number, (_, theirs) in enumerate(pairs):
        with theirs:
            assert number == MAX_IDLE or _is_hung_up(theirs)


def test_idle__given_back_after_the_session__is_closed() -> None:
    idle = Idle()
    idle.close()
    connection, theirs = _pair()
    with theirs:
        idle.give(connection)
        assert _is_hung_up(theirs)


def test_system_dial__sends_at_once() -> None:
    """Head and body are two writes: the second would wait for a receiver's late acknowledgement of the first."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with system_dial("127.0.0.1", port, 5) as connected:
            assert connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
