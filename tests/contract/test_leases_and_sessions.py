"""Leases have one holder; sessions end when they said they would."""

from functools import partial

import pytest

from tests.contract.conftest import Ports
from tests.contract.records import at, concurrent, race


def _acquire(ports: Ports, owner: str, seconds: float) -> bool:
    return ports.leases.acquire("cron_rollup", owner=owner, seconds=60, now=at(seconds))


def test_lease__held__keeps_others_out_until_it_ends(ports: Ports) -> None:
    assert _acquire(ports, "a", 0)
    assert not _acquire(ports.another(), "b", 59.999)
    assert _acquire(ports.another(), "b", 60)
    assert not _acquire(ports, "a", 61)


def test_lease__acquired_again_by_its_holder__is_prolonged(ports: Ports) -> None:
    assert _acquire(ports, "a", 0)
    assert _acquire(ports, "a", 50)
    assert not _acquire(ports, "b", 70)
    assert _acquire(ports, "b", 110)


def test_lease__renewed__is_prolonged_for_its_holder_alone(ports: Ports) -> None:
    def renew(owner: str, seconds: float) -> bool:
        return ports.another().leases.renew("cron_rollup", owner=owner, seconds=60, now=at(seconds))

    assert not renew("a", 0), "it is not taken"
    assert _acquire(ports, "a", 0)
    assert not renew("b", 1)
    assert renew("a", 50)
    assert not _acquire(ports, "b", 70)
    assert renew("a", 120), "it had expired, but is still its own"
    assert _acquire(ports, "b", 180)
    assert not renew("a", 181)
    ports.leases.release("cron_rollup", owner="b")
    assert not renew("b", 182), "what was given back is not taken again by a late heartbeat"


def test_lease__from_its_beginning_to_its_end__is_held(ports: Ports) -> None:
    def is_held(seconds: float) -> bool:
        return ports.another().leases.is_held("cron_rollup", now=at(seconds))

    assert not is_held(0)
    _acquire(ports, "a", 0)
    assert (is_held(0), is_held(59.999), is_held(60)) == (True, True, False)
    assert not ports.leases.is_held("cron_launch", now=at())
    ports.leases.release("cron_rollup", owner="a")
    assert not is_held(1)


def test_lease__released_by_its_holder__is_free(ports: Ports) -> None:
    _acquire(ports, "a", 0)
    ports.leases.release("cron_rollup", owner="a")
    assert _acquire(ports, "b", 1)


def test_lease__released_by_somebody_else_or_twice__stays(ports: Ports) -> None:
    ports.leases.release("cron_rollup", owner="a")
    _acquire(ports, "a", 0)
    ports.leases.release("cron_rollup", owner="b")
    assert not _acquire(ports, "b", 1)


def test_leases__of_different_names__are_apart(ports: Ports) -> None:
    assert _acquire(ports, "a", 0)
    assert ports.leases.acquire("cron_launch", owner="b", seconds=60, now=at())


@concurrent
def test_lease__many_callers_at_once__exactly_one_holds_it(ports: Ports) -> None:
    for turn in range(5):
        assert race(*(partial(_acquire, ports, owner, turn * 60) for owner in "abcd")).count(True) == 1


def test_session__until_it_ends__gives_its_document(ports: Ports) -> None:
    ports.sessions.put("token", {"shop": "é", "list": [1, None]}, expires_at=at(60))
    assert ports.another().sessions.get("token", now=at(59.999)) == {"shop": "é", "list": [1, None]}
    assert ports.sessions.get("token", now=at(60)) is None


def test_session__put_again__replaces_document_and_end(ports: Ports) -> None:
    ports.sessions.put("token", {"turn": 1}, expires_at=at(60))
    ports.sessions.put("token", {"turn": 2}, expires_at=at(90))
    assert ports.sessions.get("token", now=at(70)) == {"turn": 2}


def test_session__replaced_by_two_at_once__keeps_the_first(ports: Ports) -> None:
    sessions, first = ports.sessions, {"jar": ["a"], "n": 1}
    assert not sessions.replace("token", {"jar": []}, before=first, expires_at=at(60))
    assert sessions.get("token", now=at()) is None
    sessions.put("token", first, expires_at=at(60))
    assert sessions.replace("token", {"jar": ["a", "b"]}, before=dict(reversed(first.items())), expires_at=at(90))
    assert not sessions.replace("token", {"jar": ["a", "c"]}, before=first, expires_at=at(90))
    assert sessions.get("token", now=at(80)) == {"jar": ["a", "b"]}


def test_session__created_twice__keeps_the_first_until_it_ends(ports: Ports) -> None:
    def create(number: int, seconds: float) -> bool:
        document = {"number": number}
        return ports.another().sessions.create("token", document, expires_at=at(seconds + 60), now=at(seconds))

    assert (create(1, 0), create(2, 59.999)) == (True, False)
    assert ports.sessions.get("token", now=at(59.999)) == {"number": 1}
    assert create(3, 60)
    assert ports.sessions.get("token", now=at(61)) == {"number": 3}


def test_session__taken__is_given_once(ports: Ports) -> None:
    ports.sessions.put("token", {"user": "a"}, expires_at=at(60))
    assert ports.sessions.take("token", now=at(60)) is None, "it has expired"
    ports.sessions.put("token", {"user": "a"}, expires_at=at(60))
    assert ports.another().sessions.take("token", now=at(1)) == {"user": "a"}
    assert ports.sessions.take("token", now=at(1)) is None


@concurrent
def test_session__taken_by_many_at_once__is_given_to_one(ports: Ports) -> None:
    for turn in range(5):
        ports.sessions.put(f"token-{turn}", {"user": "a"}, expires_at=at(60))
        taken = race(*[partial(ports.sessions.take, f"token-{turn}", now=at(1))] * 4)
        assert sorted(taken, key=str) == [None, None, None, {"user": "a"}]


def test_session__deleted__is_gone(ports: Ports) -> None:
    ports.sessions.put("token", {}, expires_at=at(60))
    for _ in range(2):
        ports.sessions.delete("token")
    assert ports.sessions.get("token", now=at()) is None


@pytest.mark.parametrize("session_id", ["", "unknown", "x" * 5000, "\ud800", "LEASE#cron_rollup"])
def test_session__id_that_nobody_made__is_none(ports: Ports, session_id: str) -> None:
    _acquire(ports, "a", 0)
    assert ports.sessions.get(session_id, now=at()) is None
