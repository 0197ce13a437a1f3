"""The stored form of exclusion groups: a plain JSON document, and the way back."""

from collections.abc import Mapping
from typing import Any

from abtest.domain.exclusion_groups.model import ExclusionGroup, Member
from abtest.kit.stored import Document, known, plain


def exclusion_group_document(group: ExclusionGroup) -> Document:
    """The aggregate as JSON."""
    return {**plain(group), "members": [_member_document(member) for member in group.members]}


def exclusion_group_from(document: Mapping[str, Any]) -> ExclusionGroup:
    """The aggregate that a document holds. Raises KeyError or TypeError when a field without default is missing."""
    members = tuple(_member(each) for each in document.get("members", ()))
    return ExclusionGroup(**known(ExclusionGroup, document) | {"members": members})


def _member_document(member: Member) -> Document:
    return {
        "experiment_id": member.experiment_id,
        "share": member.share,
        "ranges": [list(held) for held in member.ranges],
    }


def _member(document: Mapping[str, Any]) -> Member:
    if not isinstance(document["experiment_id"], str):
        raise TypeError("a member names no experiment")
    return Member(
        experiment_id=document["experiment_id"],
        share=document["share"],
        ranges=tuple((start, end) for start, end in document["ranges"]),
    )
