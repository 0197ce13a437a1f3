"""Routes of QA runs of landing pages."""

from typing import Annotated

from abtest.contract.base import ListOf
from abtest.contract.errors import InvalidStateTransitionEnvelope
from abtest.contract.landing_pages import LandingPageQaRun, LandingPageQaRunCreate, QaDecision
from abtest.domain.changes.errors import InvalidStateTransitionError
from abtest.http.deps import Caller, IfMatch, Page, PathId, require, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import NotFoundError, ValidationFailedError
from abtest.services.pages.qa_runs import QaRuns
from api_pages.endpoints.vocabulary import Reader, Writer

router = Router("/landing-pages/{landing_page_id}/qa-runs", tag="Landing pages")

Uses = Annotated[QaRuns, use(QaRuns)]
Approver = Annotated[Caller, require("approvals:write")]

MOVE = errors(NotFoundError, InvalidStateTransitionError, s409=InvalidStateTransitionEnvelope)


@router.get("", operation_id="listLandingPageQaRuns", responses=errors(NotFoundError))
def list_runs(landing_page_id: PathId, caller: Reader, page: Page, runs: Uses) -> ListOf[LandingPageQaRun]:
    """List the QA runs of a landing page, newest first."""
    items, last = runs.page(caller.shop_id, landing_page_id, limit=page.limit, after=page.after)
    return page.page([LandingPageQaRun.of(item) for item in items], last)


@router.post(
    "",
    operation_id="createLandingPageQaRun",
    status_code=202,
    responses=errors(
        NotFoundError, InvalidStateTransitionError, ValidationFailedError, s409=InvalidStateTransitionEnvelope
    ),
)
def create_run(
    landing_page_id: PathId, caller: Writer, runs: Uses, body: LandingPageQaRunCreate | None = None
) -> LandingPageQaRun:
    """Check a version, by default the current one, whose page is then `in_review`.

    The run is `queued`, then `running`, and `passed` or `failed` seconds later. Its findings are the checks of
    `gate_report`, with the links requested as `render` does, and those of a browser that opens the page in each
    viewport; `screenshots` has its pictures. A deployment without a browser warns of that in a finding. A shop starts
    20 runs an hour at most (429 `rate_limited`). A page that is archived, or whose current version is online, is 409.
    """
    return LandingPageQaRun.of(runs.create(caller, landing_page_id, body.provided() if body else {}))


@router.get("/{qa_run_id}", operation_id="getLandingPageQaRun", responses=errors(NotFoundError))
def get_run(landing_page_id: PathId, qa_run_id: PathId, caller: Reader, runs: Uses) -> LandingPageQaRun:
    """Return one QA run with its findings."""
    return LandingPageQaRun.of(runs.get(caller.shop_id, landing_page_id, qa_run_id))


@router.post("/{qa_run_id}/approve", operation_id="approveLandingPageQaRun", responses=MOVE)
def approve_run(
    landing_page_id: PathId,
    qa_run_id: PathId,
    caller: Approver,
    runs: Uses,
    if_match: IfMatch,
    body: QaDecision | None = None,
) -> LandingPageQaRun:
    """Approve a QA run that is `passed`; any other is 409 `invalid_state_transition`.

    A page in review whose current version it is becomes `ready`. The approval of an older version leaves the status.
    """
    note = body.note if body else None
    decided = runs.decide(caller, landing_page_id, qa_run_id, "approve", note, expected_version=if_match)
    return LandingPageQaRun.of(decided)


@router.post("/{qa_run_id}/reject", operation_id="rejectLandingPageQaRun", responses=MOVE)
def reject_run(
    landing_page_id: PathId,
    qa_run_id: PathId,
    caller: Approver,
    runs: Uses,
    if_match: IfMatch,
    body: QaDecision | None = None,
) -> LandingPageQaRun:
    """Reject a QA run that was not approved. A page in review whose current version it is becomes a draft.

    The note is the last finding of the run.
    """
    note = body.note if body else None
    decided = runs.decide(caller, landing_page_id, qa_run_id, "reject", note, expected_version=if_match)
    return LandingPageQaRun.of(decided)
