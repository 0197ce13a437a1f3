"""Publications as they lie in the object store: immutable objects by hash, their variants, and the pointer to them.

Edge functions import this to read; what makes the variants is in `encodings`.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Literal

from abtest.kit import canonical_json
from abtest.kit.clock import Timestamp

DEFAULT_ENVIRONMENT = "production"
POINTER_CONTENT_TYPE = "application/json"
CONFIG_CONTENT_TYPE = "application/json"
SNIPPET_CONTENT_TYPE = "application/javascript; charset=utf-8"
MAX_CONFIG_BYTES = 2 << 20
MAX_SNIPPET_BYTES = 4 << 20
"""Lambda answers with 6 MB at most, and in base 64 each 3 bytes take 4."""

Encoding = Literal["br", "gzip", "identity"]

_SUFFIX: Mapping[Encoding, str] = {"br": ".br", "gzip": ".gz", "identity": ""}


@dataclass(frozen=True, slots=True)
class Published:
    """One immutable object: the hash and size of its plain bytes."""

    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """What a shop's environment serves. `content` is the hash of everything but the revision.

    The default environment's pointer also names all `environments` of the shop that have one.
    """

    revision: int
    content: str
    config: Published
    snippet: Published
    published_at: Timestamp
    environments: tuple[str, ...] = ()


def pointer_key(shop_id: str, environment: str = DEFAULT_ENVIRONMENT) -> str:
    """Where the pointer of a shop's environment lies."""
    return f"pointers/{shop_id}/{environment}.json"


def object_key(sha256_hex: str, encoding: Encoding = "identity") -> str:
    """Where a variant of an object lies."""
    return f"objects/{sha256_hex}{_SUFFIX[encoding]}"


def published(content: bytes) -> Published:
    """The name of these bytes."""
    return Published(sha256(content).hexdigest(), len(content))


def write_pointer(pointer: Pointer) -> bytes:
    """The stored form."""
    return canonical_json.encode(asdict(pointer))


def read_pointer(content: bytes) -> Pointer:
    """The pointer of a stored form."""
    document: dict[str, Any] = canonical_json.loads(content)
    config, snippet = (_published(document[name]) for name in ("config", "snippet"))
    return Pointer(
        revision=document["revision"],
        content=document["content"],
        config=config,
        snippet=snippet,
        published_at=document["published_at"],
        environments=tuple(document.get("environments", ())),
    )


def _published(document: Mapping[str, Any]) -> Published:
    return Published(document["sha256"], document["bytes"])
