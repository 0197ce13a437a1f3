"""Errors that are raised before a route runs."""

from abtest.kit.errors import ServiceError


class InvalidJsonBodyError(ServiceError):
    """Body that is not strict JSON."""

    status = 400
    code = "invalid_json"


class InvalidParameterError(ServiceError):
    """Invalid path, query or header parameter."""

    status = 400
    code = "invalid_parameter"


class UnknownPropertyError(ServiceError):
    """Property or parameter that the route does not accept."""

    status = 400
    code = "unknown_property"


class InvalidCursorError(ServiceError):
    """Cursor that is forged, or belongs to another list, shop or set of filters."""

    status = 400
    code = "invalid_cursor"


class InsufficientScopeError(ServiceError):
    """Valid key, or session with a role, without the scope in `required_scope`."""

    status = 403
    code = "insufficient_scope"

    def __init__(self, required: str, holder: str = "key") -> None:
        super().__init__(f"the {holder} lacks the scope {required}", facts={"required_scope": required})


class UserKeyRequiredError(ServiceError):
    """Route that only user keys may call."""

    status = 403
    code = "user_key_required"

    def __init__(self) -> None:
        super().__init__("this route requires a user key (svc_uk_…)")


class CrossSiteRequestError(ServiceError):
    """Request with a session that a page of another origin caused, or may have caused."""

    status = 403
    code = "cross_site_request"

    def __init__(self) -> None:
        super().__init__("sessions of the console are accepted from its own pages only; programs use an API key")


class PasskeyRequiredError(ServiceError):
    """Session that may only read, or whose passkey was used too long ago for this request."""

    status = 403
    code = "passkey_required"


class RouteNotFoundError(ServiceError):
    """Address without a route."""

    status = 404
    code = "route_not_found"

    def __init__(self, nearest: str | None = None) -> None:
        super().__init__("there is no route at this address" + (f"; did you mean {nearest}?" if nearest else ""))


class MethodNotAllowedError(ServiceError):
    """Address that has routes, but not with this method."""

    status = 405
    code = "method_not_allowed"

    def __init__(self, allowed: str) -> None:
        super().__init__(f"this address accepts only {allowed}", headers={"Allow": allowed})


class IdempotencyInProgressError(ServiceError):
    """Idempotency-Key whose first request is still running."""

    status = 409
    code = "idempotency_in_progress"

    def __init__(self, retry_after: int) -> None:
        message = "the first request with this Idempotency-Key is still running; repeat it in a moment"
        super().__init__(message, headers={"Retry-After": str(retry_after)})


class PayloadTooLargeError(ServiceError):
    """Body above the size limit of the route."""

    status = 413
    code = "payload_too_large"

    def __init__(self, limit: int) -> None:
        super().__init__(f"the body must have at most {limit} bytes")


class UnsupportedMediaTypeError(ServiceError):
    """Body whose content type is not JSON, or that is compressed; `coding` is how."""

    status = 415
    code = "unsupported_media_type"

    def __init__(self, coding: str | None = None) -> None:
        super().__init__(
            "the body must be JSON, with the header Content-Type: application/json"
            if coding is None
            else f"the body must not be compressed, and its Content-Encoding is {coding}; send it without this header"
        )


class IdempotencyKeyReusedError(ServiceError):
    """Idempotency-Key of a different request."""

    status = 422
    code = "idempotency_key_reused"

    def __init__(self) -> None:
        super().__init__("this Idempotency-Key was used for a different request; use a new one")
