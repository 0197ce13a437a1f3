"""Answers of edge functions that serve pages and files: what fails, and other methods than GET and HEAD."""

import logging
from collections.abc import Callable

from abtest.edge.gateway import Answer, MethodNotAllowedError, Request
from abtest.kit.errors import ServiceError

METHODS = "GET, HEAD"

_log = logging.getLogger(__name__)


def guarded(answer: Callable[[], Answer], render: Callable[[ServiceError], Answer]) -> Answer:
    """Return an answer, with every error rendered in the form that the page expects."""
    try:
        return answer()
    except ServiceError as error:
        return render(error)
    except Exception:
        _log.exception("delivery.failed")
        return render(ServiceError("an unexpected error occurred; repeat the request"))


def refuse_other_methods(request: Request) -> None:
    """Raise MethodNotAllowedError for anything but GET and HEAD."""
    if request.method not in ("GET", "HEAD"):
        raise MethodNotAllowedError(METHODS)
