"""The public routes that storefronts load from: the runtime config, the install snippet and its chunks."""

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
from abtest.edge.negotiation import chosen_encoding, etag, is_unchanged
from abtest.edge.publications import Body, Publications
from abtest.kit.clock import Clock
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
"""For the cache that publications invalidate, at the addresses that they do; it tells others SNIPPET_CACHING."""

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
"""With any of these the answer is meant for one person now: neither kept by caches nor taken from ours."""

_CHUNK_FILE = re.compile(r"[0-9a-f]{64}\.(js|css)", re.ASCII)
_SNIPPET_FILE = re.compile(r"([0-9a-f-]{36})\.js", re.ASCII | re.IGNORECASE)
_log = logging.getLogger(__name__)


class InvalidShopIdError(ServiceError):
    """The address names no shop."""

    status = 400
    code = "invalid_shop_id"

    def __init__(self) -> None:
        super().__init__("name the shop by its UUID")


@dataclass(frozen=True, slots=True)
class Delivery:
    """Answers from what is published; counts requests by address."""

    publications: Publications
    limiter: RateLimiter
    clock: Clock

    def config(self, event: GatewayEvent, _context: Any = None) -> Answer:
        """`GET /api/exp`: the config that storefronts and preview tools read."""
        return _told(lambda: self._config(Request.of(event)), lambda error: json_error(error, {**CORS, **PUBLIC}))

    def snippet(self, event: GatewayEvent, _context: Any = None) -> Answer:
        """`GET /s/{shop_id}.js`: the install snippet, of the environment that `env` names.

        And `GET /s/{shop_id}/{file}`, a file that it loads when it needs it.
        """
        request = Request.of(event)
        if "shop_id" not in request.path:
            return _told(lambda: self._snippet(request), lambda error: script_error(error, _SHARED_ERROR))
        render = style_error if request.path.get("file", "").endswith(".css") else script_error
        return _told(lambda: self._chunk(request), lambda error: render(error, _SHARED_ERROR))

    def _config(self, request: Request) -> Answer:
        if is_preflight(request):
            return preflight_answer(METHODS)
        _refuse_other_methods(request)
        shop_id, environment = _shop_id(request.query.get("shopId", "")), _environment(request.query)
        take_one(self.limiter, self.clock, request.address)
        fresh = not UNCACHED_PARAMETERS.isdisjoint(request.query)
        encoding = _encoding(request)
        body, state = self.publications.read("config", shop_id, environment, encoding, fresh=fresh)
        caching = CONFIG_UNCACHED if fresh else CONFIG_CACHING
        headers = {**CORS, **caching, **_tag(shop_id), "X-Service-Config-Cache": state}
        return _answer(request, body, CONFIG_CONTENT_TYPE, encoding, headers)

    def _snippet(self, request: Request) -> Answer:
        _refuse_other_methods(request)
        named = _SNIPPET_FILE.fullmatch(request.path.get("file", ""))
        shop_id, environment = _shop_id(named[1] if named else ""), _environment(request.query)
        take_one(self.limiter, self.clock, request.address)
        encoding = _encoding(request)
        is_invalidated = address_of(shop_id, environment) == (request.path["file"], dict(request.query))
        to_be_kept = is_invalidated and is_through_cdn(request.headers)
        # A cache that was just invalidated must not be given what our own cache has not yet forgotten.
        body, state = self.publications.read("snippet", shop_id, environment, encoding, fresh=to_be_kept)
        caching = CDN_SNIPPET_CACHING if to_be_kept and state != "stale" else SNIPPET_CACHING
        return _answer(request, body, SNIPPET_CONTENT_TYPE, encoding, {**SHARED, **caching, **_tag(shop_id)})

    def _chunk(self, request: Request) -> Answer:
        _refuse_other_methods(request)
        shop_id, file = _shop_id(request.path["shop_id"]), request.path.get("file", "")
        named = _CHUNK_FILE.fullmatch(file)
        if named is None:
            raise NotFoundError("there is no such file")
        take_one(self.limiter, self.clock, request.address)
        encoding = _encoding(request)
        body = self.publications.chunk(shop_id, file, encoding)
        headers = {**SHARED, **CHUNK_CACHING, **_tag(shop_id)}
        return _answer(request, body, CHUNK_CONTENT_TYPES[named[1]], encoding, headers)


_SHARED_ERROR: Headers = {**SHARED, **PUBLIC}


def _tag(shop_id: str) -> Headers:
    """What caches that invalidate by tag know the shop's answers by."""
    tag = f"shop-{shop_id}"
    return {"Cache-Tag": tag, "Surrogate-Key": tag}


def _answer(request: Request, body: Body, content_type: str, encoding: Encoding, headers: Headers) -> Answer:
    tag = etag(body.sha256, encoding)
    sent = {**PUBLIC, **headers, "ETag": tag, "Vary": "Accept-Encoding"}
    if is_unchanged(request.headers.get("if-none-match"), tag):
        return {"statusCode": 304, "headers": sent, "body": ""}
    sent["Content-Type"] = content_type
    if encoding != "identity":
        sent["Content-Encoding"] = encoding
    if request.method == "HEAD":
        return {"statusCode": 200, "headers": sent, "body": ""}
    # Always base 64: as JSON text a body could grow past Lambda's 6 MB, and compressed ones must be anyway.
    return {"statusCode": 200, "headers": sent, "body": body.base64, "isBase64Encoded": True}


def _told(answer: Callable[[], Answer], render: Callable[[ServiceError], Answer]) -> Answer:
    try:
        return answer()
    except ServiceError as error:
        return render(error)
    except Exception:
        _log.exception("delivery.failed")
        return render(ServiceError("something went wrong here; repeat the request"))


def _refuse_other_methods(request: Request) -> None:
    if request.method not in ("GET", "HEAD"):
        raise MethodNotAllowedError(METHODS)


def _encoding(request: Request) -> Encoding:
    return chosen_encoding(request.headers.get("accept-encoding"))


def _shop_id(text: str) -> str:
    if not is_uuid(text):
        raise InvalidShopIdError
    return text.lower()


def _environment(query: Mapping[str, str]) -> str:
    """The environment asked for, else the active one. Raises NotFoundError for a name that none can have."""
    named = query.get("env") or query.get("environment") or ACTIVE
    if named != ACTIVE and not is_environment(named):
        raise NotFoundError("there is no such environment")
    return named
