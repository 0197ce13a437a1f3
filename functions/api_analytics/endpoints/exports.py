"""Routes of exports."""

from typing import Annotated

from abtest.contract.base import ListOf
from abtest.contract.errors import InvalidStateTransitionEnvelope
from abtest.contract.exports import Export, ExportInput
from abtest.domain.jobs.model import JobEndedError, JobStatus
from abtest.http.deps import Caller, Page, PathId, confidential, expensive, require, use
from abtest.http.listing import NarrowedByTime
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import LimitReachedError, NotFoundError, ValidationFailedError
from abtest.services.exports.requests import Exports
from abtest.services.results import Readership
from abtest.services.scopes import FieldScopeRequiredError

Analyst = Annotated[Caller, require("analytics:read")]
UsesExports = Annotated[Exports, use(Exports)]

router = Router("/exports", tag="Exports")


@router.post(
    "", operation_id="createExport", status_code=202, responses=errors(ValidationFailedError, FieldScopeRequiredError)
)
@confidential
@expensive
def create_export(
    body: ExportInput, caller: Analyst, use_exports: UsesExports, readership: Annotated[Readership, use(Readership)]
) -> Export:
    """Start an export. The file is written in the background: poll the export until its status is `completed`.

    `from` must be before `to`, at most 92 days apart; `results` needs `experiment_id`; `audit` needs
    the scope `audit:read` as well (403 `insufficient_scope`), and keys without it do not see its exports. In CSV files,
    text that a spreadsheet could run as a formula begins with an apostrophe.
    """
    if body.dataset == "results":
        readership.note(caller.shop_id)
    return use_exports.create(caller, body)


@router.get("", operation_id="listExports", responses=errors(LimitReachedError))
@confidential
def list_exports(
    caller: Analyst,
    page: Page,
    use_exports: UsesExports,
    filters: NarrowedByTime,
    status: JobStatus | None = None,
) -> ListOf[Export]:
    """List the exports of the last 30 days, newest first."""
    items, last = use_exports.page(caller, filters, status, limit=page.limit, after=page.after)
    return page.page(items, last)


@router.get("/{export_id}", operation_id="getExport", responses=errors(NotFoundError))
@confidential
def get_export(export_id: PathId, caller: Analyst, use_exports: UsesExports) -> Export:
    """Return the status of an export. A completed export has a new `url` in every response, for seven days."""
    return use_exports.get(caller, export_id)


@router.post(
    "/{export_id}/cancel",
    operation_id="cancelExport",
    responses=errors(NotFoundError, JobEndedError, s409=InvalidStateTransitionEnvelope),
)
@confidential
def cancel_export(export_id: PathId, caller: Analyst, use_exports: UsesExports) -> Export:
    """Cancel a queued or running export. Any other status is 409 `invalid_state_transition`."""
    return use_exports.cancel(caller, export_id)
