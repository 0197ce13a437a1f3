"""Idempotency records: one owner, one answer, for a day."""

import random
from functools import partial

import pytest

from abtest.ports.limits import IdempotencyClaim, StoredAnswer
from tests.contract.conftest import Ports
from tests.contract.records import at, concurrent, race

KEY = "key-id POST /api/v1/experiments 7f3a"
ANSWER = StoredAnswer(status=201, headers={"content-type": "application/json", "etag": '"1"'}, body=b'{"id":"1"}')
DAY = 24 * 3600


def _begin(ports: Ports, seconds: float, body_hash: str = "body", key: str = KEY) -> IdempotencyClaim:
    return ports.idempotency.begin(key, body_hash=body_hash, now=at(seconds))


def _finish(ports: Ports, seconds: float, body_hash: str = "body", answer: StoredAnswer = ANSWER) -> None:
    ports.idempotency.finish(KEY, body_hash=body_hash, answer=answer, now=at(seconds))


def test_begin__first_time__is_new_then_running_then_done(ports: Ports) -> None:
    assert _begin(ports, 0) == IdempotencyClaim(state="new")
    assert _begin(ports.another(), 1) == IdempotencyClaim(state="running")
    _finish(ports, 2)
    assert _begin(ports.another(), 3) == IdempotencyClaim(state="done", answer=ANSWER)


def test_begin__other_body__is_a_mismatch_while_running_and_when_done(ports: Ports) -> None:
    _begin(ports, 0)
    assert _begin(ports, 1, "other").state == "mismatch"
    _finish(ports, 2)
    assert _begin(ports, 3, "other").state == "mismatch"


def test_begin__other_key__is_new(ports: Ports) -> None:
    _begin(ports, 0)
    assert _begin(ports, 0, key=KEY + "x").state == "new"
    assert _begin(ports, 0, key="/" * 9000).state == "new"


def test_begin__owner_died__is_new_after_sixty_seconds_and_not_before(ports: Ports) -> None:
    _begin(ports, 0)
    assert _begin(ports, 59.999).state == "running"
    assert _begin(ports, 60, "other").state == "new"
    assert _begin(ports, 61, "other").state == "running"


def test_begin__a_day_after_the_answer__is_new(ports: Ports) -> None:
    _begin(ports, 0)
    _finish(ports, 10)
    assert _begin(ports, DAY + 9.999).state == "done"
    assert _begin(ports, DAY + 10).state == "new"


def test_finish__after_another_took_over_with_another_body__changes_nothing(ports: Ports) -> None:
    _begin(ports, 0)
    _begin(ports, 60, "other")
    _finish(ports, 61)
    assert _begin(ports, 62, "other").state == "running"


def test_finish__twice__keeps_the_first_answer(ports: Ports) -> None:
    _begin(ports, 0)
    _finish(ports, 1)
    _finish(ports, 2, answer=StoredAnswer(status=500, headers={}, body=b""))
    assert _begin(ports, 3).answer == ANSWER


def test_finish__without_a_claim__keeps_nothing(ports: Ports) -> None:
    _finish(ports, 1)
    assert _begin(ports, 2).state == "new"


def test_abandon__running__frees_the_key(ports: Ports) -> None:
    _begin(ports, 0)
    ports.idempotency.abandon(KEY)
    ports.idempotency.abandon(KEY)
    assert _begin(ports, 1).state == "new"


def test_abandon__answered__keeps_the_answer(ports: Ports) -> None:
    _begin(ports, 0)
    _finish(ports, 1)
    ports.idempotency.abandon(KEY)
    assert _begin(ports, 2).state == "done"


@pytest.mark.parametrize("size", [0, 1, 400_000, 1_500_000])
def test_answer__of_any_size__comes_back_whole(ports: Ports, size: int) -> None:
    answer = StoredAnswer(status=200, headers={}, body=random.Random(size).randbytes(size))
    _begin(ports, 0)
    _finish(ports, 1, answer=answer)
    assert _begin(ports.another(), 2).answer == answer


@concurrent
def test_begin__many_callers_at_once__exactly_one_is_new(ports: Ports) -> None:
    for turn in range(5):
        outcomes = race(*[partial(_begin, ports, turn * 60)] * 5)
        states = [outcome.state for outcome in outcomes if isinstance(outcome, IdempotencyClaim)]
        assert sorted(states) == ["new"] + ["running"] * 4
