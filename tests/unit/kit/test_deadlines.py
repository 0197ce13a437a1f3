"""Calls with a deadline: their results, their errors, and what goes on after the deadline."""

from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from threading import Event, Thread, current_thread

import pytest

from abtest.kit import deadlines
from abtest.kit.deadlines import THREADS, DeadlineError, NotStartedError

LONG = 60.0
within = partial(deadlines.within, group="s3")


def test_call__in_time__returns_or_raises_as_it_would_alone() -> None:
    assert within(LONG, lambda: 1) == 1
    with pytest.raises(ZeroDivisionError):
        within(LONG, lambda: 1 // 0)


def test_call__that_raises_a_timeout_of_its_own__is_not_at_its_deadline() -> None:
    def timed_out() -> None:
        raise TimeoutError("of the call")

    with pytest.raises(TimeoutError, match="of the call"):
        within(LONG, timed_out)


def test_call__that_ends_just_after_its_deadline__returns_its_result(monkeypatch: pytest.MonkeyPatch) -> None:
    class EndsAtDeadline(Future[int]):
        def result(self, timeout: float | None = None) -> int:
            if not self.done():
                self.set_result(1)
                raise TimeoutError
            return super().result(timeout)

    class Pool:
        def submit(self, run: Callable[..., int], *arguments: object) -> Future[int]:
            Thread(target=run, args=arguments).start()
            return EndsAtDeadline()

    assert within(LONG, lambda: 1) == 1
    monkeypatch.setattr(deadlines._groups["s3"], "pool", Pool())
    assert within(LONG, lambda: 1) == 1


def test_call__at_its_deadline__goes_on() -> None:
    goes_on, ended = Event(), Event()

    def call() -> None:
        goes_on.wait(LONG)
        ended.set()

    with pytest.raises(DeadlineError):
        within(0.01, call)
    goes_on.set()
    assert ended.wait(LONG)


def test_call__inside_another__has_the_deadline_of_the_outer_one() -> None:
    assert within(LONG, lambda: within(0, current_thread) is current_thread())


def test_call__without_a_free_thread__fails_at_once() -> None:
    goes_on = Event()
    started = [Event() for _ in range(THREADS)]

    def call(mark: Event) -> None:
        mark.set()
        goes_on.wait(LONG)

    try:
        for mark in started:
            with pytest.raises(DeadlineError):
                within(0, partial(call, mark))
            assert mark.wait(LONG)
        with pytest.raises(NotStartedError, match="all threads of s3 are in use"):
            within(LONG, lambda: 1)
    finally:
        goes_on.set()
    # Threads are given back one by one, so any of the next calls may still find none.
    for _ in range(THREADS):
        assert deadlines._groups["s3"].free.acquire(timeout=LONG)
    deadlines._groups["s3"].free.release(THREADS)
    assert within(LONG, lambda: 1) == 1


def test_calls__that_hang__take_no_thread_from_another_group() -> None:
    goes_on = Event()
    try:
        for _ in range(40):
            with pytest.raises(DeadlineError):
                deadlines.within(0.001, partial(goes_on.wait, LONG), group="hanging")
        assert deadlines.within(LONG, lambda: "answer", group="healthy") == "answer"
    finally:
        goes_on.set()
