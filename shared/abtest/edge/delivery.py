"""Public routes that storefronts load from: the runtime config, the install snippet and its chunks.

With a parameter of previews or QA they answer one person, from `storefront_previews`.
"""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from abtest.domain.delivery.environments import is_environment
from abtest.domain.delivery.manifest import (
    ACTIVE,
    CHUNK_CONTENT_TYPES,
    CONFIG_CONTENT_TYPE,
    SNIPPET_CONTENT_TYPE,
    Encoding,
)
from abtest.domain.delivery.snippet_addresses import address_of
from abtest.edge.cdn import is_through_cdn
from abtest.edge.cors import CORS, is_preflight, preflight_answer
from abtest.edge.gateway import (
    PUBLIC,
    Answer,
    GatewayEvent,
    Headers,
    Request,
    json_error,
    script_error,
    style_error,
)
from abtest.edge.guarding import METHODS, guarded, refuse_other_methods
from abtest.edge.limits import take_one
from abtest.edge.negotiation import chosen_encoding, etag
from abtest.edge.publications import Body, Publications
from abtest.kit.clock import Clock
from abtest.kit.content_coding import accepts_gzip, gzipped, is_held
from abtest.kit.errors import NotFoundError, ServiceError
from abtest.kit.ids import is_uuid
from abtest.ports.limits import RateLimiter

if TYPE_CHECKING:
    from abtest.edge.storefront_previews import StorefrontPreviews

CONFIG_CACHING: Headers = {
    "Cache-Control": "public, max-age=30, stale-while-revalidate=300",
    "CDN-Cache-Control": "max-age=30",
    "Platform-CDN-Cache-Control": "max-age=30",
}
CONFIG_UNCACHED: Headers = dict.fromkeys(CONFIG_CACHING, "no-store")
SNIPPET_CACHING: Headers = {"Cache-Control": "public, max-age=60"}
CDN_SNIPPET_CACHING: Headers = {
    "Cache-Control": "public, max-age=60, s-maxage=3600, stale-while-revalidate=60, stale-if-error=86400"
}
"""For the CDN, at the addresses that publications invalidate; all others get SNIPPET_CACHING."""

CHUNK_CACHING: Headers = {"Cache-Control": "public, max-age=31536000, immutable"}
SHARED: Headers = {**CORS, "Cross-Origin-Resource-Policy": "cross-origin"}
"""Scripts and style sheets may be loaded by every page, also by one that isolates itself or asks for CORS."""

UNCACHED_PARAMETERS = frozenset(
    {
        "svc_qa",
        "svc_force",
        "svc_experiment_id",
        "svc_variation_id",
        "svc_harness",
        "svc_debug",
        "debug",
        "svc_alt_debug",
        "svc_config_refresh",
        "svc_preview",
    }
)
"""With any of these the answer is for one person now, so caches neither store it nor answer it."""

CONFIG_PREVIEW = "pst"
"""Parameter with the token of a preview link at `/api/exp`."""

SNIPPET_PREVIEW, SNIPPET_QA, SNIPPET_BAR, SNIPPET_EDITOR = "svc_preview", "svc_qa", "svc_bar", "svc_edit"
"""Parameters with which the address of the snippet has a preview, the tool for QA, its bar, or the visual editor."""

_CHUNK_FILE = re.compile(r"[0-9a-f]{64}\.(js|css)", re.ASCII)
_DRAFT_FILE = re.compile(r"([0-9a-f-]{36})-[0-9a-f]{64}\.(js|css)", re.ASCII)
_SNIPPET_FILE = re.compile(r"([0-9a-f-]{36})\.js", re.ASCII | re.IGNORECASE)


class InvalidShopIdError(ServiceError):
    """Address without the id of a shop."""

    status = 400
    code = "invalid_shop_id"

    def __init__(self) -> None:
        super().__init__("name the shop by its UUID")


