"""Use cases of sign-in: exchange of a key, one-time entry of a local stack, the session itself, and its end."""

from datetime import timedelta

from abtest.contract.identity import SessionBody, SessionEntry, SessionList, SessionShop, SessionUser
from abtest.domain.identity.sessions import Session
from abtest.kit.errors import FieldError, NotFoundError, ServiceError, ValidationFailedError
from abtest.services.authentication import Authentication
from abtest.services.context import World
from abtest.services.identity.access import Access, Reached, SignInRequiredError
from abtest.services.identity.admission import SessionAdmission, Visit
from abtest.services.identity.records import Users
from abtest.services.identity.sessions import Beginning, Begun, SessionStore, Used

ENTRY = "entry"
"""Purpose of the one-time tokens of a local stack."""

ENTRY_LIFETIME = timedelta(hours=24)


class LocalSignInDisabledError(ServiceError):
    """Local sign-in in a deployment that does not allow it: the address does not exist there."""

    status = 404
    code = "route_not_found"

    def __init__(self) -> None:
        super().__init__("there is no route at this address")


class SignIn:
    """Sign-in and sign-out of the console."""

    def __init__(
        self,
        world: World,
        store: SessionStore,
        admission: SessionAdmission,
        authentication: Authentication,
        *,
        allow_local: bool,
    ) -> None:
        self._world = world
        self._store = store
        self._admission = admission
        self._authentication = authentication
        self._access = Access(world)
        self._users = Users(world)
        self._allow_local = allow_local

    def exchange(self, api_key: str, *, address: str, user_agent: str) -> Begun:
        """Begin a session with the rights of a key. The text of the key is not stored.

        Raises InvalidApiKeyError, RateLimitedError, and ValidationFailedError for a tracking-source key.
        """
        key = self._authentication.identify(api_key, address=address, fresh=True)
        if key.kind == "tracking_source":
            problem = FieldError("api_key", "must be a shop key (svc_sk_…) or a user key (svc_uk_…)")
            raise ValidationFailedError("a tracking-source key has no rights in the console", fields=[problem])
        begun = self._store.begin(
            Beginning(
                user_id=key.user_id,
                level="key",
                user_agent=user_agent,
                key_id=key.id,
                key_shop_id=key.shop_id,
            )
        )
        self._authentication.note_use(key)
        return begun

    def enter(self, token: str, *, user_agent: str) -> Begun:
        """Begin a session by the one-time token of a local stack.

        Raises LocalSignInDisabledError, and SignInRequiredError for a token that is unknown or was used.
        """
        if not self._allow_local:
            raise LocalSignInDisabledError
        known = self._store.take_once(ENTRY, token)
        if known is None:
            raise SignInRequiredError
        return self._store.begin(Beginning(user_id=known["user_id"], level="local", user_agent=user_agent))

    def shown(self, used: Used) -> SessionBody:
        """Return the session as the console reads it. Raises SignInRequiredError when its key has ended."""
        session = used.session
        key = self._access.require_alive(session)
        return SessionBody(
            user=self._user(session),
            level=session.level,
            shops=[_shop(shop) for shop in self._access.shops(session, key)],
            expires_at=min(session.expires_at, key.expires_at or session.expires_at) if key else session.expires_at,
            idle_until=session.idle_until(used.seen_at),
        )

    def sessions(self, visit: Visit) -> SessionList:
        """Return the live sessions of the same user, or of the same key."""
        return SessionList(
            data=[
                SessionEntry(
                    id=used.session.id,
                    level=used.session.level,
                    created_at=used.session.created_at,
                    last_seen_at=used.seen_at,
                    user_agent=used.session.user_agent,
                    is_current=used.session.id == visit.session.id,
                )
                for used in self._store.of(visit.session.subject)
            ]
        )

    def end(self, session: Session) -> None:
        """Sign out."""
        self._store.end(session)
        self._admission.forget(session)

    def end_one(self, visit: Visit, session_id: str) -> None:
        """End a session of the same user or key. Raises NotFoundError."""
        for used in self._store.of(visit.session.subject):
            if used.session.id == session_id:
                return self.end(used.session)
        raise NotFoundError("there is no such session")

    def end_others(self, visit: Visit) -> None:
        """End all other sessions of the same user or key."""
        for used in self._store.of(visit.session.subject):
            if used.session.id != visit.session.id:
                self.end(used.session)

    def _user(self, session: Session) -> SessionUser:
        if not session.acts_for_user:  # holders of a shop's key learn nothing about the key's user
            return SessionUser(id=session.user_id, email=None, name=None)
        user = self._users.get(session.user_id)
        return SessionUser(id=user.id, email=user.email, name=user.name)


def _shop(shop: Reached) -> SessionShop:
    return SessionShop(
        id=shop.id,
        name=shop.name,
        currency=shop.currency,
        timezone=shop.timezone,
        org_id=shop.rights.org_id,
        role=shop.rights.role,
        scopes=sorted(shop.rights.scopes),
    )
