"""Stored sessions: begin, look up, list, end. A session is stored under the SHA-256 of its token."""

from base64 import urlsafe_b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from abtest.domain.identity.sessions import (
    LONGEST,
    MAX_SESSIONS,
    MAX_USER_AGENT,
    TOKEN_BITS,
    Level,
    Session,
    digest,
    end_of,
    from_document,
    to_document,
    with_another,
)
from abtest.kit.clock import Timestamp, parse_timestamp, timestamp
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.limits import Sessions
from abtest.services.context import World

_INDEX_KEPT = LONGEST + timedelta(hours=1)
_ATTEMPTS = 8


@dataclass(frozen=True, slots=True)
class Used:
    """A live session and the moment of its last use, which is stored to the minute."""

    session: Session
    seen_at: Timestamp


@dataclass(frozen=True, slots=True)
class Begun:
    """A new session and its token, which is never stored."""

    token: str
    used: Used


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """Properties of a session that a sign-in begins."""

    user_id: str
    level: Level
    user_agent: str = ""
    key_id: str | None = None
    key_shop_id: str = ""
    verified_at: Timestamp | None = None
    may_enrol: bool = False

    @property
    def subject(self) -> str:
        """The user, or the key, whose holders may see and end the session."""
        return f"key#{self.key_id}" if self.key_id else f"user#{self.user_id}"


class SessionStore:
    """Sessions of all users.

    `sign_ins` has the sessions, the list of each subject's, and tokens that are used once; `seen` has the last use of
    each session, and may be written by every function.
    """

    def __init__(self, world: World, sign_ins: Sessions, seen: Sessions) -> None:
        self._world = world
        self._sign_ins = sign_ins
        self._seen = seen

    def begin(self, given: Beginning) -> Begun:
        """Store a new session. The oldest one of the subject ends if it has too many. Raises DatabaseBusyError."""
        now = self._world.clock.now()
        token = new_token(self._world)
        session = Session(
            id=self._world.unrepeated_id(),
            sha256=digest(token),
            subject=given.subject,
            user_id=given.user_id,
            level=given.level,
            created_at=timestamp(now),
            expires_at=timestamp(end_of(now)),
            user_agent=given.user_agent[:MAX_USER_AGENT],
            key_id=given.key_id,
            key_shop_id=given.key_shop_id,
            verified_at=given.verified_at,
            may_enrol=given.may_enrol,
        )
        # Listed first: a session that is not listed could not be ended by its user.
        for ended in self._list_also(session):
            self._sign_ins.delete(_session(ended))
        self._sign_ins.put(_session(session.sha256), to_document(session), expires_at=end_of(now))
        return Begun(token, Used(session, session.created_at))

    def find(self, sha256: str) -> Used | None:
        """Return the session with this SHA-256 of its token, read consistently; None when it has ended."""
        now = self._world.clock.now()
        document = self._sign_ins.get(_session(sha256), now=now)
        if document is None:
            return None
        session = from_document(document)
        noted = self._seen.get(sha256, now=now)
        seen_at = str(noted["seen_at"]) if noted else session.created_at
        return Used(session, seen_at) if session.is_live(seen_at, timestamp(now)) else None

    def note_use(self, session: Session, now: Timestamp) -> None:
        """Store the last use; never a reason to fail."""
        try:
            expires_at = parse_timestamp(session.idle_until(now))
            self._seen.put(session.sha256, {"seen_at": now}, expires_at=expires_at)
        except DatabaseBusyError:
            return  # the next request notes it

    def of(self, subject: str) -> Iterator[Used]:
        """Yield the live sessions of a subject, newest first."""
        for sha256 in reversed(self._listed(subject)):
            if used := self.find(sha256):
                yield used

    def end(self, session: Session) -> None:
        """Remove the session. Its token admits no one from now on."""
        self._sign_ins.delete(_session(session.sha256))

    def keep_once(self, purpose: str, token: str, document: dict[str, str], lifetime: timedelta) -> None:
        """Store what a token stands for that can be used once."""
        expires_at = self._world.clock.now() + lifetime
        self._sign_ins.put(once_name(purpose, token), document, expires_at=expires_at)

    def take_once(self, purpose: str, token: str) -> dict[str, str] | None:
        """Return what a token stands for, and forget it; None when it is unknown, expired or used."""
        document = self._sign_ins.take(once_name(purpose, token), now=self._world.clock.now())
        return None if document is None else dict(document)

    def _listed(self, subject: str) -> list[str]:
        document = self._sign_ins.get(_index(subject), now=self._world.clock.now())
        return [] if document is None else list(document["sessions"])

    def _live(self, listed: list[str]) -> list[str]:
        """Return the sessions of a list, without those that have ended where there may be too many."""
        return listed if len(listed) < MAX_SESSIONS else [sha256 for sha256 in listed if self.find(sha256)]

    def _list_also(self, session: Session) -> list[str]:
        """Add the session to the list of its subject, and return those that must end. Raises DatabaseBusyError."""
        name = _index(session.subject)
        for _ in range(_ATTEMPTS):
            now = self._world.clock.now()
            before = self._sign_ins.get(name, now=now)
            listed, ended = with_another(self._live(before["sessions"] if before else []), session.sha256)
            after, expires_at = {"sessions": listed}, now + _INDEX_KEPT
            if (
                self._sign_ins.create(name, after, expires_at=expires_at, now=now)
                if before is None
                else self._sign_ins.replace(name, after, before=before, expires_at=expires_at)
            ):
                return ended
        raise DatabaseBusyError


def new_token(world: World) -> str:
    """Return 256 random bits in URL-safe base64, without padding."""
    bits = world.bits(TOKEN_BITS)
    return urlsafe_b64encode(bits.to_bytes(TOKEN_BITS // 8, "big")).rstrip(b"=").decode()


def once_name(purpose: str, token: str) -> str:
    """Return the name under which a token that is used once is stored."""
    return f"once#{purpose}#{digest(token)}"


def _session(sha256: str) -> str:
    return f"session#{sha256}"


def _index(subject: str) -> str:
    return f"sessions#{subject}"
