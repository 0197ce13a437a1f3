"""Published landing pages, read through a cache in the process: the manifest of an address, and its documents."""

from dataclasses import dataclass
from operator import attrgetter

from abtest.domain.delivery.manifest import Encoding
from abtest.domain.pages.routes import RouteManifest, html_key, read_route, route_key
from abtest.edge.cached_reads import CachedReads, CacheState
from abtest.edge.publications import Body, stored_body
from abtest.kit.clock import Clock
from abtest.ports.blobs import Blobs

GROUP = "pages"
ENTRY_BYTES = 2048
"""About what an address takes in memory without its document, also one without a page."""

_Address = tuple[str, str, Encoding]
_Document = tuple[str, Encoding]


@dataclass(frozen=True, slots=True)
class Page:
    """Page of an address. The document of the base is read with the manifest, so that both are of one publish."""

    etag: str
    route: RouteManifest
    base: Body


class PublishedPages:
    """Cached reads of the delivery bucket. An address without a page is cached too."""

    def __init__(self, blobs: Blobs, clock: Clock) -> None:
        self._blobs = blobs
        self._pages: CachedReads[_Address, Page | None] = CachedReads(
            self._load, size=_size_of, clock=clock, group=GROUP
        )
        self._documents: CachedReads[_Document, Body] = CachedReads(
            self._load_document, size=lambda body: body.size, clock=clock, group=GROUP, cold=attrgetter("variant")
        )

    def read(self, host: str, path: str, encoding: Encoding, *, fresh: bool = False) -> tuple[Page | None, CacheState]:
        """Return the page of a normalized address; None where none is published.

        `fresh` reads the store in any case. Raises BlobsUnavailableError when the store fails and nothing is cached.
        """
        return self._pages.read((host, path, encoding), fresh=fresh)

    def document(self, sha256_hex: str, encoding: Encoding) -> Body:
        """Return a document by its hash. Raises BlobsUnavailableError."""
        return self._documents.read((sha256_hex, encoding))[0]

    def _load(self, key: _Address, present: Page | None) -> Page | None:
        host, path, encoding = key
        blob = self._blobs.get(route_key(host, path))
        if blob is None:
            return None
        if present is not None and present.etag == blob.etag:
            return present
        route = read_route(blob.content)
        if route.status == "gone":
            return None
        digest = route.base.sha256
        base = (
            present.base if present and present.base.sha256 == digest else self._load_document((digest, encoding), None)
        )
        return Page(blob.etag, route, base)

    def _load_document(self, key: _Document, present: Body | None) -> Body:
        digest, encoding = key
        return present or stored_body(self._blobs, html_key(digest, encoding), digest)


def _size_of(page: Page | None) -> int:
    return ENTRY_BYTES if page is None else ENTRY_BYTES * (1 + len(page.route.variants)) + page.base.size
