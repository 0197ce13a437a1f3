"""The vocabulary that routes are written in.

ExperimentReader = Annotated[Caller, require("experiments:read")]
Experiments = Annotated[ExperimentService, use(ExperimentService)]

@router.get("/{experiment_id}", operation_id="getExperiment", responses=errors(NotFoundError))
def get(experiment_id: ExperimentId, caller: ExperimentReader, experiments: Experiments) -> Experiment:
    \"\"\"One experiment.\"\"\"
    return experiments.get(caller, experiment_id)
"""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import Depends
from starlette.requests import Request

from abtest.contract.base import Uuid
from abtest.http.admission import REQUESTS_PER_MINUTE, WINDOW_SECONDS, Requirement, UserKeys
from abtest.http.body import CODE_LIMIT
from abtest.http.conditional import expected_version
from abtest.http.exchange import exchange_of
from abtest.http.paging import Paging, paging
from abtest.services.context import Caller

__all__ = [
    "AnyCaller",
    "Caller",
    "IfMatch",
    "Page",
    "PathId",
    "UserCaller",
    "carries_code",
    "expensive",
    "rate_of",
    "require",
    "use",
    "versioned",
]

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


def require(scope: str, *, user_keys: UserKeys = "refused") -> Any:
    """Marks the caller parameter of a route: a key with this scope (or, where taken, a user's key)."""
    return Depends(Requirement(scope, user_keys))


def use(service: type) -> Any:
    """Marks a parameter that is given the family's use cases of this type."""

    async def provide(request: Request) -> object:
        return exchange_of(request).services.uses[service]

    return Depends(provide)


def carries_code(endpoint: Endpoint) -> Endpoint:
    """The route takes bodies of up to 5 MiB."""
    endpoint.max_body = CODE_LIMIT  # type: ignore[attr-defined]
    return endpoint


def expensive(endpoint: Endpoint) -> Endpoint:
    """The route may be called 30 times a minute by a key."""
    endpoint.expensive = True  # type: ignore[attr-defined]
    return endpoint


def versioned(endpoint: Endpoint) -> Endpoint:
    """The answer carries an ETag although it has no id of its own (the documentation says so)."""
    endpoint.versioned = True  # type: ignore[attr-defined]
    return endpoint


AnyCaller = Annotated[Caller, Depends(Requirement())]
"""Whoever holds a live key of any kind."""

UserCaller = Annotated[Caller, Depends(Requirement(user_keys="required"))]
"""Whoever holds a user's key."""

Page = Annotated[Paging, Depends(paging)]
"""Limit and cursor of a list; `page.page(items, last)` is the answer."""

IfMatch = Annotated[int | None, Depends(expected_version)]
"""The row version that If-Match demands, or None."""

PathId = Uuid
"""A UUID in a path; another form answers 400 invalid_parameter."""


def rate_of(request: Request) -> tuple[int, int]:
    """The caller's limit: requests, and the seconds in which that many are allowed."""
    rate = exchange_of(request).rate
    return (rate.limit if rate else REQUESTS_PER_MINUTE), WINDOW_SECONDS
