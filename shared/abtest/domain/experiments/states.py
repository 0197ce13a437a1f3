"""State machine as data: sources, target and needs of each action; code and documentation are derived from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from abtest.domain.changes.errors import InvalidStateTransitionError
from abtest.domain.experiments.model import ApprovalStatus, Experiment, Status

Action = Literal[
    "request-approval",
    "approve",
    "request-changes",
    "withdraw-approval",
    "return-to-draft",
    "start-qa",
    "mark-ready",
    "launch",
    "pause",
    "resume",
    "complete",
    "restart",
    "archive",
    "unarchive",
]
ApprovalNeed = Literal["none", "approved", "not_revoked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """One row of the table.

    `target` None keeps the status. `draft_if_no_approval` adds draft to the sources of shops that require no approval.
    `approval` is the approval's status afterwards; `needs` is its status before, where the shop requires approval.
    `refuses_revoked` means that an approval that was revoked refuses the action in every shop.
    `must_deliver` means that shoppers are affected from then on, so weights and checklist must be right. `event` is
    the webhook event that is queued. `publishes` means that a failed publication is answered with 502.
    """

    sources: frozenset[Status]
    target: Status | None
    draft_if_no_approval: bool = False
    approval: ApprovalStatus | None = None
    needs: ApprovalNeed = "none"
    refuses_revoked: bool = False
    must_deliver: bool = False
    event: Literal["experiment.started", "experiment.completed"] | None = None
    publishes: bool = False


def _statuses(*names: Status) -> frozenset[Status]:
    # As an argument a literal keeps its type, which `frozenset` alone would widen to a text.
    return frozenset(names)


PRE_LAUNCH: frozenset[Status] = _statuses(
    "draft", "awaiting_client_approval", "changes_requested", "client_approved", "qa", "ready_to_launch"
)
REVIEWED: frozenset[Status] = _statuses("client_approved", "qa", "ready_to_launch")
"""Statuses that fall back to draft when an approved design is edited."""

TRANSITIONS: Mapping[Action, Transition] = {
    "request-approval": Transition(
        sources=_statuses("draft", "changes_requested"), target="awaiting_client_approval", approval="pending"
    ),
    "approve": Transition(sources=_statuses("awaiting_client_approval"), target="client_approved", approval="approved"),
    "request-changes": Transition(
        sources=_statuses("awaiting_client_approval", "client_approved"),
        target="changes_requested",
        approval="changes_requested",
    ),
    "withdraw-approval": Transition(
        sources=_statuses("awaiting_client_approval", "client_approved"), target="draft", approval="revoked"
    ),
    "return-to-draft": Transition(
        sources=_statuses("changes_requested", "qa", "ready_to_launch", "client_approved"), target="draft"
    ),
    "start-qa": Transition(
        sources=_statuses("client_approved"), target="qa", draft_if_no_approval=True, needs="approved"
    ),
    "mark-ready": Transition(sources=_statuses("qa"), target="ready_to_launch"),
    "launch": Transition(
        sources=REVIEWED,
        target="running",
        draft_if_no_approval=True,
        needs="approved",
        must_deliver=True,
        event="experiment.started",
        publishes=True,
    ),
    "pause": Transition(sources=_statuses("running"), target="paused", publishes=True),
    "resume": Transition(
        sources=_statuses("paused"), target="running", refuses_revoked=True, must_deliver=True, publishes=True
    ),
    "complete": Transition(
        sources=_statuses("running", "paused"), target="completed", event="experiment.completed", publishes=True
    ),
    "restart": Transition(
        sources=_statuses("paused", "completed"),
        target="running",
        needs="not_revoked",
        must_deliver=True,
        publishes=True,
    ),
    "archive": Transition(sources=PRE_LAUNCH | _statuses("paused", "completed"), target=None),
    "unarchive": Transition(sources=PRE_LAUNCH | _statuses("paused", "completed"), target=None),
}


def is_done(experiment: Experiment, action: Action) -> bool:
    """Return whether the experiment already is in the state that the action leads to."""
    if action == "archive":
        return experiment.archived_at is not None
    if action == "unarchive":
        return experiment.archived_at is None
    return experiment.archived_at is None and TRANSITIONS[action].target == experiment.status


def is_source(experiment: Experiment, action: Action, *, approval_required: bool) -> bool:
    """Return whether the table allows the action from here; an archived experiment can only be unarchived."""
    row = TRANSITIONS[action]
    if experiment.archived_at is not None and action != "unarchive":
        return False
    draft = row.draft_if_no_approval and not approval_required and experiment.status == "draft"
    return draft or experiment.status in row.sources


def is_approved_enough(experiment: Experiment, action: Action, *, approval_required: bool) -> bool:
    """Return whether the approval has the status that the action needs."""
    status = experiment.approval.status if experiment.approval else None
    row = TRANSITIONS[action]
    if row.refuses_revoked and status == "revoked":
        return False
    need = row.needs
    if not approval_required or need == "none":
        return True
    return status == "approved" if need == "approved" else status != "revoked"


def allowed_actions(experiment: Experiment, *, approval_required: bool) -> tuple[Action, ...]:
    """Return the actions of the table that would change something now, in its order."""
    return tuple(
        action
        for action in TRANSITIONS
        if not is_done(experiment, action)
        and is_source(experiment, action, approval_required=approval_required)
        and is_approved_enough(experiment, action, approval_required=approval_required)
    )


def can_be_shipped(experiment: Experiment) -> bool:
    """Return whether `ship` is allowed. It is not in the table, because it changes nothing of the experiment."""
    return experiment.archived_at is None and experiment.status in ("paused", "completed")


def offered_actions(experiment: Experiment, *, approval_required: bool) -> tuple[str, ...]:
    """Return all actions that the status allows: those of the table, and `ship`."""
    allowed = allowed_actions(experiment, approval_required=approval_required)
    return (*allowed, "ship") if can_be_shipped(experiment) else allowed


def not_allowed(experiment: Experiment, action: str, *, approval_required: bool) -> InvalidStateTransitionError:
    """Return the error for an action that the status, or the archive, does not allow."""
    allowed = offered_actions(experiment, approval_required=approval_required)
    why = "archived" if experiment.archived_at else ""
    return InvalidStateTransitionError(action, experiment.status, allowed, why)


def position(experiment: Experiment, *, approval_required: bool) -> dict[str, object]:
    """Return what a refused action reports: the status, and the actions that it allows."""
    allowed = offered_actions(experiment, approval_required=approval_required)
    return {"current_status": experiment.status, "allowed_actions": list(allowed)}
