"""Values of many keys, read in one call."""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")

_log = logging.getLogger(__name__)


class Prefetched(Generic[Key, Value]):
    """Values by key, read together at the first use.

    If that fails, each is read alone: one that cannot be read then fails alone, too.
    """

    def __init__(
        self,
        keys: Sequence[Key],
        many: Callable[[Sequence[Key]], Mapping[Key, Value]],
        one: Callable[[Key], Value | None],
    ) -> None:
        self._keys = keys
        self._many = many
        self._one = one
        self._alone: dict[Key, Value | None] = {}

    def get(self, key: Key) -> Value | None:
        """Return the value, or None where nothing is stored. Raises what a read alone raises."""
        read = self.read()
        if read is not None:
            return read.get(key)
        if key not in self._alone:
            self._alone[key] = self._one(key)
        return self._alone[key]

    def read(self) -> Mapping[Key, Value] | None:
        """Read all now, if that was not done yet; None where it failed."""
        return self._read

    @cached_property
    def _read(self) -> Mapping[Key, Value] | None:
        if not self._keys:
            return {}
        try:
            return self._many(self._keys)
        except Exception:
            _log.warning("decisions.read_one_by_one", extra={"keys": len(self._keys)}, exc_info=True)
            return None
