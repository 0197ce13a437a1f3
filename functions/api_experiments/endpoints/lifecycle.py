"""Routes of the lifecycle of experiments."""

from typing import Annotated

from abtest.contract.base import ListOf
from abtest.contract.errors import InvalidStateTransitionEnvelope, PublishFailedEnvelope
from abtest.contract.experiments import ApprovalRequested, Checklist, ChecklistItem, Experiment
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
from abtest.domain.egress.targets import UrlNotAllowedError
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
from abtest.services.experiments.publish_failure import PostCommitPublishFailedError
from abtest.services.experiments.store import ExperimentStore
from abtest.services.scopes import FieldScopeRequiredError
from abtest.services.screenshots.approval import ApprovalRequests
from abtest.services.screenshots.requests import BrowserMissingError
from api_experiments.endpoints.vocabulary import Approver, ExperimentId, Launcher, Reader, Writer, experiment, part_of

router = Router("/experiments/{experiment_id}", tag="Experiments")

Moves = Annotated[Lifecycle, use(Lifecycle)]
Reads = Annotated[ExperimentStore, use(ExperimentStore)]

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
    """Return the launch checklist. Failed items block a launch, warnings do not."""
    items, actions = lifecycle.checklist(caller.shop_id, experiment_id)
    return Checklist(
        ready=all(item.status != "fail" for item in items),
        items=[ChecklistItem(key=i.key, label=i.label, status=i.status, message=i.message) for i in items],
        allowed_actions=list(actions),
    )


@router.post(
    "/request-approval",
    operation_id="requestApproval",
    responses=errors(
        NotFoundError,
        InvalidStateTransitionError,
        LimitReachedError,
        ValidationFailedError,
        UrlNotAllowedError,
        FieldScopeRequiredError,
        BrowserMissingError,
        s409=InvalidStateTransitionEnvelope,
    ),
)
def request_approval(
    experiment_id: ExperimentId,
    caller: Writer,
    requests: Annotated[ApprovalRequests, use(ApprovalRequests)],
    if_match: IfMatch,
    body: ApprovalRequest | None = None,
) -> ApprovalRequested:
    """Request approval of the design in its current form.

    `screenshots: true` (scope `screenshots:write`) starts a job, `screenshot_job_id`, that pictures the page without
    the experiment and in each variation, whole, on a phone and a desktop. `screenshot_urls` are its addresses: by
    default the first address without wildcard that the experiment includes, else `store_url`; 422 without any. A
    request that is made again starts no second job.
    """
    saved = requests.request(caller, experiment_id, body or ApprovalRequest(), expected_version=if_match)
    return ApprovalRequested.after(saved.value)


@router.post("/withdraw-approval", operation_id="withdrawApproval", responses=APPROVAL)
def withdraw_approval(
    experiment_id: ExperimentId, caller: Writer, lifecycle: Moves, if_match: IfMatch, body: Reason | None = None
) -> Experiment:
    """Withdraw the approval or the request for it, and return the experiment to draft."""
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
    """Approve the design. A design that changed since the request is 409 `approval_stale`."""
    details = (body or ApprovalGrant()).details()
    return experiment(lifecycle.act(caller, experiment_id, "approve", details, expected_version=if_match))


@router.post("/request-changes", operation_id="requestChanges", responses=APPROVAL)
def request_changes(
    experiment_id: ExperimentId, body: ChangeRequest, caller: Approver, lifecycle: Moves, if_match: IfMatch
) -> Experiment:
    """Reject the design and list the changes it needs."""
    details = body.details()
    return experiment(lifecycle.act(caller, experiment_id, "request-changes", details, expected_version=if_match))


@router.get("/approvals", operation_id="listApprovals", responses=errors(NotFoundError))
def approvals(experiment_id: ExperimentId, caller: Reader, page: Page, experiments: Reads) -> ListOf[ApprovalEvent]:
    """List the steps of the approval, newest first."""
    events = reversed(experiments.get(caller.shop_id, experiment_id).approvals)
    return part_of(page, [ApprovalEvent.of(event) for event in events])


@router.post("/start-qa", operation_id="startQa", responses=REFUSED_BY_APPROVAL)
def start_qa(experiment_id: ExperimentId, caller: Writer, lifecycle: Moves, if_match: IfMatch) -> Experiment:
    """Start quality assurance. From draft, only in shops that require no approval."""
    return experiment(lifecycle.act(caller, experiment_id, "start-qa", expected_version=if_match))


@router.post("/mark-ready", operation_id="markReady", responses=MOVE)
def mark_ready(
    experiment_id: ExperimentId, caller: Writer, lifecycle: Moves, if_match: IfMatch, body: QaNote | None = None
) -> Experiment:
    """End quality assurance: the experiment is ready to launch."""
    details = (body or QaNote()).details()
    return experiment(lifecycle.act(caller, experiment_id, "mark-ready", details, expected_version=if_match))


