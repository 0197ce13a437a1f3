"""Published configs, snippets and chunks of shops, read through a cache in the process.

Objects are immutable, so a body stays cached as long as memory allows; only the pointer is read again.
"""

from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from operator import attrgetter
from typing import Literal

from abtest.domain.delivery.manifest import (
    ACTIVE,
    DEFAULT_ENVIRONMENT,
    Encoding,
    Pointer,
    chunk_key,
    object_key,
    pointer_key,
    read_pointer,
)
from abtest.edge.cached_reads import CachedReads, CacheState
from abtest.kit.clock import Clock
from abtest.kit.errors import NotFoundError
from abtest.ports.blobs import Blobs, BlobsUnavailableError
from abtest.ports.waits import EdgeWaits

Artifact = Literal["config", "snippet", "chunk"]

_Key = tuple[str, str, Artifact, Encoding]


@dataclass(frozen=True, slots=True)
class Body:
    """Variant ready to be sent: the hash of the plain bytes, and the variant's bytes in base 64."""

    sha256: str
    base64: str

    @classmethod
    def of(cls, content: bytes) -> "Body":
        """Return a body that is not stored, in plain bytes."""
        return cls(sha256(content).hexdigest(), b64encode(content).decode())

    @property
    def size(self) -> int:
        """Bytes that the body takes in memory."""
        return len(self.base64)


class Publications:
    """Cached reads of the delivery bucket. `cold` is the wait for what was not read before."""

    def __init__(
        self, blobs: Blobs, clock: Clock, *, cold: Callable[[EdgeWaits], float] = attrgetter("publication")
    ) -> None:
        self._blobs = blobs
        self.cache: CachedReads[_Key, Body] = CachedReads(
            self._load, size=lambda body: body.size, clock=clock, group="publications", cold=cold
        )

    def read(
        self, artifact: Artifact, shop_id: str, environment: str, encoding: Encoding, *, fresh: bool = False
    ) -> tuple[Body, CacheState]:
        """Return the body of the shop's environment, or of its ACTIVE one; `fresh` reads the store in any case.

        Raises NotFoundError when nothing was ever published there, BlobsUnavailableError when the store fails and
        nothing is cached.
        """
        return self.cache.read((shop_id, environment, artifact, encoding), fresh=fresh)

    def chunk(self, shop_id: str, file: str, encoding: Encoding) -> Body:
        """Return a chunk of the shop by the last part of its address, which is a valid one.

        Raises NotFoundError when the shop never had it, BlobsUnavailableError.
        """
        return self.cache.fixed((shop_id, file, "chunk", encoding))

    def _load(self, key: _Key, present: Body | None) -> Body:
        if key[2] == "chunk":
            return self._load_chunk(key)
        shop_id, environment, artifact, encoding = key
        pointer = self._pointer(shop_id, environment or DEFAULT_ENVIRONMENT)
        if pointer is not None and environment == ACTIVE and pointer.active != DEFAULT_ENVIRONMENT:
            # A publication flips the default first: a new active environment may not be there for another moment.
            pointer = self._pointer(shop_id, pointer.active) or pointer
        if pointer is None:
            raise NotFoundError("nothing is published for this shop and environment")
        published = pointer.config if artifact == "config" else pointer.snippet
        if present is not None and present.sha256 == published.sha256:
            return present
        return stored_body(self._blobs, object_key(published.sha256, encoding), published.sha256)

    def _load_chunk(self, key: _Key) -> Body:
        shop_id, file, _, encoding = key
        blob = self._blobs.get(chunk_key(shop_id, file, encoding))
        if blob is None:
            raise NotFoundError("there is no such file")
        return Body(file.partition(".")[0], b64encode(blob.content).decode())

    def _pointer(self, shop_id: str, environment: str) -> Pointer | None:
        blob = self._blobs.get(pointer_key(shop_id, environment))
        return None if blob is None else read_pointer(blob.content)


def stored_body(blobs: Blobs, key: str, sha256_hex: str) -> Body:
    """Return an object that a pointer names. Raises BlobsUnavailableError, also where it is missing."""
    blob = blobs.get(key)
    if blob is None:
        raise BlobsUnavailableError
    return Body(sha256_hex, b64encode(blob.content).decode())
