"""Use cases of emailed codes: sign in by one, and prove an address by one.

A code is bound to the browser that requested it by a nonce in a cookie. Known and unknown addresses get the same
answer after the same time.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from abtest.contract import identity as contract
from abtest.domain.identity.codes import (
    CODES_PER_HOUR,
    LIFETIME,
    MAX_TRIES,
    REQUESTS_PER_HOUR,
    SALT_BITS,
    code_of,
    is_code,
    matches,
    stretched,
)
from abtest.domain.identity.people import User, email_claim, normalised
from abtest.domain.identity.sessions import is_token
from abtest.domain.identity.step_up import is_recent
from abtest.kit.clock import parse_timestamp, timestamp
from abtest.kit.errors import ConflictError, ServiceError
from abtest.ports.catalog import NameTakenError
from abtest.ports.limits import RateLimiter, Sessions
from abtest.ports.mailer import Mailer, MailUnavailableError
from abtest.services.context import World
from abtest.services.identity.admission import Visit
from abtest.services.identity.messages import address_mail, code_mail
from abtest.services.identity.records import Users
from abtest.services.identity.sessions import Beginning, Begun, SessionStore, new_token, once_name
from abtest.services.rate_limits import FailedAuthentications, household, take_token
from abtest.services.retries import retried

SIGN_IN, ADDRESS = "sign-in", "address"
ANSWER_SECONDS = 0.8
"""Time after which a requested code is answered, longer than the mail service takes as a rule."""

_CODE_BITS = 128
_RACES = 3


class InvalidCodeError(ServiceError):
    """Code that is wrong, expired, used, tried too often, or of another browser: one error for all."""

    status = 401
    code = "invalid_code"

    def __init__(self) -> None:
        super().__init__("the code is wrong or has expired; request another one after five tries or ten minutes")


class AddressRefusedError(ServiceError):
    """Session that may not give its user an address."""

    status = 403
    code = "passkey_required"


@dataclass(frozen=True, slots=True)
class CodeRequest:
    """A requested code: the nonce for the browser's cookie, and the answer."""

    nonce: str
    answer: contract.CodeSent


