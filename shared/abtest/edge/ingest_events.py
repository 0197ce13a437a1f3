"""Ingest routes: checks of a request before its events are read, and the answer in the worker's form."""

import logging
from collections.abc import Mapping
from typing import Any

from abtest.domain.ledger.batch import read_envelope
from abtest.domain.ledger.context import country_of, device_of
from abtest.domain.ledger.events import MAX_BODY_BYTES
from abtest.domain.ledger.normalise import SERVER, Origin
from abtest.edge.cors import CORS, is_preflight, preflight_answer
from abtest.edge.gateway import (
    NO_STORE,
    Answer,
    GatewayEvent,
    Headers,
    MethodNotAllowedError,
    Request,
    body_of,
    json_error,
    refuse_other_media,
)
from abtest.edge.ingest_auth import IngestAuth, is_of_server
from abtest.edge.ingest_compression import ENCODINGS, unpacked
from abtest.edge.visitor_cookie import refreshed
from abtest.kit import canonical_json
from abtest.kit.errors import ServiceError
from abtest.ports.http_sender import HttpAnswer
from abtest.services.ingest import Ingest, Receipt

METHODS = "POST"
MEDIA_TYPES = ("application/json", "text/plain", "")
"""Beacons send text/plain, which needs no preflight, and blobs without a type send none at all."""

COUNTRY = "cloudfront-viewer-country"
"""Header with the visitor's country in two letters, which the CDN sets."""

_log = logging.getLogger(__name__)


class IngestRoutes:
    """`POST /events` and `POST /_svc/events`, with their preflights."""

    def __init__(self, auth: IngestAuth, ingest: Ingest) -> None:
        self._auth = auth
        self._ingest = ingest

    def events(self, event: GatewayEvent, _context: Any = None) -> Answer:
        """Accept a batch; any origin may read the answer, errors too."""
        try:
            return self.answer(Request.of(event), event)
        except ServiceError as error:
            return json_error(error, CORS)
        except Exception:
            _log.exception("ingest.failed")
            return json_error(ServiceError("an unexpected error occurred; send the events again"), CORS)

    def answer(self, request: Request, event: GatewayEvent) -> Answer:
        """Answer a request. Raises ServiceError."""
        if is_preflight(request):
            return preflight_answer(METHODS)
        if request.method != METHODS:
            raise MethodNotAllowedError(METHODS)
        body = body_of(event, MAX_BODY_BYTES)
        # A server signs the body as it sends it, so the signature is checked before the body is decompressed.
        proven = self._auth.header_shop(request.headers, body, request.address)
        refuse_other_media(request.headers, MEDIA_TYPES, ENCODINGS)
        envelope = read_envelope(unpacked(body, request.headers, MAX_BODY_BYTES))
        shop_id = self._auth.shop(proven, request.headers, envelope)
        origin = origin_of(request.headers)
        answer = receipt_answer(self._ingest.accept(shop_id, envelope, origin=origin, address=request.address))
        cookies = refreshed(event, request)
        return {**answer, "cookies": list(cookies)} if cookies else answer


def origin_of(headers: Headers) -> Origin:
    """Return the origin of events: a server, or a browser with its device and country."""
    if is_of_server(headers):
        return SERVER
    return Origin(
        is_browser=True,
        device=device_of(headers.get("user-agent", "")),
        country=country_of(headers.get(COUNTRY)),
    )


def receipt_answer(result: Receipt | HttpAnswer) -> Answer:
    """Return the counts of a receipt, or the answer of the server to which events are forwarded."""
    if isinstance(result, HttpAnswer):
        headers = {**CORS, **NO_STORE, "Content-Type": result.content_type or "application/octet-stream"}
        return {"statusCode": result.status, "headers": headers, "body": result.body.decode(errors="replace")}
    body: Mapping[str, Any] = {
        "ingested": result.ingested,
        "deduplicated": result.deduplicated,
        "quarantined": result.quarantined,
        "errors": result.errors,
        **({"warnings": result.warnings} if result.warnings else {}),
    }
    headers = {**CORS, **NO_STORE, "Content-Type": "application/json"}
    return {"statusCode": 202, "headers": headers, "body": canonical_json.dumps(body)}
