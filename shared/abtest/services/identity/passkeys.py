"""Use cases of passkeys: sign in with one, add, name, remove, and announce that lost ones will be replaced."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice

from abtest.contract import identity as contract
from abtest.domain.identity.enrolment import (
    EnrolmentRefusedError,
    enrolment,
    noticed,
    passkeys_shown,
    used,
    with_passkey,
    without,
)
from abtest.domain.identity.people import Passkey, User
from abtest.kit.errors import ConflictError, NotFoundError, ServiceError, refused
from abtest.ports.catalog import Commit, NameTakenError
from abtest.ports.limits import RateLimiter
from abtest.ports.mailer import Mail, Mailer, MailUnavailableError
from abtest.ports.passkeys import InvalidCredentialError, Json, Passkeys
from abtest.services.context import World
from abtest.services.identity.access import Access
from abtest.services.identity.admission import Visit
from abtest.services.identity.credentials import challenge_in, is_handle
from abtest.services.identity.messages import notice_mail, passkey_mail
from abtest.services.identity.records import MAX_AUDITED_SHOPS, Users
from abtest.services.identity.sessions import Beginning, Begun, SessionStore, new_token
from abtest.services.rate_limits import FailedAuthentications, household, take_token
from abtest.services.retries import retried

CHALLENGE_LIFETIME = timedelta(minutes=5)
CHALLENGES_PER_MINUTE = 30
SIGN_IN, REGISTRATION = "passkey-sign-in", "passkey-registration"


class PasskeyRefusedError(ServiceError):
    """Passkey that is unknown, was not verified, or answers no open challenge: one error for all."""

    status = 401
    code = "passkey_refused"

    def __init__(self) -> None:
        super().__init__("the passkey was not accepted; try again, or sign in by a code to your address")


class PasskeysUnavailableError(ServiceError):
    """Passkeys in a deployment without an address of its console."""

    status = 503
    code = "passkeys_unavailable"

    def __init__(self) -> None:
        super().__init__("this deployment has no console address: its operator must set ConsoleOrigin")


@dataclass(frozen=True, slots=True)
class Enrolled:
    """A new passkey, and the session of level `passkey` that begins with it."""

    passkey: Passkey
    begun: Begun


class UserPasskeys:
    """Passkeys of users. `ceremonies` is None in a deployment without an address of its console."""

    def __init__(
        self, world: World, store: SessionStore, limiter: RateLimiter, mailer: Mailer, ceremonies: Passkeys | None
    ) -> None:
        self._world = world
        self._store = store
        self._limiter = limiter
        self._failures = FailedAuthentications(limiter, world.clock)
        self._mailer = mailer
        self._ceremonies = ceremonies
        self._users = Users(world)
        self._access = Access(world)

    @property
    def _available(self) -> Passkeys:
        if self._ceremonies is None:
            raise PasskeysUnavailableError
        return self._ceremonies

    def challenge(self, *, address: str) -> contract.PasskeyOptions:
        """Return the options of a sign-in with any passkey. Raises RateLimitedError."""
        take_token(
            self._limiter,
            self._world.clock,
            f"passkey-challenge#{household(address)}",
            "sign-ins from this address",
            limit=CHALLENGES_PER_MINUTE,
            window_seconds=60,
            per="a minute",
        )
        challenge = self._challenge(SIGN_IN, {})
        return contract.PasskeyOptions(options=dict(self._available.authentication_options(challenge=challenge)))

    def sign_in(self, credential: Json, *, address: str, user_agent: str) -> Begun:
        """Begin a session of level `passkey`. Raises PasskeyRefusedError, RateLimitedError."""
        try:
            user = self._authenticated(credential)
        except InvalidCredentialError as error:
            self._failures.count(address)
            raise PasskeyRefusedError from error
        return self._begin(user.id, user_agent)

    def registration(self, visit: Visit) -> contract.PasskeyOptions:
        """Return the options with which the user of a session makes a passkey.

        Raises EnrolmentRefusedError, NoticeRequiredError.
        """
        user = self._users.get(visit.session.user_id)
        kind = enrolment(visit.session, user, self._world.now())
        options = self._available.registration_options(
            user_id=user.id,
            user_name=user.email or user.name or user.id,
            challenge=self._challenge(REGISTRATION, {"session": visit.session.sha256}),
            credential_ids=[each.credential_id for each in user.passkeys] if kind == "add" else [],
        )
        return contract.PasskeyOptions(options=dict(options))

    def register(self, visit: Visit, credential: Json, name: str, *, user_agent: str) -> Enrolled:
        """Store a passkey that the browser has made, and begin a session of level `passkey` with it.

        Raises EnrolmentRefusedError, NoticeRequiredError, ValidationFailedError, ConflictError.
        """
        try:
            challenge = challenge_in(credential)
            if self._taken(REGISTRATION, challenge).get("session") != visit.session.sha256:
                raise InvalidCredentialError
            made = self._available.registered(credential, challenge=challenge)
        except InvalidCredentialError as error:
            raise refused("credential", "must answer the challenge of this session, with user verification") from error
        passkey = Passkey(
            id=self._world.new_id(),
            credential_id=made.credential_id,
            public_key=made.public_key,
            sign_count=made.sign_count,
            transports=made.transports,
            name=name,
            created_at=self._world.now(),
        )
        replaces = False

        def decide(user: User) -> User:
            nonlocal replaces
            kind = enrolment(visit.session, user, self._world.now())
            replaces = kind == "replace"
            return with_passkey(user, passkey, kind)

        try:
            user = self._saved(visit.session.user_id, decide, "passkey.create", passkey)
        except NameTakenError as error:
            raise ConflictError("this passkey belongs to a user already") from error
        if replaces:
            for other in self._store.of(f"user#{user.id}"):
                self._store.end(other.session)
        self._tell(user, passkey_mail, passkey.name, "added to")
        return Enrolled(passkey, self._begin(user.id, user_agent))

    def list(self, visit: Visit) -> contract.PasskeyList:
        """Return the passkeys of the session's user, newest first; none for a session of a shop key."""
        user = self._users.get(visit.session.user_id) if visit.session.acts_for_user else None
        return contract.PasskeyList(data=[shown(each) for each in passkeys_shown(user).values()] if user else [])

    def rename(self, visit: Visit, passkey_id: str, name: str) -> contract.PasskeyEntry:
        """Name a passkey. Raises NotFoundError."""
        self._own(visit, passkey_id)

        def decide(user: User) -> User:
            renamed = [replace(each, name=name) if each.id == passkey_id else each for each in user.passkeys]
            return replace(user, passkeys=tuple(renamed))

        user = self._saved(visit.session.user_id, decide)
        return shown(passkeys_shown(user)[passkey_id])

    def remove(self, visit: Visit, passkey_id: str) -> None:
        """Remove a passkey. Raises NotFoundError, LastPasskeyError."""
        gone = self._own(visit, passkey_id)
        user = self._saved(visit.session.user_id, lambda user: without(user, passkey_id), "passkey.delete", gone)
        self._tell(user, passkey_mail, gone.name, "removed from")

    def announce_replacement(self, visit: Visit) -> contract.Replacement:
        """Mail a notice to the user's address; 24 hours later a session by an emailed code may replace the passkeys.

        Raises ConflictError for a user without passkeys or address, MailUnavailableError.
        """
        before = self._users.get(visit.session.user_id)
        if not visit.session.acts_for_user or not before.passkeys or before.email is None:
            raise ConflictError("there is nothing to replace: the user has no passkeys, or no address for the notice")
        after = noticed(before, self._world.now())
        if after != before:
            # The notice comes first: without it nothing may be replaced.
            self._mailer.send(notice_mail(before.email, str(after.replaceable_at)))
            after = self._saved(before.id, lambda user: noticed(user, self._world.now()))
        return contract.Replacement(replaceable_at=str(after.replaceable_at))

    def _authenticated(self, credential: Json) -> User:
        challenge = challenge_in(credential)
        user = self._users.with_passkey(str(credential.get("id", ""))[:2000])
        self._taken(SIGN_IN, challenge)
        if user is None or user.disabled_at is not None:
            raise InvalidCredentialError
        passkey = next((each for each in user.passkeys if each.credential_id == credential["id"]), None)
        if passkey is None or not is_handle(credential, user.id):
            raise InvalidCredentialError
        sign_count = self._available.authenticated(
            credential, challenge=challenge, public_key=passkey.public_key, sign_count=passkey.sign_count
        )
        return self._saved(user.id, lambda each: used(each, passkey.id, sign_count, self._world.now()))

    def _begin(self, user_id: str, user_agent: str) -> Begun:
        return self._store.begin(
            Beginning(user_id=user_id, level="passkey", user_agent=user_agent, verified_at=self._world.now())
        )

    def _challenge(self, purpose: str, document: dict[str, str]) -> str:
        challenge = new_token(self._world)
        self._store.keep_once(purpose, challenge, {"purpose": purpose, **document}, CHALLENGE_LIFETIME)
        return challenge

    def _taken(self, purpose: str, challenge: str) -> dict[str, str]:
        document = self._store.take_once(purpose, challenge)
        if document is None:
            raise InvalidCredentialError
        return document

    def _own(self, visit: Visit, passkey_id: str) -> Passkey:
        user = self._users.get(visit.session.user_id)
        passkey = next((each for each in user.passkeys if each.id == passkey_id), None)
        if passkey is None or not visit.session.acts_for_user:
            raise NotFoundError("there is no such passkey")
        if visit.session.level == "key":
            raise EnrolmentRefusedError("sign in with a passkey to change passkeys")
        return passkey

    def _saved(
        self, user_id: str, decide: Callable[[User], User], action: str | None = None, about: Passkey | None = None
    ) -> User:
        def attempt() -> User:
            before = self._users.get(user_id)
            after = decide(before)
            extra = self._audit(user_id, action, about) if action and about else Commit()
            return self._users.save(before, after, extra) if after != before else before

        return retried(attempt)

    def _audit(self, user_id: str, action: str, passkey: Passkey) -> Commit:
        """Return the rows for the first shops of the user: shops read their own audit only."""
        shop_ids = islice(self._access.shop_ids(user_id), MAX_AUDITED_SHOPS)
        entity = ("passkey", passkey.id, passkey.name)
        rows = [
            self._world.audit_row(user_id=user_id, shop_id=shop_id, action=action, entity=entity, diff={})
            for shop_id in shop_ids
        ]
        return Commit(audit=rows)

    def _tell(self, user: User, mail: Callable[[str, str, str], Mail], name: str, verb: str) -> None:
        """Notify the user's address, if there is one; a mail that fails undoes nothing."""
        if user.email is not None:
            with suppress(MailUnavailableError):
                self._mailer.send(mail(user.email, name, verb))


def shown(passkey: Passkey) -> contract.PasskeyEntry:
    """Return the passkey as responses show it."""
    return contract.PasskeyEntry(
        id=passkey.id, name=passkey.name, created_at=passkey.created_at, last_used_at=passkey.last_used_at
    )
