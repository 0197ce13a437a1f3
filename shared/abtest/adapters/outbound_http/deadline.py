"""Deadline of a whole exchange, which limits every single wait."""

import time

from abtest.ports.http_sender import HttpUnreachableError


class Deadline:
    """Deadline a number of seconds from now, on the monotonic clock."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Return the remaining seconds. Raises HttpUnreachableError when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.passed()
        return left

    def passed(self) -> HttpUnreachableError:
        """Return the error for a passed deadline."""
        return HttpUnreachableError(f"no complete response within {self._seconds:g} s", "timeout")
