"""Records of people: users, members with their entry in the user's list of organisations, invitations."""

from collections.abc import Sequence
from dataclasses import replace

from abtest.domain.changes.change import Change
from abtest.domain.credentials.stored_keys import USERS
from abtest.domain.identity.people import (
    Invitation,
    Member,
    User,
    audited_grant,
    credential_claim,
    email_claim,
    invitation_claim,
)
from abtest.kit.documents import decode, encode
from abtest.ports.catalog import AuditRow, Commit, Head, Put, Record, Remove, together
from abtest.services.aggregates import Aggregates, Staged
from abtest.services.context import World
from abtest.services.names import Names, Renaming
from abtest.services.resources import Resource, Summary
from abtest.services.retries import retried
from abtest.services.shop_records import owned_by

MEMBERS: Resource[Member] = Resource(
    kind="MEMBER",
    noun="member",
    to_document=lambda member: encode(member, omit=("version",)),
    from_record=lambda record: decode(Member, record.body, version=record.head.version),
    summary=lambda member: Summary(name=member.name, archived_at=member.disabled_at, attributes={"role": member.role}),
    audited=lambda member: {
        **audited_grant(member),
        "name": member.name,
        "disabled_at": member.disabled_at,
        "invited_by": member.invited_by,
    },
    audited_in_full=("shop_ids",),
    shop_id=lambda member: member.org_id,
)
INVITATIONS: Resource[Invitation] = Resource(
    kind="INVITE",
    noun="invitation",
    to_document=lambda invitation: encode(invitation, omit=("version",)),
    from_record=lambda record: decode(Invitation, record.body, version=record.head.version),
    summary=lambda invitation: Summary(name=invitation.email, attributes={"role": invitation.role}),
    audited=lambda invitation: {
        **audited_grant(invitation),
        "email": invitation.email,
        "expires_at": invitation.expires_at,
    },
    audited_in_full=("shop_ids",),
    names=lambda invitation: Names(service_wide={invitation_claim(invitation.sha256): {}}),
    shop_id=lambda invitation: invitation.org_id,
)


MAX_AUDITED_SHOPS = 8
"""Shops whose audit shows a change of people: a transaction has at most a hundred items."""


def _copied(audit: Sequence[AuditRow], shop_ids: Sequence[str]) -> Commit:
    """Return the same rows for the audit of shops; the organisation's own is a partition that no shop reads."""
    concerned = list(dict.fromkeys(shop_ids))[:MAX_AUDITED_SHOPS]
    return Commit(audit=[replace(row, shop_id=shop_id) for row in audit for shop_id in concerned])


class Members(Aggregates[Member]):
    """Members of organisations. Changes are also audited in the shops that they concern."""

    def __init__(self, world: World, shop_ids: Sequence[str] = ()) -> None:
        super().__init__(world, MEMBERS)
        self._shop_ids = shop_ids

    def companions(self, pairs: Sequence[tuple[Member | None, Member | None]]) -> Commit:
        """The entries in the lists of users, one for each organisation."""
        puts, removes = [], []
        for before, after in pairs:
            if before is not None and after is None:
                removes.append(Remove(head=_entry(before)))
            if after is not None:
                puts.append(Put(record=Record(head=_entry(after), body={}), expected_version=after.version - 1))
        return Commit(puts=puts, removes=removes)

    def stage(self, changes: Sequence[Change[Member]], audit: Sequence[AuditRow]) -> Staged[Member]:
        staged = super().stage(changes, audit)
        return Staged(staged.values, together(staged.commit, _copied(audit, self._shop_ids)))


class Invitations(Aggregates[Invitation]):
    """Invitations of organisations, audited like members."""

    def __init__(self, world: World, shop_ids: Sequence[str] = ()) -> None:
        super().__init__(world, INVITATIONS)
        self._shop_ids = shop_ids

    def stage(self, changes: Sequence[Change[Invitation]], audit: Sequence[AuditRow]) -> Staged[Invitation]:
        staged = super().stage(changes, audit)
        return Staged(staged.values, together(staged.commit, _copied(audit, self._shop_ids)))


def _entry(member: Member) -> Head:
    return replace(MEMBERS.head(member), shop_id=owned_by(member.id), id=member.org_id)


class Users:
    """Records of users. One that has none yet is a user without an address."""

    def __init__(self, world: World) -> None:
        self._world = world

    def get(self, user_id: str) -> User:
        """Return the user, version 0 where nothing is stored."""
        record = self._world.catalog.get(USERS, "USER", user_id)
        now = self._world.now()
        return user_of(record) if record else User(id=user_id, created_at=now, updated_at=now)

    def get_many(self, user_ids: Sequence[str]) -> dict[str, User]:
        """Return the users that have records, by their ids."""
        records = self._world.catalog.get_many(USERS, "USER", user_ids)
        return {record.head.id: user_of(record) for record in records}

    def with_address(self, email: str) -> User | None:
        """Return the user with an address."""
        return self._claimed(email_claim(email))

    def with_passkey(self, credential_id: str) -> User | None:
        """Return the user with a passkey."""
        return self._claimed(credential_claim(credential_id))

    def save(self, before: User, after: User, extra: Commit | None = None) -> User:
        """Store a user's next version. Raises StaleVersionError, and NameTakenError for an address of another."""
        saved = replace(after, version=before.version + 1, updated_at=self._world.now())
        self._world.catalog.commit(together(user_commit(before, saved), extra or Commit()))
        return saved

    def set_disabled(self, user_id: str, *, disabled: bool) -> User:
        """Disable or enable a user: sessions end for writes at once, for reads within 10 s."""

        def attempt() -> User:
            before = self.get(user_id)
            if (before.disabled_at is not None) == disabled:
                return before
            return self.save(before, replace(before, disabled_at=self._world.now() if disabled else None))

        return retried(attempt)

    def _claimed(self, name: str) -> User | None:
        target = self._world.catalog.resolve(None, name)
        return self.get(target[1]) if target else None


def user_of(record: Record) -> User:
    """Return the user of a record."""
    return decode(User, record.body, version=record.head.version)


def user_commit(before: User, after: User) -> Commit:
    """Return the write of a user's next version, with its unique names."""
    head = Head(
        shop_id=USERS,
        kind="USER",
        id=after.id,
        version=after.version,
        created_at=after.created_at,
        updated_at=after.updated_at,
        archived_at=after.disabled_at,
    )
    renaming = Renaming(shop_id=USERS, record_id=after.id, before=_names(before), after=_names(after))
    put = Put(record=Record(head=head, body=encode(after, omit=("version",))), expected_version=before.version)
    return Commit(puts=[put], claims=renaming.claims(), releases=renaming.releases())


def _names(user: User) -> Names:
    names = [credential_claim(passkey.credential_id) for passkey in user.passkeys]
    return Names(service_wide={name: {} for name in [*names, *([email_claim(user.email)] if user.email else [])]})