class EmailCodes:
    """Codes by mail. Requests of codes are answered after ANSWER_SECONDS, whatever was done for them."""

    def __init__(
        self,
        world: World,
        store: SessionStore,
        kept: Sessions,
        limiter: RateLimiter,
        mailer: Mailer,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._world = world
        self._store = store
        self._kept = kept
        self._limiter = limiter
        self._failures = FailedAuthentications(limiter, world.clock)
        self._mailer = mailer
        self._sleep = sleep
        self._users = Users(world)

    def request_sign_in(self, email: str, *, address: str) -> CodeRequest:
        """Mail a code to a user. Raises RateLimitedError, MailUnavailableError in a deployment without mail."""
        self._limit(email, address)
        started = time.monotonic()
        user = self._users.with_address(email)
        known = user if user is not None and user.disabled_at is None else None
        document = {"purpose": SIGN_IN, "user_id": known.id if known else ""}
        # To the address that was proven, not to the one that was typed.
        to = known.email if known is not None and known.email is not None else email
        return self._sent(to, document, started, is_known=known is not None)

    def sign_in(self, nonce: str, code: str, *, address: str, user_agent: str) -> Begun:
        """Begin a session of level `email`. Raises InvalidCodeError, RateLimitedError."""
        document = self._verified(SIGN_IN, nonce, code, address)
        if self._users.get(document["user_id"]).disabled_at is not None:
            raise InvalidCodeError
        return self._store.begin(Beginning(user_id=document["user_id"], level="email", user_agent=user_agent))

    def request_address(self, visit: Visit, email: str, *, address: str) -> CodeRequest:
        """Mail a code to an address that the user of a session wants to have. Raises AddressRefusedError."""
        user = self._users.get(visit.session.user_id)
        _refuse_address(visit, user, self._world.now())
        self._limit(email, address)
        started = time.monotonic()
        is_free = self._users.with_address(email) is None
        return self._sent(email, {"purpose": ADDRESS, "user_id": user.id}, started, is_known=is_free)

    def give_address(self, visit: Visit, nonce: str, code: str, *, address: str) -> None:
        """Give the user the address that the code proves. Raises InvalidCodeError, ConflictError."""
        document = self._verified(ADDRESS, nonce, code, address)
        if document["user_id"] != visit.session.user_id:
            raise InvalidCodeError

        def attempt() -> User:
            before = self._users.get(visit.session.user_id)
            _refuse_address(visit, before, self._world.now())
            self._users.save(before, replace(before, email=normalised(document["email"]), replaceable_at=None))
            return before

        try:
            former = retried(attempt).email
        except NameTakenError as error:
            raise ConflictError("the address belongs to another user") from error
        if former is not None:
            with suppress(MailUnavailableError):
                self._mailer.send(address_mail(former))

    def name(self, visit: Visit, name: str | None) -> None:
        """Name the user of a session. Raises AddressRefusedError for a session of a shop key."""
        if not visit.session.acts_for_user:
            raise AddressRefusedError("a session of a shop key belongs to no person")

        def attempt() -> None:
            before = self._users.get(visit.session.user_id)
            self._users.save(before, replace(before, name=name))

        retried(attempt)

    def _limit(self, email: str, address: str) -> None:
        """Count before anything is looked up, so that the limits reveal nothing either."""
        if not self._mailer.is_configured:
            raise MailUnavailableError("this deployment sends no mail: its operator must set MailFrom")
        for bucket, limit, subject in (
            (f"code-client#{household(address)}", REQUESTS_PER_HOUR, "codes requested from your network"),
            (f"code#{email_claim(email)}", CODES_PER_HOUR, "codes for this address"),
        ):
            take_token(
                self._limiter,
                self._world.clock,
                bucket,
                subject,
                limit=limit,
                window_seconds=3600,
                per="an hour",
            )

    def _sent(self, email: str, document: Mapping[str, Any], started: float, *, is_known: bool) -> CodeRequest:
        world, nonce = self._world, new_token(self._world)
        code, salt = code_of(world.random.bits(_CODE_BITS)), f"{world.random.bits(SALT_BITS):032x}"
        expires_at = world.clock.now() + LIFETIME
        # For an address without a user, the code that is stored is one that no one has.
        kept = {
            **document,
            "email": email,
            "salt": salt,
            "scrypt": stretched(code, salt),
            "is_known": is_known,
            "tries": 0,
            "expires_at": timestamp(expires_at),
        }
        self._kept.put(once_name("code", nonce), kept, expires_at=expires_at)
        if is_known:
            # A failure must not show who is known. The adapter logs it, and the user requests another code.
            with suppress(MailUnavailableError):
                self._mailer.send(code_mail(email, code))
        self._sleep(max(0.0, started + ANSWER_SECONDS - time.monotonic()))
        return CodeRequest(nonce, contract.CodeSent(expires_in=int(LIFETIME.total_seconds())))

    def _verified(self, purpose: str, nonce: str, code: str, address: str) -> Mapping[str, Any]:
        """Return what was stored with the code. Raises InvalidCodeError, RateLimitedError."""
        document = self._tried(nonce) if is_token(nonce) and is_code(code) else None
        if (
            document is None
            or not matches(code, document["salt"], document["scrypt"])
            or document["purpose"] != purpose
            or not document["is_known"]
        ):
            self._failures.count(address)
            raise InvalidCodeError
        if self._kept.take(once_name("code", nonce), now=self._world.clock.now()) is None:
            raise InvalidCodeError
        return document

    def _tried(self, nonce: str) -> Mapping[str, Any] | None:
        """Count a try before the code is compared; None when there is no code, or no try left."""
        name = once_name("code", nonce)
        for _ in range(_RACES):
            now = self._world.clock.now()
            document = self._kept.get(name, now=now)
            if document is None or document["tries"] >= MAX_TRIES:
                return None
            counted = {**document, "tries": document["tries"] + 1}
            if self._kept.replace(name, counted, before=document, expires_at=parse_timestamp(document["expires_at"])):
                return counted
        return None


def _refuse_address(visit: Visit, user: User, now: str) -> None:
    session = visit.session
    if not session.acts_for_user:
        raise AddressRefusedError("a session of a shop key belongs to no person; it has no address")
    if session.level == "key" and (user.passkeys or user.email is not None):
        raise AddressRefusedError("sign in with a passkey to change the address")
    if session.level not in ("key", "local") and not is_recent(session, now):
        raise AddressRefusedError("confirm with your passkey: this needs one that was used in the last 10 minutes")
