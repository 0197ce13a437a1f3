"""Edits of an exclusion group, and the rules of its members."""

from collections.abc import Sequence
from dataclasses import replace

from abtest.domain.exclusion_groups.allocation import reallocate
from abtest.domain.exclusion_groups.model import ExclusionGroup
from abtest.domain.exclusion_groups.shapes import GroupFields, MemberFields
from abtest.kit.clock import Timestamp
from abtest.kit.errors import refused

SHARE_TOLERANCE = 1e-6


def edited(group: ExclusionGroup, fields: GroupFields, now: Timestamp) -> ExclusionGroup:
    """Return the group with the given name and members; the same one when nothing differs.

    Raises ValidationFailedError.
    """
    after = with_members(group, fields["members"]) if "members" in fields else group
    after = replace(after, name=fields.get("name", group.name))
    if after == group:
        return group
    # A new name alone keeps the epoch, because no visitor is affected.
    epoch = group.epoch + changes_shares(group, after)
    return replace(after, epoch=epoch, updated_at=now)


def with_members(group: ExclusionGroup, members: Sequence[MemberFields]) -> ExclusionGroup:
    """Return the group with these members. Raises ValidationFailedError."""
    check_members(members)
    shares = [(member["experiment_id"], float(member["share"])) for member in members]
    return replace(group, members=reallocate(group.members, shares))


def changes_shares(before: ExclusionGroup, after: ExclusionGroup) -> bool:
    """Return whether members or shares differ; their order means nothing."""
    old, new = ({member.experiment_id: member.share for member in group.members} for group in (before, after))
    return old != new


def check_members(members: Sequence[MemberFields]) -> None:
    """Raise ValidationFailedError for an experiment named twice, or for shares above 1 together."""
    seen: set[str] = set()
    for index, member in enumerate(members):
        if member["experiment_id"] in seen:
            raise refused(f"members[{index}].experiment_id", "is named twice")
        seen.add(member["experiment_id"])
    total = sum(member["share"] for member in members)
    if total > 1 + SHARE_TOLERANCE:
        raise refused("members", f"the shares sum to {total:.9g}, more than 1")