@dataclass(frozen=True, slots=True)
class Delivery:
    """Answers from the published objects; requests are counted by address.

    `previews`, `bar` and `editor` make what only people with a preview, in QA or with the visual editor ask for.
    """

    publications: Publications
    limiter: RateLimiter
    clock: Clock
    previews: "Callable[[], StorefrontPreviews]"
    bar: Callable[[], Body]
    editor: Callable[[], Body]

    def config(self, event: GatewayEvent, _context: Any = None) -> Answer:
        """`GET /api/exp`: the config that storefronts and preview tools read."""
        return guarded(lambda: self.config_answer(Request.of(event)), lambda error: json_error(error, _JSON_ERROR))

    def snippet(self, event: GatewayEvent, _context: Any = None) -> Answer:
        """`GET /s/{shop_id}.js`: the install snippet, of the environment that `env` names.

        And `GET /s/{shop_id}/{file}`, a file that it loads when it needs it.
        """
        request = Request.of(event)
        if "shop_id" not in request.path:
            return guarded(lambda: self.snippet_answer(request), lambda error: script_error(error, _SHARED_ERROR))
        render = style_error if request.path.get("file", "").endswith(".css") else script_error
        return guarded(lambda: self.chunk_answer(request), lambda error: render(error, _SHARED_ERROR))

    def config_answer(self, request: Request) -> Answer:
        """Answer with the config, or a preflight. Raises ServiceError."""
        if is_preflight(request):
            return preflight_answer(METHODS)
        refuse_other_methods(request)
        shop_id, environment = shop_id_of(request.query.get("shopId", "")), environment_of(request.query)
        take_one(self.limiter, self.clock, request.address)
        if CONFIG_PREVIEW in request.query:
            config = self.previews().config(shop_id, environment, request.query[CONFIG_PREVIEW])
            return personal_answer(request, config, CONFIG_CONTENT_TYPE, CORS)
        fresh = not UNCACHED_PARAMETERS.isdisjoint(request.query)
        encoding = chosen_encoding(request.headers.get("accept-encoding"))
        body, state = self.publications.read("config", shop_id, environment, encoding, fresh=fresh)
        caching = CONFIG_UNCACHED if fresh else CONFIG_CACHING
        headers = {**CORS, **caching, **cache_tags(shop_id), "X-Service-Config-Cache": state}
        return body_answer(request, body, CONFIG_CONTENT_TYPE, encoding, headers)

    def snippet_answer(self, request: Request) -> Answer:
        """Answer with the snippet of an environment. Raises ServiceError."""
        refuse_other_methods(request)
        named = _SNIPPET_FILE.fullmatch(request.path.get("file", ""))
        shop_id, environment = shop_id_of(named[1] if named else ""), environment_of(request.query)
        take_one(self.limiter, self.clock, request.address)
        if SNIPPET_PREVIEW in request.query:
            script = self.previews().script(shop_id, environment, request.query[SNIPPET_PREVIEW])
            return personal_answer(request, script.encode(), SNIPPET_CONTENT_TYPE, SHARED)
        if SNIPPET_QA in request.query:
            script = self.previews().names(shop_id, environment)
            return personal_answer(request, script.encode(), SNIPPET_CONTENT_TYPE, SHARED)
        for name, body_of in ((SNIPPET_BAR, self.bar), (SNIPPET_EDITOR, self.editor)):
            if name in request.query:
                headers = {**SHARED, **SNIPPET_CACHING}
                return body_answer(request, body_of(), SNIPPET_CONTENT_TYPE, "identity", headers)
        encoding = chosen_encoding(request.headers.get("accept-encoding"))
        is_invalidated = address_of(shop_id, environment) == (request.path["file"], dict(request.query))
        for_cdn = is_invalidated and is_through_cdn(request.headers)
        # The CDN was just invalidated, so it must not get an old body from the cache of this process.
        body, state = self.publications.read("snippet", shop_id, environment, encoding, fresh=for_cdn)
        caching = CDN_SNIPPET_CACHING if for_cdn and state != "stale" else SNIPPET_CACHING
        return body_answer(request, body, SNIPPET_CONTENT_TYPE, encoding, {**SHARED, **caching, **cache_tags(shop_id)})

    def chunk_answer(self, request: Request) -> Answer:
        """Answer with a chunk, which never changes at its address, or with one of a draft. Raises ServiceError."""
        refuse_other_methods(request)
        shop_id, file = shop_id_of(request.path["shop_id"]), request.path.get("file", "")
        if drafted := _DRAFT_FILE.fullmatch(file):
            take_one(self.limiter, self.clock, request.address)
            content = self.previews().file(shop_id, drafted[1], file)
            return personal_answer(request, content, CHUNK_CONTENT_TYPES[drafted[2]], SHARED)
        named = _CHUNK_FILE.fullmatch(file)
        if named is None:
            raise NotFoundError("there is no such file")
        take_one(self.limiter, self.clock, request.address)
        encoding = chosen_encoding(request.headers.get("accept-encoding"))
        body = self.publications.chunk(shop_id, file, encoding)
        headers = {**SHARED, **CHUNK_CACHING, **cache_tags(shop_id)}
        return body_answer(request, body, CHUNK_CONTENT_TYPES[named[1]], encoding, headers)


_JSON_ERROR: Headers = {**CORS, **PUBLIC}
_SHARED_ERROR: Headers = {**SHARED, **PUBLIC}


def cache_tags(shop_id: str) -> Headers:
    """Return the headers by which caches invalidate all answers of a shop."""
    tag = f"shop-{shop_id}"
    return {"Cache-Tag": tag, "Surrogate-Key": tag}


def body_answer(request: Request, body: Body, content_type: str, encoding: Encoding, headers: Headers) -> Answer:
    """Return a body with its tag, or 304 for a client that has it already."""
    tag = etag(body.sha256, encoding)
    sent = {**PUBLIC, "Vary": "Accept-Encoding", **headers, "ETag": tag}
    if is_held(request.headers.get("if-none-match"), tag):
        return {"statusCode": 304, "headers": sent, "body": ""}
    sent["Content-Type"] = content_type
    if encoding != "identity":
        sent["Content-Encoding"] = encoding
    # HEAD gets the body too: the gateway takes Content-Length from it and sends no body.
    # Always base 64: as JSON text a body could grow past Lambda's 6 MB, and compressed ones must be anyway.
    return {"statusCode": 200, "headers": sent, "body": body.base64, "isBase64Encoded": True}


def personal_answer(request: Request, content: bytes, content_type: str, headers: Headers) -> Answer:
    """Return an answer for one person, which no cache stores."""
    sent = {**PUBLIC, **headers, **CONFIG_UNCACHED, "Vary": "Accept-Encoding", "Content-Type": content_type}
    if accepts_gzip(request.headers.get("accept-encoding", "")):
        content, sent["Content-Encoding"] = gzipped(content), "gzip"
    return {"statusCode": 200, "headers": sent, "body": b64encode(content).decode(), "isBase64Encoded": True}


def shop_id_of(text: str) -> str:
    """Return the id of a shop in lower case. Raises InvalidShopIdError."""
    if not is_uuid(text):
        raise InvalidShopIdError
    return text.lower()


def environment_of(query: Mapping[str, str]) -> str:
    """Return the requested environment, else the active one. Raises NotFoundError for an impossible name."""
    named = query.get("env") or query.get("environment") or ACTIVE
    if named != ACTIVE and not is_environment(named):
        raise NotFoundError("there is no such environment")
    return named
