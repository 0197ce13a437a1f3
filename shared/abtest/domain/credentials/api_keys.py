"""API keys: their text, their scopes, and the time in which they are valid. Pure functions.

A key is `svc_<sk|uk|ts>_<12 id>_<32 random><6 CRC32>` in base 62: three kinds, an id to look it up by, 32 random
digits, a checksum that detects a mistyped key before anything is looked up. Only the SHA-256 of the
whole text is ever stored: 190 bits of entropy need no slow hash.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal
from zlib import crc32

from abtest.kit.clock import Timestamp
from abtest.kit.ids import BASE62, base62

KeyKind = Literal["shop", "user", "tracking_source"]
PREFIXES: Mapping[KeyKind, str] = {"shop": "svc_sk", "user": "svc_uk", "tracking_source": "svc_ts"}
ID_LENGTH, SECRET_LENGTH, CHECKSUM_LENGTH = 12, 32, 6

_VERBS: Mapping[str, tuple[str, ...]] = {
    "shop": ("read", "write"),
    "experiments": ("read", "write", "launch"),
    "approvals": ("write",),
    "flags": ("read", "write", "activate"),
    "personalizations": ("read", "write", "activate"),
    "landing_pages": ("read", "write", "publish"),
    "assets": ("read", "write"),
    "webhooks": ("read", "write"),
    "screenshots": ("read", "write"),
    "settings": ("read", "write"),
    "analytics": ("read",),
    "brand": ("read", "write"),
    "audit": ("read",),
    "inbox": ("read", "write"),
    "backlog": ("read", "write"),
    "workspace": ("read", "write"),
    "previews": ("write",),
    "keys": ("read", "write"),
}
SCOPES: tuple[str, ...] = tuple(f"{resource}:{verb}" for resource, verbs in _VERBS.items() for verb in verbs)
_KNOWN = frozenset(SCOPES)
_READS = frozenset(scope for scope in SCOPES if scope.endswith(":read") and scope != "keys:read")
_NOT_FOR_EDITORS = {"keys:write", "settings:write", "shop:write", "approvals:write"}
_EDITS = frozenset(scope for scope in SCOPES if scope.endswith(":write")) - _NOT_FOR_EDITORS
_LAUNCHES = frozenset(s for s in SCOPES if s.endswith((":launch", ":activate", ":publish"))) | {"approvals:write"}
PRESETS: Mapping[str, frozenset[str]] = {
    "read_only": _READS,
    "editor": _READS | _EDITS,
    "launcher": _READS | _EDITS | _LAUNCHES,
    "admin": _KNOWN,
}


@dataclass(frozen=True, slots=True)
class ParsedKey:
    """Kind and lookup id, as the text of a key contains them."""

    kind: KeyKind
    lookup_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key as stored. `scopes` are the granted ones; `effective_scopes` adds what they imply."""

    id: str
    shop_id: str
    kind: KeyKind
    lookup_id: str
    sha256: str
    last_four: str
    name: str
    user_id: str
    scopes: tuple[str, ...]
    created_at: Timestamp
    created_by: str
    updated_at: Timestamp
    expires_at: Timestamp | None = None
    revoked_at: Timestamp | None = None
    rotated_to: str | None = None
    rate_limit_per_minute: int | None = None
    version: int = 1

    @property
    def prefix(self) -> str:
        """Return the part of the text that may be shown: kind and lookup id."""
        return f"{PREFIXES[self.kind]}_{self.lookup_id}"

    @property
    def effective_scopes(self) -> frozenset[str]:
        """Return granted and implied scopes."""
        return with_implied(self.scopes)

    def is_live(self, now: Timestamp) -> bool:
        """Return whether the key is neither revoked nor expired."""
        # Timestamps are texts of one fixed form, so their order is the order of time.
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


def compose(kind: KeyKind, lookup_id: str, secret: str) -> str:
    """Return the text of a key from its id and its random part."""
    body = f"{PREFIXES[kind]}_{lookup_id}_{secret}"
    return body + checksum(body)


def parse(text: str) -> ParsedKey | None:
    """Return kind and id of a well-formed key whose checksum is right; None otherwise."""
    pieces = text.split("_")
    if len(pieces) != 4:
        return None
    service, kind_code, lookup_id, random = pieces
    if (len(lookup_id), len(random)) != (ID_LENGTH, SECRET_LENGTH + CHECKSUM_LENGTH):
        return None
    if any(character not in BASE62 for character in lookup_id + random):
        return None
    if checksum(text[:-CHECKSUM_LENGTH]) != text[-CHECKSUM_LENGTH:]:
        return None
    kind = next((kind for kind, known in PREFIXES.items() if known == f"{service}_{kind_code}"), None)
    return ParsedKey(kind, lookup_id) if kind else None


def digest(text: str) -> str:
    """Return the hex SHA-256 of a key's whole text, which is all that is stored of it."""
    # A text of a request may hold half of a surrogate pair, for which encode() would raise.
    return sha256(text.encode(errors="surrogatepass")).hexdigest()


def with_implied(scopes: Iterable[str]) -> frozenset[str]:
    """Return the scopes and the read scope of each resource that they may write."""
    granted = frozenset(scopes)
    implied = {f"{scope.removesuffix(':write')}:read" for scope in granted if scope.endswith(":write")}
    return granted | (implied & _KNOWN)


def unknown_scopes(scopes: Iterable[str]) -> list[str]:
    """Return the scopes that do not exist, as given."""
    return [scope for scope in scopes if scope not in _KNOWN]


def checksum(body: str) -> str:
    """Return the CRC32 of a key's text before its checksum, in base 62."""
    return base62(crc32(body.encode(errors="surrogatepass")), CHECKSUM_LENGTH)
