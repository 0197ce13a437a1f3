"""Exclusion groups on the wire."""

from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field

from abtest.contract.base import ABSENT, DateTime, Id, Input, Output, PublicationWarning, Uuid
from abtest.contract.consent import LiveEdit
from abtest.contract.names import Name
from abtest.domain.exclusion_groups.allocation import MAX_MEMBERS
from abtest.domain.exclusion_groups.model import ExclusionGroup as Aggregate
from abtest.kit.json_objects import present

_MEMBER: dict[str, Any] = {"experiment_id": "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d2f", "share": 0.5}


class GroupMember(Input):
    """An experiment and its share of the group's traffic."""

    experiment_id: Uuid
    share: Annotated[float, Field(ge=0, le=1)]


GroupMembers = Annotated[list[GroupMember], Field(max_length=MAX_MEMBERS)]


class ExclusionGroupCreate(LiveEdit):
    """A new group. Members that already run need the acknowledgement. Ids of members are UUIDs."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Checkout", "members": [_MEMBER]}]})

    name: Name
    members: GroupMembers = ABSENT


class ExclusionGroupUpdate(LiveEdit):
    """Changes to a group. `members` replaces the whole list; absent fields keep their value."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"members": [_MEMBER]}]})

    name: Name = ABSENT
    members: GroupMembers = ABSENT


class GroupMemberShown(Output):
    """A member of a group."""

    experiment_id: Id
    share: float


class ExclusionGroup(Output):
    """Experiments that exclude each other: a visitor takes part in at most one. `epoch` counts changes of members and
    shares."""

    id: Id
    name: str
    members: list[GroupMemberShown]
    epoch: int
    created_at: DateTime
    updated_at: DateTime
    publication_warning: PublicationWarning = ABSENT

    @classmethod
    def of(cls, group: Aggregate, warning: PublicationWarning | None = None) -> Self:
        """Return the response of a group."""
        members = [GroupMemberShown(experiment_id=item.experiment_id, share=item.share) for item in group.members]
        return cls(
            id=group.id,
            name=group.name,
            members=members,
            epoch=group.epoch,
            created_at=group.created_at,
            updated_at=group.updated_at,
            **present(publication_warning=warning),
        ).at(group.version)
