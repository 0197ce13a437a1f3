"""Publications in the object store: immutable objects by hash, their variants, and the pointer to them.

Edge functions import this module to read publications; `encodings` makes the variants.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, Literal

from abtest.kit import canonical_json
from abtest.kit.clock import Timestamp

DEFAULT_ENVIRONMENT = "production"
ACTIVE = ""
"""Placeholder of the environment that the shop made the active one; no environment has this name."""

POINTERS = "pointers/"
POINTER_CONTENT_TYPE = "application/json"
CONFIG_CONTENT_TYPE = "application/json"
SNIPPET_CONTENT_TYPE = "application/javascript; charset=utf-8"
CHUNK_CONTENT_TYPES: Mapping[str, str] = {"js": SNIPPET_CONTENT_TYPE, "css": "text/css; charset=utf-8"}
MAX_SNIPPET_BYTES = 4 << 20
"""Lambda answers with 6 MB at most, and in base 64 each 3 bytes take 4."""

Encoding = Literal["br", "gzip", "identity"]

ENCODING_SUFFIXES: Mapping[Encoding, str] = {"br": ".br", "gzip": ".gz", "identity": ""}
"""What the keys of stored variants end with."""


@dataclass(frozen=True, slots=True)
class Published:
    """One immutable object: the hash and size of its plain bytes."""

    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """Publication that a shop's environment serves. `content` is the hash of everything but the revision.

    The default environment's pointer also names all `environments` of the shop that have one, and the `active`
    one, served where a request names none. `published_at` is when the content changed, `flipped_at` when the
    revision did.
    """

    revision: int
    content: str
    config: Published
    snippet: Published
    published_at: Timestamp
    environments: tuple[str, ...] = ()
    active: str = DEFAULT_ENVIRONMENT
    flipped_at: Timestamp = ""


def pointer_key(shop_id: str, environment: str = DEFAULT_ENVIRONMENT) -> str:
    """Return the key of the pointer of a shop's environment."""
    return f"{POINTERS}{shop_id}/{environment}.json"


def object_key(sha256_hex: str, encoding: Encoding = "identity") -> str:
    """Return the key of a variant of an object."""
    return f"objects/{sha256_hex}{ENCODING_SUFFIXES[encoding]}"


def chunk_key(shop_id: str, file: str, encoding: Encoding = "identity") -> str:
    """Return the key of a variant of a chunk, below its shop: a shop's storefronts get no chunk of another shop."""
    return f"chunks/{shop_id}/{file}{ENCODING_SUFFIXES[encoding]}"


def code_key(shop_id: str) -> str:
    """Return the key under which publications keep their record of the shop's code."""
    return f"code/{shop_id}.json"


def published(content: bytes) -> Published:
    """Return hash and size of these bytes."""
    return Published(sha256(content).hexdigest(), len(content))


def write_pointer(pointer: Pointer) -> bytes:
    """Return the stored form of a pointer."""
    return canonical_json.encode(asdict(pointer))


def read_pointer(content: bytes) -> Pointer:
    """Return the pointer of a stored form."""
    document: dict[str, Any] = canonical_json.loads(content)
    config, snippet = (Published(document[name]["sha256"], document[name]["bytes"]) for name in ("config", "snippet"))
    return Pointer(
        revision=document["revision"],
        content=document["content"],
        config=config,
        snippet=snippet,
        published_at=document["published_at"],
        # Pointers of an older release may lack these three.
        environments=tuple(document.get("environments", ())),
        active=document.get("active", DEFAULT_ENVIRONMENT),
        flipped_at=document.get("flipped_at", document["published_at"]),
    )
