"""Routes of published pages in the object store: documents by hash, and one manifest for each address.

Edge functions import this module, so it depends on little. Documents never change; the manifest is all that moves.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any, Literal

from abtest.domain.delivery.manifest import ENCODING_SUFFIXES, Encoding
from abtest.kit import canonical_json
from abtest.kit.clock import Timestamp

ROUTE_CONTENT_TYPE = "application/json"
PAGE_CONTENT_TYPE = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDocument:
    """Stored HTML, and the Content-Security-Policy that it is served with. `bytes` counts the plain text."""

    sha256: str
    bytes: int
    policy: str
    version_id: str
    version_number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteManifest:
    """Publication of one address. One that is `gone` was published once, and is not found.

    `variants` has a document for each variation of the experiment; the base is served where the experiment decides
    nothing. `revision` rises with each write of the manifest.
    """

    revision: int
    status: Literal["live", "gone"]
    shop_id: str
    landing_page_id: str
    publish_id: str
    base: PageDocument
    experiment_id: str | None = None
    variants: Mapping[str, PageDocument] = field(default_factory=dict)
    flipped_at: Timestamp


def document_headers(policy: str) -> dict[str, str]:
    """Return the headers by which browsers treat a page in the same way wherever it is opened."""
    return {"Content-Security-Policy": policy, "Referrer-Policy": "strict-origin-when-cross-origin"}


def route_key(host: str, path: str) -> str:
    """Return the key of the manifest of a normalized host and path."""
    return f"pages/routes/{host}/{sha256(path.encode()).hexdigest()}.json"


def html_key(sha256_hex: str, encoding: Encoding = "identity") -> str:
    """Return the key of a variant of a rendered page, which is stored for ever under the hash of its plain bytes."""
    return f"pages/html/{sha256_hex}{ENCODING_SUFFIXES[encoding]}"


def write_route(manifest: RouteManifest) -> bytes:
    """Return the stored form of a manifest."""
    return canonical_json.encode(asdict(manifest))


def read_route(content: bytes) -> RouteManifest:
    """Return the manifest of a stored form."""
    document: dict[str, Any] = canonical_json.loads(content)
    base = PageDocument(**document.pop("base"))
    variants = {variation: PageDocument(**each) for variation, each in document.pop("variants").items()}
    return RouteManifest(**document, base=base, variants=variants)
