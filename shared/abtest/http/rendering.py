"""Rendering of errors as responses, for all routes."""

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from abtest.http.exchange import Exchange
from abtest.http.journal import journal
from abtest.http.refusals import InvalidParameterError, RouteNotFoundError
from abtest.http.validation import translate
from abtest.kit import canonical_json
from abtest.kit.errors import ServiceError
from abtest.services.rate_limits import RateLimitedError

MAX_DETAILS = 4000


class InternalError(ServiceError):
    """Unexpected error; `details` has the internal name and message."""

    status = 500
    code = "internal_error"


def render(error: Exception, exchange: Exchange) -> Response:
    """Return the response to a request that failed with `error`. Unexpected errors are logged with their trace."""
    if isinstance(error, RateLimitedError):
        exchange.rate = error.decision
    if isinstance(error, ServiceError):
        return envelope(error, exchange)
    if isinstance(error, RequestValidationError):
        return envelope(translate(error, exchange.body_type, exchange.response_type), exchange)
    if isinstance(error, HTTPException):
        refusal = RouteNotFoundError() if error.status_code == 404 else InvalidParameterError(str(error.detail))
        return envelope(refusal, exchange)
    journal.exception("request.failed", request_id=exchange.request_id, operation=exchange.operation)
    details = f"{type(error).__name__}: {error}"[:MAX_DETAILS]
    return envelope(InternalError("an unexpected error occurred; it has been logged"), exchange, details)


def envelope(error: ServiceError, exchange: Exchange, details: str | None = None) -> Response:
    """Return the error in the envelope that all errors share."""
    inside: dict[str, object] = {
        "message": error.message,
        "status": error.status,
        "code": error.code,
        "request_id": exchange.request_id,
        **error.facts,
    }
    if error.fields:
        inside["fields"] = [{"path": field.path, "message": field.message} for field in error.fields]
    if details is not None:
        inside["details"] = details
    content = canonical_json.encode({**error.extra, **error.facts, "error": inside})
    return Response(content, error.status, dict(error.headers), media_type="application/json")
