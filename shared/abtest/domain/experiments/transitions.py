"""Actions on an experiment: the table in `states` decides which are allowed, this module makes their effects."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from abtest.domain.changes.change import Change, Event, Occasion
from abtest.domain.experiments import rules
from abtest.domain.experiments.checklist import OnPage, require_passed
from abtest.domain.experiments.design import design_hash
from abtest.domain.experiments.errors import ApprovalRequiredError, ApprovalStaleError
from abtest.domain.experiments.limits import MAX_APPROVAL_EVENTS
from abtest.domain.experiments.model import Approval, ApprovalEvent, ApprovalStatus, Experiment, Outcome
from abtest.domain.experiments.notices import approval_notices
from abtest.domain.experiments.planned_test import NO_PROSPECT, Prospect, frozen_at_start
from abtest.domain.experiments.states import (
    PRE_LAUNCH,
    TRANSITIONS,
    Action,
    is_approved_enough,
    is_done,
    is_source,
    not_allowed,
    position,
)
from abtest.kit.errors import LimitReachedError, refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """Details that a caller may give with an action; each action reads those that concern it."""

    message: str | None = None
    reviewer_user_ids: Sequence[str] = ()
    design_hash: str | None = None
    winning_variation_id: str | None = None
    outcome: Outcome | None = None
    learning: str | None = None
    override_checklist_warnings: bool = True
    screenshot_job_id: str | None = None


NO_DETAILS = Details()

MEASUREMENT_BEGINS: frozenset[Action] = frozenset({"launch", "restart"})


def act(
    experiment: Experiment,
    action: Action,
    occasion: Occasion,
    details: Details = NO_DETAILS,
    *,
    approval_required: bool,
    prospect: Prospect = NO_PROSPECT,
    page: OnPage | None = None,
) -> Change[Experiment]:
    """Return the change that an action makes; an empty one when the experiment is in that state already.

    `prospect` is the plan to freeze where a measurement begins: at launch and restart. `page` is the landing page that
    shows the experiment.

    Raises InvalidStateTransitionError, ApprovalRequiredError, ApprovalStaleError, WeightsSumError and
    ChecklistFailedError.
    """
    verb = f"experiment.{action.replace('-', '_')}"
    # Before all checks: an action that is repeated after a lost response must not fail.
    if is_done(experiment, action):
        return Change(before=experiment, after=experiment, action=verb)
    check_allowed(experiment, action, approval_required=approval_required)
    row = TRANSITIONS[action]
    if row.must_deliver:
        rules.check_weights(experiment)
        is_strict = not details.override_checklist_warnings
        require_passed(experiment, warnings_count=is_strict, prospect=prospect, page=page)
    if action == "approve":
        _check_requested_design(experiment, details, approval_required=approval_required)
    effect = _EFFECTS.get(action)
    after = effect(experiment, occasion, details) if effect else experiment
    if action in MEASUREMENT_BEGINS:
        after = frozen_at_start(after, prospect, occasion.now)
    if row.approval is not None:
        after = with_approval(after, action, row.approval, occasion, details)
    after = replace(after, status=row.target or after.status, updated_at=occasion.now)
    noted = {"message": details.message, "screenshot_job_id": details.screenshot_job_id}
    note = {name: value for name, value in noted.items() if value is not None}
    events = (Event(row.event),) if row.event else ()
    notices = approval_notices(experiment, action, details.message)
    return Change(before=experiment, after=after, action=verb, note=note, events=events, notices=notices)


def check_allowed(experiment: Experiment, action: Action, *, approval_required: bool) -> None:
    """Raise InvalidStateTransitionError or ApprovalRequiredError for an action that is not allowed now."""
    facts = position(experiment, approval_required=approval_required)
    # A draft that only lacks the approval gets the error that names the remedy, not the one about its status.
    lacks_approval = TRANSITIONS[action].draft_if_no_approval and experiment.archived_at is None
    if approval_required and experiment.status == "draft" and lacks_approval:
        message = f"the shop requires an approved design before {action}: request approval first"
        raise ApprovalRequiredError(message, facts=facts)
    if not is_source(experiment, action, approval_required=approval_required):
        raise not_allowed(experiment, action, approval_required=approval_required)
    if not is_approved_enough(experiment, action, approval_required=approval_required):
        is_revoked = experiment.approval is not None and experiment.approval.status == "revoked"
        why = "its approval was withdrawn" if is_revoked else "the shop requires an approved design"
        raise ApprovalRequiredError(f"{action} is not allowed: {why}", facts=facts)


def _check_requested_design(experiment: Experiment, details: Details, *, approval_required: bool) -> None:
    present = design_hash(experiment)
    requested = experiment.approval.design_hash if experiment.approval else None
    if present != requested or details.design_hash not in (None, present):
        message = "the design changed since approval was requested: withdraw and request it again"
        raise ApprovalStaleError(message, facts=position(experiment, approval_required=approval_required))


def _return_to_draft(experiment: Experiment, occasion: Occasion, details: Details) -> Experiment:
    """Take an approval back: a draft is never approved, however it became one."""
    if experiment.approval is None or experiment.approval.status != "approved":
        return experiment
    return with_approval(experiment, "return-to-draft", "revoked", occasion, details)


def _launch(experiment: Experiment, occasion: Occasion, _details: Details) -> Experiment:
    return replace(
        experiment,
        started_at=experiment.started_at or occasion.now,
        measurement_started_at=experiment.measurement_started_at or occasion.now,
    )


def _complete(experiment: Experiment, occasion: Occasion, details: Details) -> Experiment:
    winner = details.winning_variation_id
    chosen = next((item for item in experiment.variations if winner in (item.id, item.public_id)), None)
    if winner is not None and chosen is None:
        raise refused("winning_variation_id", "must be a variation of this experiment")
    return replace(
        experiment,
        ended_at=occasion.now,
        winning_variation_id=chosen.id if winner is not None and chosen else None,
        outcome=details.outcome,
        learning=details.learning,
    )


def _restart(experiment: Experiment, occasion: Occasion, _details: Details) -> Experiment:
    """Assign every visitor again and start counting over; `started_at` stays that of the first start."""
    ends = experiment.scheduled_end_at
    return replace(
        experiment,
        assignment_epoch=experiment.assignment_epoch + 1,
        measurement_epoch=experiment.measurement_epoch + 1,
        measurement_started_at=occasion.now,
        ended_at=None,
        winning_variation_id=None,
        outcome=None,
        # An end that has passed would complete the experiment at once.
        scheduled_end_at=ends if ends and ends > occasion.now else None,
    )


def _archive(experiment: Experiment, occasion: Occasion, _details: Details) -> Experiment:
    # Times that are still ahead are dropped; those that have passed stay as history.
    return replace(
        experiment,
        archived_at=occasion.now,
        scheduled_start_at=None if experiment.status in PRE_LAUNCH else experiment.scheduled_start_at,
        scheduled_end_at=None if experiment.status != "completed" else experiment.scheduled_end_at,
    )


def with_approval(
    experiment: Experiment, action: Action, status: ApprovalStatus, occasion: Occasion, details: Details
) -> Experiment:
    """Return the experiment with a new approval status and its event. Raises LimitReachedError."""
    if len(experiment.approvals) >= MAX_APPROVAL_EVENTS:
        raise LimitReachedError("the experiment's approval history is full: duplicate the experiment")
    present = design_hash(experiment)
    event = ApprovalEvent(
        id=occasion.event_id,
        action=action,
        status=status,
        message=details.message,
        reviewer_user_ids=tuple(details.reviewer_user_ids),
        screenshot_job_id=details.screenshot_job_id,
        design_hash=present,
        user_id=occasion.user_id,
        created_at=occasion.now,
    )
    approval = Approval(status=status, updated_at=occasion.now, design_hash=present)
    return replace(experiment, approval=approval, approvals=(*experiment.approvals, event))


_Effect = Callable[[Experiment, Occasion, Details], Experiment]

_EFFECTS: Mapping[Action, _Effect] = {
    "return-to-draft": _return_to_draft,
    "launch": _launch,
    "complete": _complete,
    "restart": _restart,
    "archive": _archive,
    "unarchive": lambda experiment, _occasion, _details: replace(experiment, archived_at=None),
}
