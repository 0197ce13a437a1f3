"""Requests for the approval of an experiment, with pictures of its variations."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from abtest.contract.lifecycle import ApprovalRequest
from abtest.domain.experiments.design import in_use
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.states import is_done
from abtest.domain.jobs.model import Job
from abtest.domain.screenshots.addresses import concrete_address
from abtest.domain.screenshots.order import ScreenshotOrder, order_document
from abtest.kit.errors import refused
from abtest.ports.catalog import Commit
from abtest.services.aggregates import Saved
from abtest.services.context import Caller, World
from abtest.services.experiments.lifecycle import Lifecycle
from abtest.services.experiments.records import experiment_of
from abtest.services.jobs import Jobs, put_of
from abtest.services.retries import Versions, refuse_other_version
from abtest.services.reusable.references import with_pages
from abtest.services.scopes import require_scope
from abtest.services.screenshots.orders import ScreenshotOrders
from abtest.services.screenshots.requests import refuse_without_browser
from abtest.services.shop_records import read_shop

SCOPE = "screenshots:write"
FIELD = "screenshot_urls"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequests:
    """Requests for approval. `jobs` are those of the type screenshot."""

    world: World
    lifecycle: Lifecycle
    jobs: Jobs
    orders: ScreenshotOrders
    has_browser: bool

    def request(
        self, caller: Caller, reference: str, given: ApprovalRequest, *, expected_version: Versions
    ) -> Saved[Experiment]:
        """Request approval, together with the job that pictures the variations if the request wants one.

        Raises the errors of the transition, FieldScopeRequiredError, BrowserMissingError, UrlNotAllowedError and
        ValidationFailedError.
        """
        details, fields = given.details(), given.provided()
        urls, job, extra = fields.get(FIELD), None, Commit()
        if fields.get("screenshots"):
            require_scope(caller, SCOPE, field="screenshots")
            job = self._job(caller, reference, urls, expected_version)
        elif urls:
            raise refused(FIELD, "send screenshots: true too, or leave this field out")
        if job is not None:
            details, extra = replace(details, screenshot_job_id=job.id), Commit(puts=[put_of(job)])
        saved = self.lifecycle.act(
            caller, reference, "request-approval", details, expected_version=expected_version, extra=extra
        )
        # Another request may have been faster; then neither this one nor its job is stored.
        if job is not None and saved.value.approvals[-1].screenshot_job_id == job.id:
            self.jobs.announce(job)
        return saved

    def _job(
        self, caller: Caller, reference: str, urls: Sequence[str] | None, expected_version: Versions
    ) -> Job | None:
        """Return the job of a request; None where approval is requested already."""
        job_id = self.world.new_id()
        experiment = experiment_of(self.world.catalog, caller.shop_id, reference)
        if is_done(experiment, "request-approval"):
            return None
        refuse_other_version(expected_version, experiment.version)
        refuse_without_browser(self.has_browser)
        return self.jobs.drafted(caller, job_id, order_document(self._order(experiment, urls)))

    def _order(self, experiment: Experiment, urls: Sequence[str] | None) -> ScreenshotOrder:
        """Return the order of pictures before and after: without the experiment, and in each variation in use."""
        order = ScreenshotOrder(
            urls=tuple(urls or [self._address(experiment)]),
            full_page=True,
            experiment_id=experiment.id,
            variation_ids=(None, *(variation.id for variation in in_use(experiment))),
        )
        self.orders.check(experiment.shop_id, order, FIELD)
        return order

    def _address(self, experiment: Experiment) -> str:
        """Return the address that the experiment names. Raises ValidationFailedError."""
        catalog, shop_id = self.world.catalog, experiment.shop_id
        targeting = with_pages(catalog, shop_id, experiment.targeting)
        shop = read_shop(catalog, shop_id)
        url = concrete_address(targeting, shop.origin or f"https://{shop.domain}") or experiment.store_url
        if url is None:
            raise refused(
                FIELD,
                "name the pages to be pictured: the experiment includes none without a wildcard, and has no store_url",
            )
        return url