@router.post("/return-to-draft", operation_id="returnToDraft", responses=MOVE)
def return_to_draft(
    experiment_id: ExperimentId, caller: Writer, lifecycle: Moves, if_match: IfMatch, body: Reason | None = None
) -> Experiment:
    """Return an experiment that has not launched to draft. This withdraws an approval of its design."""
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
    """Replace the schedule: launch and complete the experiment at the given moments, to the minute.

    An empty body is 422. A start requires an experiment that has not launched. `end_at` is not part of the Experiment
    response.
    """
    return experiment(lifecycle.set_schedule(caller, experiment_id, body.provided(), expected_version=if_match))


@router.delete("/schedule", operation_id="clearSchedule", responses=errors(NotFoundError))
def clear_schedule(experiment_id: ExperimentId, caller: Launcher, lifecycle: Moves, if_match: IfMatch) -> Experiment:
    """Remove the schedule and return the experiment."""
    return experiment(lifecycle.clear_schedule(caller, experiment_id, expected_version=if_match))


@router.post("/launch", operation_id="launchExperiment", responses=PUBLISHED_MOVE)
@router.post("/start", operation_id="startExperiment", responses=PUBLISHED_MOVE)
def launch(
    experiment_id: ExperimentId, caller: Launcher, lifecycle: Moves, if_match: IfMatch, body: Launch | None = None
) -> Experiment:
    """Show the experiment to shoppers.

    A failed checklist item is 422; warnings pass unless `override_checklist_warnings` is false. Weights that do not sum
    to 1 are `weights_sum`, before the checklist. The response is 502 when the experiment runs but could not be
    published; then call `retry-publication`.
    """
    details = (body or Launch()).details()
    return experiment(lifecycle.act(caller, experiment_id, "launch", details, expected_version=if_match))


@router.post("/pause", operation_id="pauseExperiment", responses=PUBLISHED_MOVE)
def pause(
    experiment_id: ExperimentId, caller: Launcher, lifecycle: Moves, if_match: IfMatch, body: Reason | None = None
) -> Experiment:
    """Stop showing the experiment until it is resumed."""
    details = (body or Reason()).details()
    return experiment(lifecycle.act(caller, experiment_id, "pause", details, expected_version=if_match))


@router.post("/resume", operation_id="resumeExperiment", responses=PUBLISHED_MOVE)
def resume(experiment_id: ExperimentId, caller: Launcher, lifecycle: Moves, if_match: IfMatch) -> Experiment:
    """Show a paused experiment again. Visitors keep their variation.

    If the approval of its design was withdrawn, this is 409 `approval_required`, also in shops that require none.
    """
    return experiment(lifecycle.act(caller, experiment_id, "resume", expected_version=if_match))


@router.post("/complete", operation_id="completeExperiment", responses=PUBLISHED_MOVE)
def complete(
    experiment_id: ExperimentId, caller: Launcher, lifecycle: Moves, if_match: IfMatch, body: Completion | None = None
) -> Experiment:
    """Complete a running or paused experiment.

    `winning_variation_id` is the id or public id of one of its variations; any other value is 422. Outcome, winner and
    learning are stored, and appear in the history.
    """
    details = (body or Completion()).details()
    return experiment(lifecycle.act(caller, experiment_id, "complete", details, expected_version=if_match))


@router.post("/restart", operation_id="restartExperiment", responses=PUBLISHED_MOVE)
def restart(experiment_id: ExperimentId, caller: Launcher, lifecycle: Moves, if_match: IfMatch) -> Experiment:
    """Start a new run: visitors are assigned again and results start from zero.

    On a running experiment this has no effect and returns 200.
    """
    return experiment(lifecycle.act(caller, experiment_id, "restart", expected_version=if_match))


@router.post("/retry-publication", operation_id="retryPublication", responses=PUBLISHED_MOVE)
def retry_publication(experiment_id: ExperimentId, caller: Launcher, lifecycle: Moves) -> Experiment:
    """Publish the current state of the shop again, at most once a second."""
    return experiment(lifecycle.retry_publication(caller, experiment_id))


@router.post("/archive", operation_id="archiveExperiment", responses=MOVE)
def archive(experiment_id: ExperimentId, caller: Writer, lifecycle: Moves, if_match: IfMatch) -> Experiment:
    """Archive the experiment and discard its schedule. A running experiment cannot be archived.

    Fields of an archived experiment can still be edited; its only allowed action is `unarchive`.
    """
    return experiment(lifecycle.act(caller, experiment_id, "archive", expected_version=if_match))


@router.post("/unarchive", operation_id="unarchiveExperiment", responses=MOVE)
def unarchive(experiment_id: ExperimentId, caller: Writer, lifecycle: Moves, if_match: IfMatch) -> Experiment:
    """Take the experiment out of the archive, in its previous status.

    One that is not archived stays as it is, whatever its status: 200 without any change.
    """
    return experiment(lifecycle.act(caller, experiment_id, "unarchive", expected_version=if_match))
