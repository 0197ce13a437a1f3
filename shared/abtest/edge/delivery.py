"""Public routes that storefronts load from: the runtime config, the install snippet and its chunks."""

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

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
    MethodNotAllowedError,
    Request,
    json_error,
    script_error,
    style_error,
)
from abtest.edge.limits import take_one
from abtest.edge.negotiation import chosen_encoding, etag
from abtest.edge.publications import Body, Publications
from abtest.kit.clock import Clock
from abtest.kit.content_coding import is_held
from abtest.kit.errors import NotFoundError, ServiceError
from abtest.kit.ids import is_uuid
from abtest.ports.limits import RateLimiter

METHODS = "GET, HEAD"
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
    }
)
"""With any of these the answer is for one person now, so caches neither store it nor answer it."""

_CHUNK_FILE = re.compile(r"[0-9a-f]{64}\.(js|css)", re.ASCII)
_SNIPPET_FILE = re.compile(r"([0-9a-f-]{36})\.js", re.ASCII | re.IGNORECASE)
_log = logging.getLogger(__name__)


class InvalidShopIdError(ServiceError):
    """Address without the id of a shop."""

    status = 400
    code = "invalid_shop_id"

    def __init__(self) -> None:
        super().__init__("name the shop by its UUID")


@dataclass(frozen=True, slots=True)
class Delivery:
    """Answers from the published objects; requests are counted by address."""

    publications: Publications
    limiter: RateLimiter
    clock: Clock

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
        encoding = chosen_encoding(request.headers.get("accept-encoding"))
        is_invalidated = address_of(shop_id, environment) == (request.path["file"], dict(request.query))
        for_cdn = is_invalidated and is_through_cdn(request.headers)
        # The CDN was just invalidated, so it must not get an old body from the cache of this process.
        body, state = self.publications.read("snippet", shop_id, environment, encoding, fresh=for_cdn)
        caching = CDN_SNIPPET_CACHING if for_cdn and state != "stale" else SNIPPET_CACHING
        return body_answer(request, body, SNIPPET_CONTENT_TYPE, encoding, {**SHARED, **caching, **cache_tags(shop_id)})

    def chunk_answer(self, request: Request) -> Answer:
        """Answer with a chunk, which never changes at its address. Raises ServiceError."""
        refuse_other_methods(request)
        shop_id, file = shop_id_of(request.path["shop_id"]), request.path.get("file", "")
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


def guarded(answer: Callable[[], Answer], render: Callable[[ServiceError], Answer]) -> Answer:
    """Return an answer, with every error rendered in the form that the page expects."""
    try:
        return answer()
    except ServiceError as error:
        return render(error)
    except Exception:
        _log.exception("delivery.failed")
        return render(ServiceError("an unexpected error occurred; repeat the request"))


def refuse_other_methods(request: Request) -> None:
    """Raise MethodNotAllowedError for anything but GET and HEAD."""
    if request.method not in ("GET", "HEAD"):
        raise MethodNotAllowedError(METHODS)


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
