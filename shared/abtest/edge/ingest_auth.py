"""Ingest authentication: four forms of credentials, each for one shop.

Credentials may be in the headers (`x-svc-shop` with a browser's or a server's signature, or a tracking source key as a
bearer value) and in the body (`_shopId` with a browser's signature). All that are present must be right and name the
same shop.
"""

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TypeVar

from abtest.domain.credentials.api_keys import digest, parse
from abtest.domain.credentials.ingest_epochs import claim_name as claim_of_epochs
from abtest.domain.credentials.ingest_epochs import from_claim
from abtest.domain.credentials.signing import RootKeys, is_browser_signature, is_server_signature
from abtest.domain.credentials.stored_keys import claim_name
from abtest.domain.ledger.batch import Envelope
from abtest.kit.clock import Clock, timestamp
from abtest.kit.errors import DatabaseBusyError, ServiceError
from abtest.kit.ids import is_uuid
from abtest.services.rate_limits import FailedAuthentications

KEY_REMEMBERED = timedelta(seconds=60)
EPOCHS_REMEMBERED = timedelta(seconds=5)
"""Time for which a process uses the epochs of a shop's ingest secret; wrong signatures cause no earlier read."""
KEY_SERVED = timedelta(hours=1)
"""Time for which a key goes on being accepted while the catalog does not respond. A revocation may come that late."""
CACHE_SIZE = 1000

T = TypeVar("T")
ClaimAttributes = Callable[[str], Mapping[str, str | None] | None]
"""From a service-wide name to the attributes of its claim."""


class IngestUnauthorizedError(ServiceError):
    """No credentials, wrong ones, or two that differ; all get the same answer."""

    status = 401
    code = "ingest_unauthorized"

    def __init__(self) -> None:
        super().__init__("valid ingest credentials are required: a signature for the shop, or its tracking-source key")


@dataclass(slots=True)
class TrackingKeys:
    """Tracking source keys, read from the claim of their id and remembered for a minute, unknown ones too."""

    claims: ClaimAttributes
    clock: Clock
    _known: dict[str, tuple[datetime, Mapping[str, str | None]]] = field(default_factory=dict)
    _unknown: dict[str, datetime] = field(default_factory=dict)

    def shop_of(self, text: str) -> str | None:
        """Return the shop of a live tracking source key, or None. Reads the catalog once a minute for an id."""
        name = claim_of(text)
        return shop_in(self.claim(name), text, self.clock.now()) if name else None

    def known_id(self, text: str) -> str:
        """Return a name for the key's id if a key has this id, live or not; "" otherwise."""
        name = claim_of(text)
        return name if name and self.claim(name) else ""

    def claim(
        self, name: str, *, is_optional: bool = False, max_age: timedelta = KEY_REMEMBERED
    ) -> Mapping[str, str | None] | None:
        """Return the attributes of a claim, less than `max_age` old; None when there is none.

        While the catalog does not respond, those read last are up to an hour old. So is the absence of an optional
        claim; that of a key proves nothing, because the key may exist by now. Raises DatabaseBusyError.
        """
        now = self.clock.now()
        read_at, stored = self._known.get(name) or (self._unknown.get(name), None)
        if read_at is not None and now - read_at < max_age:
            return stored
        try:
            stored = self.claims(name)
        except DatabaseBusyError:
            is_usable = stored is not None or is_optional
            if not is_usable or read_at is None or now - read_at >= KEY_SERVED:
                raise
            return stored
        # Apart from the known ones, so that a flood of invented ids does not displace keys in use.
        if stored is None:
            self._known.pop(name, None)
            _bounded(self._unknown)[name] = now
        else:
            _bounded(self._known)[name] = (now, stored)
        return stored


def _bounded(cache: dict[str, T]) -> dict[str, T]:
    if len(cache) >= CACHE_SIZE:
        cache.clear()
    return cache


def shop_in(stored: Mapping[str, str | None] | None, text: str, now: datetime) -> str | None:
    """Return the shop of a stored key if the text is that key and it is live."""
    # compare_digest takes the same time wherever the texts differ, but raises TypeError for None.
    if not stored or not hmac.compare_digest(stored.get("sha256") or "", digest(text)):
        return None
    expires_at = stored.get("expires_at")
    is_live = stored.get("revoked_at") is None and (expires_at is None or timestamp(now) < expires_at)
    return stored.get("shop_id") if is_live else None


