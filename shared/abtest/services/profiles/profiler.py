"""Worker of profile runs: the store is visited, and the profile is stored with the end of the job.

An attempt that dies leaves the profile as it was, and the next one begins with the home page again.
"""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial

from abtest.domain.egress.targets import EgressRules, endpoints
from abtest.domain.install.verdict import Expected
from abtest.domain.jobs.model import Job, JobLostError
from abtest.domain.profiles.learning import Learned, learned, merged
from abtest.domain.profiles.model import LearningRun
from abtest.domain.profiles.robots import AGENT
from abtest.domain.profiles.runs import RunReport, report_document
from abtest.domain.settings.runtime import ENVIRONMENTS, settings_from
from abtest.domain.settings.shop import Shop
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import Commit
from abtest.ports.http_sender import HttpSender
from abtest.services.context import World
from abtest.services.jobs import Attempt, Workbench
from abtest.services.pages.live_hosts import install_hosts
from abtest.services.profiles.experience import Experience
from abtest.services.profiles.records import put_of, read_profile
from abtest.services.profiles.tour import NoStoreError, Tour
from abtest.services.profiles.visitor import Pace, Visitor
from abtest.services.shop_records import read_shop

ABOUT_VISITS = "store-profile"
"""Guide of the reference page that explains our visits to those who see them in their logs."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profiler:
    """Use case of profile runs. `senders` make a client for one run; `about_url` is a page about our visits."""

    world: World
    bench: Workbench
    senders: Callable[[], AbstractContextManager[HttpSender]]
    rules: EgressRules
    experience: Experience
    worker_base_url: str
    about_url: str
    paces: Callable[[], Pace] = field(default=Pace)

    def carry_out(self, message: str) -> None:
        """Make the run that a message names.

        Raises JobHeldError and other errors: the message has to come again.
        """
        attempt = self.bench.take_up(message)
        if attempt is None:
            return
        try:
            with attempt.kept():
                self._run(attempt)
        except JobLostError:
            _log.info("store_profile.lost", extra={"job_id": attempt.job.id})

    def _run(self, attempt: Attempt) -> None:
        job = attempt.job
        try:
            shop = read_shop(self.world.catalog, job.shop_id)
        except NotFoundError:
            attempt.fail("the shop was deleted")
            return
        with self.senders() as sender:
            tour = Tour(
                visitor=self._visitor(sender, shop, job.request["url"]),
                expected=self._expected(shop),
                now=self.world.now,
                note=lambda report: attempt.note(report_document(report), report.percent),
            )
            try:
                visit, report = tour.visit(job.request["url"])
            except NoStoreError as error:
                attempt.fail(str(error))
                return
        self._end(attempt, learned(visit), self.experience.of(shop), report)

    def _visitor(self, sender: HttpSender, shop: Shop, url: str) -> Visitor:
        return Visitor(
            sender=sender,
            rules=self.rules,
            hosts=frozenset(install_hosts(self.world.catalog, shop)),
            headers={
                "User-Agent": f"Mozilla/5.0 (compatible; {AGENT}/1.0; +{self.about_url})",
                "Accept": "text/html,application/xhtml+xml,*/*;q=0.5",
            },
            now=self.world.now,
            local=next(iter(endpoints([url])), ""),
            pace=self.paces(),
        )

    def _expected(self, shop: Shop) -> Expected:
        """Return the snippet that the store's pages should have."""
        records = self.world.catalog.get_many(shop.id, "SET", [ENVIRONMENTS])
        environments = settings_from({record.head.id: record.body for record in records}).environments.keys
        return Expected(shop_id=shop.id, worker_base_url=self.worker_base_url, environments=environments)

    def _end(self, attempt: Attempt, result: Learned, experience: LearningRun, report: RunReport) -> None:
        attempt.complete(report_document(report), partial(self._profile, result, experience))

    def _profile(self, result: Learned, experience: LearningRun, job: Job) -> Commit:
        """Return the profile after the run. It is read for each try, because a person may review it meanwhile."""
        before = read_profile(self.world.catalog, job.shop_id, job.updated_at)
        return Commit(puts=[put_of(merged(before, result, job.id, job.updated_at, experience))])
