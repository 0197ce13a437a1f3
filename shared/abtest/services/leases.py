"""Work under a lease, which one process at a time holds.

A lease ends after a minute, or sooner where callers wait for it, so the work of a killed process is soon free again.
While work goes on, a heartbeat renews its lease. Losing it stops the holder at its next `check`, which belongs before
each write. What is written in between must not depend on the lease: every such write has a condition on the version
that was read.
"""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta

from abtest.kit.clock import Clock
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.limits import Leases

LEASE_SECONDS = 60
HEARTBEAT_SECONDS = 15
"""Three renewals may fail before a lease ends."""

_log = logging.getLogger(__name__)


class LeaseLostError(Exception):
    """Another process may hold the lease: stop, and write nothing more."""


class Lease:
    """A lease that this process holds. It may be used by several threads."""

    def __init__(self, leases: Leases, name: str, *, owner: str, clock: Clock, seconds: int = LEASE_SECONDS) -> None:
        self._leases = leases
        self._name = name
        self._owner = owner
        self._clock = clock
        self._seconds = seconds
        self._lock = threading.Lock()
        self._is_lost = False
        self._renewed_at: datetime | None = None

    def acquire(self) -> bool:
        """Take the lease if it is free or expired. Return whether it is taken."""
        now = self._clock.now()
        if not self._leases.acquire(self._name, owner=self._owner, seconds=self._seconds, now=now):
            return False
        self._renewed_at = now
        return True

    def renew(self) -> bool:
        """Prolong the lease to its whole time from now. Return False once another owner has had it."""
        with self._lock:
            now = self._clock.now()
            if not self._is_lost and self._leases.renew(self._name, owner=self._owner, seconds=self._seconds, now=now):
                self._renewed_at = now
                return True
            self._is_lost = True
            _log.warning("lease.lost", extra={"lease": self._name})
            return False

    def check(self) -> None:
        """Raise LeaseLostError unless this process still holds the lease."""
        # A process that was suspended, or whose heartbeats failed, does not know whether it has a successor.
        is_known = self._renewed_at and self._clock.now() < self._renewed_at + timedelta(seconds=self._seconds / 2)
        if self._is_lost or not (is_known or self.renew()):
            raise LeaseLostError(self._name)

    def release(self) -> None:
        """Let others take the lease at once."""
        self._leases.release(self._name, owner=self._owner)


@contextmanager
def lease(
    leases: Leases, name: str, *, owner: str, clock: Clock, seconds: int = LEASE_SECONDS
) -> Iterator[Lease | None]:
    """Hold the lease of this name inside the context; yield None at once while another owner holds it."""
    held = Lease(leases, name, owner=owner, clock=clock, seconds=seconds)
    if not held.acquire():
        yield None
        return
    try:
        with heartbeat(held.renew, HEARTBEAT_SECONDS * seconds / LEASE_SECONDS):
            yield held
    finally:
        # The store releases for this owner only: a lease that ended and was taken over stays with its new holder.
        # One that cannot be released ends by itself, and the result of the work is worth more than its early end.
        with suppress(DatabaseBusyError):
            held.release()


@contextmanager
def heartbeat(beat: Callable[[], bool], every: float) -> Iterator[None]:
    """Call `beat` in a thread every so many seconds until it returns False or the context ends."""
    ended = threading.Event()

    def run() -> None:
        while not ended.wait(every):
            try:
                if not beat():
                    return
            except Exception:
                # The next beat may succeed; one that fails must not end the work, which learns it at its next check.
                _log.warning("heartbeat.missed", exc_info=True)

    thread = threading.Thread(target=run, name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        # Joined, so that no renewal follows a release.
        ended.set()
        thread.join()
