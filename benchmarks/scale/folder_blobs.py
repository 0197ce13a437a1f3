"""A bucket in a folder, which several processes share: conditional writes hold between them, and survive a kill."""

import fcntl
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote, unquote

from abtest.ports.blobs import Blob, BlobEntry, PreconditionFailedError

_WRITING = ".writing-"


class FolderBlobs:
    """Blobs in files, a folder for each first part of keys. `now` is the time of puts in Unix ms."""

    def __init__(self, folder: Path, now: Callable[[], int]) -> None:
        self._folder = folder
        self._now = now

    def get(self, key: str) -> Blob | None:
        try:
            content = self._path(key).read_bytes()
        except FileNotFoundError:
            return None
        return Blob(content=content, etag=_etag(content), metadata={})

    def part(self, key: str, offset: int, length: int) -> bytes | None:
        if offset < 0 or length < 1:
            raise ValueError("offset must be 0 or more and length 1 or more")
        try:
            with self._path(key).open("rb") as file:
                file.seek(offset)
                return file.read(min(length, os.fstat(file.fileno()).st_size))
        except FileNotFoundError:
            return None

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
        del content_type, metadata
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        writing = path.parent / f"{_WRITING}{os.getpid()}-{sha256(key.encode()).hexdigest()[:16]}"
        writing.write_bytes(content)
        moment = self._now() * 1_000_000
        os.utime(writing, ns=(moment, moment))
        try:
            with self._locked(path.parent):
                if if_absent and path.exists():
                    raise PreconditionFailedError(key)
                if if_match is not None and (not path.exists() or _etag(path.read_bytes()) != if_match):
                    raise PreconditionFailedError(key)
                writing.replace(path)
        finally:
            writing.unlink(missing_ok=True)
        return _etag(content)

    def delete(self, key: str) -> None:
        with suppress(FileNotFoundError):
            self._path(key).unlink()

    def list(self, prefix: str, *, after: str | None = None) -> Iterator[BlobEntry]:
        zone = self._folder / prefix.split("/", 1)[0]
        names = (unquote(path.name) for path in (zone.iterdir() if zone.exists() else ()) if path.name[0] != ".")
        for key in sorted(key for key in names if key.startswith(prefix) and (after is None or key > after)):
            stored = self._path(key).stat()
            yield BlobEntry(key=key, size=stored.st_size, modified=stored.st_mtime_ns // 1_000_000)

    def adopt(self, key: str, path: Path) -> None:
        """Move a file into the bucket."""
        target = self._path(key)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.replace(target)

    def _path(self, key: str) -> Path:
        return self._folder / key.split("/", 1)[0] / quote(key, safe="=")

    @staticmethod
    @contextmanager
    def _locked(folder: Path) -> Iterator[None]:
        """The lock ends with its process, however that ends."""
        with (folder / ".lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _etag(content: bytes) -> str:
    return f'"{sha256(content).hexdigest()[:32]}"'
