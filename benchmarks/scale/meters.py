"""Meters of one unit of work: calls and bytes of the bucket, units of the table, processor, time. And how it ends."""

import os
import signal
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from abtest.ports.blobs import Blob, BlobEntry, Blobs

LISTED_A_CALL = 1_000


@dataclass
class Fate:
    """The process kills itself before or after its `at`th write to `of`, counted from 1.

    Writes are to "state", "documents", "days" and "progress", and "outcomes" of units.
    """

    of: str = ""
    at: int = 0
    after: bool = False
    calls: Counter[str] = field(default_factory=Counter)

    def call(self, name: str) -> bool:
        """Count a call; return whether the process dies after it."""
        self.calls[name] += 1
        if name != self.of or self.calls[name] != self.at:
            return False
        if not self.after:
            os.kill(os.getpid(), signal.SIGKILL)
        return True


class MeteredBlobs:
    """A bucket whose calls and bytes are added up by the first part of keys."""

    def __init__(self, blobs: Blobs, spent: Counter[str], fate: Fate) -> None:
        self._blobs = blobs
        self._spent = spent
        self._fate = fate

    def get(self, key: str) -> Blob | None:
        blob = self._blobs.get(key)
        self._note("gets", key, len(blob.content) if blob else 0)
        return blob

    def part(self, key: str, offset: int, length: int) -> bytes | None:
        content = self._blobs.part(key, offset, length)
        self._note("gets", key, len(content or b""))
        return content

    def put(
        self,
        key: str,
        content: bytes,
        *,
        content_type: str,
        metadata: Mapping[str, str] | None = None,
        if_match: str | None = None,
        if_absent: bool = False,
    ) -> str:
        self._note("puts", key, len(content))
        dies = self._fate.call("outcomes" if "/done/" in key else key.split("/", 1)[0])
        etag = self._blobs.put(
            key, content, content_type=content_type, metadata=metadata, if_match=if_match, if_absent=if_absent
        )
        if dies:
            os.kill(os.getpid(), signal.SIGKILL)
        return etag

    def delete(self, key: str) -> None:
        self._blobs.delete(key)

    def list(self, prefix: str, *, after: str | None = None) -> Iterator[BlobEntry]:
        self._spent["lists"] += 1
        for number, entry in enumerate(self._blobs.list(prefix, after=after), 1):
            self._spent["lists"] += number % LISTED_A_CALL == 0
            yield entry

    def _note(self, what: str, key: str, size: int) -> None:
        zone = key.split("/", 1)[0]
        self._spent[what] += 1
        self._spent[f"{what} {zone}"] += 1
        self._spent[f"bytes of {what} {zone}"] += size


class FatedStore:
    """A store whose writers may be killed."""

    NAMES: Mapping[str, str] = {"put": "documents", "put_shop_day": "days", "put_shop_progress": "progress"}

    def __init__(self, store: Any, fate: Fate) -> None:
        self._store = store
        self._fate = fate

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)
        if name not in self.NAMES:
            return method

        def call(*arguments: Any, **named: Any) -> Any:
            dies = self._fate.call(self.NAMES[name])
            answer = method(*arguments, **named)
            if dies:
                os.kill(os.getpid(), signal.SIGKILL)
            return answer

        return call
