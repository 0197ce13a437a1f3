"""The stored form of experiments: plain JSON documents, and the way back."""

from collections.abc import Mapping
from typing import Any

from abtest.domain.experiments.model import Approval, ApprovalEvent, Experiment, Variation
from abtest.domain.goals.documents import goal_from
from abtest.kit.stored import Document, known, plain


def experiment_document(experiment: Experiment) -> Document:
    """The aggregate as JSON."""
    document = plain(experiment)
    document["variations"] = [plain(variation) for variation in experiment.variations]
    document["goals"] = [plain(goal) for goal in experiment.goals]
    document["approvals"] = [plain(event) for event in experiment.approvals]
    document["approval"] = None if experiment.approval is None else plain(experiment.approval)
    return document


def experiment_from(document: Mapping[str, Any]) -> Experiment:
    """The aggregate that a document holds. Raises TypeError when a field without default is missing."""
    found = known(Experiment, document)
    approval = found.get("approval")
    found["variations"] = tuple(_variation(item) for item in document.get("variations", ()))
    found["goals"] = tuple(goal_from(item) for item in document.get("goals", ()))
    found["approvals"] = tuple(_approval_event(item) for item in document.get("approvals", ()))
    found["approval"] = None if approval is None else Approval(**known(Approval, approval))
    found["goal_page_rules"] = tuple(document.get("goal_page_rules", ()))
    return Experiment(**found)


def variation_document(variation: Variation) -> Document:
    """A variation as JSON."""
    return plain(variation)


def _variation(document: Mapping[str, Any]) -> Variation:
    found = known(Variation, document)
    blocks = found.get("url_blocks")
    found["mutations"] = tuple(document.get("mutations", ()))
    found["url_blocks"] = None if blocks is None else tuple(blocks)
    return Variation(**found)


def _approval_event(document: Mapping[str, Any]) -> ApprovalEvent:
    found = known(ApprovalEvent, document)
    found["reviewer_user_ids"] = tuple(document.get("reviewer_user_ids", ()))
    return ApprovalEvent(**found)
