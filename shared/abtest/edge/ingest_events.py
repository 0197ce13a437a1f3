"""The ingest routes: what a request must be before its events are looked at, and the answer in the worker's form."""

import logging
from base64 import b64decode
from collections.abc import Mapping
from typing import Any

from abtest.domain.ledger.batch import may_hold_unstorable_text, read_envelope
from abtest.domain.ledger.events import MAX_BODY_BYTES
from abtest.edge.cors import CORS, is_preflight, preflight_answer
from abtest.edge.gateway import (
    NO_STORE,
    Answer,
    GatewayEvent,
    Headers,
    MethodNotAllowedError,
    Request,
    json_error,
)
from abtest.edge.ingest_auth import IngestAuth
from abtest.kit import canonical_json
from abtest.kit.errors import ServiceError
from abtest.ports.http_sender import HttpAnswer
from abtest.services.ingest import Ingest, Receipt

METHODS = "POST"
MEDIA_TYPES = frozenset({"application/json", "text/plain", ""})
"""Beacons send text/plain, which needs no preflight, and blobs without a type send none at all."""

_log = logging.getLogger(__name__)


class BodyTooLargeError(ServiceError):
    """The body is larger than a request may bring."""

    status = 413
    code = "payload_too_large"

    def __init__(self) -> None:
        super().__init__(f"the body has at most {MAX_BODY_BYTES} bytes")


class UnsupportedBodyError(ServiceError):
    """The body is declared to be something else than JSON, or is compressed."""

    status = 415
    code = "unsupported_media_type"

    def __init__(self) -> None:
        super().__init__("send application/json or text/plain, uncompressed")


class IngestRoutes:
    """`POST /events` and `POST /_svc/events`, with their preflights."""

    def __init__(self, auth: IngestAuth, ingest: Ingest) -> None:
        self._auth = auth
        self._ingest = ingest

    def events(self, event: GatewayEvent, _context: Any = None) -> Answer:
        """Take a batch in; whatever happens, any origin may read the answer."""
        try:
            return self._answer(Request.of(event), event)
        except ServiceError as error:
            return json_error(error, CORS)
        except Exception:
            _log.exception("ingest.failed")
            return json_error(ServiceError("something went wrong here; send the events again"), CORS)

    def _answer(self, request: Request, event: GatewayEvent) -> Answer:
        if is_preflight(request):
            return preflight_answer(METHODS)
        if request.method != METHODS:
            raise MethodNotAllowedError(METHODS)
        body = body_of(event)
        proven = self._auth.header_shop(request.headers, body)
        _refuse_other_media(request.headers)
        envelope = read_envelope(body)
        shop_id = self._auth.shop(proven, request.headers, envelope)
        return _rendered(self._ingest.accept(shop_id, envelope, check_text=may_hold_unstorable_text(body)))


def body_of(event: GatewayEvent) -> bytes:
    """The bytes that were sent. Raises BodyTooLargeError, before anything is decoded that is too large anyway."""
    text: str = event.get("body") or ""
    is_encoded = bool(event.get("isBase64Encoded"))
    if len(text) > (MAX_BODY_BYTES * 4 // 3 + 4 if is_encoded else MAX_BODY_BYTES):
        raise BodyTooLargeError
    body = b64decode(text) if is_encoded else text.encode(errors="surrogatepass")
    if len(body) > MAX_BODY_BYTES:
        raise BodyTooLargeError
    return body


def _refuse_other_media(headers: Headers) -> None:
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in MEDIA_TYPES or headers.get("content-encoding", "identity").lower() != "identity":
        raise UnsupportedBodyError


def _rendered(result: Receipt | HttpAnswer) -> Answer:
    if isinstance(result, HttpAnswer):
        headers = {**CORS, **NO_STORE, "Content-Type": result.content_type or "application/octet-stream"}
        return {"statusCode": result.status, "headers": headers, "body": result.body.decode(errors="replace")}
    body: Mapping[str, Any] = {
        "ingested": result.ingested,
        "deduplicated": result.deduplicated,
        "quarantined": result.quarantined,
        "errors": result.errors,
    }
    headers = {**CORS, **NO_STORE, "Content-Type": "application/json"}
    return {"statusCode": 202, "headers": headers, "body": canonical_json.dumps(body)}
