"""Assignment routes for servers: checks of a request before anything is decided, and the answer."""

import logging
from base64 import b64encode
from collections.abc import Mapping
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
from abtest.kit.content_coding import MIN_BYTES, accepts_gzip, gzipped
from abtest.kit.errors import ServiceError
from abtest.ports.limits import RateLimiter
from abtest.services.assignment import Assignments
from abtest.services.rate_limits import RateLimitedError

METHODS = "GET, HEAD, POST"
MEDIA_TYPES = ("application/json",)
REQUESTS_PER_WINDOW, WINDOW_SECONDS = 60_000, 60
PRIVATE: Headers = {"X-Content-Type-Options": "nosniff"}
"""Headers next to `no-store`; no CORS, because only servers have the key."""

_log = logging.getLogger(__name__)


class AssignmentRoutes:
    """`GET` and `POST` of `/assign` and `/_svc/assign`."""

    def __init__(self, auth: AssignmentAuth, assignments: Assignments, limiter: RateLimiter, clock: Clock) -> None:
        self._auth = auth
        self._assignments = assignments
        self._limiter = limiter
        self._clock = clock

    def assign(self, event: GatewayEvent, _context: Any = None) -> Answer:
        """Answer with the assignments of one visitor or customer."""
        try:
            return self.answer(Request.of(event), event)
        except ServiceError as error:
            return json_error(error, PRIVATE)
        except Exception:
            _log.exception("assignment.failed")
            return json_error(ServiceError("an unexpected error occurred; repeat the request"), PRIVATE)

    def answer(self, request: Request, event: GatewayEvent) -> Answer:
        """Answer a request. Raises ServiceError, first for the key, then for the rate limit, then for the fields."""
        if request.method not in METHODS.split(", "):
            raise MethodNotAllowedError(METHODS)
        shop_id = self._auth.shop(request)
        decision = self._limiter.take(
            f"assign:{shop_id}", limit=REQUESTS_PER_WINDOW, window_seconds=WINDOW_SECONDS, now=self._clock.now()
        )
        if not decision.allowed:
            raise RateLimitedError(decision, "assignment requests of this shop")
        if request.method != "POST":
            fields = read_query(request.query)
        else:
            refuse_parameters(request.query)
            refuse_other_media(request.headers, MEDIA_TYPES)
            fields = read_body(body_of(event, MAX_BODY_BYTES))
        if fields.shop_id is not None and fields.shop_id.lower() != shop_id:
            raise AssignmentUnauthorizedError
        return answer_of(self._assignments.answer(shop_id, fields), request.headers)


def answer_of(assignments: Mapping[str, Any], headers: Headers) -> Answer:
    """Return the answer with these assignments, in gzip where the caller accepts it and it has no secret."""
    content = canonical_json.encode(assignments)
    given = {**PRIVATE, **NO_STORE, "Content-Type": "application/json", "Vary": "Accept-Encoding"}
    # The caller chooses some of the content, so the length in gzip would help to guess a secret next to it.
    is_secret = assignments["commerce_authorization"] is not None
    if len(content) >= MIN_BYTES and not is_secret and accepts_gzip(headers.get("accept-encoding", "")):
        content, given = gzipped(content), {**given, "Content-Encoding": "gzip"}
    # Base 64, as escaped JSON text a body could grow past Lambda's 6 MB.
    return {"statusCode": 200, "headers": given, "body": b64encode(content).decode(), "isBase64Encoded": True}
