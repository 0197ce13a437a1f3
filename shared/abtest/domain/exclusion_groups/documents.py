"""The stored form of exclusion groups: a plain JSON document, and the way back.

Fields that a document lacks have their defaults, and fields that this code does not know are ignored: two releases run
side by side during a deployment.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from abtest.domain.exclusion_groups.model import ExclusionGroup, Member

Document = dict[str, Any]


def exclusion_group_document(group: ExclusionGroup) -> Document:
    """The aggregate as JSON."""
    return {**_plain(group), "members": [_member_document(member) for member in group.members]}


def exclusion_group_from(document: Mapping[str, Any]) -> ExclusionGroup:
    """The aggregate that a document holds. Raises KeyError or TypeError when a field without default is missing."""
    names = {field.name for field in fields(ExclusionGroup)}
    known = {name: value for name, value in document.items() if name in names}
    return ExclusionGroup(**{**known, "members": tuple(_member(each) for each in document.get("members", ()))})


def _plain(group: ExclusionGroup) -> Document:
    return {field.name: getattr(group, field.name) for field in fields(group)}


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
