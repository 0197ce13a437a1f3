"""Strength of a session: what it may do by how, and how recently, its user signed in. Pure functions."""

from datetime import timedelta

from abtest.domain.identity.sessions import Session
from abtest.kit.clock import Timestamp, later

RECENT = timedelta(minutes=10)
"""Time for which a used passkey admits changes of keys, people, passkeys and secrets."""


def may_write(session: Session) -> bool:
    """Return whether the session may change anything. One by an emailed code only reads."""
    return session.level != "email"


def is_recent(session: Session, now: Timestamp) -> bool:
    """Return whether the session may change keys, people, passkeys and secrets now.

    A session of a key has the rights of the key, which needs no second proof, and one of a local stack has no passkey.
    """
    if session.level in ("key", "local"):
        return True
    return session.verified_at is not None and now < later(session.verified_at, RECENT)
