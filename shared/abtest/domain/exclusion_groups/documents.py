"""The stored form of exclusion groups: a plain JSON document, and the way back."""

from collections.abc import Mapping

from abtest.domain.exclusion_groups.model import ExclusionGroup
from abtest.kit.documents import Document, decode, encode


def exclusion_group_document(group: ExclusionGroup) -> Document:
    """Return the aggregate as JSON."""
    return encode(group)


def exclusion_group_from(document: Mapping[str, object]) -> ExclusionGroup:
    """Return the aggregate of a document. Raises TypeError for one without a field that has no default."""
    group = decode(ExclusionGroup, document)
    if not all(isinstance(member.experiment_id, str) for member in group.members):
        raise TypeError("a member must name an experiment")
    return group
