"""Edits of an exclusion group, and the rules of its members."""

from collections.abc import Sequence
from dataclasses import replace

from abtest.domain.exclusion_groups.allocation import reallocate
from abtest.domain.exclusion_groups.model import ExclusionGroup
from abtest.domain.exclusion_groups.shapes import GroupFields, MemberFields
from abtest.kit.clock import Timestamp
from abtest.kit.errors import refused

SHARE_TOLERANCE = 1e-6


def edited(group: ExclusionGroup, stated: GroupFields, now: Timestamp) -> ExclusionGroup:
    """The group with the stated name and members; the same one when nothing differs. Raises ValidationFailedError."""
    after = with_members(group, stated["members"]) if "members" in stated else group
    after = replace(after, name=stated.get("name", group.name))
    if after == group:
        return group
    epoch = group.epoch + changes_shares(group, after)
    return replace(after, epoch=epoch, updated_at=now)


def with_members(group: ExclusionGroup, stated: Sequence[MemberFields]) -> ExclusionGroup:
    """The group with these members. Raises ValidationFailedError."""
    _check(stated)
    shares = [(member["experiment_id"], float(member["share"])) for member in stated]
    return replace(group, members=reallocate(group.members, shares))


def changes_shares(before: ExclusionGroup, after: ExclusionGroup) -> bool:
    """Whether members or shares differ; their order means nothing."""
    return _shares(before) != _shares(after)


def _shares(group: ExclusionGroup) -> dict[str, float]:
    return {member.experiment_id: member.share for member in group.members}


def _check(stated: Sequence[MemberFields]) -> None:
    seen: set[str] = set()
    for index, member in enumerate(stated):
        if member["experiment_id"] in seen:
            raise refused(f"members[{index}].experiment_id", "is named twice")
        seen.add(member["experiment_id"])
    total = sum(member["share"] for member in stated)
    if total > 1 + SHARE_TOLERANCE:
        raise refused("members", f"the shares sum to {total:.9g}, more than 1")