def claim_of(text: str) -> str | None:
    """Return the name of the claim of a tracking source key; None for any other text."""
    parsed = parse(text)
    return claim_name(parsed.lookup_id) if parsed is not None and parsed.kind == "tracking_source" else None


def bearer_text(authorization: str) -> str | None:
    """Return the key in an Authorization header; None for another scheme."""
    scheme, _, text = authorization.partition(" ")
    return text.strip() if scheme.lower() == "bearer" else None


def is_of_server(headers: Mapping[str, str]) -> bool:
    """Return whether a server sends for many visitors, with its own signature or a tracking source key."""
    return "authorization" in headers or headers.get("x-svc-signature", "").startswith("t=")


@dataclass(frozen=True, slots=True)
class IngestAuth:
    """Check of credentials against the deployment's root keys and the tracking source keys."""

    roots: Callable[[], RootKeys]
    keys: TrackingKeys
    failures: FailedAuthentications
    clock: Clock

    def header_shop(self, headers: Mapping[str, str], body: bytes, address: str) -> str | None:
        """Return the shop that the headers prove; None without credentials.

        Raises IngestUnauthorizedError, RateLimitedError.
        """
        shops: set[str | None] = set()
        bearer, signature = headers.get("authorization"), headers.get("x-svc-signature")
        if bearer is not None:
            shops.add(self.bearer_shop(bearer_text(bearer) or "", address))
        if signature is not None:
            shop_id = headers.get("x-svc-shop", "").lower()
            if signature.startswith("t="):
                shops.add(self.server_shop(shop_id, signature, body, address))
            else:
                shops.add(self.browser_shop(shop_id, signature))
        if headers.get("x-svc-shop"):
            # This header alone proves nothing, but it must name the shop that the credentials prove.
            shops.add(headers["x-svc-shop"].lower())
        if len(shops) > 1 or None in shops:
            raise IngestUnauthorizedError
        return shops.pop() if bearer is not None or signature is not None else None

    def bearer_shop(self, key: str, address: str) -> str:
        """Return the shop of a live tracking source key. Raises IngestUnauthorizedError, RateLimitedError."""
        shop_id = self.keys.shop_of(key)
        if shop_id is None:
            # Wrong signatures of browsers are not counted: they cost a computation, but no call.
            self.failures.count(address, self.keys.known_id(key))
            raise IngestUnauthorizedError
        return shop_id

    def shop(self, proven: str | None, headers: Mapping[str, str], envelope: Envelope) -> str:
        """Return the shop of the whole request; `proven` is that of its headers. Raises IngestUnauthorizedError."""
        named = envelope.shop_id.lower() if envelope.shop_id is not None else None
        if envelope.signature is not None:
            if named is None or self.browser_shop(named, envelope.signature) is None:
                raise IngestUnauthorizedError
            proven = proven or named
        claimed = headers.get("x-svc-shop", "").lower()
        if proven is None or named not in (None, proven) or claimed not in ("", proven):
            raise IngestUnauthorizedError
        return proven

    def browser_shop(self, shop_id: str, signature: str) -> str | None:
        """Return the shop if the signature is that of its browsers; else None."""
        return shop_id if is_uuid(shop_id) and is_browser_signature(self.roots(), shop_id, signature) else None

    def server_shop(self, shop_id: str, signature: str, body: bytes, address: str) -> str:
        """Return the shop whose server signed the body (`t=…`). Raises IngestUnauthorizedError, RateLimitedError."""
        if not is_uuid(shop_id):
            raise IngestUnauthorizedError
        name, now = claim_of_epochs(shop_id), self.clock.now()
        # A rotation must take effect within seconds: the new secret is in use at once, and the former may have leaked.
        claim = self.keys.claim(name, is_optional=True, max_age=EPOCHS_REMEMBERED)
        epochs = from_claim(claim).live(timestamp(now))
        if not is_server_signature(self.roots(), shop_id, signature, body, int(now.timestamp()), epochs):
            self.failures.count(address, name if claim else "")
            raise IngestUnauthorizedError
        return shop_id
