"""The assignment routes, for servers: what a request must be before anything is decided, and the answer."""

import logging
from base64 import b64encode
from typing import Any

from abtest.edge.assign_auth import AssignmentAuth, AssignmentUnauthorizedError
from abtest.edge.assign_request import MAX_BODY_BYTES, read_body, read_query, refuse_parameters
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
from abtest.kit import canonical_json
from abtest.kit.clock import Clock
from abtest.kit.errors import ServiceError
from abtest.ports.limits import RateLimiter
from abtest.services.assignment import Assignments
from abtest.services.assignment_request import AssignmentRequest
from abtest.services.rate_limits import RateLimitedError

METHODS = "GET, POST"
MEDIA_TYPES = ("application/json",)
REQUESTS_PER_WINDOW, WINDOW_SECONDS = 60_000, 60
PRIVATE: Headers = {"X-Content-Type-Options": "nosniff"}
"""Beside `no-store`: no other origin is let in, since only servers hold the key."""

_log = logging.getLogger(__name__)


class AssignmentRoutes:
    """`GET` and `POST` of `/assign` and `/_svc/assign`."""

    def __init__(self, auth: AssignmentAuth, assignments: Assignments, limiter: RateLimiter, clock: Clock) -> None:
        self._auth = auth
        self._assignments = assignments
        self._limiter = limiter
        self._clock = clock

    def assign(self, event: GatewayEvent, _context: Any = None) -> Answer:
        """What one visitor or customer gets."""
        try:
            return self._answer(Request.of(event), event)
        except ServiceError as error:
            return json_error(error, PRIVATE)
        except Exception:
            _log.exception("assignment.failed")
            return json_error(ServiceError("something went wrong here; repeat the request"), PRIVATE)

    def _answer(self, request: Request, event: GatewayEvent) -> Answer:
        if request.method not in ("GET", "POST"):
            raise MethodNotAllowedError(METHODS)
        shop_id = self._auth.shop(request)
        self._take_one(shop_id)
        asked = _asked(request, event)
        if asked.shop_id is not None and asked.shop_id.lower() != shop_id:
            raise AssignmentUnauthorizedError
        return _rendered(self._assignments.answer(shop_id, asked))

    def _take_one(self, shop_id: str) -> None:
        decision = self._limiter.take(
            f"assign:{shop_id}", limit=REQUESTS_PER_WINDOW, window_seconds=WINDOW_SECONDS, now=self._clock.now()
        )
        if not decision.allowed:
            raise RateLimitedError(decision)


def _asked(request: Request, event: GatewayEvent) -> AssignmentRequest:
    if request.method == "GET":
        return read_query(request.query)
    refuse_parameters(request.query)
    refuse_other_media(request.headers, MEDIA_TYPES)
    return read_body(body_of(event, MAX_BODY_BYTES))


def _rendered(answer: dict[str, Any]) -> Answer:
    # Base 64, as escaped JSON text a body could grow past Lambda's 6 MB.
    body = b64encode(canonical_json.encode(answer)).decode()
    headers = {**PRIVATE, **NO_STORE, "Content-Type": "application/json"}
    return {"statusCode": 200, "headers": headers, "body": body, "isBase64Encoded": True}
