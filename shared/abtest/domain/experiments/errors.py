"""Errors of experiments, each with its status and code."""

from abtest.kit.errors import ServiceError


class ApprovalRequiredError(ServiceError):
    """The action needs an approval: the shop requires one, or the one that there was is withdrawn."""

    status = 409
    code = "approval_required"


class ApprovalStaleError(ServiceError):
    """The design changed since approval was requested."""

    status = 409
    code = "approval_stale"


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
