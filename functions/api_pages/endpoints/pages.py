"""Routes of landing pages."""

from typing import Annotated

from fastapi import Query

from abtest.contract.base import ListOf
from abtest.contract.errors import InvalidStateTransitionEnvelope
from abtest.contract.landing_pages import LandingPage, LandingPageCreate, LandingPageSummary, LandingPageUpdate
from abtest.domain.changes.errors import InvalidStateTransitionError, NotDeletableError, SlugTakenError
from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.domain.pages.addresses import ReservedPathError
from abtest.domain.pages.model import PageStatus, PublishMode
from abtest.domain.pages.vocabulary import PageType
from abtest.http.deps import IfMatch, Page, PathId, use
from abtest.http.listing import NarrowedOrArchived
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import LimitReachedError, NotFoundError
from abtest.services.pages.pages import LandingPages
from api_pages.endpoints.vocabulary import Reader, Shown, Writer

router = Router("/landing-pages", tag="Landing pages")

Uses = Annotated[LandingPages, use(LandingPages)]

ADDRESS = (SlugTakenError, UrlNotAllowedError, ReservedPathError)
MOVE = errors(NotFoundError, InvalidStateTransitionError, s409=InvalidStateTransitionEnvelope)


@router.get("", operation_id="listLandingPages", responses=errors(LimitReachedError))
def list_pages(
    caller: Reader,
    page: Page,
    pages: Uses,
    filters: NarrowedOrArchived,
    status: Annotated[PageStatus | None, Query(description="Only landing pages of this status.")] = None,
    page_type: Annotated[PageType | None, Query(description="Only landing pages of this form.")] = None,
    publish_mode: Annotated[
        PublishMode | None, Query(description="Only landing pages that are published in this way.")
    ] = None,
) -> ListOf[LandingPageSummary]:
    """List landing pages, newest first. `q` is about name and slug."""
    chosen = filters.where(status=status, page_type=page_type, publish_mode=publish_mode)
    items, last = pages.page(caller.shop_id, chosen, limit=page.limit, after=page.after)
    return page.page([LandingPageSummary.of(item) for item in items], last)


@router.post("", operation_id="createLandingPage", status_code=201, responses=errors(*ADDRESS, LimitReachedError))
def create_page(body: LandingPageCreate, caller: Writer, pages: Uses, shown: Shown) -> LandingPage:
    """Create a landing page, a draft without versions. A shop has at most 500 (422 `limit_reached`).

    `publish_host` is the shop's domain unless it is given, and must be that or an install domain (422
    `url_not_allowed`). `publish_path` is stored in one spelling: escapes of letters are decoded, `//` and dot segments
    are folded, a slash at the end is dropped. Paths below `/api`, `/s`, `/a`, `/events`, `/_svc`, `/health`,
    `/checkout`, `/cart`, `/assign` and `/.well-known` are reserved, in any case (422 `reserved_path`).
    """
    return shown(pages.create(caller, body.provided()).value)


@router.get("/{landing_page_id}", operation_id="getLandingPage", responses=errors(NotFoundError))
def get_page(landing_page_id: PathId, caller: Reader, pages: Uses, shown: Shown) -> LandingPage:
    """Return one landing page."""
    return shown(pages.get(caller.shop_id, landing_page_id))


@router.patch(
    "/{landing_page_id}",
    operation_id="updateLandingPage",
    responses=errors(NotFoundError, InvalidStateTransitionError, *ADDRESS, s409=InvalidStateTransitionEnvelope),
)
def update_page(
    landing_page_id: PathId, body: LandingPageUpdate, caller: Writer, pages: Uses, shown: Shown, if_match: IfMatch
) -> LandingPage:
    """Change a landing page. A null `publish_host` is the shop's domain again.

    What is published stays where it is until the next publish. An archived page is 409 `invalid_state_transition`.
    """
    return shown(pages.update(caller, landing_page_id, body.provided(), expected_version=if_match).value)


@router.delete(
    "/{landing_page_id}",
    operation_id="deleteLandingPage",
    status_code=204,
    responses=errors(NotFoundError, NotDeletableError),
)
def delete_page(landing_page_id: PathId, caller: Writer, pages: Uses, if_match: IfMatch) -> None:
    """Delete a landing page that was never published. Any other is 409 `not_deletable`: archive it instead."""
    pages.delete(caller, landing_page_id, expected_version=if_match)


@router.post("/{landing_page_id}/archive", operation_id="archiveLandingPage", responses=MOVE)
def archive_page(landing_page_id: PathId, caller: Writer, pages: Uses, shown: Shown, if_match: IfMatch) -> LandingPage:
    """Archive a landing page. Its slug stays taken. One that is published is 409: unpublish it first."""
    return shown(pages.set_archived(caller, landing_page_id, True, expected_version=if_match).value)


@router.post("/{landing_page_id}/unarchive", operation_id="unarchiveLandingPage", responses=MOVE)
def unarchive_page(
    landing_page_id: PathId, caller: Writer, pages: Uses, shown: Shown, if_match: IfMatch
) -> LandingPage:
    """Restore an archived landing page as `unpublished`, or as a draft if it was never published."""
    return shown(pages.set_archived(caller, landing_page_id, False, expected_version=if_match).value)
