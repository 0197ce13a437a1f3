"""Use cases of the people of an organisation: list, change and remove members; invite, and accept."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from abtest.contract import identity as contract
from abtest.domain.changes.change import Change, Occasion
from abtest.domain.identity.people import (
    MAX_INVITATIONS,
    MAX_MEMBERS,
    READERS_OF_PEOPLE,
    Actor,
    Grant,
    Invitation,
    LastOwnerError,
    Member,
    RoleNotHeldError,
    User,
    invitation_end,
    may_still_invite,
    normalised,
    refuse_unmanageable,
)
from abtest.domain.identity.sessions import digest
from abtest.kit.errors import LimitReachedError, refused
from abtest.ports.limits import RateLimiter
from abtest.ports.mailer import Mailer, MailUnavailableError
from abtest.services.context import Caller, World
from abtest.services.identity.access import Rights
from abtest.services.identity.messages import invitation_mail
from abtest.services.identity.records import MAX_AUDITED_SHOPS, Invitations, Members, Users
from abtest.services.identity.sessions import new_token
from abtest.services.listing import every_head
from abtest.services.rate_limits import take_token
from abtest.services.shop_records import owned_by, read_shop

INVITATIONS_PER_HOUR = 30


@dataclass(frozen=True, slots=True)
class Participant:
    """A signed-in person in one shop: the caller, and the rights in the shop's organisation."""

    caller: Caller
    rights: Rights

    @property
    def actor(self) -> Actor:
        """The person as one who changes others."""
        return Actor(role=self.rights.role, shop_ids=self.rights.shop_ids)

    @property
    def in_organisation(self) -> Caller:
        """The caller with the organisation in place of the shop, as the records of people have it."""
        return replace(self.caller, shop_id=self.rights.org_id)


