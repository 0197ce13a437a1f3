"""Cache in front of the edge routes, and how its content is invalidated."""

from collections.abc import Sequence
from typing import Protocol


class CdnUnavailableError(Exception):
    """Invalidation that the CDN did not accept. Until it is repeated, shoppers receive the old content."""


class CdnRefusedError(CdnUnavailableError):
    """Invalidation that the CDN will not accept however often it is repeated, such as one with an invalid path."""


class Cdn(Protocol):
    """Distribution of the edge, and hosts of customers, which have caches of their own."""

    def invalidate(self, paths: Sequence[str], *, reference: str, host: str | None = None) -> None:
        """Start to remove these paths from the cache of a host; by default from that of the edge.

        `reference` makes the call idempotent: the same paths with the same reference are invalidated once. Raises
        CdnUnavailableError, and CdnRefusedError where a repetition is useless.
        """
        ...
