"""Files for download in memory."""

from collections.abc import Generator
from pathlib import Path

from tests.support.memory.blobs import MemoryBlobs


class MemoryExportStore:
    """Files among the objects of a bucket in memory."""

    def __init__(self, blobs: MemoryBlobs) -> None:
        self._blobs = blobs

    def store(self, key: str, path: Path, *, content_type: str) -> Generator[int, None, None]:
        content = path.read_bytes()
        half = len(content) // 2
        yield half
        self._blobs.put(key, content, content_type=content_type)
        yield len(content)

    def size(self, key: str) -> int | None:
        found = self._blobs.get(key)
        return None if found is None else len(found.content)

    def link(self, key: str, *, file_name: str, seconds: int) -> str:
        return f"memory:///{key}?name={file_name}&seconds={seconds}"
