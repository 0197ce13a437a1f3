"""Routes of content briefs."""

from typing import Annotated

from fastapi import Query

from abtest.contract.base import ListOf, Uuid
from abtest.contract.briefs import ContentBriefCreate, ContentBriefUpdate, LandingPageContentBrief
from abtest.domain.pages.briefs import BriefSource, BriefStatus
from abtest.domain.pages.rules import DocumentTooLargeError
from abtest.domain.pages.vocabulary import PageType
from abtest.http.deps import IfMatch, Page, PathId, use
from abtest.http.listing import NarrowedOrArchived
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import LimitReachedError, NotFoundError, ValidationFailedError
from abtest.services.pages.briefs import ContentBriefs
from api_pages.endpoints.vocabulary import Reader, Writer

router = Router("/content-briefs", tag="Content briefs")

Uses = Annotated[ContentBriefs, use(ContentBriefs)]


@router.get("", operation_id="listContentBriefs", responses=errors(LimitReachedError))
def list_briefs(
    caller: Reader,
    page: Page,
    briefs: Uses,
    filters: NarrowedOrArchived,
    status: Annotated[BriefStatus | None, Query(description="Only briefs of this status.")] = None,
    source: Annotated[BriefSource | None, Query(description="Only briefs of this source.")] = None,
    format: Annotated[PageType | None, Query(description="Only briefs of this format.")] = None,  # noqa: A002 - the field's name
    landing_page_id: Annotated[Uuid | None, Query(description="Only briefs for this landing page.")] = None,
) -> ListOf[LandingPageContentBrief]:
    """List content briefs, newest first. `q` and the order `name` are about the angle."""
    chosen = filters.where(status=status, source=source, format=format, landing_page_id=landing_page_id)
    items, last = briefs.page(caller.shop_id, chosen, limit=page.limit, after=page.after)
    return page.page([LandingPageContentBrief.of(item) for item in items], last)


@router.post(
    "",
    operation_id="createContentBrief",
    status_code=201,
    responses=errors(DocumentTooLargeError, ValidationFailedError),
)
def create_brief(body: ContentBriefCreate, caller: Writer, briefs: Uses) -> LandingPageContentBrief:
    """Create a content brief.

    `landing_page_id` must be a landing page of the shop (422 `validation_failed`). A brief has at most 32 KB (413).
    """
    return LandingPageContentBrief.of(briefs.create(caller, body.provided()).value)


@router.get("/{brief_id}", operation_id="getContentBrief", responses=errors(NotFoundError))
def get_brief(brief_id: PathId, caller: Reader, briefs: Uses) -> LandingPageContentBrief:
    """Return one content brief."""
    return LandingPageContentBrief.of(briefs.get(caller.shop_id, brief_id))


@router.patch(
    "/{brief_id}",
    operation_id="updateContentBrief",
    responses=errors(NotFoundError, DocumentTooLargeError, ValidationFailedError),
)
def update_brief(
    brief_id: PathId, body: ContentBriefUpdate, caller: Writer, briefs: Uses, if_match: IfMatch
) -> LandingPageContentBrief:
    """Change a content brief. The status `archived` hides it from lists; every other status shows it again.

    Versions of landing pages keep the brief as it was when they were created.
    """
    return LandingPageContentBrief.of(briefs.update(caller, brief_id, body.provided(), expected_version=if_match).value)


@router.delete("/{brief_id}", operation_id="deleteContentBrief", status_code=204, responses=errors(NotFoundError))
def delete_brief(brief_id: PathId, caller: Writer, briefs: Uses, if_match: IfMatch) -> None:
    """Delete a content brief. Versions of landing pages keep their copy."""
    briefs.remove(caller, brief_id, expected_version=if_match)
