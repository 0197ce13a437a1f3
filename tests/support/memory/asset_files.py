"""The bucket of assets in memory."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from abtest.ports.asset_files import OpenedFile, RangeNotSatisfiableError, SignedUpload, SigningUnavailableError
from tests.support.memory.blobs import MemoryBlobs


@dataclass
class MemoryAssetFiles:
    """Files in a dictionary; `blobs` has the objects. Tests set `can_sign` to False to be without credentials."""

    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)
    dispositions: dict[str, str | None] = field(default_factory=dict)
    can_sign: bool = True

    def put(self, key: str, content: bytes, *, content_type: str, disposition: str | None = None) -> None:
        self.dispositions[key] = disposition
        self.blobs.put(key, content, content_type=content_type)

    def upload(self, key: str) -> bytes | None:
        blob = self.blobs.get(key)
        return None if blob is None else blob.content

    def delete(self, key: str) -> None:
        self.blobs.delete(key)

    def keys(self, prefix: str) -> Iterator[str]:
        return (entry.key for entry in self.blobs.list(prefix))

    def sign_upload(self, key: str, *, size: int, content_type: str, sha256_hex: str, seconds: int) -> SignedUpload:
        if not self.can_sign:
            raise SigningUnavailableError
        headers = {"Content-Type": content_type, "Content-Length": str(size), "x-amz-checksum-sha256": sha256_hex}
        return SignedUpload(url=f"memory:///{key}?seconds={seconds}", headers=headers)

    def receive(self, url: str, content: bytes) -> None:
        """Store a file as an upload to a signed address does."""
        self.blobs.put(url.removeprefix("memory:///").partition("?")[0], content, content_type="")

    def open(self, key: str, first: int | None, last: int | None) -> OpenedFile | None:
        blob = self.blobs.get(key)
        if blob is None:
            return None
        size = len(blob.content)
        start = max(0, size - (last or 0)) if first is None else first
        end = size - 1 if first is None or last is None else min(last, size - 1)
        if start >= size:
            raise RangeNotSatisfiableError(size)
        return OpenedFile(
            content_type=self.blobs.objects[key].content_type,
            disposition=self.dispositions.get(key),
            first=start,
            last=end,
            size=size,
            read=lambda: blob.content[start : end + 1],
            close=lambda: None,
        )

    def sign_read(self, key: str, method: Literal["GET", "HEAD"], *, seconds: int) -> str:
        return f"memory:///{key}?method={method}&seconds={seconds}"
