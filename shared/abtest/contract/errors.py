"""Error responses."""

from typing import Annotated, Any, Literal

from pydantic import Field

from abtest.contract.base import ABSENT, Output


class FieldProblem(Output):
    """One invalid field: its path and the reason."""

    path: str
    message: str


class ErrorBody(Output):
    """The error itself. `code` is for programs; `details` is present only on unexpected 5xx errors."""

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
    """A live item that the write affects."""

    id: str
    name: str
    consumer: Literal["experiment", "feature flag", "personalization"]


class PageLiveImpactEnvelope(ErrorEnvelope):
    """`page_live_impact`: the write affects shoppers.

    Repeat it with confirm_live_impact and the ids of all `live_experiments` in confirmed_consumer_ids.
    """

    live_experiments: list[LiveConsumer] = ABSENT


class TransitionErrorBody(ErrorBody):
    """`invalid_state_transition`: the current status and the actions it allows."""

    current_status: str = ABSENT
    allowed_actions: list[str] = ABSENT


class InvalidStateTransitionEnvelope(ErrorEnvelope):
    """`invalid_state_transition`: status and actions are also repeated next to the error."""

    error: TransitionErrorBody
    current_status: str = ABSENT
    allowed_actions: list[str] = ABSENT


class FailedCheck(Output):
    """Check of a landing page that failed."""

    key: str
    status: Literal["fail"]
    message: str


class GateErrorBody(ErrorBody):
    """`gate_failed`: the checks that failed."""

    checks: list[FailedCheck] = ABSENT


class GateFailedEnvelope(ErrorEnvelope):
    """`gate_failed`: the failed checks are also repeated next to the error."""

    error: GateErrorBody
    checks: list[FailedCheck] = ABSENT


class AssetUser(Output):
    """A resource that uses an asset."""

    kind: str
    id: str
    name: str


class AssetInUseEnvelope(ErrorEnvelope):
    """`asset_in_use`: up to five resources that use the asset."""

    used_by: list[AssetUser] = ABSENT


class PlanConflictEnvelope(PageLiveImpactEnvelope, InvalidStateTransitionEnvelope):
    """The state does not allow it (`invalid_state_transition`), or shoppers notice it and it was not acknowledged."""

    error: TransitionErrorBody


class PublicationOutcome(Output):
    """Outcome of a publication."""

    id: str
    label: str
    status: Literal["warning", "error"]
    summary: str
    details: list[str]
    retriable: bool = ABSENT


class PublishFailedEnvelope(ErrorEnvelope):
    """The lifecycle change is saved, but publishing failed: call retry-publication."""

    persisted: Literal[True]
    retriable: Literal[True]
    committed: Annotated[dict[str, Any], Field(description="The experiment in its current state.")]
    refresh: PublicationOutcome
    reasons: list[str]
