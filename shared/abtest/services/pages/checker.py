"""Checks of versions in the background: links are requested, the report is stored, a QA run comes to its end.

Every step may be repeated. An attempt that comes late or twice stores its report over the earlier one, so that the
versions of report and page rise. It leaves a QA run that has ended or was decided meanwhile as it is.
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Protocol

from abtest.contract.page_specs import seo_of, spec_of
from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.domain.jobs.model import Job, JobLostError
from abtest.domain.pages.brand_gates import brand_verdicts
from abtest.domain.pages.gates import GateReport, canonical_verdict, rechecked
from abtest.domain.pages.link_checks import MAX_LINKS, MAX_REDIRECTS, LinkResult, addresses, kept, links_verdict
from abtest.domain.pages.qa import Finding, QaRun, begun, checked, finding, gate_findings, is_open
from abtest.domain.pages.reports import PageReport
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import Commit, Put
from abtest.ports.http_sender import HttpSender, HttpUnreachableError
from abtest.services.brand import read_brand
from abtest.services.context import World
from abtest.services.jobs import Workbench
from abtest.services.pages.children import put_report, put_run, read_reports, read_run, read_version
from abtest.services.pages.pages import LANDING_PAGES
from abtest.services.pages.qa_subjects import Seen, Subject
from abtest.services.pages.sites import Sites
from abtest.services.resources import loaded
from abtest.services.retries import retried

AT_ONCE = 5
HEADERS = {"User-Agent": "Mozilla/5.0 (compatible; abtest-link-check/1.0)", "Accept": "*/*"}
NOT_OPENED = finding("browser", "warn", "not checked in a browser: open the page before you approve it")
GIVEN_UP = finding("run", "error", "the checks never came to their end; start another run")

_log = logging.getLogger(__name__)


class InBrowser(Protocol):
    """QA of versions in a browser, implemented by `BrowserQa`."""

    def seen(self, subject: Subject) -> Seen:
        """Open the page of a run, and return its findings and pictures."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PageChecker:
    """Checks of versions, each a job. `senders` make a client for the links of one page."""

    world: World
    bench: Workbench
    sites: Sites
    senders: Callable[[], AbstractContextManager[HttpSender]]
    in_browser: InBrowser | None = None
    """QA in a browser, in a deployment that has one."""

    def carry_out(self, message: str) -> None:
        """Make the check that a message names. Raises JobHeldError and other errors: the message has to come again."""
        attempt = self.bench.take_up(message)
        if attempt is None:
            if failed := self.bench.failed(message):
                self._store(failed, [GIVEN_UP])
            return
        try:
            with attempt.kept():
                self._check(attempt.job)
            attempt.complete({})
        except JobLostError:
            _log.info("page_check.lost", extra={"job_id": attempt.job.id})

    def _check(self, job: Job) -> None:
        page_id, version_id = job.request["landing_page_id"], job.request["version_id"]
        try:
            page = loaded(self.world.catalog, LANDING_PAGES, job.shop_id, page_id)
            version = read_version(self.world.catalog, job.shop_id, page_id, version_id)
        except NotFoundError:
            return  # deleted since the request
        run = self._begun(job)
        if run is not None and not is_open(run):
            return  # an earlier attempt brought it to its end, or a person did
        site, seo = self.sites.of(page), seo_of(version.seo_manifest)
        spec, brand = spec_of(version.spec), read_brand(self.world.catalog, job.shop_id)
        urls = addresses(spec, site.canonical_address)
        results = self._results(job, urls[:MAX_LINKS])
        verdicts = {
            "links_resolve": links_verdict(urls, results),
            "canonical": canonical_verdict(seo, site),
            **brand_verdicts(spec, seo, version.claims, brand),
        }
        report = rechecked(version.gate_report, verdicts, self.world.now())
        seen = Seen([NOT_OPENED], {})
        if run is not None and self.in_browser is not None:
            seen = self.in_browser.seen(Subject(job, run, page, version, site, brand))
        made = _Checked(report, tuple(results.values()))
        self._store(job, [*gate_findings(report), *seen.findings], made, seen.screenshots)

    def _results(self, job: Job, urls: Sequence[str]) -> Mapping[str, LinkResult]:
        """The results of these addresses; those without a recent one are requested."""
        before = self._report(job)
        recent = kept(before.links if before else (), self.world.now())
        missing = [url for url in urls if url not in recent]
        with self.senders() as sender, ThreadPoolExecutor(AT_ONCE, thread_name_prefix="link") as pool:
            problems = pool.map(partial(problem_of, sender), missing)
            requested = zip(missing, problems, strict=True)
            fresh = {url: LinkResult(url=url, problem=each, checked_at=self.world.now()) for url, each in requested}
        return {url: recent.get(url) or fresh[url] for url in urls}

    def _report(self, job: Job) -> PageReport | None:
        version_id = job.request["version_id"]
        reports = read_reports(self.world.catalog, job.shop_id, job.request["landing_page_id"], [version_id])
        return reports.get(version_id)

    def _begun(self, job: Job) -> QaRun | None:
        """Return the QA run of a job, which is running from now on; None for a job without one."""
        if "qa_run_id" not in job.request:
            return None
        self._commit(job, lambda: self._run_puts(job, lambda run: begun(run, self.world.now())))
        return self._run(job)

    def _store(
        self,
        job: Job,
        findings: Sequence[Finding],
        made: "_Checked | None" = None,
        screenshots: Mapping[str, Any] | None = None,
    ) -> None:
        """Store the report and the end of the QA run, if there are any."""

        def ended(run: QaRun) -> QaRun:
            return checked(run, findings, self.world.now(), screenshots)

        self._commit(job, lambda: [*self._report_puts(job, made), *self._run_puts(job, ended)])

    def _commit(self, job: Job, changed: Callable[[], Iterable[Put]]) -> None:
        """Store changes of what belongs to a page, and the page, whose response has them."""

        def attempt() -> None:
            try:
                page = loaded(self.world.catalog, LANDING_PAGES, job.shop_id, job.request["landing_page_id"])
            except NotFoundError:
                return
            if puts := list(changed()):
                page = replace(page, version=page.version + 1, updated_at=self.world.now())
                self.world.catalog.commit(Commit(puts=[*puts, LANDING_PAGES.put(page)]))

        retried(attempt)

    def _report_puts(self, job: Job, made: "_Checked | None") -> Iterator[Put]:
        if made is None:
            return
        before, now = self._report(job), self.world.now()
        yield put_report(
            PageReport(
                id=job.request["version_id"],
                shop_id=job.shop_id,
                landing_page_id=job.request["landing_page_id"],
                version=before.version + 1 if before else 1,
                gate_report=made.report,
                links=made.links,
                created_at=before.created_at if before else now,
                updated_at=now,
            )
        )

    def _run_puts(self, job: Job, decide: Callable[[QaRun], QaRun]) -> Iterator[Put]:
        if "qa_run_id" in job.request:
            run = self._run(job)
            after = decide(run)
            if after is not run:
                yield put_run(after)

    def _run(self, job: Job) -> QaRun:
        return read_run(self.world.catalog, job.shop_id, job.request["landing_page_id"], job.request["qa_run_id"])


class _Checked(NamedTuple):
    report: GateReport
    links: tuple[LinkResult, ...]


def problem_of(sender: HttpSender, url: str) -> str | None:
    """Request an address and return what is wrong with its answer, as the end of a sentence about it."""
    try:
        status = sender.get(url, headers=HEADERS, redirects=MAX_REDIRECTS).status
    except UrlNotAllowedError as error:
        return f"cannot be requested: {error.message}"
    except HttpUnreachableError as error:
        return f"does not answer: {error}"
    return None if status < 400 else f"answers {status}"
