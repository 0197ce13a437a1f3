"""Shop aggregate: its identity, its currency, and the share of shoppers that it holds out."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import urlsplit

from abtest.kit.clock import Timestamp, parse_milliseconds
from abtest.kit.documents import Document, decode, encode
from abtest.kit.money import CURRENCIES

Tier = Literal["self_managed", "service_managed", "legacy_managed"]
RECORD_ID = "SHOP"
DEFAULT_PLATFORM = "custom"
DEFAULT_TIME_ZONE = "UTC"
MAX_HOLDOUT_PCT = 10
SEEN_BY_SHOPPERS = ("currency", "holdout_pct", "holdout_v1_enabled")
"""Fields that the published configuration depends on."""

_HOLDOUT = ("holdout_pct", "holdout_v1_enabled")
# RFC 1123: 1 to 63 characters, not a hyphen at either end.
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST = re.compile(rf"{_LABEL}(?:\.{_LABEL})*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shop:
    """One shop. `org_id` is the user who owns it: the user of the key that made it.

    `timezone` is the IANA zone in which people read moments; days are counted in UTC. `holdout_config_epoch` is when
    the holdout was last changed, in Unix milliseconds; 1 when it never was.
    """

    id: str
    name: str
    domain: str
    origin: str | None = None
    currency: str
    timezone: str = DEFAULT_TIME_ZONE
    tier: Tier = "self_managed"
    operator_enabled: bool = False
    holdout_pct: float = 0
    holdout_v1_enabled: bool = False
    holdout_config_epoch: int = 1
    platform: str = DEFAULT_PLATFORM
    org_id: str
    created_at: Timestamp
    updated_at: Timestamp
    version: int = 1

    def changed(self, changes: Mapping[str, Any], now: Timestamp) -> "Shop":
        """Return the shop with these fields in its next version; itself when nothing differs."""
        after = replace(self, **changes)
        if after == self:
            return self
        epoch = self.holdout_config_epoch
        if any(getattr(self, name) != getattr(after, name) for name in _HOLDOUT):
            # The epoch rises even within one millisecond, or when the clock went back.
            epoch = max(epoch + 1, parse_milliseconds(now))
        return replace(after, holdout_config_epoch=epoch, updated_at=now, version=self.version + 1)


def to_document(shop: Shop) -> Document:
    """Return every field as JSON; the version is in the record's head."""
    return encode(shop, omit=("version",))


def from_document(document: Mapping[str, object], version: int) -> Shop:
    """Return the stored shop; fields of a later release are ignored."""
    return decode(Shop, document, version=version)


def is_currency(code: str) -> bool:
    """Return whether the code is a currency of ISO 4217 that shops can have."""
    return code in CURRENCIES


def is_host_name(text: str) -> bool:
    """Return whether the text is a host name in lower case of at most 253 characters."""
    return len(text) <= 253 and _HOST.fullmatch(text) is not None


def is_origin(text: str) -> bool:
    """Return whether the text is `http(s)://host[:port]` and nothing more."""
    try:
        parts = urlsplit(text)
        # urlsplit checks the port only here, where it is read.
        port = parts.port
    except ValueError:
        return False
    # Writing it again detects what urlsplit ignores: user names, capital letters, a bare colon, zeros before the port.
    rebuilt = f"{parts.scheme}://{parts.hostname}" + (f":{port}" if port is not None else "")
    return parts.scheme in {"http", "https"} and is_host_name(parts.hostname or "") and rebuilt == text
