"""Immutable objects and small pointers in an object store."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from abtest.kit.errors import ServiceError


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """Bytes as stored, the store's tag for conditional writes, and user metadata."""

    content: bytes
    etag: str
    metadata: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobEntry:
    """An object in a listing. `modified`: when it was stored (Unix ms, as precisely as the store tells)."""

    key: str
    size: int
    modified: int = field(default=0, compare=False)


class PreconditionFailedError(Exception):
    """A conditional write found another object than the one expected."""


class BlobsUnavailableError(ServiceError):
    """The object store did not answer, or asked to come back."""

    status = 503
    code = "service_unavailable"

    def __init__(self) -> None:
        super().__init__("the object store does not answer; repeat the request in 1 s", headers={"Retry-After": "1"})


class Blobs(Protocol):
    """One bucket. Every call may raise BlobsUnavailableError."""

    def get(self, key: str) -> Blob | None:
        """The object, or None."""
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
        """Store and return the new etag. Raises PreconditionFailedError when the condition does not hold."""
        ...

    def delete(self, key: str) -> None:
        """Remove; absent is fine."""
        ...

    def list(self, prefix: str, *, after: str | None = None) -> Iterator[BlobEntry]:
        """Objects under the prefix in key order, those after `after`."""
        ...
