"""Worker of screenshot jobs: each shot is taken once, recorded with its asset, and never taken again.

A picture, its asset and the outcome in the job are one transaction. So an attempt that dies leaves a job that the next
one continues, and an attempt that lost the job stores nothing.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from abtest.contract.screenshots import event_results
from abtest.domain.egress.targets import endpoints
from abtest.domain.jobs.model import Job, JobLostError
from abtest.domain.screenshots.order import ScreenshotOrder, order_from, planned
from abtest.domain.screenshots.outcomes import Film, film_document, film_from
from abtest.kit.errors import NotFoundError
from abtest.ports.browser import Browsers
from abtest.ports.catalog import Commit
from abtest.ports.queue import Queue
from abtest.services.assets.pictures import Pictures
from abtest.services.context import World
from abtest.services.experiments.records import experiment_of
from abtest.services.jobs import Attempt, Workbench, job_message
from abtest.services.screenshots.latest import latest_puts
from abtest.services.screenshots.results import results_of
from abtest.services.screenshots.session import Session
from abtest.services.screenshots.visits import SnippetOf, Visits

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Photographer:
    """Use case of screenshot jobs. `origin` is that of public files, `queue` calls the attempt after this one.

    `own_urls` are addresses of this service, which pages may load from this machine where that is allowed at all.
    """

    world: World
    bench: Workbench
    browsers: Browsers
    pictures: Pictures
    snippet_of: SnippetOf
    queue: Queue
    origin: str
    own_urls: Sequence[str] = ()

    def carry_out(self, message: str) -> None:
        """Take the pictures of the job that a message names.

        Raises JobHeldError and other errors: the message has to come again.
        """
        attempt = self.bench.take_up(message)
        if attempt is None:
            return
        try:
            with attempt.kept():
                is_done = self._take(attempt)
            if not is_done:
                attempt.hand_over()
                # A message that is not sent is sent by the sweep.
                self.queue.send(job_message(attempt.job))
        except JobLostError:
            _log.info("screenshots.lost", extra={"job_id": attempt.job.id})

    def _take(self, attempt: Attempt) -> bool:
        """Take the missing shots, and end the job. Return False when there is no more time."""
        job = attempt.job
        order, film = order_from(job.request), film_from(job.result)
        try:
            names = self._variation_names(job.shop_id, order)
        except NotFoundError:
            attempt.fail("the experiment was deleted")
            return True
        if film.missing(planned(order)):
            with self.browsers.open(may_reach=endpoints((*order.urls, *self.own_urls))) as browser:
                visits = Visits(browser=browser, shop_id=job.shop_id, order=order, snippet_of=self.snippet_of)
                session = Session(self.world, attempt, visits, self.pictures, order, names)
                film = session.shoot()
        if film.missing(planned(order)):
            return False
        if film.has_picture:
            attempt.complete(film_document(film), partial(self._end, order, film))
        else:
            attempt.fail(f"no page could be pictured: {film.first_error}")
        return True

    def _variation_names(self, shop_id: str, order: ScreenshotOrder) -> dict[str | None, str]:
        if order.experiment_id is None:
            return {}
        experiment = experiment_of(self.world.catalog, shop_id, order.experiment_id)
        return {variation.id: variation.name for variation in experiment.variations}

    def _end(self, order: ScreenshotOrder, film: Film, job: Job) -> Commit:
        """Return what is committed with the end of a job: its event, and the latest pictures of its experiment."""
        results = results_of(order, film, self.origin)
        event = self.world.outbox_row(
            job.shop_id,
            "webhook",
            {
                "event": "screenshots.completed",
                "job_id": job.id,
                "experiment_id": order.experiment_id,
                "results": event_results(results),
            },
        )
        latest = latest_puts(self.world.catalog, job.shop_id, order, film, self.world.now())
        return Commit(puts=list(latest), outbox=[event])
