"""Answers of the ingest routes: the worker's flat error body, and leave for every origin to read."""

import logging
from collections.abc import Mapping
from typing import Any

from abtest.kit import canonical_json
from abtest.kit.errors import ServiceError

_log = logging.getLogger(__name__)

Answer = dict[str, Any]

CORS: Mapping[str, str] = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Headers": "content-type, x-svc-shop, x-svc-signature",
    "Access-Control-Max-Age": "86400",
    "Cache-Control": "no-store",
}


def render_json(status: int, document: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Answer:
    """A JSON answer that any origin may read."""
    return {
        "statusCode": status,
        "headers": {**CORS, "Content-Type": "application/json", **(headers or {})},
        "body": canonical_json.dumps(document),
    }


def render_error(error: ServiceError) -> Answer:
    """`{"error": code, "message": …}` with the error's status and headers."""
    return render_json(error.status, {"error": error.code, "message": error.message}, error.headers)


def render_unexpected() -> Answer:
    """The answer to what nobody foresaw, which is logged with its trace: call this while handling the exception."""
    _log.exception("ingest.failed")
    return render_json(500, {"error": "internal_error", "message": "something went wrong here; send the events again"})
