"""Sign-in sessions: how long they live, and what is stored of them. Pure functions.

A session is a record that never changes: sign-in makes it, sign-out removes it. Its last use is stored apart, so that a
late note of a use cannot bring back a session that has ended.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Literal

from abtest.kit.clock import Timestamp, parse_timestamp, timestamp
from abtest.kit.documents import Document, decode, encode

Level = Literal["key", "local", "email", "passkey"]
"""How the user signed in: with a key, by the one-time token of a local stack, by an emailed code, with a passkey."""

IDLE = timedelta(minutes=60)
LONGEST = timedelta(hours=12)
MAX_SESSIONS = 10
"""Sessions of one subject. The oldest one ends when another begins."""

TOKEN_BITS = 256
MAX_USER_AGENT = 300
SEEN_SECONDS = 60
"""Seconds between two notes of the last use. A session may therefore end a minute too early, never too late."""

# URL-safe base64 of 32 bytes, without padding.
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """A session as stored. `sha256` is that of its token, which only the browser has.

    `subject` is who may see and end it: a user (`user#<id>`), or the holders of a key (`key#<id>`), who are not
    necessarily the user that the key belongs to. `verified_at` is when a passkey was last used.
    """

    id: str
    sha256: str
    subject: str
    user_id: str
    level: Level
    created_at: Timestamp
    expires_at: Timestamp
    user_agent: str = ""
    key_id: str | None = None
    key_shop_id: str = ""
    """Shop of the exchanged key; "" for a user key, and without a key."""

    verified_at: Timestamp | None = None
    may_enrol: bool = False
    """Whether the session may add a passkey to those that its user has: an invitation begins such a session."""

    @property
    def acts_for_user(self) -> bool:
        """True where the session has the rights of its user; False where it has those of a shop's key."""
        return not self.key_shop_id

    def idle_until(self, seen_at: Timestamp) -> Timestamp:
        """Return when the session ends if it is not used again."""
        return min(self.expires_at, timestamp(parse_timestamp(seen_at) + IDLE))

    def is_live(self, seen_at: Timestamp, now: Timestamp) -> bool:
        """Return whether the session can be used, when it was last used at `seen_at`."""
        return now < self.idle_until(seen_at)


def end_of(begun_at: datetime) -> datetime:
    """Return when a session ends at the latest."""
    return begun_at + LONGEST


def is_token(text: str) -> bool:
    """Return whether the text has the form of a token. Others are refused without a lookup."""
    return _TOKEN.fullmatch(text) is not None


def digest(token: str) -> str:
    """Return the hex SHA-256 of a token: 256 random bits need no slow hash."""
    return sha256(token.encode(errors="surrogatepass")).hexdigest()


def with_another(sha256s: Sequence[str], another: str) -> tuple[list[str], list[str]]:
    """Return the sessions of a subject once another begins, oldest first, and those that end because of it."""
    everyone = [*(each for each in sha256s if each != another), another]
    return everyone[-MAX_SESSIONS:], everyone[:-MAX_SESSIONS]


def to_document(session: Session) -> Document:
    """Return the stored form."""
    return encode(session)


def from_document(document: Mapping[str, object]) -> Session:
    """Return the stored session; fields of a later release are ignored."""
    return decode(Session, document)
