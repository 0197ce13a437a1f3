"""Repetition of a read-decide-commit that lost a race, where the caller named no version."""

from collections.abc import Callable
from typing import TypeVar

from abtest.kit.errors import VersionConflictError
from abtest.ports.catalog import StaleVersionError

ATTEMPTS = 4


class _EveryVersion(frozenset[int]):
    """Set of all versions."""

    def __contains__(self, version: object) -> bool:
        return True


Versions = int | frozenset[int] | None
"""The row version that a caller expects, or any of several (`If-Match` may list them). None expects nothing."""

EVERY_VERSION: frozenset[int] = _EveryVersion()
"""Expects a resource, in whatever version (`If-Match: *`)."""

Result = TypeVar("Result")


def retried(attempt: Callable[[], Result], attempts: int = ATTEMPTS) -> Result:
    """Return the result of `attempt`, tried so many times. Raises the last StaleVersionError when all of them lost."""
    for _ in range(attempts - 1):
        try:
            return attempt()
        except StaleVersionError:
            continue
    return attempt()


def refuse_other_version(expected: Versions, actual: int) -> None:
    """Raise VersionConflictError when the caller's If-Match names only other versions than the row has."""
    if expected is None:
        return
    accepted = {expected} if isinstance(expected, int) else expected
    if actual not in accepted:
        raise VersionConflictError("the resource changed since you read it; read it again")
