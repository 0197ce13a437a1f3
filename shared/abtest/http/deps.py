"""Parameters and markers of routes.

ExperimentReader = Annotated[Caller, require("experiments:read")]
Experiments = Annotated[ExperimentService, use(ExperimentService)]

@router.get("/{experiment_id}", operation_id="getExperiment", responses=errors(NotFoundError))
def get(experiment_id: ExperimentId, caller: ExperimentReader, experiments: Experiments) -> Experiment:
    \"\"\"One experiment.\"\"\"
    return experiments.get(caller, experiment_id)
"""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Header
from starlette.requests import Request

from abtest.contract.base import Uuid
from abtest.http.admission import REQUESTS_PER_MINUTE, WINDOW_SECONDS, Requirement, UserKeys
from abtest.http.body import CODE_LIMIT
from abtest.http.exchange import UseCase, exchange_of
from abtest.http.paging import Paging, paging
from abtest.http.refusals import InvalidParameterError
from abtest.kit.content_coding import is_tag_list, opaque_tags
from abtest.kit.errors import FieldError
from abtest.services.context import Caller
from abtest.services.retries import EVERY_VERSION, Versions

__all__ = [
    "AnyCaller",
    "Caller",
    "IfMatch",
    "Page",
    "PathId",
    "UserCaller",
    "any_query",
    "carries_code",
    "confidential",
    "expensive",
    "rate_of",
    "require",
    "reveals_secret",
    "use",
    "versioned",
]

Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


def require(scope: str, *, user_keys: UserKeys = "refused") -> Any:
    """Mark the caller parameter of a route: a key with this scope or, where accepted, a user key."""
    return Depends(Requirement(scope, user_keys))


def use(service: type) -> Any:
    """Mark a parameter that receives the family's use case of this type."""
    return Depends(UseCase(service))


def any_query(endpoint: Endpoint) -> Endpoint:
    """Mark a page that browsers open by links: its scripts read the query, and the server ignores it."""
    endpoint.any_query = True  # type: ignore[attr-defined]
    return endpoint


def carries_code(endpoint: Endpoint) -> Endpoint:
    """Mark a route whose bodies may have up to 5 MiB."""
    endpoint.max_body = CODE_LIMIT  # type: ignore[attr-defined]
    return endpoint


def confidential(endpoint: Endpoint) -> Endpoint:
    """Mark a route whose responses have a secret. They are never compressed: their length would help to guess it."""
    endpoint.confidential = True  # type: ignore[attr-defined]
    return endpoint


def reveals_secret(endpoint: Endpoint) -> Endpoint:
    """Mark a route that makes a credential. With a session, it needs a passkey that was used some minutes ago."""
    endpoint.reveals_secret = True  # type: ignore[attr-defined]
    return confidential(endpoint)


def expensive(endpoint: Endpoint) -> Endpoint:
    """Mark a route that a key may call 30 times per minute."""
    endpoint.expensive = True  # type: ignore[attr-defined]
    return endpoint


def versioned(endpoint: Endpoint) -> Endpoint:
    """Mark, for the documentation, a route whose response has an ETag but no id."""
    endpoint.versioned = True  # type: ignore[attr-defined]
    return endpoint


async def expected_versions(
    if_match: Annotated[
        str | None,
        Header(
            alias="If-Match",
            description=(
                'ETag of the version that you read, for example `W/"3"`, or several, separated by commas; 412 when the '
                "current version is none of them. `*` accepts every version. Any other text is 400."
            ),
            json_schema_extra={"pattern": r'^(\*|(W/)?"[^"]*"(, *(W/)?"[^"]*")*)$'},
        ),
    ] = None,
) -> Versions:
    """Return the row versions that If-Match accepts, all of them with `*`, or None without the header.

    A tag that this service never issued accepts no version, so that the write fails with 412. Raises
    InvalidParameterError for a text that is not a list of tags.
    """
    if if_match is None:
        return None
    if if_match.strip() == "*":
        return EVERY_VERSION
    if not is_tag_list(if_match):
        fields = [FieldError("If-Match", 'must be `*`, or ETags in their quotes, such as W/"3", separated by commas')]
        raise InvalidParameterError("a header of the request is invalid", fields=fields)
    # Our tags are weak, so only a weak comparison can match them (RFC 9110, 13.1.1, asks for a strong one).
    tags = opaque_tags(if_match)
    return frozenset(int(tag) for tag in tags if tag.isascii() and tag.isdigit() and len(tag) < 16)


AnyCaller = Annotated[Caller, Depends(Requirement())]
"""Holder of any live key."""

UserCaller = Annotated[Caller, Depends(Requirement(user_keys="required"))]
"""Holder of a user key."""

Page = Annotated[Paging, Depends(paging)]
"""Limit and cursor of a list; `page.page(items, last)` is the response."""

IfMatch = Annotated[Versions, Depends(expected_versions)]
"""Row versions that If-Match accepts, or None without it."""

PathId = Uuid
"""A UUID in a path; any other text is refused with 400 invalid_parameter."""


def rate_of(request: Request) -> tuple[int, int]:
    """Return the caller's limit: the number of requests, and the seconds in which they are allowed."""
    rate = exchange_of(request).rate
    return (rate.limit if rate else REQUESTS_PER_MINUTE), WINDOW_SECONDS
