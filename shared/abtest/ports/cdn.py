"""Cache in front of the edge routes, and how its content is invalidated."""

from collections.abc import Sequence
from typing import Protocol


class CdnUnavailableError(Exception):
    """Invalidation that the CDN did not accept. Until it is repeated, shoppers receive the old content."""


class Cdn(Protocol):
    """One distribution of the CDN."""

    def invalidate(self, paths: Sequence[str], *, reference: str) -> None:
        """Start to remove these paths from the cache.

        `reference` makes the call idempotent: the same paths with the same reference are invalidated once. Raises
        CdnUnavailableError.
        """
        ...
