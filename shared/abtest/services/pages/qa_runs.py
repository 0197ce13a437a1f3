"""Use cases of QA runs: started, listed, read, approved or rejected."""

from collections.abc import Mapping, Sequence
from typing import Any

from abtest.domain.changes.change import Change
from abtest.domain.pages.model import LandingPage
from abtest.domain.pages.qa import (
    RUNS_AN_HOUR,
    VIEWPORTS,
    Decision,
    QaRun,
    checked,
    decided,
    finding,
    gate_findings,
)
from abtest.domain.pages.states import in_review, reviewed
from abtest.domain.pages.versions import PageVersion
from abtest.kit.clock import Timestamp
from abtest.kit.documents import decode, encode
from abtest.kit.errors import NotFoundError, refused
from abtest.kit.json_objects import present
from abtest.ports.catalog import Commit, Head, Put, Record
from abtest.ports.limits import RateLimiter
from abtest.services.context import Caller
from abtest.services.listing import EVERYTHING, Listing
from abtest.services.pages.versions import PageVersions
from abtest.services.rate_limits import RateLimitedError
from abtest.services.retries import Versions, refuse_other_version, retried

SHOWN_RUNS = 3
"""QA runs that a page is shown with."""

_HOUR = 3600


class QaRuns:
    """QA runs of landing pages. The runs of a shop share one limit."""

    def __init__(self, versions: PageVersions, limiter: RateLimiter) -> None:
        self._versions = versions
        self._pages = versions.pages
        self._world = self._pages.world
        self._catalog = self._world.catalog
        self._limiter = limiter
        self._listing = Listing(self._catalog, "LPQ", _from_record, plural="QA runs")

    def create(self, caller: Caller, page_id: str, fields: Mapping[str, Any]) -> QaRun:
        """Start a run of a version, by default of the current one, which puts the page in review.

        Raises NotFoundError, InvalidStateTransitionError, ValidationFailedError, RateLimitedError.
        """
        run_id, mark = self._world.new_id(), self._world.audit_row_id()
        version = self._version(self._pages.get(caller.shop_id, page_id), fields.get("version_id"))
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
            run = _started(version, run_id, fields.get("viewports"), occasion.now)
            note = {"qa_run_id": run.id, "version_number": version.version_number}
            change = Change(before=page, after=after, action="landing_page.add_qa_run", note=note)
            put = Put(record=_record(run), expected_version=0)
            self._pages.save(caller.user_id, change, Commit(puts=[put]), row_id=mark)
            return run

        return retried(attempt)

    def get(self, shop_id: str, page_id: str, run_id: str) -> QaRun:
        """Return one run of a page. Raises NotFoundError."""
        self._pages.get(shop_id, page_id)
        record = self._catalog.get(shop_id, "LPQ", run_id, parent_id=page_id)
        if record is None:
            raise NotFoundError("there is no such QA run")
        return _from_record(record)

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
        return [*newest[: SHOWN_RUNS - len(approved)], *map(_from_record, approved)]

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
                put = Put(record=_record(after), expected_version=run.version)
                self._pages.save(caller.user_id, change, Commit(puts=[put]), row_id=mark)
            return after

        return retried(attempt)

    def _version(self, page: LandingPage, version_id: str | None) -> PageVersion:
        if version_id is None and page.current_version_id is None:
            raise refused("version_id", "the landing page has no version yet")
        try:
            return self._versions.get(page.shop_id, page.id, version_id or page.current_version_id or "")[1]
        except NotFoundError as error:
            raise refused("version_id", "there is no such version of the landing page") from error

    def _count(self, shop_id: str) -> None:
        decision = self._limiter.take(
            f"landing-qa#{shop_id}", limit=RUNS_AN_HOUR, window_seconds=_HOUR, now=self._world.clock.now()
        )
        if not decision.allowed:
            raise RateLimitedError(decision, "QA runs of this shop", per="an hour")


def _started(version: PageVersion, run_id: str, viewports: Sequence[Any] | None, now: Timestamp) -> QaRun:
    """The run with what is known of the version without a browser; a person decides about the rest."""
    run = QaRun(
        id=run_id,
        shop_id=version.shop_id,
        version=0,
        landing_page_id=version.landing_page_id,
        version_id=version.id,
        viewports=tuple(viewports or VIEWPORTS),
        created_at=now,
        updated_at=now,
    )
    not_opened = finding("browser", "warn", "not checked in a browser: open the page before you approve it")
    return checked(run, [*gate_findings(version.gate_report), not_opened], now)


def _record(run: QaRun) -> Record:
    head = Head(
        shop_id=run.shop_id,
        kind="LPQ",
        id=run.id,
        parent_id=run.landing_page_id,
        version=run.version,
        created_at=run.created_at,
        updated_at=run.updated_at,
        status=run.status,
        attributes={"version_id": run.version_id},
    )
    return Record(head=head, body=encode(run, omit=("version",)))


def _from_record(record: Record) -> QaRun:
    return decode(QaRun, record.body, version=record.head.version)
