"""Routes of screenshot jobs."""

from typing import Annotated

from abtest.contract.base import ListOf
from abtest.contract.errors import InvalidStateTransitionEnvelope
from abtest.contract.screenshots import ScreenshotJob, ScreenshotJobCreate
from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.domain.jobs.model import JobEndedError, JobStatus
from abtest.http.deps import Caller, Page, PathId, expensive, require, use
from abtest.http.listing import NarrowedByTime
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import LimitReachedError, NotFoundError, ValidationFailedError
from abtest.services.screenshots.requests import BrowserMissingError, Screenshots

Reader = Annotated[Caller, require("screenshots:read")]
Writer = Annotated[Caller, require("screenshots:write")]
UsesScreenshots = Annotated[Screenshots, use(Screenshots)]

router = Router("/screenshots", tag="Screenshots")


@router.post(
    "",
    operation_id="createScreenshotJob",
    status_code=202,
    responses=errors(NotFoundError, UrlNotAllowedError, ValidationFailedError, BrowserMissingError),
)
@expensive
def create_screenshot_job(body: ScreenshotJobCreate, caller: Writer, screenshots: UsesScreenshots) -> ScreenshotJob:
    """Take pictures of pages in the background: poll the job until its status is `completed`, or `failed`.

    Each address is shown in each viewport, by default a phone and a desktop. With `experiment_id` it is shown in each
    of `variation_ids`, by default all in use, whatever the status of the experiment; its host must be one of the
    shop's install domains (422 `url_not_allowed`). Without it, any public https address is shown as it is, without
    experiments of this shop. Visits send no events. A job takes at most 60 pictures (422).

    A deployment without a browser answers 503 `service_unavailable`.
    """
    return screenshots.create(caller, body)


@router.get("", operation_id="listScreenshotJobs", responses=errors(LimitReachedError))
def list_screenshot_jobs(
    caller: Reader,
    page: Page,
    screenshots: UsesScreenshots,
    filters: NarrowedByTime,
    status: JobStatus | None = None,
) -> ListOf[ScreenshotJob]:
    """List the screenshot jobs of the last 30 days without their results, newest first."""
    items, last = screenshots.page(caller, filters, status, limit=page.limit, after=page.after)
    return page.page(items, last)


@router.get("/{job_id}", operation_id="getScreenshotJob", responses=errors(NotFoundError))
def get_screenshot_job(job_id: PathId, caller: Reader, screenshots: UsesScreenshots) -> ScreenshotJob:
    """Return a screenshot job. `results` has the pictures taken so far, null before the first.

    A page that could not be pictured has an `error`; the job completes with the others, and fails without any. Pictures
    are assets of the shop. They are deleted with the job after 30 days, except those that a landing page uses or the
    report of the experiment shows.
    """
    return screenshots.get(caller, job_id)


@router.post(
    "/{job_id}/cancel",
    operation_id="cancelScreenshotJob",
    responses=errors(NotFoundError, JobEndedError, s409=InvalidStateTransitionEnvelope),
)
def cancel_screenshot_job(job_id: PathId, caller: Writer, screenshots: UsesScreenshots) -> ScreenshotJob:
    """Cancel a queued or running job; pictures that it took stay.

    A job that has ended otherwise is 409 `invalid_state_transition`.
    """
    return screenshots.cancel(caller, job_id)
