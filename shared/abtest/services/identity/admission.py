"""Admission by session: from the token of a cookie to a live session and its rights, with a cache of some seconds."""

from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from abtest.domain.credentials.api_keys import ApiKey
from abtest.domain.identity.sessions import SEEN_SECONDS, Session, digest, is_token
from abtest.kit.clock import Timestamp, parse_timestamp, timestamp
from abtest.services.authentication import CACHE_SECONDS, CACHE_SIZE
from abtest.services.context import World
from abtest.services.identity.access import Access, Rights, SignInRequiredError
from abtest.services.identity.sessions import SessionStore, Used


@dataclass(slots=True)
class Visit:
    """A session that was looked up, and what was read of its rights since then."""

    session: Session
    key: ApiKey | None
    seen_at: Timestamp
    read_at: datetime
    rights: dict[str, Rights] = field(default_factory=dict)

    @property
    def used(self) -> Used:
        """The session with its last use."""
        return Used(self.session, self.seen_at)


class SessionAdmission:
    """Lookup of sessions. Reads may use what was read some seconds ago; writes look everything up again."""

    def __init__(self, world: World, store: SessionStore) -> None:
        self._world = world
        self._store = store
        self._access = Access(world)
        self._visits: OrderedDict[str, Visit] = OrderedDict()

    def identify(self, token: str, *, fresh: bool) -> Visit:
        """Return the live session of a token; `fresh` skips the cache. Raises SignInRequiredError."""
        if not is_token(token):
            raise SignInRequiredError
        sha256, now = digest(token), self._world.clock.now()
        visit = None if fresh else self._visits.get(sha256)
        if visit and now - visit.read_at < timedelta(seconds=CACHE_SECONDS) and _is_live(visit, timestamp(now)):
            return visit
        self._visits.pop(sha256, None)
        used = self._store.find(sha256)
        if used is None:
            raise SignInRequiredError
        visit = Visit(used.session, self._access.require_alive(used.session), used.seen_at, now)
        self._visits[sha256] = visit
        if len(self._visits) > CACHE_SIZE:
            self._visits.popitem(last=False)
        return visit

    def rights(self, visit: Visit, shop_id: str) -> Rights:
        """Return the rights in a shop, read once for each visit. Raises UnknownShopError."""
        if shop_id not in visit.rights:
            visit.rights[shop_id] = self._access.in_shop(visit.session, visit.key, shop_id)
        return visit.rights[shop_id]

    def may_own_shops(self, visit: Visit) -> bool:
        """Return whether the session acts as a user key: it lists and creates shops of its user."""
        if not visit.session.acts_for_user:
            return False
        return visit.key is not None or self._access.owns_shops(visit.session.user_id)

    def note_use(self, visit: Visit) -> None:
        """Store the last use, at most once a minute; never a reason to fail."""
        now = self._world.clock.now()
        if now - parse_timestamp(visit.seen_at) >= timedelta(seconds=SEEN_SECONDS):
            visit.seen_at = timestamp(now)
            self._store.note_use(visit.session, visit.seen_at)

    def forget(self, session: Session) -> None:
        """Drop a session that has just ended from the cache of this process."""
        self._visits.pop(session.sha256, None)


def _is_live(visit: Visit, now: Timestamp) -> bool:
    return visit.session.is_live(visit.seen_at, now) and (visit.key is None or visit.key.is_live(now))
