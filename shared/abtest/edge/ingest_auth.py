"""Who sends these events: the four forms of ingest authentication, each leading to one shop.

Credentials may stand in the headers (`x-svc-shop` with a browser's or a server's signature, or a tracking source key as
a bearer value) and in the body (`_shopId` with a browser's signature). Whatever is there must be right, and all of it
must name the same shop.
"""

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from abtest.domain.credentials.api_keys import digest, parse
from abtest.domain.credentials.signing import RootKeys, is_browser_signature, is_server_signature
from abtest.domain.credentials.stored_keys import claim_name
from abtest.domain.ledger.batch import Envelope
from abtest.kit.clock import Clock, timestamp
from abtest.kit.errors import ServiceError
from abtest.kit.ids import is_uuid

KEY_REMEMBERED = timedelta(seconds=60)
CACHE_SIZE = 1000

ClaimAttributes = Callable[[str], Mapping[str, str | None] | None]
"""From a service-wide name to what stands in its claim."""


class IngestUnauthorizedError(ServiceError):
    """No credentials, or wrong ones, or two that disagree: one answer for all."""

    status = 401
    code = "ingest_unauthorized"

    def __init__(self) -> None:
        super().__init__("valid ingest credentials are required: a signature for the shop, or its tracking-source key")


@dataclass(slots=True)
class TrackingKeys:
    """Tracking source keys, read from the claim of their id and remembered for a minute, unknown ones too."""

    claims: ClaimAttributes
    clock: Clock
    _remembered: dict[str, tuple[datetime, Mapping[str, str | None] | None]] = field(default_factory=dict)

    def shop_of(self, text: str) -> str | None:
        """The shop whose live tracking source key this is, or None."""
        name = _claim_of(text)
        return self._shop_in(self._stored(name), text) if name else None

    def remembered_shop_of(self, text: str) -> str | None:
        """As `shop_of`, but None, too, where that would have to ask the catalog."""
        name = _claim_of(text)
        return self._shop_in(self._recalled(name, self.clock.now())[1], text) if name else None

    def _shop_in(self, stored: Mapping[str, str | None] | None, text: str) -> str | None:
        if not stored or not hmac.compare_digest(stored.get("sha256") or "", digest(text)):
            return None
        now = timestamp(self.clock.now())
        expires_at = stored.get("expires_at")
        is_live = stored.get("revoked_at") is None and (expires_at is None or now < expires_at)
        return stored.get("shop_id") if is_live else None

    def _stored(self, name: str) -> Mapping[str, str | None] | None:
        now = self.clock.now()
        is_remembered, found = self._recalled(name, now)
        if not is_remembered:
            if len(self._remembered) >= CACHE_SIZE:
                self._remembered.clear()
            found = self.claims(name)
            self._remembered[name] = (now, found)
        return found

    def _recalled(self, name: str, now: datetime) -> tuple[bool, Mapping[str, str | None] | None]:
        """Whether the claim was read within the last minute, and what stood there."""
        read_at, found = self._remembered.get(name, (None, None))
        is_remembered = read_at is not None and now - read_at < KEY_REMEMBERED
        return is_remembered, found if is_remembered else None


def _claim_of(text: str) -> str | None:
    parsed = parse(text)
    return claim_name(parsed.lookup_id) if parsed is not None and parsed.kind == "tracking_source" else None


def bearer_text(authorization: str) -> str | None:
    """The key in an Authorization header; None for another scheme."""
    scheme, _, text = authorization.partition(" ")
    return text.strip() if scheme.lower() == "bearer" else None


def is_of_server(headers: Mapping[str, str]) -> bool:
    """Whether the credentials are a server's, which sends for many visitors: its own signature, or a tracking key."""
    return "authorization" in headers or headers.get("x-svc-signature", "").startswith("t=")


@dataclass(frozen=True, slots=True)
class IngestAuth:
    """Checks credentials against the deployment's root keys and the tracking source keys."""

    roots: Callable[[], RootKeys]
    keys: TrackingKeys
    clock: Clock

    def header_shop(self, headers: Mapping[str, str], body: bytes) -> str | None:
        """The shop that the headers prove, None when they hold no credentials. Raises IngestUnauthorizedError."""
        shops = set()
        bearer, signature = headers.get("authorization"), headers.get("x-svc-signature")
        if bearer is not None:
            shops.add(self._bearer_shop(bearer))
        if signature is not None:
            shops.add(self._signing_shop(headers.get("x-svc-shop", "").lower(), signature, body))
        if headers.get("x-svc-shop"):
            # Alone it proves nothing, but it must not contradict what does.
            shops.add(headers["x-svc-shop"].lower())
        if len(shops) > 1 or None in shops:
            raise IngestUnauthorizedError
        return shops.pop() if bearer is not None or signature is not None else None

    def shop(self, proven: str | None, headers: Mapping[str, str], envelope: Envelope) -> str:
        """The shop after the body was read; `proven` is what the headers proved. Raises IngestUnauthorizedError."""
        named = envelope.shop_id.lower() if envelope.shop_id is not None else None
        if envelope.signature is not None:
            if named is None or not self._is_signed(named, envelope.signature):
                raise IngestUnauthorizedError
            proven = proven or named
        claimed = headers.get("x-svc-shop", "").lower()
        if proven is None or named not in (None, proven) or claimed not in ("", proven):
            raise IngestUnauthorizedError
        return proven

    def _bearer_shop(self, value: str) -> str | None:
        text = bearer_text(value)
        return None if text is None else self.keys.shop_of(text)

    def _signing_shop(self, shop_id: str, signature: str, body: bytes) -> str | None:
        if signature.startswith("t="):
            seconds = int(self.clock.now().timestamp())
            is_right = is_uuid(shop_id) and is_server_signature(self.roots(), shop_id, signature, body, seconds)
        else:
            is_right = self._is_signed(shop_id, signature)
        return shop_id if is_right else None

    def _is_signed(self, shop_id: str, signature: str) -> bool:
        return is_uuid(shop_id) and is_browser_signature(self.roots(), shop_id, signature)
