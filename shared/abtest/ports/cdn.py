"""The cache in front of the edge routes, told what it may keep no longer."""

from collections.abc import Sequence
from typing import Protocol


class CdnUnavailableError(Exception):
    """The CDN did not take the order, or not now; it must be repeated, or shoppers go on getting what was."""


class Cdn(Protocol):
    """One distribution."""

    def invalidate(self, paths: Sequence[str], *, reference: str) -> None:
        """Drop what is kept at these paths, soon. The same order under the same reference is one order.

        Raises CdnUnavailableError.
        """
        ...
