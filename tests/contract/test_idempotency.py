"""Idempotency records: one owner, one answer, for a day."""

import random
from functools import partial
from secrets import token_hex

import pytest

from abtest.ports.limits import FirstRun, IdempotencyClaim, StoredAnswer
from tests.contract.conftest import Ports
from tests.contract.records import at, concurrent, race

KEY = "key-id POST /api/v1/experiments 7f3a"
ANSWER = StoredAnswer(status=201, headers={"content-type": "application/json", "etag": '"1"'}, body=b'{"id":"1"}')
DAY = 24 * 3600


def _begin(
    ports: Ports, seconds: float, body_hash: str = "body", key: str = KEY, token: str | None = None
) -> IdempotencyClaim:
    return ports.idempotency.begin(key, body_hash=body_hash, token=token or token_hex(16), now=at(seconds))


def _first(token: str, seconds: float) -> IdempotencyClaim:
    return IdempotencyClaim(state="new", run=FirstRun(token=token, begun_at=at(seconds)))


def _continued(token: str, seconds: float) -> IdempotencyClaim:
    return IdempotencyClaim(state="new", run=FirstRun(token=token, begun_at=at(seconds), is_repeated=True))


def _finish(ports: Ports, seconds: float, body_hash: str = "body", answer: StoredAnswer = ANSWER) -> None:
    ports.idempotency.finish(KEY, body_hash=body_hash, answer=answer, now=at(seconds))


def test_begin__first_time__is_new_then_running_then_done(ports: Ports) -> None:
    assert _begin(ports, 0, token="a") == _first("a", 0)
    assert _begin(ports.another(), 1) == IdempotencyClaim(state="running", retry_after=59)
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
    _begin(ports, 0, token="a")
    ports.idempotency.abandon(KEY, token="a", now=at(0.5))
    ports.idempotency.abandon(KEY, token="a", now=at(0.5))
    assert _begin(ports.another(), 0.5, token="b") == _continued("a", 0)
    ports.idempotency.abandon(KEY, token="b", now=at(0.6))
    assert _begin(ports, 0.7, "other", token="c") == _first("c", 0.7)


def test_abandon__by_a_run_that_lost_its_claim__frees_nothing(ports: Ports) -> None:
    _begin(ports, 0, token="a")
    _begin(ports, 60, token="b")
    ports.idempotency.abandon(KEY, token="a", now=at(61))
    assert _begin(ports, 61).state == "running"


def test_abandon__without_a_claim__keeps_nothing(ports: Ports) -> None:
    ports.idempotency.abandon(KEY, token="a", now=at(0))
    assert _begin(ports, 1, token="b") == _first("b", 1)


def test_begin__after_a_run_without_an_answer__continues_the_first_one_for_a_day(ports: Ports) -> None:
    _begin(ports, 0.000_123, token="a")
    assert _begin(ports.another(), 61, token="b") == _continued("a", 0.000_123)
    assert _begin(ports, DAY - 1, token="c") == _continued("a", 0.000_123)
    assert _begin(ports, DAY + 60, token="d") == _first("d", DAY + 60)


def test_begin__sent_again_with_its_own_token__has_the_claim(ports: Ports) -> None:
    """The client of a store repeats a write whose response was lost, although it was applied."""
    assert [_begin(ports, 0, token="a") for _ in range(2)] == [_first("a", 0)] * 2
    assert _begin(ports, 1, token="b").state == "running"
    assert [_begin(ports, 60, token="c") for _ in range(2)] == [_continued("a", 0)] * 2
    assert _begin(ports, 61, token="d").state == "running"


def test_begin__after_an_answer_that_expired__is_a_first_run(ports: Ports) -> None:
    _begin(ports, 0, token="a")
    _finish(ports, 1)
    assert _begin(ports, DAY + 1, token="b") == _first("b", DAY + 1)


def test_begin__running__returns_the_seconds_until_the_claim_is_free(ports: Ports) -> None:
    _begin(ports, 0)
    assert [_begin(ports, seconds).retry_after for seconds in (0, 0.5, 58.5, 59.999)] == [60, 60, 2, 1]


def test_abandon__answered__keeps_the_answer(ports: Ports) -> None:
    _begin(ports, 0, token="a")
    _finish(ports, 1)
    ports.idempotency.abandon(KEY, token="a", now=at(1))
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


@concurrent
def test_begin__many_repetitions_of_an_abandoned_run__exactly_one_continues_it(ports: Ports) -> None:
    _begin(ports, 0, token="a")
    outcomes = race(*[partial(_begin, ports, 60)] * 5)
    claims = [outcome for outcome in outcomes if isinstance(outcome, IdempotencyClaim)]
    assert sorted(claim.state for claim in claims) == ["new"] + ["running"] * 4
    assert [claim.run for claim in claims if claim.run] == [_continued("a", 0).run]
