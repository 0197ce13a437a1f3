"""One deadline for a whole exchange: whatever waits asks it how long it may."""

import time

from abtest.ports.http_sender import HttpUnreachableError


class Deadline:
    """So many seconds from now, by the clock that is never set."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._end = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds that remain. Raises HttpUnreachableError when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.passed()
        return left

    def passed(self) -> HttpUnreachableError:
        """What is raised when it has passed."""
        return HttpUnreachableError(f"no whole answer within {self._seconds:g} s", "timeout")
