"""Object store of uploaded files, and signed addresses for those who upload or read them without this service."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedUpload:
    """Address that accepts a PUT of exactly the announced bytes, with these headers."""

    url: str
    headers: Mapping[str, str]


class SigningUnavailableError(Exception):
    """Address that could not be signed, because the process has no credentials."""


class RangeNotSatisfiableError(Exception):
    """Range that begins behind the end of the file, which has `size` bytes."""

    def __init__(self, size: int) -> None:
        super().__init__(f"the file has {size} bytes")
        self.size = size


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedFile:
    """Part of a stored file from byte `first` to byte `last`. One that is not read must be closed.

    `size` counts the whole file. `read` may raise BlobsUnavailableError.
    """

    content_type: str
    disposition: str | None
    first: int
    last: int
    size: int
    read: Callable[[], bytes]
    close: Callable[[], None]


class AssetFiles(Protocol):
    """One bucket. Every call but the signature may raise BlobsUnavailableError; so may advancing the keys."""

    def put(self, key: str, content: bytes, *, content_type: str, disposition: str | None = None) -> None:
        """Store a file that never changes, with the headers that readers get."""
        ...

    def upload(self, key: str) -> bytes | None:
        """Return an uploaded file, or None when the key does not exist."""
        ...

    def delete(self, key: str) -> None:
        """Remove an object. Does nothing when the key does not exist."""
        ...

    def keys(self, prefix: str) -> Iterator[str]:
        """Yield the keys with a prefix."""
        ...

    def sign_upload(self, key: str, *, size: int, content_type: str, sha256_hex: str, seconds: int) -> SignedUpload:
        """Return an address for an upload, valid for so many seconds. Raises SigningUnavailableError."""
        ...


class StoredFiles(Protocol):
    """The same bucket for readers."""

    def open(self, key: str, first: int | None, last: int | None) -> OpenedFile | None:
        """Open a file from one byte to another, both included; None when the key does not exist.

        Without `last`, to its end; without `first`, its last `last` bytes. Raises RangeNotSatisfiableError,
        BlobsUnavailableError.
        """
        ...

    def sign_read(self, key: str, method: Literal["GET", "HEAD"], *, seconds: int) -> str:
        """Return an address from which the file can be read for so many seconds."""
        ...
