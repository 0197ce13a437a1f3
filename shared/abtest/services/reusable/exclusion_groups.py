"""Exclusion groups of a shop: made, listed, changed, deleted. An experiment is in one group at most."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from abtest.contract.base import PublicationWarning
from abtest.domain.changes.consent import NO_CONSENT, Consent
from abtest.domain.changes.diff import Diff, differences
from abtest.domain.changes.errors import LiveImpactError
from abtest.domain.exclusion_groups.documents import exclusion_group_document, exclusion_group_from
from abtest.domain.exclusion_groups.editing import changes_shares, edited, with_members
from abtest.domain.exclusion_groups.model import ExclusionGroup
from abtest.kit.errors import ConflictError, NotFoundError, refused
from abtest.ports.catalog import AuditRow, Commit, Head, NameTakenError, Put, Record, Remove
from abtest.services.context import Caller, World
from abtest.services.listing import Listing
from abtest.services.names import Names, Renaming
from abtest.services.retrying import refuse_other_version, retried
from abtest.services.reusable.consumers import running_among
from abtest.services.reusable.targets import NameContains
from abtest.services.storefronts import Storefronts, warning_of

Stated = Mapping[str, Any]
_CLAIM = "GRP#MEMBER#"


@dataclass(frozen=True, slots=True)
class SavedGroup:
    """A group that is stored, and why storefronts may not know it yet: empty when they do."""

    group: ExclusionGroup
    reasons: Sequence[str] = ()

    @property
    def warning(self) -> PublicationWarning | None:
        """What the answer adds."""
        return warning_of(self.reasons)


class ExclusionGroups:
    """Use cases of exclusion groups."""

    def __init__(self, world: World, storefronts: Storefronts) -> None:
        self._world = world
        self._storefronts = storefronts
        self._listing = Listing(world.catalog, "GRP", _group_in, plural="exclusion groups")

    def page(
        self, shop_id: str, q: str | None, *, limit: int, after: str | None
    ) -> tuple[list[ExclusionGroup], str | None]:
        """Newest first, and the key that continues the list."""
        return self._listing.page(shop_id, NameContains(q), limit=limit, after=after)

    def get(self, shop_id: str, group_id: str) -> ExclusionGroup:
        """One of the shop's. Raises NotFoundError."""
        record = self._world.catalog.get(shop_id, "GRP", group_id)
        if record is None:
            raise NotFoundError("no such exclusion group")
        return _group_in(record)

    def create(self, caller: Caller, stated: Stated, *, consent: Consent) -> SavedGroup:
        """A new group. Raises ValidationFailedError, ConflictError, LiveImpactError."""
        now = self._world.now()
        blank = ExclusionGroup(
            id=self._world.new_id(), shop_id=caller.shop_id, name=stated["name"], created_at=now, updated_at=now
        )
        group = with_members(blank, stated.get("members") or ())
        self._check(blank, group, consent)
        return self._save(caller, None, group)

    def update(
        self, caller: Caller, group_id: str, stated: Stated, *, consent: Consent, expected_version: int | None
    ) -> SavedGroup:
        """Change name or members. Raises ValidationFailedError, ConflictError, LiveImpactError."""

        def attempt() -> SavedGroup:
            before = self.get(caller.shop_id, group_id)
            refuse_other_version(expected_version, before.version)
            after = edited(before, stated, self._world.now())
            if after is before:
                return SavedGroup(before)
            self._check(before, after, consent)
            return self._save(caller, before, after)

        return retried(attempt)

    def delete(
        self, caller: Caller, group_id: str, *, consent: Consent = NO_CONSENT, expected_version: int | None
    ) -> Sequence[str]:
        """Remove the group: its experiments get the visitors that it kept from them. Raises LiveImpactError."""

        def attempt() -> Sequence[str]:
            before = self.get(caller.shop_id, group_id)
            refuse_other_version(expected_version, before.version)
            self._check(before, replace(before, members=()), consent)
            row = self._world.publish_row(caller.shop_id) if before.members else None
            self._world.catalog.commit(
                Commit(
                    removes=[Remove(head=_head(before))],
                    releases=_renaming(before, None).releases(),
                    audit=[self._audit(caller, before, "delete", differences(_fields(before), {}))],
                    outbox=[row] if row else [],
                )
            )
            return self._storefronts.refresh(caller.shop_id, row) if row else ()

        return retried(attempt)

    def _check(self, before: ExclusionGroup, after: ExclusionGroup, consent: Consent) -> None:
        """Raises ValidationFailedError for unknown members and LiveImpactError where running ones are affected."""
        if not changes_shares(before, after):
            return
        old, new = _ids(before), _ids(after)
        known = {record.head.id for record in self._world.catalog.get_many(after.shop_id, "EXP", sorted(new - old))}
        for index, member in enumerate(after.members):
            if member.experiment_id not in known | old:
                raise refused(f"members[{index}].experiment_id", "there is no such experiment")
        running = running_among(self._world.catalog, after.shop_id, sorted(old | new))
        if not consent.names_all(running):
            raise LiveImpactError(running)

    def _save(self, caller: Caller, before: ExclusionGroup | None, after: ExclusionGroup) -> SavedGroup:
        version = before.version if before else 0
        stored = replace(after, version=version + 1)
        renaming = _renaming(before, stored)
        row = self._world.publish_row(caller.shop_id) if stored.members or renaming.before.own else None
        diff = differences(_fields(before) if before else {}, _fields(stored))
        record = Record(head=_head(stored), body=exclusion_group_document(stored))
        commit = Commit(
            puts=[Put(record=record, expected_version=version)],
            claims=renaming.claims(),
            releases=renaming.releases(),
            audit=[self._audit(caller, stored, "update" if before else "create", diff)],
            outbox=[row] if row else [],
        )
        try:
            self._world.catalog.commit(commit)
        except NameTakenError as error:
            raise self._told(stored.shop_id, error) from error
        return SavedGroup(stored, self._storefronts.refresh(caller.shop_id, row) if row else ())

    def _told(self, shop_id: str, error: NameTakenError) -> ConflictError:
        experiment_id = error.name.removeprefix(_CLAIM)
        holder = self._world.catalog.resolve(shop_id, error.name)
        group = f"the exclusion group {holder[1]}" if holder else "another exclusion group"
        return ConflictError(f"the experiment {experiment_id} is a member of {group}")

    def _audit(self, caller: Caller, group: ExclusionGroup, verb: str, diff: Diff) -> AuditRow:
        return self._world.audit_row(
            user_id=caller.user_id,
            shop_id=group.shop_id,
            action=f"exclusion_group.{verb}",
            entity=("exclusion_group", group.id, group.name),
            diff=diff,
        )


def _group_in(record: Record) -> ExclusionGroup:
    return exclusion_group_from(record.body)


def _ids(group: ExclusionGroup) -> set[str]:
    return {member.experiment_id for member in group.members}


def _renaming(before: ExclusionGroup | None, after: ExclusionGroup | None) -> Renaming:
    """An experiment's name belongs to the group that it is in."""
    subject = after or before
    if subject is None:
        raise ValueError("a change has a before or an after")
    return Renaming(shop_id=subject.shop_id, record_id=subject.id, before=_names(before), after=_names(after))


def _names(group: ExclusionGroup | None) -> Names:
    return Names(own={_CLAIM + experiment_id for experiment_id in _ids(group)}) if group else Names()


def _fields(group: ExclusionGroup) -> dict[str, Any]:
    members = exclusion_group_document(group)["members"]
    return {"name": group.name, "members": members, "epoch": group.epoch}


def _head(group: ExclusionGroup) -> Head:
    return Head(
        shop_id=group.shop_id,
        kind="GRP",
        id=group.id,
        version=group.version,
        created_at=group.created_at,
        updated_at=group.updated_at,
        name=group.name,
    )
