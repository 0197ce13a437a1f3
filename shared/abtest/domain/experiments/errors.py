"""What an experiment refuses, and with which status and code."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from abtest.domain.targeting.admission import UnsafeRegexError as UnsafeRegexError
from abtest.kit.errors import FieldError, ServiceError, ValidationFailedError


def refused(path: str, message: str) -> ValidationFailedError:
    """A valid field that does not go with the rest."""
    return ValidationFailedError(f"{path}: {message}", fields=[FieldError(path, message)])


class InvalidStateTransitionError(ServiceError):
    """The action is not allowed in the present status."""

    status = 409
    code = "invalid_state_transition"

    def __init__(
        self,
        action: str,
        current_status: str,
        allowed_actions: Sequence[str],
        why: str = "",
        subject: str = "experiment",
    ) -> None:
        allowed = ", ".join(allowed_actions) or "nothing"
        super().__init__(
            f"{action} is not allowed while the {subject} is {why or current_status}; allowed: {allowed}",
            facts={"current_status": current_status, "allowed_actions": list(allowed_actions)},
        )


class ApprovalRequiredError(ServiceError):
    """The shop asks for an approved design before this."""

    status = 409
    code = "approval_required"


class ApprovalStaleError(ServiceError):
    """The design changed since approval was asked for."""

    status = 409
    code = "approval_stale"


class NotDeletableError(ServiceError):
    """It has been measured, or may have been: archive it instead."""

    status = 409
    code = "not_deletable"


class SlugTakenError(ServiceError):
    """Another experiment of the shop has this slug."""

    status = 409
    code = "slug_taken"


class WeightsSumError(ServiceError):
    """The weights of the variations in use do not sum to 1."""

    status = 422
    code = "weights_sum"


class ChecklistFailedError(ServiceError):
    """The experiment is not ready to launch; `fields` name the items."""

    status = 422
    code = "checklist_failed"


class RedirectMatchesSourceError(ServiceError):
    """A redirect would lead back to a page that redirects."""

    status = 422
    code = "redirect_matches_source"


@dataclass(frozen=True, slots=True)
class LiveConsumer:
    """Something that shoppers see now; `kind` is what callers know it as."""

    id: str
    name: str
    kind: Literal["experiment", "feature flag", "personalization"]


class LiveImpactError(ServiceError):
    """The edit changes what shoppers see of these and was not acknowledged."""

    status = 409
    code = "page_live_impact"

    def __init__(self, consumers: Sequence[LiveConsumer]) -> None:
        named = [{"id": found.id, "name": found.name, "consumer": found.kind} for found in consumers]
        super().__init__(
            "shoppers would notice: repeat with confirm_live_impact true and the ids of live_experiments in"
            " confirmed_consumer_ids, which may be left out when the one consumer is what is edited",
            extra={"live_experiments": named},
        )
