"""The one base class of every error that a caller is told about: a status, a code, a message that says what to do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class FieldError:
    """One field that is wrong: its path (`variations[0].weight`) and why."""

    path: str
    message: str


class ServiceError(Exception):
    """Base of all told errors. Subclasses fix `status` and `code`.

    `extra` adds keys beside `error` in the body; `facts` stand beside it and in it, so that clients find them in either
    place.
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
    """A field of the request is of the wrong type, form or range."""

    status = 400
    code = "invalid_request"


class NotFoundError(ServiceError):
    """Nothing with that id in the key's shop."""

    status = 404
    code = "not_found"


class ConflictError(ServiceError):
    """The resource's present state does not allow this."""

    status = 409
    code = "conflict"


class VersionConflictError(ServiceError):
    """Somebody changed the resource since the caller read it (`If-Match`)."""

    status = 412
    code = "version_conflict"


class ValidationFailedError(ServiceError):
    """Each field is valid but the combination is not."""

    status = 422
    code = "validation_failed"


def refused(path: str, message: str) -> ValidationFailedError:
    """A valid field that does not go with the rest."""
    return ValidationFailedError(f"{path}: {message}", fields=[FieldError(path, message)])


class LimitReachedError(ServiceError):
    """A shop holds as many of these as it may."""

    status = 422
    code = "limit_reached"


class DatabaseBusyError(ServiceError):
    """The database asks to come back in a moment."""

    status = 503
    code = "database_busy"

    def __init__(self, retry_after_seconds: int = 1) -> None:
        super().__init__(
            f"the database is busy; repeat the request in {retry_after_seconds} s",
            headers={"Retry-After": str(retry_after_seconds)},
        )
