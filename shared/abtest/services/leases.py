"""Work under a lease, which one process at a time holds."""

from collections.abc import Iterator
from contextlib import contextmanager

from abtest.kit.clock import Clock
from abtest.ports.limits import Leases


@contextmanager
def lease(leases: Leases, name: str, *, owner: str, seconds: int, clock: Clock) -> Iterator[bool]:
    """Hold the lease of this name inside the context; yield False at once while another owner holds it."""
    is_held = leases.acquire(name, owner=owner, seconds=seconds, now=clock.now())
    try:
        yield is_held
    finally:
        # The store releases for this owner only: a lease that ended and was taken over stays with its new holder.
        if is_held:
            leases.release(name, owner=owner)
