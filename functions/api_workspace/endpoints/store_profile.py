"""Routes of the store profile."""

from typing import Annotated

from abtest.contract.errors import InvalidStateTransitionEnvelope
from abtest.contract.profiles import (
    RunInProgressEnvelope,
    StoreFact,
    StoreFactReview,
    StoreFinding,
    StoreFindingReview,
    StoreProfileResponse,
    StoreProfileRun,
    StoreProfileRunCreate,
)
from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.domain.jobs.model import JobEndedError
from abtest.domain.profiles.runs import RunInProgressError
from abtest.http.deps import Caller, IfMatch, PathId, expensive, require, use, versioned
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import NotFoundError
from abtest.services.profiles.requests import StoreProfiles

router = Router("/store-profile", tag="Store profile")

Reader = Annotated[Caller, require("brand:read")]
Writer = Annotated[Caller, require("brand:write")]
UsesProfiles = Annotated[StoreProfiles, use(StoreProfiles)]


@router.get("", operation_id="getStoreProfile")
@versioned
def get_store_profile(caller: Reader, profiles: UsesProfiles) -> StoreProfileResponse:
    """Return what runs saw of the store, and what people confirmed of it.

    Before the first run, lists are empty and profiles are null. `brandProfile` and `technicalProfile` are those of the
    last completed run, without review. `storeProfileContext` has the confirmed facts by key, null without one, and
    `brandPromptBlock` the brand context with those that matter to writers, under 8,000 characters. Counts are those of
    the lists: `openReviewCount` of open findings, `unreviewedCount` of these and of suggested facts. `latestRun` is
    null again 30 days after its end.
    """
    return profiles.get(caller)


@router.post(
    "/runs",
    operation_id="startStoreProfileRun",
    status_code=202,
    responses=errors(UrlNotAllowedError, RunInProgressError, s409=RunInProgressEnvelope),
)
@expensive
def start_store_profile_run(body: StoreProfileRunCreate, caller: Writer, profiles: UsesProfiles) -> StoreProfileRun:
    """Read the store in the background: poll the run until its status is `completed`, or `failed`.

    A run reads the home page, by default that of the shop's domain, and up to 20 more pages, chosen from its sitemap
    and its links. Its host must be one of the shop's install domains (422 `url_not_allowed`). It obeys robots.txt,
    names itself `abtest-store-profile`, and sends at most one request a second to a host. One run at a time: while
    another one has not ended, the response is 409 `conflict` with its `run_id`. A shop has 10 runs a day (429).
    """
    return profiles.start(caller, body)


@router.get("/runs/{run_id}", operation_id="getStoreProfileRun", responses=errors(NotFoundError))
def get_store_profile_run(run_id: PathId, caller: Reader, profiles: UsesProfiles) -> StoreProfileRun:
    """Return a run: its progress, the pages that it requested, and the reason if it failed. It is kept for 30 days."""
    return profiles.run(caller, run_id)


@router.post(
    "/runs/{run_id}/cancel",
    operation_id="cancelStoreProfileRun",
    responses=errors(NotFoundError, JobEndedError, s409=InvalidStateTransitionEnvelope),
)
def cancel_store_profile_run(run_id: PathId, caller: Writer, profiles: UsesProfiles) -> StoreProfileRun:
    """Cancel a queued or running run; the profile stays as it was.

    A run that has ended otherwise is 409 `invalid_state_transition`.
    """
    return profiles.cancel(caller, run_id)


@router.patch("/facts/{fact_id}", operation_id="reviewStoreFact", responses=errors(NotFoundError))
@versioned
def review_store_fact(
    fact_id: PathId, body: StoreFactReview, caller: Writer, if_match: IfMatch, profiles: UsesProfiles
) -> StoreFact:
    """Confirm or reject a fact.

    Later runs do not overrule it: another value becomes a suggestion next to it, and a rejected value is not suggested
    again. ETag and `If-Match` are those of the whole profile.
    """
    return profiles.review_fact(caller, fact_id, body.status, expected_version=if_match)


@router.patch("/findings/{finding_id}", operation_id="reviewStoreFinding", responses=errors(NotFoundError))
@versioned
def review_store_finding(
    finding_id: PathId, body: StoreFindingReview, caller: Writer, if_match: IfMatch, profiles: UsesProfiles
) -> StoreFinding:
    """Resolve or dismiss a finding, or open it again.

    A run resolves a finding that it does not see any more, and opens a resolved one that it sees again. A dismissed one
    stays dismissed. ETag and `If-Match` are those of the whole profile.
    """
    return profiles.settle_finding(caller, finding_id, body.status, expected_version=if_match)
