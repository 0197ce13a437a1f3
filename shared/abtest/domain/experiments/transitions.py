"""Actions on an experiment: the table of `states` decides whether, this module what else happens."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from abtest.domain.changes.change import Change, Event, Occasion
from abtest.domain.changes.errors import InvalidStateTransitionError
from abtest.domain.experiments import rules
from abtest.domain.experiments.checklist import require_passed
from abtest.domain.experiments.design import design_hash
from abtest.domain.experiments.errors import ApprovalRequiredError, ApprovalStaleError
from abtest.domain.experiments.limits import MAX_APPROVAL_EVENTS
from abtest.domain.experiments.model import Approval, ApprovalEvent, Experiment, Outcome
from abtest.domain.experiments.planned_test import NO_PROSPECT, Prospect, frozen_at_start
from abtest.domain.experiments.states import (
    PRE_LAUNCH,
    TRANSITIONS,
    Action,
    allowed_actions,
    is_approved_enough,
    is_done,
    is_source,
)
from abtest.kit.errors import LimitReachedError, refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """What a caller may say with an action; each action reads what concerns it."""

    message: str | None = None
    reviewer_user_ids: Sequence[str] = ()
    design_hash: str | None = None
    winning_variation_id: str | None = None
    outcome: Outcome | None = None
    learning: str | None = None
    override_checklist_warnings: bool = True


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
) -> Change[Experiment]:
    """The change that an action makes; an empty one when the experiment already is there.

    `prospect` is what planning says where a measurement begins: at launch and restart.

    Raises InvalidStateTransitionError, ApprovalRequiredError, ApprovalStaleError, WeightsSumError and
    ChecklistFailedError.
    """
    verb = f"experiment.{action.replace('-', '_')}"
    if is_done(experiment, action):
        return Change(before=experiment, after=experiment, action=verb)
    _check_allowed(experiment, action, approval_required)
    row = TRANSITIONS[action]
    if row.must_deliver:
        _check_deliverable(experiment, details, prospect)
    after = _EFFECTS.get(action, _no_effect)(experiment, occasion, details)
    if action in MEASUREMENT_BEGINS:
        after = frozen_at_start(after, prospect, occasion.now)
    if row.approval is not None:
        after = _with_approval(after, action, occasion, details)
    after = replace(after, status=row.target or after.status, updated_at=occasion.now)
    note = {} if details.message is None else {"message": details.message}
    events = (Event(row.event),) if row.event else ()
    return Change(before=experiment, after=after, action=verb, note=note, events=events)


def _check_allowed(experiment: Experiment, action: Action, approval_required: bool) -> None:
    if approval_required and experiment.status == "draft" and _draft_would_do(experiment, action):
        raise ApprovalRequiredError(f"the shop asks for an approved design before {action}: request approval first")
    if not is_source(experiment, action, approval_required=approval_required):
        allowed = allowed_actions(experiment, approval_required=approval_required)
        why = "archived" if experiment.archived_at else ""
        raise InvalidStateTransitionError(action, experiment.status, allowed, why)
    if not is_approved_enough(experiment, action, approval_required=approval_required):
        raise ApprovalRequiredError(f"the shop asks for an approved design before {action}")


def _draft_would_do(experiment: Experiment, action: Action) -> bool:
    return experiment.archived_at is None and TRANSITIONS[action].draft_if_no_approval


def _check_deliverable(experiment: Experiment, details: Details, prospect: Prospect) -> None:
    rules.check_weights(experiment)
    require_passed(experiment, warnings_count=not details.override_checklist_warnings, prospect=prospect)


def _no_effect(experiment: Experiment, _occasion: Occasion, _details: Details) -> Experiment:
    return experiment


def _approve(experiment: Experiment, _occasion: Occasion, details: Details) -> Experiment:
    present = design_hash(experiment)
    asked_for = experiment.approval.design_hash if experiment.approval else None
    if present != asked_for or details.design_hash not in (None, present):
        raise ApprovalStaleError("the design is not the one that approval was asked for: withdraw and request it again")
    return experiment


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
        raise refused("winning_variation_id", "is no variation of this experiment")
    return replace(
        experiment,
        ended_at=occasion.now,
        winning_variation_id=chosen.id if winner is not None and chosen else None,
        outcome=details.outcome,
        learning=details.learning,
    )


def _restart(experiment: Experiment, occasion: Occasion, _details: Details) -> Experiment:
    """Everybody is assigned anew and counting starts over; `started_at` tells of the first start for ever."""
    ends = experiment.scheduled_end_at
    return replace(
        experiment,
        assignment_epoch=experiment.assignment_epoch + 1,
        measurement_epoch=experiment.measurement_epoch + 1,
        measurement_started_at=occasion.now,
        ended_at=None,
        winning_variation_id=None,
        outcome=None,
        scheduled_end_at=ends if ends and ends > occasion.now else None,
    )


def _archive(experiment: Experiment, occasion: Occasion, _details: Details) -> Experiment:
    waiting = experiment.status in PRE_LAUNCH
    return replace(
        experiment,
        archived_at=occasion.now,
        scheduled_start_at=None if waiting else experiment.scheduled_start_at,
        scheduled_end_at=None if experiment.status != "completed" else experiment.scheduled_end_at,
    )


def _unarchive(experiment: Experiment, _occasion: Occasion, _details: Details) -> Experiment:
    return replace(experiment, archived_at=None)


def _with_approval(experiment: Experiment, action: Action, occasion: Occasion, details: Details) -> Experiment:
    status = TRANSITIONS[action].approval
    if status is None:
        return experiment
    if len(experiment.approvals) >= MAX_APPROVAL_EVENTS:
        raise LimitReachedError("the experiment's approval history is full: duplicate the experiment")
    present = design_hash(experiment)
    event = ApprovalEvent(
        id=occasion.event_id,
        action=action,
        status=status,
        message=details.message,
        reviewer_user_ids=tuple(details.reviewer_user_ids),
        design_hash=present,
        user_id=occasion.user_id,
        created_at=occasion.now,
    )
    approval = Approval(status=status, updated_at=occasion.now, design_hash=present)
    return replace(experiment, approval=approval, approvals=(*experiment.approvals, event))


_Effect = Callable[[Experiment, Occasion, Details], Experiment]

_EFFECTS: Mapping[Action, _Effect] = {
    "approve": _approve,
    "launch": _launch,
    "complete": _complete,
    "restart": _restart,
    "archive": _archive,
    "unarchive": _unarchive,
}
