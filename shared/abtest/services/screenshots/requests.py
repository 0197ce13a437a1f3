"""Requests for screenshot jobs: creation, reading, cancellation."""

from dataclasses import dataclass

from abtest.contract import screenshots as contract
from abtest.domain.jobs.model import Job, JobStatus
from abtest.domain.screenshots.order import ScreenshotOrder, order_document, order_from, planned
from abtest.domain.screenshots.outcomes import film_from
from abtest.kit.errors import ServiceError
from abtest.services.context import Caller
from abtest.services.jobs import Jobs
from abtest.services.listing import Filters
from abtest.services.screenshots.orders import ScreenshotOrders
from abtest.services.screenshots.results import results_of


class BrowserMissingError(ServiceError):
    """Deployment without a browser."""

    status = 503
    code = "service_unavailable"


def refuse_without_browser(has_browser: bool) -> None:
    """Raise BrowserMissingError for a deployment without a browser."""
    if not has_browser:
        raise BrowserMissingError(
            "this deployment has no browser: its operator builds the image with `make browser-image`, and deploys with "
            "its address in the parameter BrowserImageUri",
            headers={"Retry-After": "3600"},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Screenshots:
    """Screenshot jobs of the caller's shop. `jobs` are those of the type screenshot, `origin` is of public files."""

    jobs: Jobs
    orders: ScreenshotOrders
    origin: str
    has_browser: bool

    def create(self, caller: Caller, given: contract.ScreenshotJobCreate) -> contract.ScreenshotJob:
        """Create a queued job.

        Raises NotFoundError, UrlNotAllowedError, ValidationFailedError, BrowserMissingError.
        """
        order = self.orders.made(caller.shop_id, given.provided())
        refuse_without_browser(self.has_browser)
        return self._shown(self.jobs.create(caller, order_document(order)))

    def get(self, caller: Caller, job_id: str) -> contract.ScreenshotJob:
        """One job, with its results so far. Raises NotFoundError."""
        return self._shown(self.jobs.get(caller.shop_id, job_id))

    def page(
        self, caller: Caller, filters: Filters, status: JobStatus | None, *, limit: int, after: str | None
    ) -> tuple[list[contract.ScreenshotJob], str | None]:
        """Jobs that pass the filters, without their results, and the key that continues the list."""
        jobs, last = self.jobs.page(caller.shop_id, filters, status, limit=limit, after=after)
        return [_summary(job, order_from(job.request)) for job in jobs], last

    def cancel(self, caller: Caller, job_id: str) -> contract.ScreenshotJob:
        """Cancel the job; pictures that were taken stay. Raises NotFoundError, JobEndedError."""
        return self._shown(self.jobs.cancel(caller, job_id))

    def _shown(self, job: Job) -> contract.ScreenshotJob:
        order, film = order_from(job.request), film_from(job.result)
        shown = _summary(job, order)
        results = results_of(order, film, self.origin) if film.outcomes or job.status == "completed" else None
        return shown.model_copy(update={"results": results}).at(job.version)


def _summary(job: Job, order: ScreenshotOrder) -> contract.ScreenshotJob:
    return contract.ScreenshotJob(
        job_id=job.id,
        status=job.status,
        progress=job.progress,
        experiment_id=order.experiment_id,
        shots=len(planned(order)),
        error=job.error,
        created_at=job.created_at,
        completed_at=job.completed_at,
    ).at(job.version)
