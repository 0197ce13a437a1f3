"""Enrolment of passkeys: who may add one, and what happens to those that the user has. Pure functions."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Literal

from abtest.domain.identity.people import Passkey, User
from abtest.domain.identity.sessions import Session
from abtest.domain.identity.step_up import is_recent
from abtest.kit.clock import Timestamp, later
from abtest.kit.errors import ConflictError, ServiceError, refused

MAX_PASSKEYS = 20
NOTICE = timedelta(hours=24)
"""Time between the notice of a replacement and the replacement."""

NOTICE_VALID = timedelta(days=7)
"""Time after that for which a session of an emailed code may replace the passkeys."""

Enrolment = Literal["add", "replace"]


class EnrolmentRefusedError(ServiceError):
    """Session that may not add a passkey."""

    status = 403
    code = "passkey_required"


class NoticeRequiredError(ServiceError):
    """Replacement of passkeys by an emailed code, before the notice is 24 hours old."""

    status = 403
    code = "passkey_notice_required"


class LastPasskeyError(ConflictError):
    """Removal of the only passkey."""

    code = "last_passkey"


def enrolment(session: Session, user: User, now: Timestamp) -> Enrolment:
    """Return what a new passkey of the session does: add to the present ones, or replace them.

    Raises EnrolmentRefusedError, NoticeRequiredError.
    """
    if not session.acts_for_user:
        raise EnrolmentRefusedError("a session of a shop key belongs to no person; sign in as one to add a passkey")
    if not user.passkeys or session.level == "local":
        return "add"
    if session.level == "passkey":
        if is_recent(session, now):
            return "add"
        raise EnrolmentRefusedError("confirm with your passkey: this needs one that was used in the last 10 minutes")
    if session.level == "key":
        raise EnrolmentRefusedError("the user has passkeys; sign in with one of them to add another")
    if session.may_enrol:
        return "add"
    return _replacement(user, now)


def noticed(user: User, now: Timestamp) -> User:
    """Return the user after a notice that passkeys will be replaced. A pending one keeps its time."""
    if user.replaceable_at is not None and now < later(user.replaceable_at, NOTICE_VALID):
        return user
    return replace(user, replaceable_at=later(now, NOTICE))


def with_passkey(user: User, passkey: Passkey, enrolled: Enrolment) -> User:
    """Return the user with a new passkey. Raises ValidationFailedError for one too many."""
    kept = user.passkeys if enrolled == "add" else ()
    if len(kept) >= MAX_PASSKEYS:
        raise refused("credential", f"a user has {MAX_PASSKEYS} passkeys at most; remove one first")
    return replace(user, passkeys=(*kept, passkey), replaceable_at=None)


def used(user: User, passkey_id: str, sign_count: int, now: Timestamp) -> User:
    """Return the user after a passkey was used. Passkeys in use are not lost, so a pending notice ends."""
    changed = tuple(
        replace(each, sign_count=sign_count, last_used_at=now) if each.id == passkey_id else each
        for each in user.passkeys
    )
    return replace(user, passkeys=changed, replaceable_at=None)


def without(user: User, passkey_id: str) -> User:
    """Return the user without a passkey. Raises LastPasskeyError."""
    left = tuple(each for each in user.passkeys if each.id != passkey_id)
    if not left:
        raise LastPasskeyError("this is the only passkey; add another one first")
    return replace(user, passkeys=left)


def passkeys_shown(user: User) -> Mapping[str, Passkey]:
    """Return the passkeys by their ids, newest first."""
    return {each.id: each for each in reversed(user.passkeys)}


def _replacement(user: User, now: Timestamp) -> Enrolment:
    if user.replaceable_at is None or later(user.replaceable_at, NOTICE_VALID) <= now:
        raise NoticeRequiredError(
            "the user has passkeys: request a notice to the address, and replace them 24 hours later, or let an admin "
            "of the organisation invite you again"
        )
    if now < user.replaceable_at:
        raise NoticeRequiredError(f"passkeys may be replaced from {user.replaceable_at} on")
    return "replace"
