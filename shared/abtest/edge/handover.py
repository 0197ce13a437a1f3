"""Handover routes: a token for another host of the shop, and the visitor's id on that host."""

import logging
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from abtest.domain.credentials.handover import (
    ExpiredHandoverError,
    Handover,
    InvalidHandoverError,
    make_handover,
    read_handover,
)
from abtest.domain.credentials.signing import RootKeys
from abtest.edge import limits
from abtest.edge.cors import CORS, is_preflight, preflight_answer
from abtest.edge.gateway import (
    NO_STORE,
    Answer,
    GatewayEvent,
    MethodNotAllowedError,
    Request,
    body_of,
    json_error,
    refuse_other_media,
)
from abtest.edge.handover_domains import HandoverDomains
from abtest.edge.handover_request import (
    MAX_BODY_BYTES,
    MINT_FIELDS,
    REQUEST_ID,
    VERIFY_FIELDS,
    InvalidHandoverRequestError,
    read_document,
    read_fields,
    refuse_other_origin,
    signing_shop,
)
from abtest.edge.handover_uses import HandoverUses
from abtest.kit import canonical_json
from abtest.kit.clock import Clock, timestamp
from abtest.kit.errors import ServiceError
from abtest.kit.ids import Randomness, random_base62
from abtest.ports.limits import Leases, RateLimiter

METHODS = "POST"
# Browsers send text/plain without a preflight, which saves a round trip before the visitor leaves the page.
MEDIA_TYPES = ("application/json", "text/plain", "")

_log = logging.getLogger(__name__)


class DestinationNotAllowedError(ServiceError):
    """Host that is not among the shop's handover domains."""

    status = 400
    code = "destination_not_allowed"

    def __init__(self) -> None:
        super().__init__("the destination must be one of the shop's handover domains")


class HandoverExpiredError(ServiceError):
    """Valid token that has expired."""

    status = 400
    code = "handover_expired"


class HandoverUsedError(ServiceError):
    """Valid token that was used before."""

    status = 400
    code = "handover_used"

    def __init__(self) -> None:
        super().__init__("the handover was used before; each token works once")


class HandoverRoutes:
    """`POST /_svc/handover` and `POST /_svc/handover/verify`, with their preflights."""

    def __init__(
        self,
        roots: Callable[[], RootKeys],
        domains: HandoverDomains,
        limiter: RateLimiter,
        leases: Leases,
        clock: Clock,
        random: Randomness,
    ) -> None:
        self._roots = roots
        self._domains = domains
        self._limiter = limiter
        self._uses = HandoverUses(leases, clock, random)
        self._clock = clock
        self._random = random

    def handover(self, event: GatewayEvent, _context: Any = None) -> Answer:
        """Mint or verify; any origin may read the answer, errors too."""
        try:
            return self.answer(Request.of(event), event)
        except ServiceError as error:
            return json_error(error, CORS)
        except Exception:
            _log.exception("handover.failed")
            return json_error(ServiceError("an unexpected error occurred; continue without a handover"), CORS)

    def answer(self, request: Request, event: GatewayEvent) -> Answer:
        """Answer a request. Raises ServiceError."""
        if is_preflight(request):
            return preflight_answer(METHODS)
        if request.method != METHODS:
            raise MethodNotAllowedError(METHODS)
        limits.take_one(self._limiter, self._clock, request.address)
        refuse_other_media(request.headers, MEDIA_TYPES)
        document = read_document(body_of(event, MAX_BODY_BYTES))
        shop_id = signing_shop(document, self._roots)
        if event["rawPath"].rstrip("/").endswith("/verify"):
            body = self.verify(shop_id, read_fields(document, VERIFY_FIELDS, (REQUEST_ID,)), request)
        else:
            body = self.mint(shop_id, read_fields(document, MINT_FIELDS))
        headers = {**CORS, **NO_STORE, "X-Content-Type-Options": "nosniff", "Content-Type": "application/json"}
        return {"statusCode": 200, "headers": headers, "body": canonical_json.dumps(body)}

    def mint(self, shop_id: str, fields: Mapping[str, str]) -> Mapping[str, str]:
        """Make a token for a destination. Raises DestinationNotAllowedError."""
        rule = self._domains.rule(shop_id)
        if not rule.allows(fields["destination"]):
            raise DestinationNotAllowedError
        until = self._clock.now() + timedelta(seconds=rule.seconds)
        handover = Handover(
            shop_id=shop_id,
            visitor_id=fields["visitorId"],
            destination=fields["destination"],
            expires_at=int(until.timestamp()),
        )
        token = make_handover(self._roots(), handover, random_base62(16, self._random))
        return {"token": token, "expires_at": timestamp(until)}

    def verify(self, shop_id: str, fields: Mapping[str, str], request: Request) -> Mapping[str, str]:
        """Return the visitor's id of a token, once.

        Raises HandoverExpiredError, HandoverUsedError, InvalidHandoverRequestError.
        """
        refuse_other_origin(request.headers.get("origin"), fields["host"])
        now = int(self._clock.now().timestamp())
        try:
            handover = read_handover(
                self._roots(), fields["token"], shop_id=shop_id, host=fields["host"], now_seconds=now
            )
        except ExpiredHandoverError as error:
            raise HandoverExpiredError(str(error)) from error
        except InvalidHandoverError as error:
            raise InvalidHandoverRequestError(f"token: {error}") from error
        if not self._uses.is_first(fields["token"], handover, fields.get(REQUEST_ID)):
            raise HandoverUsedError
        return {"visitorId": handover.visitor_id}
