"""Object store for immutable content and for small pointers that are replaced conditionally."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from abtest.kit.errors import ServiceError


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """Stored bytes, the ETag for conditional writes, and user metadata."""

    content: bytes
    etag: str
    metadata: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobEntry:
    """Object in a listing: its key, its bytes, and when it was stored (Unix ms, as precise as the store reports)."""

    key: str
    size: int
    modified: int = field(default=0, compare=False)


class PreconditionFailedError(Exception):
    """Conditional write to a key whose object is not the expected one."""


class BlobsUnavailableError(ServiceError):
    """Object store that does not respond or throttles."""

    status = 503
    code = "service_unavailable"

    def __init__(self) -> None:
        super().__init__("the object store does not respond; repeat the request in 1 s", headers={"Retry-After": "1"})


class Blobs(Protocol):
    """One bucket. Every call may raise BlobsUnavailableError; so may advancing a listing."""

    def get(self, key: str) -> Blob | None:
        """Return the object, or None when the key does not exist."""
        ...

    def part(self, key: str, offset: int, length: int) -> bytes | None:
        """Return so many bytes of the object from an offset, fewer at its end; None when the key does not exist.

        Raises ValueError unless `offset` is 0 or more and `length` is 1 or more. Behind the end there are no bytes.
        """
        ...

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
        """Store an object and return its ETag.

        `if_match` is the ETag that the present object must have; with `if_absent` there must not be one. Raises
        PreconditionFailedError, with nothing written, when the condition does not hold.
        """
        ...

    def delete(self, key: str) -> None:
        """Remove the object. Does nothing when the key does not exist."""
        ...

    def list(self, prefix: str, *, after: str | None = None) -> Iterator[BlobEntry]:
        """Yield the objects whose keys have the prefix, in key order; with `after`, only keys greater than it."""
        ...
