"""The stored form of experiments and goals: plain JSON documents, and the way back.

A document may lack fields that are younger than it, and may hold fields that are younger than this code (two releases
run side by side during a deployment); defaults fill the first, the second are ignored.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from abtest.domain.experiments.model import Approval, ApprovalEvent, Experiment, Goal, Variation

Document = dict[str, Any]


def experiment_document(experiment: Experiment) -> Document:
    """The aggregate as JSON."""
    document = _plain(experiment)
    document["variations"] = [_plain(variation) for variation in experiment.variations]
    document["goals"] = [_plain(goal) for goal in experiment.goals]
    document["approvals"] = [_plain(event) for event in experiment.approvals]
    document["approval"] = None if experiment.approval is None else _plain(experiment.approval)
    return document


def experiment_from(document: Mapping[str, Any]) -> Experiment:
    """The aggregate that a document holds. Raises TypeError when a field without default is missing."""
    known = _known(Experiment, document)
    approval = known.get("approval")
    known["variations"] = tuple(_variation(item) for item in document.get("variations", ()))
    known["goals"] = tuple(goal_from(item) for item in document.get("goals", ()))
    known["approvals"] = tuple(_approval_event(item) for item in document.get("approvals", ()))
    known["approval"] = None if approval is None else Approval(**_known(Approval, approval))
    known["goal_page_rules"] = tuple(document.get("goal_page_rules", ()))
    return Experiment(**known)


def goal_document(goal: Goal) -> Document:
    """A goal as JSON."""
    return _plain(goal)


def goal_from(document: Mapping[str, Any]) -> Goal:
    """The goal that a document holds."""
    known = _known(Goal, document)
    known["capture"] = tuple(document.get("capture", ()))
    return Goal(**known)


def variation_document(variation: Variation) -> Document:
    """A variation as JSON."""
    return _plain(variation)


def _variation(document: Mapping[str, Any]) -> Variation:
    known = _known(Variation, document)
    blocks = known.get("url_blocks")
    known["mutations"] = tuple(document.get("mutations", ()))
    known["url_blocks"] = None if blocks is None else tuple(blocks)
    return Variation(**known)


def _approval_event(document: Mapping[str, Any]) -> ApprovalEvent:
    known = _known(ApprovalEvent, document)
    known["reviewer_user_ids"] = tuple(document.get("reviewer_user_ids", ()))
    return ApprovalEvent(**known)


def _plain(value: Any) -> Document:
    return {field.name: _listed(getattr(value, field.name)) for field in fields(value)}


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _known(kind: type[Any], document: Mapping[str, Any]) -> Document:
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in document.items() if name in names}
