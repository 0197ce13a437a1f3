"""The one place where errors become answers."""

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
    """Something that should not have happened; `details` carries the internal name and message."""

    status = 500
    code = "internal_error"


def render(error: Exception, exchange: Exchange) -> Response:
    """The answer to a request that failed with `error`; what nobody foresaw is logged with its trace."""
    told = _told(error)
    if isinstance(told, RateLimitedError):
        exchange.rate = told.decision
    if told is None:
        journal.exception("request.failed", request_id=exchange.request_id, operation=exchange.operation)
        details = f"{type(error).__name__}: {error}"[:MAX_DETAILS]
        return _envelope(InternalError("an unexpected error occurred; it has been logged"), exchange, details)
    return _envelope(told, exchange, None)


def _told(error: Exception) -> ServiceError | None:
    if isinstance(error, ServiceError):
        return error
    if isinstance(error, RequestValidationError):
        return translate(error)
    if isinstance(error, HTTPException):
        return RouteNotFoundError() if error.status_code == 404 else InvalidParameterError(str(error.detail))
    return None


def _envelope(error: ServiceError, exchange: Exchange, details: str | None) -> Response:
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
