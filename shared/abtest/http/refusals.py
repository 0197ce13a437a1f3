"""Errors that the plumbing itself answers with."""

from abtest.kit.errors import ServiceError


class InvalidJsonBodyError(ServiceError):
    """The body is not the JSON that we accept."""

    status = 400
    code = "invalid_json"


class InvalidParameterError(ServiceError):
    """A path, query or header parameter has a wrong form."""

    status = 400
    code = "invalid_parameter"


class UnknownPropertyError(ServiceError):
    """The request names something that the route does not know."""

    status = 400
    code = "unknown_property"


class InvalidCursorError(ServiceError):
    """The cursor is not ours, or belongs to other filters or another shop."""

    status = 400
    code = "invalid_cursor"


class InsufficientScopeError(ServiceError):
    """The key is valid but may not do this; `required_scope` names what it lacks."""

    status = 403
    code = "insufficient_scope"

    def __init__(self, required: str) -> None:
        super().__init__(f"the key lacks the scope {required}", facts={"required_scope": required})


class UserKeyRequiredError(ServiceError):
    """The route belongs to user keys."""

    status = 403
    code = "user_key_required"

    def __init__(self) -> None:
        super().__init__("this route needs a user key (svc_uk_…)")


class RouteNotFoundError(ServiceError):
    """No route has this address."""

    status = 404
    code = "route_not_found"

    def __init__(self) -> None:
        super().__init__("no route has this address")


class MethodNotAllowedError(ServiceError):
    """The address exists, but not with this method."""

    status = 405
    code = "method_not_allowed"

    def __init__(self, allowed: str) -> None:
        super().__init__(f"this address takes {allowed}", headers={"Allow": allowed})


class IdempotencyInProgressError(ServiceError):
    """The first request with this Idempotency-Key has not been answered yet."""

    status = 409
    code = "idempotency_in_progress"

    def __init__(self) -> None:
        super().__init__("the first request with this Idempotency-Key is still running; repeat it in a moment")


class PayloadTooLargeError(ServiceError):
    """The body is larger than the route takes."""

    status = 413
    code = "payload_too_large"

    def __init__(self, limit: int) -> None:
        super().__init__(f"the body may have {limit} bytes at most")


class UnsupportedMediaTypeError(ServiceError):
    """A body that does not say it is JSON."""

    status = 415
    code = "unsupported_media_type"

    def __init__(self) -> None:
        super().__init__("send JSON and say so: Content-Type: application/json")


class IdempotencyKeyReusedError(ServiceError):
    """The Idempotency-Key was used with another body."""

    status = 422
    code = "idempotency_key_reused"

    def __init__(self) -> None:
        super().__init__("this Idempotency-Key was used with another request; take a new one")
