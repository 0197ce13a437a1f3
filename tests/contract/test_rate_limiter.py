"""Rate limits: the arithmetic of the bucket, and that instances share it."""

from functools import partial

import pytest

from abtest.ports.limits import RateDecision
from tests.contract.conftest import Ports
from tests.contract.records import at, concurrent, race


def _take(ports: Ports, seconds: float, *, cost: int = 1, limit: int = 10, window: int = 60) -> RateDecision:
    return ports.limiter.take("key#1", limit=limit, window_seconds=window, now=at(seconds), cost=cost)


def test_take__full_bucket__allows_the_whole_burst_and_no_more(ports: Ports) -> None:
    decisions = [_take(ports, 0) for _ in range(11)]
    assert [decision.allowed for decision in decisions] == [True] * 10 + [False]
    assert [decision.remaining for decision in decisions] == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0]
    assert {decision.limit for decision in decisions} == {10}


def test_take__first_token__says_when_the_bucket_is_full_again(ports: Ports) -> None:
    decision = _take(ports, 0)
    assert (decision.reset_at, decision.retry_after) == (int(at(6).timestamp()), 0)


def test_take__empty_bucket__says_when_to_come_back_and_then_allows(ports: Ports) -> None:
    _take(ports, 0, cost=10)
    refused = _take(ports, 1)
    assert (refused.allowed, refused.remaining, refused.retry_after) == (False, 0, 5)
    assert refused.reset_at == int(at(60).timestamp())
    assert not _take(ports, 5.999).allowed
    assert _take(ports, 6).allowed
    assert not _take(ports, 6).allowed


def test_take__refused__takes_nothing(ports: Ports) -> None:
    _take(ports, 0, cost=8)
    assert not _take(ports, 0, cost=3).allowed
    assert _take(ports, 0, cost=2).allowed


def test_take__refills_evenly__and_never_above_its_limit(ports: Ports) -> None:
    _take(ports, 0, cost=10)
    assert _take(ports, 30, cost=0).remaining == 5
    assert _take(ports, 30, cost=5).remaining == 0
    assert _take(ports, 3600, cost=0).remaining == 10
    assert [_take(ports, 3600).allowed for _ in range(11)] == [True] * 10 + [False]


def test_take__cost_above_the_limit__is_never_allowed(ports: Ports) -> None:
    assert not _take(ports, 0, cost=11).allowed
    assert _take(ports, 0, cost=10).allowed


def test_take__cost_of_zero__looks_and_takes_nothing(ports: Ports) -> None:
    assert (_take(ports, 0, cost=0).allowed, _take(ports, 0, cost=0).remaining) == (True, 10)
    _take(ports, 0, cost=10)
    looked = _take(ports, 0, cost=0)
    assert (looked.allowed, looked.remaining) == (True, 0)


def test_take__limit_raised_by_an_operator__holds_at_once(ports: Ports) -> None:
    _take(ports, 0, cost=10)
    assert _take(ports, 0, limit=10).allowed is False
    assert _take(ports, 30, limit=20).allowed is True


@pytest.mark.parametrize("limit", [1, 7, 600, 1000])
def test_take__limit_that_does_not_divide_the_window__allows_exactly_that_many(ports: Ports, limit: int) -> None:
    assert _take(ports, 0, limit=limit, cost=limit).remaining == 0
    assert not _take(ports, 0, limit=limit).allowed
    assert _take(ports, 60, limit=limit, cost=limit).allowed


def test_buckets__of_different_names__are_apart(ports: Ports) -> None:
    for bucket in ("a", "b", "x" * 5000, "\ud800", ""):
        assert ports.limiter.take(bucket, limit=1, window_seconds=60, now=at()).allowed


def test_instances__taking_in_turn__share_one_bucket(ports: Ports) -> None:
    instances = [ports, ports.another(), ports.another()]
    remaining = [_take(instances[turn % 3], 0).remaining for turn in range(10)]
    assert remaining == [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
    assert not any(_take(instance, 0).allowed for instance in instances)
    assert all(_take(instance, 60).allowed for instance in instances)


@concurrent
def test_instances__taking_at_the_same_time__never_give_more_than_the_limit(ports: Ports) -> None:
    instances = [ports, ports.another(), ports.another(), ports.another()]
    taken = race(*(partial(_take_eight, instance) for instance in instances))
    assert sum(series for series in taken if isinstance(series, int)) == 10


def _take_eight(ports: Ports) -> int:
    return sum(_take(ports, 0).allowed for _ in range(8))


@pytest.mark.parametrize(("limit", "window", "cost"), [(0, 60, 1), (1, 0, 1), (1, 60, -1)])
def test_take__nonsense__is_refused_loudly(ports: Ports, limit: int, window: int, cost: int) -> None:
    with pytest.raises(ValueError, match="at least"):
        _take(ports, 0, limit=limit, window=window, cost=cost)
