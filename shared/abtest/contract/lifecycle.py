"""Bodies of the actions on an experiment, and the approval history."""

from typing import Annotated

from pydantic import ConfigDict, Field

from abtest.contract.base import ABSENT, DateTime, Id, Input, Moment, Output, Unique, Uuid
from abtest.contract.forms import Form
from abtest.contract.screenshots import ScreenshotUrls
from abtest.domain.experiments.model import ApprovalEvent as Event
from abtest.domain.experiments.model import ApprovalStatus, Outcome
from abtest.domain.experiments.transitions import Details

Remark = Annotated[str, Field(max_length=5000)]
DesignHash = Annotated[
    str, Form("[0-9a-f]{64}", "have 64 hexadecimal digits in lower case, as in `design_hash` of the experiment")
]


class ActionInput(Input):
    """Base of action bodies."""

    def details(self) -> Details:
        """Return the fields of the body under the names of the domain."""
        names = {"reason": "message", "qa_note": "message"}
        # Nulls are dropped: in these bodies null means the same as an absent field.
        return Details(**{names.get(name, name): value for name, value in self.provided().items() if value is not None})


class ApprovalRequest(ActionInput):
    """Request for an approval."""

    message: Remark | None = ABSENT
    reviewer_user_ids: Annotated[list[Uuid], Field(max_length=50), Unique] = ABSENT
    screenshots: bool = ABSENT
    screenshot_urls: ScreenshotUrls = ABSENT

    def details(self) -> Details:
        """Return the fields of the body that the domain reads."""
        given = {name: value for name, value in self.provided().items() if not name.startswith("screenshot")}
        return Details(**{name: value for name, value in given.items() if value is not None})


class Reason(ActionInput):
    """Reason, stored in the history."""

    reason: Remark | None = ABSENT


class ApprovalGrant(ActionInput):
    """Approval of the design with this hash, by default of the one that approval was requested for."""

    message: Remark | None = ABSENT
    design_hash: DesignHash | None = ABSENT


class ChangeRequest(ActionInput):
    """Changes that the design needs."""

    message: Annotated[str, Field(min_length=1, max_length=5000)]


class QaNote(ActionInput):
    """Notes on what was tested."""

    qa_note: Remark | None = ABSENT


class Launch(ActionInput):
    """Treatment of the checklist: warnings are accepted unless `override_checklist_warnings` is false."""

    override_checklist_warnings: bool = ABSENT


class Completion(ActionInput):
    """Outcome of the experiment."""

    winning_variation_id: Annotated[str, Field(max_length=36)] | None = ABSENT
    outcome: Outcome | None = ABSENT
    learning: Annotated[str, Field(max_length=10_000)] | None = ABSENT


class ScheduleInput(Input):
    """Start and end. A moment that is absent or null is not scheduled."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["start_at"]}, {"required": ["end_at"]}]})

    start_at: Moment | None = ABSENT
    end_at: Moment | None = ABSENT


class ApprovalEvent(Output):
    """One step of the approval history. `action` is the action that caused it, or `design-edit`."""

    id: Id
    action: str
    status: ApprovalStatus
    message: str | None
    reviewer_user_ids: list[Id]
    screenshot_job_id: Id | None
    design_hash: str | None
    user_id: Id
    created_at: DateTime

    @classmethod
    def of(cls, event: Event) -> "ApprovalEvent":
        """Return the response of an event."""
        fields = {name: getattr(event, name) for name in cls.model_fields}
        return cls(**{**fields, "reviewer_user_ids": list(event.reviewer_user_ids)})
