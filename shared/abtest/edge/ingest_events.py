"""The ingest routes as a plain function on the gateway's event: on this path every millisecond is paid by every page.

A resolver would match two routes and validate a body that is validated event by event anyway.
"""

import binascii
from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any

from abtest.domain.ledger.batch import may_hold_unstorable_text, read_envelope
from abtest.domain.ledger.events import MAX_BODY_BYTES
from abtest.edge.ingest_auth import IngestAuth
from abtest.edge.ingest_rendering import CORS, Answer, render_error, render_json, render_unexpected
from abtest.kit.errors import ServiceError
from abtest.ports.http_sender import HttpAnswer
from abtest.services.ingest import Ingest, Receipt

GatewayEvent = Mapping[str, Any]
CONTENT_TYPES = frozenset({"application/json", "text/plain", ""})


class IngestMethodError(ServiceError):
    """Only POST brings events."""

    status = 405
    code = "method_not_allowed"

    def __init__(self) -> None:
        super().__init__("send events by POST", headers={"Allow": "POST"})


class IngestBodyTooLargeError(ServiceError):
    """The body is larger than a request may be."""

    status = 413
    code = "payload_too_large"

    def __init__(self) -> None:
        super().__init__(f"the body has at most {MAX_BODY_BYTES} bytes")


class IngestMediaTypeError(ServiceError):
    """The body is declared to be something else than JSON, or is compressed."""

    status = 415
    code = "unsupported_media_type"

    def __init__(self) -> None:
        super().__init__("send application/json or text/plain, uncompressed")


class IngestEndpoint:
    """`POST /events` and `POST /_svc/events`, with their preflights."""

    def __init__(self, auth: IngestAuth, ingest: Ingest) -> None:
        self._auth = auth
        self._ingest = ingest

    def __call__(self, event: GatewayEvent) -> Answer:
        """Answer a payload-2.0 event; whatever happens, the answer may be read by any origin."""
        try:
            return self._answer(event)
        except ServiceError as error:
            return render_error(error)
        except Exception:
            return render_unexpected()

    def _answer(self, event: GatewayEvent) -> Answer:
        headers: Mapping[str, str] = event.get("headers") or {}
        method = event["requestContext"]["http"]["method"]
        if method == "OPTIONS" and "origin" in headers and "access-control-request-method" in headers:
            return {"statusCode": 204, "headers": {**CORS, "Access-Control-Allow-Methods": "POST"}}
        if method != "POST":
            raise IngestMethodError
        return _rendered(self._take(headers, event))

    def _take(self, headers: Mapping[str, str], event: GatewayEvent) -> Receipt | HttpAnswer:
        body = body_of(event)
        proven = self._auth.header_shop(headers, body)
        _check_media_type(headers)
        envelope = read_envelope(body)
        shop_id = self._auth.shop(proven, headers, envelope)
        return self._ingest.accept(shop_id, envelope, check_text=may_hold_unstorable_text(body))


def lambda_handler(endpoint: Callable[[GatewayEvent], Answer]) -> Callable[[GatewayEvent, object], Answer]:
    """The form in which Lambda calls: an event and a context."""
    return lambda event, _context: endpoint(event)


def body_of(event: GatewayEvent) -> bytes:
    """The bytes that were sent. Raises IngestBodyTooLargeError before anything is decoded that is too large anyway."""
    text: str = event.get("body") or ""
    if not event.get("isBase64Encoded"):
        body = text.encode(errors="surrogatepass")
    elif len(text) > MAX_BODY_BYTES * 4 // 3 + 4:
        raise IngestBodyTooLargeError
    else:
        body = _decoded(text)
    if len(body) > MAX_BODY_BYTES:
        raise IngestBodyTooLargeError
    return body


def _decoded(text: str) -> bytes:
    try:
        return b64decode(text)
    except (binascii.Error, ValueError):
        return b""  # the gateway never sends this; nothing is no batch


def _check_media_type(headers: Mapping[str, str]) -> None:
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in CONTENT_TYPES or headers.get("content-encoding", "identity") != "identity":
        raise IngestMediaTypeError


def _rendered(result: Receipt | HttpAnswer) -> Answer:
    if isinstance(result, HttpAnswer):
        headers = {**CORS, "Content-Type": result.content_type or "application/octet-stream"}
        return {"statusCode": result.status, "headers": headers, "body": result.body.decode(errors="replace")}
    return render_json(
        202,
        {
            "ingested": result.ingested,
            "deduplicated": result.deduplicated,
            "quarantined": result.quarantined,
            "errors": result.errors,
        },
    )
