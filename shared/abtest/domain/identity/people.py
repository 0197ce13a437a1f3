"""People of an organisation: users, members, invitations, and who may change whom. Pure functions.

An organisation is an id that shops have as `org_id`. Where it is the id of a user, it is this user's own: the user is
its owner without a record of a member, and cannot be removed.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from abtest.domain.identity.roles import Role
from abtest.kit.clock import Timestamp, timestamp
from abtest.kit.errors import ConflictError, ServiceError

MAX_MEMBERS, MAX_INVITATIONS = 200, 100
"""Members of an organisation, and its invitations that are open."""

INVITATION_LIFETIME = timedelta(days=7)
MAX_ADDRESS = 254
MANAGERS: frozenset[Role] = frozenset({"admin", "owner"})
"""Roles that invite, change and remove people."""

READERS_OF_PEOPLE: frozenset[Role] = frozenset({"viewer", "editor", "launcher", "admin", "owner"})
"""Roles that see who else is a member. A client is a guest, and does not."""

# One `@`, a host with a dot, no space, quote or control character. Whether it exists, only a mail to it shows.
_LABEL = r"[^\s@.<>\"(),:;\\\x00-\x1f\x7f]+"
_ADDRESS = re.compile(rf"{_LABEL}(\.{_LABEL})*@{_LABEL}(\.{_LABEL})+")


class RoleNotHeldError(ServiceError):
    """Person whose role does not allow this change of people."""

    status = 403
    code = "insufficient_role"


class LastOwnerError(ConflictError):
    """Removal or demotion of the user whose organisation it is."""

    code = "last_owner"


@dataclass(frozen=True, slots=True, kw_only=True)
class Passkey:
    """A credential of WebAuthn. `credential_id` and `public_key` are in URL-safe base64 without padding."""

    id: str
    credential_id: str
    public_key: str
    sign_count: int
    name: str
    created_at: Timestamp
    last_used_at: Timestamp | None = None
    transports: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person who signs in. Present owners of keys have no record until they give an address or a passkey."""

    id: str
    email: str | None = None
    name: str | None = None
    passkeys: tuple[Passkey, ...] = ()
    disabled_at: Timestamp | None = None
    replaceable_at: Timestamp | None = None
    """When passkeys may be replaced by a session of an emailed code, after a notice to the address."""

    created_at: Timestamp
    updated_at: Timestamp
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A user in an organisation: `id` is the user's. `shop_ids` None means all shops, also later ones."""

    id: str
    org_id: str
    name: str
    """Address to which the invitation went, for lists and the audit."""

    role: Role
    shop_ids: tuple[str, ...] | None = None
    invited_by: str
    disabled_at: Timestamp | None = None
    is_joined_by_mail: bool = False
    """Whether a user who had passkeys joined by a mailed link alone. The organisation may not replace lost passkeys
    then: two invitations would otherwise do what one may not."""

    created_at: Timestamp
    updated_at: Timestamp
    version: int = 1

    def reaches(self, shop_id: str) -> bool:
        """Return whether the member has access to a shop of the organisation."""
        return self.disabled_at is None and (self.shop_ids is None or shop_id in self.shop_ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """An invitation to an organisation, accepted once with the token that was mailed; `sha256` is that of the token."""

    id: str
    org_id: str
    email: str
    role: Role
    shop_ids: tuple[str, ...] | None = None
    sha256: str
    expires_at: Timestamp
    invited_by: str
    created_at: Timestamp
    updated_at: Timestamp
    version: int = 1

    def is_open(self, now: Timestamp) -> bool:
        """Return whether it can still be accepted."""
        return now < self.expires_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """A person who changes others: role and shops in the organisation."""

    role: Role | None
    shop_ids: tuple[str, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """A role in some shops, or in all of them."""

    role: Role
    shop_ids: tuple[str, ...] | None


def refuse_unmanageable(actor: Actor, *grants: Grant) -> None:
    """Refuse a change between these grants. Raises RoleNotHeldError.

    Admins and owners change people, admins no owners, and neither beyond the shops that they have themselves.
    """
    if actor.role not in MANAGERS:
        raise RoleNotHeldError("only admins and owners of the organisation may change people")
    for grant in grants:
        if grant.role == "owner" and actor.role != "owner":
            raise RoleNotHeldError("only an owner may make, change or remove an owner")
        if not _covers(actor.shop_ids, grant.shop_ids):
            raise RoleNotHeldError("the change concerns shops to which you have no access yourself")


def may_still_invite(invitation: Invitation, inviter: Member | None) -> bool:
    """Return whether the person who sent an invitation could send it now; `inviter` is None for no member.

    Otherwise an admin who expects to be removed could come back by an invitation to an address of their own.
    """
    if invitation.invited_by == invitation.org_id:
        return True
    if inviter is None or inviter.disabled_at is not None:
        return False
    try:
        actor = Actor(role=inviter.role, shop_ids=inviter.shop_ids)
        refuse_unmanageable(actor, Grant(role=invitation.role, shop_ids=invitation.shop_ids))
    except RoleNotHeldError:
        return False
    return True


def invitation_end(now: datetime) -> Timestamp:
    """Return when an invitation of this moment ends."""
    return timestamp(now + INVITATION_LIFETIME)


def is_address(text: str) -> bool:
    """Return whether the text can be an address of electronic mail: ASCII only, as SES takes them.

    Rules of case join letters that are different domains, such as ß and ss, and one owner would get the other's mail.
    """
    return text.isascii() and len(text) <= MAX_ADDRESS and _ADDRESS.fullmatch(text) is not None


def normalised(email: str) -> str:
    """Return the address in the form that is compared and stored: no two users differ in case alone."""
    return email.lower()


def email_claim(email: str) -> str:
    """Return the service-wide unique name of an address; a digest, so that keys hold no personal data."""
    return f"EMAIL#{sha256(normalised(email).encode(errors='surrogatepass')).hexdigest()}"


def invitation_claim(digest: str) -> str:
    """Return the service-wide unique name that leads from the SHA-256 of a token to its invitation."""
    return f"INVITE#{digest}"


def credential_claim(credential_id: str) -> str:
    """Return the service-wide unique name that leads from a passkey to its user."""
    return f"PASSKEY#{sha256(credential_id.encode()).hexdigest()}"


def audited_grant(value: Member | Invitation) -> Mapping[str, Any]:
    """Return the role and the shops for the audit."""
    return {"role": value.role, "shop_ids": None if value.shop_ids is None else list(value.shop_ids)}


def _covers(own: tuple[str, ...] | None, others: tuple[str, ...] | None) -> bool:
    return own is None or (others is not None and set(others) <= set(own))