class People:
    """Members and invitations of the organisation to which a shop belongs."""

    def __init__(self, world: World, limiter: RateLimiter, mailer: Mailer, *, origin: str) -> None:
        self._world = world
        self._users = Users(world)
        self._limiter = limiter
        self._mailer = mailer
        self._origin = origin

    def members(self, by: Participant) -> contract.MemberList:
        """Return everyone who has access to the organisation, its own user first. Raises RoleNotHeldError."""
        if by.rights.role not in READERS_OF_PEOPLE:
            raise RoleNotHeldError("your role does not show the people of the organisation")
        members = self._stored_members(by.rights.org_id)
        users = self._users.get_many([by.rights.org_id, *(member.id for member in members)])
        owner = users.get(by.rights.org_id) or self._users.get(by.rights.org_id)
        entries = [
            contract.MemberEntry(
                user_id=owner.id,
                email=owner.email,
                name=owner.name,
                role="owner",
                shop_ids=None,
                is_you=owner.id == by.caller.user_id,
                has_passkey=bool(owner.passkeys),
                disabled_at=owner.disabled_at,
                created_at=None,
            )
        ]
        entries += [self._entry(member, users, by) for member in members]
        return contract.MemberList(data=entries)

    def change(self, by: Participant, user_id: str, patch: contract.MemberPatch) -> contract.MemberEntry:
        """Change role, shops or access of a member. Sessions notice at once for writes, within 10 s for reads.

        Raises NotFoundError, RoleNotHeldError, LastOwnerError, ValidationFailedError.
        """
        self._refuse_own_user(by, user_id)
        given = patch.provided()
        self._refuse_unknown_shops(by, given.get("shop_ids"))

        def decide(before: Member, occasion: Occasion) -> Change[Member]:
            after = _changed(before, given, occasion)
            refuse_unmanageable(by.actor, _grant(before), _grant(after))
            if after != before:
                after = replace(after, updated_at=occasion.now)
            return Change(before=before, after=after, action="member.update")

        store = Members(self._world, self._concerned(by, None))
        saved = store.change(by.in_organisation, user_id, decide).value
        return self._entry(saved, self._users.get_many([user_id]), by)

    def remove(self, by: Participant, user_id: str) -> None:
        """Remove a member, or leave the organisation oneself.

        Raises NotFoundError, RoleNotHeldError, LastOwnerError.
        """
        self._refuse_own_user(by, user_id)

        def check(member: Member) -> None:
            if member.id != by.caller.user_id:
                refuse_unmanageable(by.actor, _grant(member))

        store = Members(self._world, self._concerned(by, None))
        store.remove(by.in_organisation, user_id, expected_version=None, check=check)

    def invitations(self, by: Participant) -> contract.InvitationList:
        """Return the invitations that were not accepted, newest first. Raises RoleNotHeldError."""
        refuse_unmanageable(by.actor)
        now = self._world.now()
        stored = self._stored_invitations(by.rights.org_id)
        senders = sorted({invitation.invited_by for invitation in stored})
        members = {member.id: member for member in Members(self._world).get_many(by.rights.org_id, senders)}
        return contract.InvitationList(
            data=[
                _shown(each, is_open=each.is_open(now) and may_still_invite(each, members.get(each.invited_by)))
                for each in stored
            ]
        )

    def invite(self, by: Participant, given: contract.InvitationInput) -> contract.InvitationEntry:
        """Store an invitation and mail its link. An earlier one to the same address ends.

        Raises RoleNotHeldError, ValidationFailedError, LimitReachedError, RateLimitedError, MailUnavailableError.
        """
        email, shop_ids = normalised(given.email), _sorted(given.provided().get("shop_ids"))
        refuse_unmanageable(by.actor, Grant(role=given.role, shop_ids=shop_ids))
        self._refuse_unknown_shops(by, shop_ids)
        if not self._origin:
            raise MailUnavailableError("this deployment has no console address: its operator must set ConsoleOrigin")
        take_token(
            self._limiter,
            self._world.clock,
            f"invitations#{by.rights.org_id}",
            "invitations of this organisation",
            limit=INVITATIONS_PER_HOUR,
            window_seconds=3600,
            per="an hour",
        )
        store = Invitations(self._world, self._concerned(by, shop_ids))
        self._make_room(by, store, email)
        token, invitation_id = new_token(self._world), self._world.new_id()

        def make(occasion: Occasion) -> Invitation:
            return Invitation(
                id=invitation_id,
                org_id=by.rights.org_id,
                email=email,
                role=given.role,
                shop_ids=shop_ids,
                sha256=digest(token),
                expires_at=invitation_end(self._world.clock.now()),
                invited_by=occasion.user_id,
                created_at=occasion.now,
                updated_at=occasion.now,
            )

        saved = store.add(by.in_organisation, invitation_id, make).value
        shop = read_shop(self._world.catalog, by.caller.shop_id)
        try:
            self._mailer.send(invitation_mail(email, shop.name, f"{self._origin}/console#invite={token}"))
        except MailUnavailableError:
            # Without the mail, no one could accept it.
            store.remove(by.in_organisation, invitation_id, expected_version=None)
            raise
        return _shown(saved, is_open=True)

    def revoke(self, by: Participant, invitation_id: str) -> None:
        """End an invitation. Raises NotFoundError, RoleNotHeldError."""

        def check(invitation: Invitation) -> None:
            refuse_unmanageable(by.actor, Grant(role=invitation.role, shop_ids=invitation.shop_ids))

        store = Invitations(self._world, self._concerned(by, None))
        store.remove(by.in_organisation, invitation_id, expected_version=None, check=check)

    def _make_room(self, by: Participant, store: Invitations, email: str) -> None:
        """End invitations to the same address and expired ones. Raises RoleNotHeldError, LimitReachedError."""
        now, open_ones = self._world.now(), 0
        for invitation in self._stored_invitations(by.rights.org_id):
            if invitation.email == email or not invitation.is_open(now):
                if invitation.is_open(now):
                    refuse_unmanageable(by.actor, Grant(role=invitation.role, shop_ids=invitation.shop_ids))
                store.remove(by.in_organisation, invitation.id, expected_version=None)
            else:
                open_ones += 1
        if open_ones >= MAX_INVITATIONS:
            raise LimitReachedError(f"an organisation has {MAX_INVITATIONS} open invitations at most; revoke one first")
        if len(self._stored_members(by.rights.org_id)) >= MAX_MEMBERS:
            raise LimitReachedError(f"an organisation has {MAX_MEMBERS} members at most; remove one first")

    def _stored_members(self, org_id: str) -> list[Member]:
        heads = islice(every_head(self._world.catalog, org_id, "MEMBER"), 2 * MAX_MEMBERS)
        return Members(self._world).get_many(org_id, [head.id for head in heads])

    def _stored_invitations(self, org_id: str) -> list[Invitation]:
        heads = islice(every_head(self._world.catalog, org_id, "INVITE"), 2 * MAX_INVITATIONS)
        return Invitations(self._world).get_many(org_id, [head.id for head in heads])

    def _concerned(self, by: Participant, shop_ids: Sequence[str] | None) -> list[str]:
        """Shops whose audit shows the change: the one through which it is made, then those that it is about."""
        if shop_ids is None:
            heads = every_head(self._world.catalog, owned_by(by.rights.org_id), "SHOP")
            shop_ids = [head.id for head in islice(heads, MAX_AUDITED_SHOPS)]
        return [by.caller.shop_id, *shop_ids]

    def _refuse_unknown_shops(self, by: Participant, shop_ids: Sequence[str] | None) -> None:
        if shop_ids is None:
            return
        known = self._world.catalog.get_many(owned_by(by.rights.org_id), "SHOP", list(shop_ids))
        missing = set(shop_ids) - {record.head.id for record in known}
        if missing:
            place = next(number for number, shop_id in enumerate(shop_ids) if shop_id in missing)
            raise refused(f"shop_ids[{place}]", "must be a shop of the organisation")

    def _refuse_own_user(self, by: Participant, user_id: str) -> None:
        if user_id == by.rights.org_id:
            raise LastOwnerError("the organisation is this user's own; its access cannot be changed or removed")

    def _entry(self, member: Member, users: dict[str, User], by: Participant) -> contract.MemberEntry:
        user = users.get(member.id)
        return contract.MemberEntry(
            user_id=member.id,
            email=user.email if user else None,
            name=user.name if user else None,
            role=member.role,
            shop_ids=None if member.shop_ids is None else list(member.shop_ids),
            is_you=member.id == by.caller.user_id,
            has_passkey=bool(user and user.passkeys),
            disabled_at=member.disabled_at,
            created_at=member.created_at,
        )


def _grant(member: Member) -> Grant:
    return Grant(role=member.role, shop_ids=member.shop_ids)


def _sorted(shop_ids: Sequence[str] | None) -> tuple[str, ...] | None:
    return None if shop_ids is None else tuple(sorted(set(shop_ids)))


def _changed(member: Member, given: dict[str, object], occasion: Occasion) -> Member:
    after = member
    if "role" in given:
        after = replace(after, role=given["role"])  # type: ignore[arg-type]
    if "shop_ids" in given:
        after = replace(after, shop_ids=_sorted(given["shop_ids"]))  # type: ignore[arg-type]
    if "is_disabled" in given:
        disabled_at = member.disabled_at or occasion.now
        after = replace(after, disabled_at=disabled_at if given["is_disabled"] else None)
    return after


def _shown(invitation: Invitation, *, is_open: bool) -> contract.InvitationEntry:
    return contract.InvitationEntry(
        id=invitation.id,
        email=invitation.email,
        role=invitation.role,
        shop_ids=None if invitation.shop_ids is None else list(invitation.shop_ids),
        invited_by=invitation.invited_by,
        created_at=invitation.created_at,
        expires_at=invitation.expires_at,
        is_open=is_open,
    )
