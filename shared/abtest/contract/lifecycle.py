"""Bodies of the actions on an experiment, and the approval's history."""

from typing import Annotated

from pydantic import ConfigDict, Field

from abtest.contract.base import ABSENT, DateTime, Id, Input, Moment, Output, Unique, Uuid
from abtest.contract.urls import WebUrl
from abtest.domain.experiments.model import ApprovalEvent as Event
from abtest.domain.experiments.model import ApprovalStatus, Outcome
from abtest.domain.experiments.transitions import Details

Remark = Annotated[str, Field(max_length=5000)]
DesignHash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class ActionInput(Input):
    """The base of action bodies."""

    def details(self) -> Details:
        """What the body says, under the names of the domain."""
        names = {"reason": "message", "qa_note": "message"}
        return Details(**{names.get(name, name): value for name, value in self.stated().items() if value is not None})


class ApprovalRequest(ActionInput):
    """Asks for an approval."""

    message: Remark | None = ABSENT
    reviewer_user_ids: Annotated[list[Uuid], Field(max_length=50), Unique] = ABSENT


class Reason(ActionInput):
    """Why; kept in the history."""

    reason: Remark | None = ABSENT


class ApprovalGrant(ActionInput):
    """Approves the design with this hash, or the one that approval was asked for."""

    message: Remark | None = ABSENT
    design_hash: DesignHash | None = ABSENT


class ChangeRequest(ActionInput):
    """What is to be changed."""

    message: Annotated[str, Field(min_length=1, max_length=5000)]


class QaNote(ActionInput):
    """What was tested."""

    qa_note: Remark | None = ABSENT


class Launch(ActionInput):
    """How to take the checklist: warnings are let pass unless `override_checklist_warnings` is false."""

    override_checklist_warnings: bool = ABSENT


class Completion(ActionInput):
    """What came out of the experiment."""

    winning_variation_id: Annotated[str, Field(max_length=36)] | None = ABSENT
    outcome: Outcome | None = ABSENT
    learning: Annotated[str, Field(max_length=10_000)] | None = ABSENT


class ScheduleInput(Input):
    """When to start and when to end; what is absent or null is not scheduled."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["start_at"]}, {"required": ["end_at"]}]})

    start_at: Moment | None = ABSENT
    end_at: Moment | None = ABSENT


class PreviewLinkInput(Input):
    """The page to preview, and for how long the link is to work."""

    url: WebUrl
    ttl_seconds: Annotated[int, Field(ge=60, le=7200)] = ABSENT


class PreviewLink(Output):
    """An address that shows the variation, the token in it, and when both end."""

    url: str
    token: str
    expires_at: DateTime


class ApprovalEvent(Output):
    """One step of the approval's history. `action` is the action that caused it, or `design-edit`."""

    id: Id
    action: str
    status: ApprovalStatus
    message: str | None
    reviewer_user_ids: list[Id]
    design_hash: str | None
    user_id: Id
    created_at: DateTime

    @classmethod
    def of(cls, event: Event) -> "ApprovalEvent":
        """An event as the contract shows it."""
        fields = {name: getattr(event, name) for name in cls.model_fields}
        return cls(**{**fields, "reviewer_user_ids": list(event.reviewer_user_ids)})
