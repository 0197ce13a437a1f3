"""Use cases of QA runs: started, listed, read, approved or rejected."""

from collections.abc import Mapping, Sequence
from typing import Any

from abtest.domain.changes.change import Change
from abtest.domain.pages.link_checks import RENDERINGS_AN_HOUR, RENDERINGS_AT_ONCE
from abtest.domain.pages.model import LandingPage
from abtest.domain.pages.qa import (
    RUNS_AN_HOUR,
    VIEWPORTS,
    Decision,
    QaRun,
    decided,
)
from abtest.domain.pages.states import in_review, refuse_archived, reviewed
from abtest.domain.pages.versions import PageVersion
from abtest.kit.json_objects import present
from abtest.ports.catalog import Commit
from abtest.ports.limits import RateLimiter
from abtest.services.context import Caller
from abtest.services.jobs import Jobs, put_of
from abtest.services.listing import EVERYTHING, Listing
from abtest.services.pages.children import put_run, read_run, run_in
from abtest.services.pages.versions import PageVersions
from abtest.services.rate_limits import take_token
from abtest.services.retries import Versions, refuse_other_version, retried

SHOWN_RUNS = 3
"""QA runs that a page is shown with."""

_HOUR = 3600


class QaRuns:
    """QA runs of landing pages. The runs of a shop share one limit. `checks` are the jobs that bring them to an end."""

    def __init__(self, versions: PageVersions, checks: Jobs, limiter: RateLimiter) -> None:
        self._versions = versions
        self._checks = checks
        self._pages = versions.pages
        self._world = self._pages.world
        self._catalog = self._world.catalog
        self._limiter = limiter
        self._listing = Listing(self._catalog, "LPQ", run_in, plural="QA runs")

    def create(self, caller: Caller, page_id: str, fields: Mapping[str, Any]) -> QaRun:
        """Start a run of a version, by default of the current one, which puts the page in review.

        Raises NotFoundError, InvalidStateTransitionError, ValidationFailedError, RateLimitedError.
        """
        run_id, job_id, mark = self._world.new_id(), self._world.new_id(), self._world.audit_row_id()
        version = self._versions.named(self._pages.get(caller.shop_id, page_id), fields.get("version_id"), "version_id")
        request = {"landing_page_id": page_id, "version_id": version.id, "qa_run_id": run_id}
        job = self._checks.drafted(caller, job_id, request)
        is_counted = False

        def attempt() -> QaRun:
            nonlocal is_counted
            page = self._pages.get(caller.shop_id, page_id)
            if self._world.is_stored(caller.shop_id, mark):
                return self.get(caller.shop_id, page_id, run_id)
            occasion = self._pages.occasion(caller)
            after = in_review(page, version.id, occasion.now)
            if not is_counted:
                self._count(caller.shop_id)
                is_counted = True
            run = QaRun(
                id=run_id,
                shop_id=page.shop_id,
                landing_page_id=page_id,
                version_id=version.id,
                viewports=tuple(fields.get("viewports", VIEWPORTS)),
                created_at=occasion.now,
                updated_at=occasion.now,
            )
            note = {"qa_run_id": run.id, "version_number": version.version_number}
            change = Change(before=page, after=after, action="landing_page.add_qa_run", note=note)
            self._pages.save(caller.user_id, change, Commit(puts=[put_run(run), put_of(job)]), row_id=mark)
            self._checks.announce(job)
            return run

        return retried(attempt)

    def get(self, shop_id: str, page_id: str, run_id: str) -> QaRun:
        """Return one run of a page. Raises NotFoundError."""
        self._pages.get(shop_id, page_id)
        return read_run(self._catalog, shop_id, page_id, run_id)

    def page(self, shop_id: str, page_id: str, *, limit: int, after: str | None) -> tuple[list[QaRun], str | None]:
        """Return runs of a page, newest first, and the key that continues the list. Raises NotFoundError."""
        self._pages.get(shop_id, page_id)
        return self._listing.page(shop_id, EVERYTHING, limit=limit, after=after, parent_id=page_id)

    def shown_with(self, page: LandingPage) -> Sequence[QaRun]:
        """Return the runs that a page is shown with: the newest, and the approved one of the current version."""
        if not page.qa_runs:
            return ()
        newest, _ = self._listing.page(page.shop_id, EVERYTHING, limit=SHOWN_RUNS, after=None, parent_id=page.id)
        current = page.entry(page.current_version_id)
        approved_id = current.approved_qa_run_id if current else None
        if approved_id is None or approved_id in {run.id for run in newest}:
            return newest
        approved = self._catalog.get_many(page.shop_id, "LPQ", [approved_id], parent_id=page.id)
        return [*newest[: SHOWN_RUNS - len(approved)], *map(run_in, approved)]

    def decide(
        self,
        caller: Caller,
        page_id: str,
        run_id: str,
        decision: Decision,
        note: str | None,
        *,
        expected_version: Versions,
    ) -> QaRun:
        """Approve or reject a run. Raises NotFoundError, VersionConflictError, InvalidStateTransitionError."""
        mark = self._world.audit_row_id()

        def attempt() -> QaRun:
            page, run = self._pages.get(caller.shop_id, page_id), self.get(caller.shop_id, page_id, run_id)
            if self._world.is_stored(caller.shop_id, mark):
                return run
            refuse_other_version(expected_version, run.version)
            occasion = self._pages.occasion(caller)
            after = decided(run, decision, note, caller.user_id, occasion.now)
            if after is not run:
                change = Change(
                    before=page,
                    after=reviewed(page, run, decision, occasion.now),
                    action=f"landing_page.{decision}_qa_run",
                    note={"qa_run_id": run.id, **present(note=note)},
                )
                self._pages.save(caller.user_id, change, Commit(puts=[put_run(after)]), row_id=mark)
            return after

        return retried(attempt)

    def _count(self, shop_id: str) -> None:
        take_token(
            self._limiter,
            self._world.clock,
            f"landing-qa#{shop_id}",
            "QA runs of this shop",
            limit=RUNS_AN_HOUR,
            window_seconds=_HOUR,
            per="an hour",
        )


class PageChecks:
    """Requests for reports of versions with checked links. `checks` are the jobs that make them.

    The requests of a shop share one limit: each costs servers of others up to 50 requests.
    """

    def __init__(self, versions: PageVersions, checks: Jobs, limiter: RateLimiter) -> None:
        self._versions = versions
        self._checks = checks
        self._limiter = limiter

    def request(self, caller: Caller, page_id: str, reference: str) -> PageVersion:
        """Have the report of a version made again, and return the version as it is now.

        Raises NotFoundError, InvalidStateTransitionError, RateLimitedError.
        """
        page, version = self._versions.get(caller.shop_id, page_id, reference)
        refuse_archived(page, "render")
        take_token(
            self._limiter,
            self._versions.pages.world.clock,
            f"landing-render#{caller.shop_id}",
            "renderings of this shop",
            limit=RENDERINGS_AT_ONCE,
            window_seconds=_HOUR * RENDERINGS_AT_ONCE // RENDERINGS_AN_HOUR,
            per=f"at once, and {RENDERINGS_AN_HOUR} an hour",
        )
        request = {"landing_page_id": page_id, "version_id": version.id}
        self._checks.create(caller, request, ("landing_page", page_id, page.name))
        return version
