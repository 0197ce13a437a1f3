"""Circuit breaker: which errors open it, how long it stays open, and what closes it."""

from collections.abc import Callable, Iterator
from functools import partial
from threading import BoundedSemaphore, Event
from time import monotonic

import pytest
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    ParamValidationError,
    ReadTimeoutError,
)
from pynamodb.exceptions import QueryError

from abtest.adapters.breaker import Breaker, SilentServiceError
from abtest.kit import deadlines
from abtest.kit.deadlines import DeadlineError, within
from abtest.ports.waits import PAUSE_SECONDS

LONG = 60.0
SILENT = ReadTimeoutError(endpoint_url="https://s3")
REFUSED = ClientError({"Error": {"Code": "SlowDown", "Message": "slow down"}}, "GetObject")


class Time:
    """Seconds that a test sets."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def failing(error: Exception) -> Callable[[], object]:
    def call() -> object:
        raise error

    return call


def is_open(breaker: Breaker) -> bool:
    """Return whether the next call fails without being made."""
    try:
        breaker.call(lambda: None)
    except SilentServiceError:
        return True
    return False


@pytest.mark.parametrize(
    ("error", "opens"),
    [
        (SILENT, True),
        (ConnectTimeoutError(endpoint_url="https://s3"), True),
        (QueryError("query failed", SILENT), True),
        (ConnectionClosedError(endpoint_url="https://s3"), False),
        (REFUSED, False),
        (ParamValidationError(report="wrong"), False),
        (ValueError("wrong"), False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_call__with_an_error__opens_the_breaker_only_if_there_was_no_response(error: Exception, opens: bool) -> None:
    breaker = Breaker("s3", LONG)
    with pytest.raises(type(error)):
        breaker.call(failing(error))
    assert is_open(breaker) is opens


def test_breaker__after_its_pause__lets_one_call_find_out() -> None:
    now = Time()
    breaker = Breaker("s3", LONG, now=now)
    with pytest.raises(ReadTimeoutError):
        breaker.call(failing(SILENT))
    now.seconds += PAUSE_SECONDS - 0.1
    assert is_open(breaker)
    now.seconds += 0.1
    with pytest.raises(ReadTimeoutError):
        breaker.call(failing(SILENT))
    assert is_open(breaker)
    now.seconds += PAUSE_SECONDS
    assert not is_open(breaker)


def test_call__at_its_deadline__opens_the_breaker_until_its_response_comes() -> None:
    goes_on, ended = Event(), Event()
    breaker = Breaker("s3", 0.01, now=Time())

    def call() -> None:
        assert goes_on.wait(LONG)

    def observed() -> None:
        try:
            call()
        finally:
            ended.set()

    with pytest.raises(SilentServiceError, match="s3 does not respond"):
        breaker.call(observed)
    assert is_open(breaker)
    goes_on.set()
    assert ended.wait(LONG)
    # The breaker closes right after the call has returned.
    while is_open(breaker):
        pass


def test_call__that_failed_while_the_process_was_frozen__opens_nothing() -> None:
    now = Time()
    breaker = Breaker("s3", 1.0, now=now)

    def frozen() -> None:
        now.seconds += 3600
        raise SILENT

    with pytest.raises(ReadTimeoutError):
        breaker.call(frozen)
    assert not is_open(breaker)


def test_call__without_a_free_thread__opens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on = Event()
    breaker = Breaker("dynamodb", LONG, now=Time())
    breaker.call(lambda: None)
    monkeypatch.setattr(deadlines._groups["dynamodb"], "free", BoundedSemaphore(1))
    with pytest.raises(DeadlineError):
        within(0.01, partial(goes_on.wait, LONG), group="dynamodb")
    with pytest.raises(SilentServiceError):
        breaker.call(lambda: None)
    goes_on.set()
    # The thread is free right after its call has returned.
    deadline = monotonic() + LONG
    while is_open(breaker):
        assert monotonic() < deadline


@pytest.fixture
def silent() -> Iterator[Callable[[], object]]:
    """A call that hangs until the test ends."""
    goes_on = Event()
    yield partial(goes_on.wait, LONG)
    goes_on.set()


def test_services__while_another_hangs__answer_at_once(silent: Callable[[], object]) -> None:
    for _ in range(40):
        with pytest.raises(SilentServiceError):
            # One breaker each, because one for all would stop the calls after the first.
            Breaker("sqs", 0.001).call(silent)
    assert Breaker("kms", LONG).call(lambda: "answer") == "answer"


def test_outer_deadline__missed__opens_the_breaker_for_calls_that_wait_no_longer(silent: Callable[[], object]) -> None:
    breaker = Breaker("s3", LONG)
    made: list[None] = []

    def call() -> None:
        made.append(None)
        silent()

    for _ in range(2):
        # The second call fails with SilentServiceError, or without a thread in time on a busy machine.
        with pytest.raises((SilentServiceError, DeadlineError)):
            within(0.5, lambda: breaker.call(call), group="copies")
    assert len(made) == 1
    assert within(LONG, lambda: breaker.call(lambda: "answer"), group="copies") == "answer"


def test_outer_deadline__as_long_as_the_breakers__opens_it_for_all(silent: Callable[[], object]) -> None:
    breaker = Breaker("s3", 0.05)
    with pytest.raises(DeadlineError):
        within(0.1, lambda: breaker.call(silent), group="copies")
    with pytest.raises(SilentServiceError):
        within(LONG, lambda: breaker.call(lambda: "answer"), group="copies")
    assert is_open(breaker)


def test_outer_deadline__that_no_one_waits_for__opens_nothing(silent: Callable[[], object]) -> None:
    breaker = Breaker("s3", LONG)
    with pytest.raises(DeadlineError):
        within(0, lambda: breaker.call(silent), group="copies")
    assert not is_open(breaker)


def test_error__of_an_open_breaker__is_one_that_adapters_translate() -> None:
    assert issubclass(SilentServiceError, BotoCoreError)
