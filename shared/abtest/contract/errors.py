"""What error answers look like."""

from typing import Annotated, Any, Literal

from pydantic import Field

from abtest.contract.base import ABSENT, Output


class FieldProblem(Output):
    """One field that is wrong: its path and why."""

    path: str
    message: str


class ErrorBody(Output):
    """The inside of the envelope. `code` is for machines; `details` only on unexpected 5xx."""

    message: str
    status: int
    code: str
    request_id: str
    fields: list[FieldProblem] = ABSENT
    details: str = ABSENT


class ErrorEnvelope(Output):
    """Every error of the management API."""

    error: ErrorBody


class LiveConsumer(Output):
    """Something that shoppers see and that the write reaches."""

    id: str
    name: str
    consumer: Literal["experiment", "feature flag", "personalization"]


class PageLiveImpactEnvelope(ErrorEnvelope):
    """With the code `page_live_impact`, the write reaches shoppers.

    Repeat it with confirm_live_impact and the id of each of `live_experiments` in confirmed_consumer_ids.
    """

    live_experiments: list[LiveConsumer] = ABSENT


class TransitionErrorBody(ErrorBody):
    """With the code `invalid_state_transition`, the present status and the actions that it allows."""

    current_status: str = ABSENT
    allowed_actions: list[str] = ABSENT


class InvalidStateTransitionEnvelope(ErrorEnvelope):
    """With the code `invalid_state_transition`, the same two stand beside the error, too."""

    error: TransitionErrorBody
    current_status: str = ABSENT
    allowed_actions: list[str] = ABSENT


class PlanConflictEnvelope(PageLiveImpactEnvelope, InvalidStateTransitionEnvelope):
    """The test is over (`invalid_state_transition`), or runs and the new measurement was not acknowledged."""

    error: TransitionErrorBody


class Refresh(Output):
    """What became of a publication."""

    id: str
    label: str
    status: Literal["warning", "error"]
    summary: str
    details: list[str]
    retriable: bool = ABSENT


class PublishFailedEnvelope(ErrorEnvelope):
    """The lifecycle change is committed, its publication failed: call retry-publication."""

    persisted: Literal[True]
    retriable: Literal[True]
    committed: Annotated[dict[str, Any], Field(description="The Experiment as it is now.")]
    refresh: Refresh
    reasons: list[str]
