"""A CDN in memory: what it was told, each order once."""

from collections.abc import Sequence

from abtest.ports.cdn import CdnUnavailableError


class MemoryCdn:
    """Remembers orders by reference; refuses them while it is not `available`."""

    def __init__(self) -> None:
        self.available = True
        self.orders: dict[str, list[str]] = {}
        self.hosts: dict[str, str | None] = {}

    def invalidate(self, paths: Sequence[str], *, reference: str, host: str | None = None) -> None:
        if not self.available:
            raise CdnUnavailableError("too many invalidations are in progress")
        if self.orders.setdefault(reference, list(paths)) != list(paths):
            raise CdnUnavailableError("the reference is that of another order")
        self.hosts[reference] = host
