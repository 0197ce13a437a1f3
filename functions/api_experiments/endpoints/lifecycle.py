"""Routes that move an experiment through its states."""

from typing import Annotated

from abtest.contract.base import ListOf
from abtest.contract.errors import InvalidStateTransitionEnvelope, PublishFailedEnvelope
from abtest.contract.experiments import Checklist, ChecklistItem, Experiment
from abtest.contract.lifecycle import (
    ApprovalEvent,
    ApprovalGrant,
    ApprovalRequest,
    ChangeRequest,
    Completion,
    Launch,
    QaNote,
    Reason,
    ScheduleInput,
)
from abtest.domain.changes.errors import InvalidStateTransitionError
from abtest.domain.experiments.errors import (
    ApprovalRequiredError,
    ApprovalStaleError,
    ChecklistFailedError,
    WeightsSumError,
)
from abtest.http.deps import IfMatch, Page, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import LimitReachedError, NotFoundError, ValidationFailedError
from abtest.services.experiments.lifecycle import Lifecycle
from abtest.services.experiments.publishing import PostCommitPublishFailedError
from abtest.services.experiments.reading import Reading
from api_experiments.endpoints.vocabulary import Approver, ExperimentId, Launcher, Reader, Writer, experiment, part_of

router = Router("/experiments/{experiment_id}", tag="Experiments")

Moves = Annotated[Lifecycle, use(Lifecycle)]
Reads = Annotated[Reading, use(Reading)]

MOVE = errors(NotFoundError, InvalidStateTransitionError, s409=InvalidStateTransitionEnvelope)
APPROVAL = errors(
    NotFoundError,
    InvalidStateTransitionError,
    ApprovalStaleError,
    LimitReachedError,
    s409=InvalidStateTransitionEnvelope,
)
REFUSED_BY_APPROVAL = errors(
    NotFoundError, InvalidStateTransitionError, ApprovalRequiredError, s409=InvalidStateTransitionEnvelope
)
PUBLISHED_MOVE = errors(
    NotFoundError,
    InvalidStateTransitionError,
    ApprovalRequiredError,
    WeightsSumError,
    ChecklistFailedError,
    ValidationFailedError,
    PostCommitPublishFailedError,
    s409=InvalidStateTransitionEnvelope,
    s502=PublishFailedEnvelope,
)


@router.get("/checklist", operation_id="getChecklist", responses=errors(NotFoundError))
def checklist(experiment_id: ExperimentId, caller: Reader, lifecycle: Moves) -> Checklist:
    """Whether the experiment is ready to launch; warnings do not stand in the way."""
    items, actions = lifecycle.checklist(caller.shop_id, experiment_id)
    return Checklist(
        ready=all(item.status != "fail" for item in items),
        items=[ChecklistItem(key=i.key, label=i.label, status=i.status, message=i.message) for i in items],
        allowed_actions=list(actions),
    )


@router.post("/request-approval", operation_id="requestApproval", responses=APPROVAL)
def request_approval(
    experiment_id: ExperimentId,
    caller: Writer,
    lifecycle: Moves,
    if_match: IfMatch,
    body: ApprovalRequest | None = None,
) -> Experiment:
    """Ask for the design to be approved as it is now."""
    details = (body or ApprovalRequest()).details()
    return experiment(lifecycle.act(caller, experiment_id, "request-approval", details, expected_version=if_match))


@router.post("/withdraw-approval", operation_id="withdrawApproval", responses=APPROVAL)
def withdraw_approval(
    experiment_id: ExperimentId, caller: Writer, lifecycle: Moves, if_match: IfMatch, body: Reason | None = None
) -> Experiment:
    """Take the request, or the approval, back; the experiment is a draft again."""
    details = (body or Reason()).details()
    return experiment(lifecycle.act(caller, experiment_id, "withdraw-approval", details, expected_version=if_match))


@router.post("/approve", operation_id="approveExperiment", responses=APPROVAL)
def approve(
    experiment_id: ExperimentId,
    caller: Approver,
    lifecycle: Moves,
    if_match: IfMatch,
    body: ApprovalGrant | None = None,
) -> Experiment:
    """Approve the design. 409 `approval_stale` when it is not the one that was asked about."""
    details = (body or ApprovalGrant()).details()
    return experiment(lifecycle.act(caller, experiment_id, "approve", details, expected_version=if_match))


@router.post("/request-changes", operation_id="requestChanges", responses=APPROVAL)
def request_changes(
    experiment_id: ExperimentId, body: ChangeRequest, caller: Approver, lifecycle: Moves, if_match: IfMatch
) -> Experiment:
    """Refuse the design and say what is to be changed."""
    details = body.details()
    return experiment(lifecycle.act(caller, experiment_id, "request-changes", details, expected_version=if_match))


@router.get("/approvals", operation_id="listApprovals", responses=errors(NotFoundError))
def approvals(experiment_id: ExperimentId, caller: Reader, page: Page, reading: Reads) -> ListOf[ApprovalEvent]:
    """Every step of the design's approval, newest first."""
    events = reversed(reading.get(caller.shop_id, experiment_id).approvals)
    return part_of(page, [ApprovalEvent.of(event) for event in events])


