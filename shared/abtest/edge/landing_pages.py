"""Published landing pages at their addresses. Every address that no other route has comes here."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from abtest.domain.delivery.manifest import Encoding
from abtest.domain.pages.addresses import (
    InvalidPathError,
    encoded_path,
    is_reserved,
    normalized_host,
    normalized_path,
)
from abtest.domain.pages.routes import PAGE_CONTENT_TYPE, PageDocument, RouteManifest, document_headers
from abtest.edge.cdn import is_at_path, is_through_cdn
from abtest.edge.delivery import body_answer, cache_tags
from abtest.edge.gateway import Answer, GatewayEvent, Headers, Request
from abtest.edge.guarding import guarded, refuse_other_methods
from abtest.edge.negotiation import chosen_encoding
from abtest.edge.published_pages import Page, PublishedPages
from abtest.edge.unknown_address import page_error, unknown_address
from abtest.ports.blobs import BlobsUnavailableError

PAGE_CACHING: Headers = {"Cache-Control": "public, max-age=0, must-revalidate"}
CDN_PAGE_CACHING: Headers = {"Cache-Control": "public, max-age=0, s-maxage=3600, stale-if-error=86400"}
"""For the CDN, at the spelling of an address that publishes invalidate. `must-revalidate` would forbid stale pages."""

VARIANT_CACHING: Headers = {"Cache-Control": "private, no-cache", "Vary": "Accept-Encoding, Cookie"}

_HOST = re.compile(r"[a-z0-9._-]{1,253}", re.ASCII)


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Request of a page at its normalized address."""

    event: GatewayEvent
    request: Request
    host: str
    path: str

    @property
    def address(self) -> str:
        """Host and path as browsers request them."""
        return self.host + encoded_path(self.path)


@dataclass(frozen=True, slots=True)
class Choice:
    """Variation that a visitor gets, None for the base, and cookies of the answer."""

    variation_id: str | None
    cookies: Sequence[str] = ()


BASE = Choice(None)

Choose = Callable[[RouteManifest, PageRequest], Choice]


@dataclass(frozen=True, slots=True)
class LandingPages:
    """Answers with published pages; all other addresses are not found. `choose` is for pages with variants."""

    pages: PublishedPages
    choose: Choose

    def answer(self, event: GatewayEvent, _context: Any = None) -> Answer:
        """`GET` or `HEAD` of any address."""
        request = Request.of(event)
        accept = request.headers.get("accept", "")
        return guarded(lambda: self.page_answer(event, request, accept), lambda error: page_error(error, accept))

    def page_answer(self, event: GatewayEvent, request: Request, accept: str) -> Answer:
        """Answer with the page of an address. Raises ServiceError."""
        host, path = page_host(request.headers.get("host", "")), page_path(event["rawPath"])
        if host is None or path is None:
            return unknown_address(event["rawPath"], accept)
        encoding = chosen_encoding(request.headers.get("accept-encoding"))
        page, state = self.pages.read(host, path, encoding)
        for_cdn = is_through_cdn(request.headers) and is_at_path(request.headers, encoded_path(path))
        if for_cdn and state == "hit" and page is not None and not page.route.variants:
            # The CDN was just invalidated, so it must not get an old page from the cache of this process.
            page, state = self.pages.read(host, path, encoding, fresh=True)
        if page is None:
            return unknown_address(event["rawPath"], accept)
        refuse_other_methods(request)
        requested = PageRequest(event, request, host, path)
        if page.route.variants:
            return self._variant_answer(page, requested, encoding)
        caching = CDN_PAGE_CACHING if for_cdn and state != "stale" else PAGE_CACHING
        headers = {**caching, **page_headers(page.route, page.route.base, requested.address, "base")}
        return body_answer(request, page.base, PAGE_CONTENT_TYPE, encoding, headers)

    def _variant_answer(self, page: Page, requested: PageRequest, encoding: Encoding) -> Answer:
        route = page.route
        choice = self.choose(route, requested)
        document, body, variation = route.base, page.base, "base"
        variant = route.variants.get(choice.variation_id or "")
        if variant is not None:
            # Without its document, the visitor gets the base: it has no mark, so no one counts this view.
            with suppress(BlobsUnavailableError):
                body = self.pages.document(variant.sha256, encoding)
                document, variation = variant, choice.variation_id or ""
        headers = {**VARIANT_CACHING, **page_headers(route, document, requested.address, variation)}
        answer = body_answer(requested.request, body, PAGE_CONTENT_TYPE, encoding, headers)
        return {**answer, "cookies": list(choice.cookies)} if choice.cookies else answer


def page_headers(route: RouteManifest, document: PageDocument, address: str, variation: str) -> Headers:
    """Return the headers of a served document, without those of its caching."""
    return {
        **document_headers(document.policy),
        "x-svc-edge": "landing-page",
        "x-svc-landing-page-id": route.landing_page_id,
        "x-svc-landing-page-version": str(document.version_number),
        "x-svc-landing-page-publish-id": route.publish_id,
        "x-svc-landing-page-cache-key": f"{address};{route.publish_id};{variation}",
        **cache_tags(route.shop_id),
    }


def page_host(host: str) -> str | None:
    """Return the normalized host of a request; None for one that cannot have a page."""
    normalized = normalized_host(host)
    return normalized if _HOST.fullmatch(normalized) else None


# As small as it is, it holds the paths of a shop's pages, and a flood of others costs no memory.
@lru_cache(maxsize=256)
def page_path(decoded: str) -> str | None:
    """Return the normalized path of a request, as the gateway has decoded it; None for one that cannot have a page."""
    try:
        # Escaped first, because the path must not be decoded twice: `/%2561pi` is not `/api`.
        path = normalized_path(quote(decoded, safe="/", errors="surrogatepass"))
    except InvalidPathError:
        return None
    return None if is_reserved(path) else path
