"""Acceptance of an invitation, as the signed-in user or as the user of its address."""

from collections.abc import Sequence
from dataclasses import replace

from abtest.domain.changes.change import Change
from abtest.domain.identity.enrolment import EnrolmentRefusedError
from abtest.domain.identity.people import Invitation, Member, User, invitation_claim, may_still_invite, normalised
from abtest.domain.identity.sessions import Session, digest
from abtest.kit.errors import ConflictError, NotFoundError
from abtest.ports.catalog import Commit, NameTakenError, together
from abtest.services.context import World
from abtest.services.identity.access import Access
from abtest.services.identity.records import INVITATIONS, MAX_AUDITED_SHOPS, Invitations, Members, Users, user_commit
from abtest.services.identity.sessions import Beginning, Begun, SessionStore
from abtest.services.listing import every_head
from abtest.services.retries import retried
from abtest.services.shop_records import owned_by


class UnknownInvitationError(NotFoundError):
    """Invitation that does not exist, has expired, was revoked or accepted, or whose sender may not invite any more."""

    def __init__(self) -> None:
        super().__init__("the invitation is unknown, has expired or was used; request another one")


class OtherAddressError(ConflictError):
    """Invitation to another address than that of the signed-in user."""

    code = "other_address"

    def __init__(self) -> None:
        super().__init__("the invitation is for another address; sign out, then open the link again")


class Acceptance:
    """Acceptance of invitations."""

    def __init__(self, world: World, store: SessionStore) -> None:
        self._world = world
        self._store = store
        self._users = Users(world)
        self._access = Access(world)

    def accept(self, token: str, session: Session | None, *, user_agent: str) -> Begun | None:
        """Accept an invitation as the signed-in user, or begin a session of level `email` for its address.

        The token came by mail, so it proves the address as a code does. Raises UnknownInvitationError,
        OtherAddressError, EnrolmentRefusedError.
        """
        user, member = retried(lambda: self._accepted(token, session))
        if session is not None:
            return None
        # Only an admin of an organisation in which the person already is may help with lost passkeys. Otherwise anyone
        # with an organisation and a look into the mailbox could, without the notice and its day.
        may_enrol = member is not None and not member.is_joined_by_mail
        return self._store.begin(
            Beginning(user_id=user.id, level="email", user_agent=user_agent, may_enrol=may_enrol),
        )

    def _accepted(self, token: str, session: Session | None) -> tuple[User, Member | None]:
        """Return the user, and the member that the user was before."""
        invitation = self._open(token)
        before = self._user(invitation, session)
        member = self._access.member(invitation.org_id, before.id)
        after = before
        if before.email is None:
            after = replace(before, email=invitation.email, version=before.version + 1, updated_at=self._world.now())
        writes = [user_commit(before, after)] if after != before else []
        concerned = self._concerned(invitation)
        if member is None and after.id != invitation.org_id:
            writes.append(self._joined(invitation, after, session, concerned))
        writes.append(self._ended(invitation, after, concerned))
        try:
            self._world.catalog.commit(together(*writes))
        except NameTakenError as error:
            raise OtherAddressError from error
        return after, member

    def _open(self, token: str) -> Invitation:
        target = self._world.catalog.resolve(None, invitation_claim(digest(token)))
        record = self._world.catalog.get(target[0], "INVITE", target[1]) if target else None
        invitation = INVITATIONS.from_record(record) if record else None
        if invitation is None or not invitation.is_open(self._world.now()):
            raise UnknownInvitationError
        if not may_still_invite(invitation, self._access.member(invitation.org_id, invitation.invited_by)):
            raise UnknownInvitationError
        return invitation

    def _user(self, invitation: Invitation, session: Session | None) -> User:
        if session is None:
            known = self._users.with_address(invitation.email)
            user = known or self._users.get(self._world.new_id())
        else:
            user = self._users.get(session.user_id)
            if session.level == "key" and user.passkeys and user.email is None:
                # The address could later replace the passkeys, which a key never does.
                raise EnrolmentRefusedError("sign in with a passkey to accept: the user has passkeys and no address")
            if user.email is not None and normalised(user.email) != invitation.email:
                raise OtherAddressError
        if user.disabled_at is not None:
            raise UnknownInvitationError
        return user

    def _ended(self, invitation: Invitation, user: User, concerned: Sequence[str]) -> Commit:
        end = Change(before=invitation, after=None, action="invitation.accept")
        invitations = Invitations(self._world, concerned)
        return invitations.stage([end], [invitations.audit_row(user.id, end)]).commit

    def _joined(self, invitation: Invitation, user: User, session: Session | None, concerned: Sequence[str]) -> Commit:
        now = self._world.now()
        is_proven = session is not None and session.level in ("passkey", "local")
        member = Member(
            id=user.id,
            org_id=invitation.org_id,
            name=invitation.email,
            role=invitation.role,
            shop_ids=invitation.shop_ids,
            invited_by=invitation.invited_by,
            is_joined_by_mail=bool(user.passkeys) and not is_proven,
            created_at=now,
            updated_at=now,
        )
        join = Change(before=None, after=member, action="member.join")
        members = Members(self._world, concerned)
        return members.stage([join], [members.audit_row(user.id, join)]).commit

    def _concerned(self, invitation: Invitation) -> Sequence[str]:
        """Shops whose audit shows the change."""
        shop_ids = invitation.shop_ids or [
            head.id for head in every_head(self._world.catalog, owned_by(invitation.org_id), "SHOP")
        ]
        return list(shop_ids)[:MAX_AUDITED_SHOPS]
