"""Refused changes of any aggregate, with status and code."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from abtest.kit.errors import FieldError, ServiceError


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


class SlugTakenError(ServiceError):
    """Another resource of this kind has the slug in the shop."""

    status = 409
    code = "slug_taken"


class NotDeletableError(ServiceError):
    """It has data, or may have: archive it instead."""

    status = 409
    code = "not_deletable"


@dataclass(frozen=True, slots=True)
class LiveConsumer:
    """Resource that shoppers see now; `kind` is its name in the API."""

    id: str
    name: str
    kind: Literal["experiment", "feature flag", "personalization"]


class LiveImpactError(ServiceError):
    """The edit changes what shoppers see of these and was not acknowledged."""

    status = 409
    code = "page_live_impact"

    def __init__(self, consumers: Sequence[LiveConsumer], message: str | None = None) -> None:
        self.consumers = tuple(consumers)
        named = [{"id": each.id, "name": each.name, "consumer": each.kind} for each in consumers]
        super().__init__(
            message
            or "shoppers would notice: repeat with confirm_live_impact true and the ids of live_experiments in"
            " confirmed_consumer_ids, which may be left out when the edited resource is the only consumer",
            extra={"live_experiments": named},
        )


class CodeBudgetExceededError(ServiceError):
    """More code and mutations than shoppers should load. Without a path the whole request is too large."""

    status = 422
    code = "code_budget_exceeded"

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}" if path else message, fields=[FieldError(path, message)] if path else ())
