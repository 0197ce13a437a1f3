"""A bucket in memory."""

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

from abtest.ports.blobs import Blob, BlobEntry, BlobsUnavailableError, PreconditionFailedError


@dataclass(frozen=True, slots=True)
class StoredObject:
    """An object with everything that was said when it was put."""

    blob: Blob
    content_type: str
    modified: int = 0


class MemoryBlobs:
    """Blobs in a dictionary. Tests set `available` to False to make every call fail; `now` says when puts happen."""

    def __init__(self, now: Callable[[], int] = lambda: 0) -> None:
        self.available = True
        self._now = now
        self.objects: dict[str, StoredObject] = {}
        self._lock = threading.Lock()

    def get(self, key: str) -> Blob | None:
        self._answer()
        stored = self.objects.get(key)
        return stored.blob if stored else None

    def part(self, key: str, offset: int, length: int) -> bytes | None:
        if offset < 0 or length < 1:
            raise ValueError("offset must be 0 or more and length 1 or more")
        blob = self.get(key)
        return blob.content[offset : offset + length] if blob else None

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
        self._answer()
        blob = Blob(content=bytes(content), etag=f'"{sha256(content).hexdigest()[:32]}"', metadata=dict(metadata or {}))
        with self._lock:
            present = self.objects.get(key)
            if if_absent and present is not None:
                raise PreconditionFailedError(key)
            if if_match is not None and (present is None or present.blob.etag != if_match):
                raise PreconditionFailedError(key)
            self.objects[key] = StoredObject(blob, content_type, self._now())
        return blob.etag

    def delete(self, key: str) -> None:
        self._answer()
        with self._lock:
            self.objects.pop(key, None)

    def list(self, prefix: str, *, after: str | None = None) -> Iterator[BlobEntry]:
        self._answer()
        for key, stored in sorted(self.objects.items()):
            if key.startswith(prefix) and (after is None or key > after):
                yield BlobEntry(key=key, size=len(stored.blob.content), modified=stored.modified)

    def _answer(self) -> None:
        if not self.available:
            raise BlobsUnavailableError
