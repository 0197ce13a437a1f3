"""Circuit breaker: a service that left a call without a response is not called again for some seconds."""

from collections.abc import Callable
from time import monotonic
from typing import TypeVar

from botocore.exceptions import BotoCoreError, ConnectionClosedError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnectionError

from abtest.kit.deadlines import DeadlineError, NotStartedError, current, within
from abtest.ports.waits import PAUSE_SECONDS, Service

T = TypeVar("T")


class SilentServiceError(BotoCoreError):
    """Call that reached its deadline, or was not made because one before it did."""

    fmt = "{service} does not respond"


class Breaker:
    """Breaker of one service for all calls of this process, each with `seconds` in total.

    It opens after a call without a response. The first call after the pause shows whether the service is back, and
    closes it; so does a response that comes after its deadline.

    A call inside another one may wait for less than `seconds`. When that shorter deadline passes, the breaker opens for
    calls that would wait no longer. It proves nothing to a call with more time: a limiter waits for 0.1 s, and a
    service that takes 0.2 s still answers the others.
    """

    def __init__(self, service: Service, seconds: float, *, now: Callable[[], float] = monotonic) -> None:
        self._service = service
        self._seconds = seconds
        self._now = now
        self._open_until = 0.0
        self._silent_for = 0.0

    def call(self, call: Callable[[], T]) -> T:
        """Return the result of the call, or raise its error. Raises SilentServiceError."""
        outer = current()
        # A call that no one waits for any more delays no one, so it has the whole time.
        wait = min(outer.seconds, self._seconds) if outer and outer.is_awaited else self._seconds
        if self._now() < self._open_until and wait <= self._silent_for:
            raise SilentServiceError(service=self._service)
        if outer:
            return outer.watched(lambda: self._observed(call), on_missed=lambda: self._open(wait))
        try:
            return within(self._seconds, lambda: self._observed(call), group=self._service)
        except DeadlineError as error:
            # A call that was not made shows nothing about the service.
            if not isinstance(error, NotStartedError):
                self._open(self._seconds)
            raise SilentServiceError(service=self._service) from error

    def _observed(self, call: Callable[[], T]) -> T:
        started = self._now()
        try:
            result = call()
        except Exception as error:
            # A process that was frozen during the call finds it failed when it goes on: that was long ago.
            if is_silence(error) and self._now() - started < 2 * self._seconds:
                self._open(self._seconds)
            raise
        self._open_until = 0.0
        return result

    def _open(self, silent_for: float) -> None:
        is_open = self._now() < self._open_until
        self._silent_for = max(silent_for, self._silent_for) if is_open else silent_for
        self._open_until = self._now() + PAUSE_SECONDS


def is_silence(error: Exception) -> bool:
    """Return whether the service gave no response. PynamoDB wraps the errors of botocore."""
    cause = getattr(error, "cause", None) or error
    # A connection that ended between two calls proves nothing: services close those that are idle.
    return isinstance(cause, HTTPClientError | NoConnectionError) and not isinstance(cause, ConnectionClosedError)
