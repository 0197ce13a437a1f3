"""Routes of versions of landing pages."""

from typing import Annotated

from abtest.contract.base import ListOf
from abtest.contract.errors import InvalidStateTransitionEnvelope
from abtest.contract.landing_pages import (
    LandingPage,
    LandingPageVersion,
    LandingPageVersionCreate,
    VersionReference,
)
from abtest.domain.changes.errors import InvalidStateTransitionError
from abtest.domain.pages.rules import DocumentTooLargeError
from abtest.http.deps import IfMatch, Page, PathId, carries_code, expensive, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import LimitReachedError, NotFoundError, ValidationFailedError
from abtest.services.pages.qa_runs import PageChecks
from abtest.services.pages.versions import PageVersions
from api_pages.endpoints.vocabulary import Reader, Shown, Writer

router = Router("/landing-pages/{landing_page_id}/versions", tag="Landing pages")

Uses = Annotated[PageVersions, use(PageVersions)]
Checks = Annotated[PageChecks, use(PageChecks)]


@router.get("", operation_id="listLandingPageVersions", responses=errors(NotFoundError))
def list_versions(landing_page_id: PathId, caller: Reader, page: Page, versions: Uses) -> ListOf[LandingPageVersion]:
    """List the versions of a landing page, newest first."""
    items, last = versions.page(caller.shop_id, landing_page_id, limit=page.limit, after=page.after)
    return page.page([LandingPageVersion.of(item) for item in items], last)


@router.post(
    "",
    operation_id="createLandingPageVersion",
    status_code=201,
    responses=errors(
        NotFoundError,
        InvalidStateTransitionError,
        DocumentTooLargeError,
        ValidationFailedError,
        LimitReachedError,
        s409=InvalidStateTransitionEnvelope,
    ),
)
@carries_code
def create_version(
    landing_page_id: PathId, body: LandingPageVersionCreate, caller: Writer, versions: Uses
) -> LandingPageVersion:
    """Create the next version of a landing page, render it, and make it the current one.

    A version never changes. `gate_report` has the checks that need no browser; `render` also requests its links. The
    page is a draft again; a published version stays online. A page has at most 200 versions (422 `limit_reached`), a
    spec 256 KB and the rest of a version 48 KB (413), the body 5 MiB. The brief is copied, so later changes of it do
    not change the version. An archived page is 409.
    """
    return LandingPageVersion.of(versions.create(caller, landing_page_id, body.provided()))


@router.get("/{version}", operation_id="getLandingPageVersion", responses=errors(NotFoundError))
def get_version(
    landing_page_id: PathId, version: VersionReference, caller: Reader, versions: Uses
) -> LandingPageVersion:
    """Return one version by its number or id."""
    return LandingPageVersion.of(versions.get(caller.shop_id, landing_page_id, version)[1])


@router.post(
    "/{version}/render",
    operation_id="renderLandingPageVersion",
    status_code=202,
    responses=errors(NotFoundError, InvalidStateTransitionError, s409=InvalidStateTransitionEnvelope),
)
@expensive
def render_version(
    landing_page_id: PathId, version: VersionReference, caller: Writer, checks: Checks
) -> LandingPageVersion:
    """Have the links of a version requested and its `gate_report` made again, in the background.

    The report is there when its `checked_at` is later than before. A link works if it answers with a status below 400,
    after five redirects at most and within ten seconds; it is then not requested again for 24 hours, a broken one
    for a minute. 50 links are requested; the rest warn. Everything else of the version stays as it is. A shop renders
    60 times an hour at most, and 20 times at once (429 `rate_limited`). An archived page is 409.
    """
    return LandingPageVersion.of(checks.request(caller, landing_page_id, version))


@router.post(
    "/{version}/restore",
    operation_id="restoreLandingPageVersion",
    responses=errors(NotFoundError, InvalidStateTransitionError, s409=InvalidStateTransitionEnvelope),
)
def restore_version(
    landing_page_id: PathId, version: VersionReference, caller: Writer, versions: Uses, shown: Shown, if_match: IfMatch
) -> LandingPage:
    """Make a version the current one again.

    The page is `published` if this version is online, `ready` if one of its QA runs was approved, else a draft. No
    version is added. The current version stays as it is.
    """
    return shown(versions.restore(caller, landing_page_id, version, expected_version=if_match).value)
