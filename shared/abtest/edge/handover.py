"""The handover routes: a token for the way to another of the shop's hosts, and the visitor's id where it arrives."""

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
    VERIFY_FIELDS,
    InvalidHandoverRequestError,
    read_document,
    read_fields,
    refuse_other_origin,
    signing_shop,
)
from abtest.kit import canonical_json
from abtest.kit.clock import Clock, timestamp
from abtest.kit.errors import ServiceError
from abtest.ports.limits import RateLimiter

METHODS = "POST"
MEDIA_TYPES = ("application/json", "text/plain", "")

_log = logging.getLogger(__name__)


class DestinationNotAllowedError(ServiceError):
    """The shop hands nobody over to this host."""

    status = 400
    code = "destination_not_allowed"

    def __init__(self) -> None:
        super().__init__("the shop hands no visitors over to this destination")


class HandoverExpiredError(ServiceError):
    """The token was right, and came too late."""

    status = 400
    code = "handover_expired"


class HandoverRoutes:
    """`POST /_svc/handover` and `POST /_svc/handover/verify`, with their preflights."""

    def __init__(
        self, roots: Callable[[], RootKeys], domains: HandoverDomains, limiter: RateLimiter, clock: Clock
    ) -> None:
        self._roots = roots
        self._domains = domains
        self._limiter = limiter
        self._clock = clock

    def handover(self, event: GatewayEvent, _context: Any = None) -> Answer:
        """Mint or verify; whatever happens, any origin may read the answer."""
        try:
            return self._answer(Request.of(event), event)
        except ServiceError as error:
            return json_error(error, CORS)
        except Exception:
            _log.exception("handover.failed")
            return json_error(ServiceError("something went wrong here; go on without a handover"), CORS)

    def _answer(self, request: Request, event: GatewayEvent) -> Answer:
        if is_preflight(request):
            return preflight_answer(METHODS)
        if request.method != METHODS:
            raise MethodNotAllowedError(METHODS)
        limits.take_one(self._limiter, self._clock, request.address)
        refuse_other_media(request.headers, MEDIA_TYPES)
        document = read_document(body_of(event, MAX_BODY_BYTES))
        shop_id = signing_shop(document, self._roots)
        if event["rawPath"].rstrip("/").endswith("/verify"):
            return _rendered(self._verified(shop_id, read_fields(document, VERIFY_FIELDS), request))
        return _rendered(self._minted(shop_id, read_fields(document, MINT_FIELDS)))

    def _minted(self, shop_id: str, fields: Mapping[str, str]) -> Mapping[str, str]:
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
        return {"token": make_handover(self._roots(), handover), "expires_at": timestamp(until)}

    def _verified(self, shop_id: str, fields: Mapping[str, str], request: Request) -> Mapping[str, str]:
        refuse_other_origin(request.headers.get("origin"), fields["host"])
        now = int(self._clock.now().timestamp())
        try:
            visitor_id = read_handover(
                self._roots(), fields["token"], shop_id=shop_id, host=fields["host"], now_seconds=now
            )
        except ExpiredHandoverError as error:
            raise HandoverExpiredError(str(error)) from error
        except InvalidHandoverError as error:
            raise InvalidHandoverRequestError(f"token: {error}") from error
        return {"visitorId": visitor_id}


def _rendered(answer: Mapping[str, str]) -> Answer:
    headers = {**CORS, **NO_STORE, "X-Content-Type-Options": "nosniff", "Content-Type": "application/json"}
    return {"statusCode": 200, "headers": headers, "body": canonical_json.dumps(answer)}
