"""Errors that a caller receives: a status, a code, and a message with what to do next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class FieldError:
    """Invalid field of a request: its path (`variations[0].weight`) and the reason."""

    path: str
    message: str


class ServiceError(Exception):
    """Base of all errors that become a response. Subclasses set `status` and `code`.

    `extra` adds keys to the body, next to `error`. `facts` are written next to `error` and also inside it, because
    clients look for them in either place.
    """

    status: ClassVar[int] = 500
    code: ClassVar[str] = "internal_error"

    def __init__(
        self,
        message: str,
        *,
        fields: Sequence[FieldError] = (),
        extra: Mapping[str, Any] | None = None,
        facts: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.fields = tuple(fields)
        self.extra = dict(extra or {})
        self.facts = dict(facts or {})
        self.headers = dict(headers or {})


class InvalidRequestError(ServiceError):
    """Field of the request with a wrong type, format or range."""

    status = 400
    code = "invalid_request"


class NotFoundError(ServiceError):
    """Id that does not exist in the shop of the API key."""

    status = 404
    code = "not_found"


class ConflictError(ServiceError):
    """Request that the current state of the resource does not allow."""

    status = 409
    code = "conflict"


class VersionConflictError(ServiceError):
    """Resource that changed after the caller read it (`If-Match`)."""

    status = 412
    code = "version_conflict"


class ValidationFailedError(ServiceError):
    """Valid fields in an invalid combination."""

    status = 422
    code = "validation_failed"


def refused(path: str, message: str) -> ValidationFailedError:
    """Return the error for a field that is valid on its own but conflicts with the rest."""
    return ValidationFailedError(f"{path}: {message}", fields=[FieldError(path, message)])


class LimitReachedError(ServiceError):
    """Limit of a shop, such as the number of its resources, that the request would exceed."""

    status = 422
    code = "limit_reached"


class ItemTooLargeError(LimitReachedError):
    """Write that exceeds what the store holds in one item (400 KB)."""


class DatabaseBusyError(ServiceError):
    """Database that throttles or does not respond; the same request may succeed later."""

    status = 503
    code = "database_busy"

    def __init__(self, retry_after_seconds: int = 1) -> None:
        super().__init__(
            f"the database is busy; repeat the request in {retry_after_seconds} s",
            headers={"Retry-After": str(retry_after_seconds)},
        )
