"""Exclusion groups of a shop: created, listed, changed, deleted. An experiment is in one group at most."""

from dataclasses import replace

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.changes.consent import NO_CONSENT, Consent
from abtest.domain.changes.diff import Diff
from abtest.domain.changes.errors import LiveImpactError
from abtest.domain.exclusion_groups.documents import exclusion_group_document, exclusion_group_from
from abtest.domain.exclusion_groups.editing import changes_shares, edited, with_members
from abtest.domain.exclusion_groups.model import ExclusionGroup
from abtest.domain.exclusion_groups.shapes import GroupFields
from abtest.kit.errors import ConflictError
from abtest.ports.catalog import NameTakenError
from abtest.services.aggregates import Aggregates, Saved
from abtest.services.context import Caller, World
from abtest.services.known_ids import refuse_unknown_ids
from abtest.services.names import Names
from abtest.services.resources import Resource, Summary, either
from abtest.services.retries import Versions
from abtest.services.reusable.consumers import running_among
from abtest.services.storefronts import Storefronts

_CLAIM = "GRP#MEMBER#"


def audited(group: ExclusionGroup) -> Diff:
    """Fields for the audit."""
    document = exclusion_group_document(group)
    return {name: document[name] for name in ("name", "members", "epoch")}


GROUPS: Resource[ExclusionGroup] = Resource(
    kind="GRP",
    noun="exclusion group",
    to_document=exclusion_group_document,
    from_record=lambda record: exclusion_group_from(record.body),
    summary=lambda group: Summary(name=group.name),
    audited=audited,
    # An experiment is in at most one group, because a name has one owner.
    names=lambda group: Names(own={_CLAIM + experiment_id for experiment_id in member_ids(group)}),
    reaches_shoppers=either(lambda group: bool(group.members)),
)


class ExclusionGroups(Aggregates[ExclusionGroup]):
    """Use cases of exclusion groups."""

    def __init__(self, world: World, storefronts: Storefronts) -> None:
        super().__init__(world, replace(GROUPS, name_taken=self.member_taken), storefronts)

    def create(self, caller: Caller, given: GroupFields, *, consent: Consent) -> Saved[ExclusionGroup]:
        """Create a group. Raises ValidationFailedError, ConflictError, LiveImpactError."""

        group_id = self.world.new_id()

        def make(occasion: Occasion) -> ExclusionGroup:
            blank = ExclusionGroup(
                id=group_id,
                shop_id=caller.shop_id,
                name=given["name"],
                created_at=occasion.now,
                updated_at=occasion.now,
            )
            group = with_members(blank, given.get("members") or ())
            self._check(blank, group, consent)
            return group

        return self.add(caller, group_id, make)

    def update(
        self, caller: Caller, group_id: str, given: GroupFields, *, consent: Consent, expected_version: Versions
    ) -> Saved[ExclusionGroup]:
        """Change name or members. Raises ValidationFailedError, ConflictError, LiveImpactError."""

        def decide(before: ExclusionGroup, occasion: Occasion) -> Change[ExclusionGroup]:
            after = edited(before, given, occasion.now)
            self._check(before, after, consent)
            return Change(before=before, after=after, action="exclusion_group.update")

        return self.change(caller, group_id, decide, expected_version=expected_version)

    def delete(
        self, caller: Caller, group_id: str, *, consent: Consent = NO_CONSENT, expected_version: Versions
    ) -> None:
        """Delete the group: its experiments get the visitors that it kept from them. Raises LiveImpactError."""

        def check(group: ExclusionGroup) -> None:
            self._check(group, replace(group, members=()), consent)

        self.remove(caller, group_id, expected_version=expected_version, check=check)

    def _check(self, before: ExclusionGroup, after: ExclusionGroup, consent: Consent) -> None:
        """Raise ValidationFailedError for unknown members and LiveImpactError where running ones are affected."""
        if not changes_shares(before, after):
            return
        old, new = member_ids(before), member_ids(after)
        placed = [(f"members[{i}].experiment_id", member.experiment_id) for i, member in enumerate(after.members)]
        refuse_unknown_ids(self.world.catalog, after.shop_id, "EXP", placed, noun="experiment", before=old)
        running = running_among(self.world.catalog, after.shop_id, sorted(old | new))
        if not consent.names_all(running):
            raise LiveImpactError(running)

    def member_taken(self, group: ExclusionGroup, error: NameTakenError) -> ConflictError:
        """Error for an experiment that is in another group, with that group's id."""
        experiment_id = error.name.removeprefix(_CLAIM)
        holder = self.world.catalog.resolve(group.shop_id, error.name)
        other = f"the exclusion group {holder[1]}" if holder else "another exclusion group"
        return ConflictError(f"the experiment {experiment_id} is a member of {other}")


def member_ids(group: ExclusionGroup) -> set[str]:
    """Ids of the experiments in the group."""
    return {member.experiment_id for member in group.members}
