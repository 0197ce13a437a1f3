"""What an experiment refuses, and with which status and code."""

from collections.abc import Sequence

from abtest.domain.experiments.model import Experiment
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


class LiveImpactError(ServiceError):
    """The edit changes what shoppers see and was not acknowledged."""

    status = 409
    code = "page_live_impact"

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(
            "the experiment is running: repeat with confirm_live_impact true (confirmed_consumer_ids may name its id)",
            extra={
                "live_experiments": [{"id": experiment.id, "name": experiment.name, "consumer": "experiment"}],
            },
        )