@router.post("/start-qa", operation_id="startQa", responses=REFUSED_BY_APPROVAL)
def start_qa(experiment_id: ExperimentId, caller: Writer, lifecycle: Moves, if_match: IfMatch) -> Experiment:
    """Begin testing. From draft only where the shop asks for no approval."""
    return experiment(lifecycle.act(caller, experiment_id, "start-qa", expected_version=if_match))


@router.post("/mark-ready", operation_id="markReady", responses=MOVE)
def mark_ready(
    experiment_id: ExperimentId, caller: Writer, lifecycle: Moves, if_match: IfMatch, body: QaNote | None = None
) -> Experiment:
    """Testing is over: the experiment may be launched."""
    details = (body or QaNote()).details()
    return experiment(lifecycle.act(caller, experiment_id, "mark-ready", details, expected_version=if_match))


@router.post("/return-to-draft", operation_id="returnToDraft", responses=MOVE)
def return_to_draft(
    experiment_id: ExperimentId, caller: Writer, lifecycle: Moves, if_match: IfMatch, body: Reason | None = None
) -> Experiment:
    """Back to draft, before launch."""
    details = (body or Reason()).details()
    return experiment(lifecycle.act(caller, experiment_id, "return-to-draft", details, expected_version=if_match))


@router.put(
    "/schedule",
    operation_id="setSchedule",
    responses=errors(
        NotFoundError, InvalidStateTransitionError, ValidationFailedError, s409=InvalidStateTransitionEnvelope
    ),
)
def set_schedule(
    experiment_id: ExperimentId, body: ScheduleInput, caller: Launcher, lifecycle: Moves, if_match: IfMatch
) -> Experiment:
    """Launch and complete at the stated moments, to the minute; replaces the schedule there was."""
    return experiment(lifecycle.set_schedule(caller, experiment_id, body.stated(), expected_version=if_match))


@router.delete("/schedule", operation_id="clearSchedule", responses=errors(NotFoundError))
def clear_schedule(experiment_id: ExperimentId, caller: Launcher, lifecycle: Moves, if_match: IfMatch) -> Experiment:
    """Forget the schedule."""
    return experiment(lifecycle.clear_schedule(caller, experiment_id, expected_version=if_match))


@router.post("/launch", operation_id="launchExperiment", responses=PUBLISHED_MOVE)
@router.post("/start", operation_id="startExperiment", responses=PUBLISHED_MOVE)
def launch(
    experiment_id: ExperimentId, caller: Launcher, lifecycle: Moves, if_match: IfMatch, body: Launch | None = None
) -> Experiment:
    """Show the experiment to shoppers. The checklist must not fail; 502 when it runs but could not be published."""
    details = (body or Launch()).details()
    return experiment(lifecycle.act(caller, experiment_id, "launch", details, expected_version=if_match))


@router.post("/pause", operation_id="pauseExperiment", responses=PUBLISHED_MOVE)
def pause(
    experiment_id: ExperimentId, caller: Launcher, lifecycle: Moves, if_match: IfMatch, body: Reason | None = None
) -> Experiment:
    """Stop showing the experiment for a while."""
    details = (body or Reason()).details()
    return experiment(lifecycle.act(caller, experiment_id, "pause", details, expected_version=if_match))


@router.post("/resume", operation_id="resumeExperiment", responses=PUBLISHED_MOVE)
def resume(experiment_id: ExperimentId, caller: Launcher, lifecycle: Moves, if_match: IfMatch) -> Experiment:
    """Show a paused experiment again; every visitor keeps their variation."""
    return experiment(lifecycle.act(caller, experiment_id, "resume", expected_version=if_match))


@router.post("/complete", operation_id="completeExperiment", responses=PUBLISHED_MOVE)
def complete(
    experiment_id: ExperimentId, caller: Launcher, lifecycle: Moves, if_match: IfMatch, body: Completion | None = None
) -> Experiment:
    """End a running or paused experiment."""
    details = (body or Completion()).details()
    return experiment(lifecycle.act(caller, experiment_id, "complete", details, expected_version=if_match))


@router.post("/restart", operation_id="restartExperiment", responses=PUBLISHED_MOVE)
def restart(experiment_id: ExperimentId, caller: Launcher, lifecycle: Moves, if_match: IfMatch) -> Experiment:
    """Run again: every visitor is assigned anew and results start from nothing."""
    return experiment(lifecycle.act(caller, experiment_id, "restart", expected_version=if_match))


@router.post("/retry-publication", operation_id="retryPublication", responses=PUBLISHED_MOVE)
def retry_publication(experiment_id: ExperimentId, caller: Launcher, lifecycle: Moves) -> Experiment:
    """Publish the shop's present state once more."""
    return experiment(lifecycle.retry_publication(caller, experiment_id))


@router.post("/archive", operation_id="archiveExperiment", responses=MOVE)
def archive(experiment_id: ExperimentId, caller: Writer, lifecycle: Moves, if_match: IfMatch) -> Experiment:
    """Put the experiment away; its schedule is forgotten. Not while it runs."""
    return experiment(lifecycle.act(caller, experiment_id, "archive", expected_version=if_match))


@router.post("/unarchive", operation_id="unarchiveExperiment", responses=MOVE)
def unarchive(experiment_id: ExperimentId, caller: Writer, lifecycle: Moves, if_match: IfMatch) -> Experiment:
    """Take the experiment out of the archive, in the status it had."""
    return experiment(lifecycle.act(caller, experiment_id, "unarchive", expected_version=if_match))
